// A page for people: who, when, and a row per op. It needs nothing else.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/common/xml.h"
#include "tools/conformance/report.h"

namespace gles_delegate::conformance {
namespace {

constexpr char kStyle[] = R"(
:root { color-scheme: light dark; --line: #8884; --bar: #3b82f6; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem;
       margin: 2rem auto; padding: 0 1rem; }
h1 { margin: 0 0 .25rem; font-size: 1.5rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; }
dt { opacity: .65; } dd { margin: 0; }
.verdict { display: inline-block; padding: .3rem .8rem; border-radius: .4rem;
           color: #fff; font-weight: 600; }
.good { background: #15803d; } .bad { background: #b91c1c; }
table { border-collapse: collapse; width: 100%; font-size: 13px; }
th, td { padding: .2rem .5rem; border-bottom: 1px solid var(--line);
         text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
thead th { font-weight: 600; position: sticky; top: 0; background: Canvas; }
.first { border-left: 1px solid var(--line); }
tr.failed td:first-child { color: #dc2626; font-weight: 600; }
.share { display: inline-block; width: 5rem; height: .6rem;
         background: #8883; border-radius: .3rem; overflow: hidden; }
.share i { display: block; height: 100%; background: var(--bar); }
.share i.past { background: #dc2626; }
pre { white-space: pre-wrap; font-size: 12px; padding: .5rem;
      border: 1px solid var(--line); border-radius: .4rem; }
)";

std::string Fact(const char* name, const std::string& value) {
  return absl::StrCat("<dt>", name, "</dt><dd>", XmlEscaped(value), "</dd>\n");
}

// How much of its bound the worst case takes, as a bar.
std::string Share(const Totals& totals) {
  const double share = totals.of_bound.value;
  return absl::StrFormat(
      "<td title=\"%s\"><span class=\"share\"><i class=\"%s\" "
      "style=\"width:%.0f%%\"></i></span></td>",
      XmlEscaped(absl::StrFormat("%.2f of what is allowed: %s", share,
                                 totals.of_bound.case_name)),
      share > 1 ? "past" : "in", 100 * std::min(share, 1.0));
}

std::string FloatCells(const Totals& totals) {
  if (totals.cases == 0) {
    return "<td class=\"first\"></td><td></td><td></td><td></td><td></td>";
  }
  return absl::StrFormat(
      "<td class=\"first\">%d</td><td>%d</td><td title=\"%s\">%.3g</td>"
      "<td title=\"%s\">%.2g</td>%s",
      totals.cases, totals.failures, XmlEscaped(totals.ulps.case_name),
      totals.ulps.value, XmlEscaped(totals.relative.case_name),
      totals.relative.value, Share(totals));
}

std::string CodeCells(const Totals& totals) {
  if (totals.cases == 0) return "<td class=\"first\"></td><td></td><td></td>";
  return absl::StrFormat(
      "<td class=\"first\">%d</td><td>%d</td><td title=\"%s\">%.3g</td>",
      totals.cases, totals.failures, XmlEscaped(totals.quantized.case_name),
      totals.quantized.value);
}

std::string Row(const std::string& op, const Summary& summary) {
  return absl::StrCat("<tr", summary.failures() > 0 ? " class=\"failed\"" : "",
                      "><td>", XmlEscaped(op), "</td>",
                      FloatCells(summary.float32), FloatCells(summary.float16),
                      CodeCells(summary.quantized), "</tr>\n");
}

std::string Failures(const Results& results) {
  if (results.all.failures() == 0) return "";
  std::string text = "<h2>Failures</h2>\n";
  for (const CaseResult& result : results.cases) {
    if (result.failure.empty()) continue;
    absl::StrAppend(&text, "<pre><b>", XmlEscaped(result.name), "</b>\n");
    // XmlEscaped writes newlines as XML has them in attributes.
    absl::StrAppend(&text, XmlEscaped(result.failure), "</pre>\n");
  }
  return text;
}

}  // namespace

std::string HtmlPage(const Results& results) {
  const RunFacts& facts = results.facts;
  const bool good = results.all.failures() == 0;
  std::string text = absl::StrCat(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n"
      "<title>gles_conformance on ",
      XmlEscaped(facts.renderer), "</title>\n<style>", kStyle,
      "</style></head><body>\n<h1>gles_conformance</h1>\n");
  absl::StrAppendFormat(
      &text, "<p class=\"verdict %s\">%d cases of %d ops, %d failures</p>\n",
      good ? "good" : "bad", results.all.cases(), results.by_op.size(),
      results.all.failures());
  absl::StrAppend(
      &text, "<dl>\n", Fact("renderer", facts.renderer),
      Fact("driver", facts.driver), Fact("TensorFlow Lite", facts.tflite),
      Fact("date", facts.date + " UTC"), Fact("revision", facts.revision),
      Fact("seed", facts.seed), Fact("selection", facts.selection),
      Fact("time", absl::StrFormat("%.0f s", facts.seconds)), "</dl>\n");
  absl::StrAppend(
      &text,
      "<p>Against TensorFlow Lite's built-in CPU kernels. ULP: the largest "
      "error in "
      "units in the last place (of the sum of the absolute terms, where an op "
      "sums). Relative: to the output's largest magnitude. The bar: the "
      "largest "
      "share of what the arithmetic allows. Codes: of 8-bit outputs. Point at "
      "a "
      "number for its case.</p>\n<table><thead>\n<tr><th></th>"
      "<th class=\"first\" colspan=\"5\">float32</th>"
      "<th class=\"first\" colspan=\"5\">float16</th>"
      "<th class=\"first\" colspan=\"3\">8 bits</th></tr>\n<tr><th>op</th>");
  for (int i = 0; i < 2; ++i) {
    absl::StrAppend(&text,
                    "<th class=\"first\">cases</th><th>failed</th><th>ULP</th>"
                    "<th>relative</th><th>of bound</th>");
  }
  absl::StrAppend(&text,
                  "<th class=\"first\">cases</th><th>failed</th>"
                  "<th>quantized values</th></tr>\n</thead><tbody>\n");
  for (const auto& [op, summary] : results.by_op) {
    absl::StrAppend(&text, Row(op, summary));
  }
  absl::StrAppend(&text, "</tbody><tfoot>", Row("all", results.all),
                  "</tfoot></table>\n", Failures(results), "</body></html>\n");
  return text;
}

}  // namespace gles_delegate::conformance

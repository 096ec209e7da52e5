#include "tools/conformance/report.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tools/common/text_file.h"
#include "tools/runner/command_line.h"

namespace gles_delegate::conformance {

void Worst::Raise(double other, const std::string& name) {
  if (other <= value) return;
  value = other;
  case_name = name;
}

void Totals::Add(const CaseResult& result) {
  ++cases;
  if (!result.failure.empty()) ++failures;
  const testing::Comparison& c = result.comparison;
  ulps.Raise(c.worst_ulps, result.name);
  relative.Raise(c.worst_relative, result.name);
  of_bound.Raise(c.worst_of_bound, result.name);
  quantized.Raise(c.worst_quantized, result.name);
}

void Summary::Add(const CaseResult& result) {
  const bool is_float32 = result.precision == Precision::kFloat32;
  Totals& totals = result.quantized ? quantized
                   : is_float32     ? float32
                                    : float16;
  totals.Add(result);
}

int Summary::cases() const {
  return float32.cases + float16.cases + quantized.cases;
}

int Summary::failures() const {
  return float32.failures + float16.failures + quantized.failures;
}

void Results::Add(CaseResult result) {
  if (!result.not_run.empty()) {
    ++not_run[result.op];
    return;
  }
  if (result.programs > 0) {
    Unchecked& of =
        self_check[result.op + (result.quantized ? " 8 bits" : " floats")];
    ++of.cases;
    of.partly += result.checked > 0 && result.checked < result.programs;
    of.wholly += result.checked == 0;
  }
  by_op[result.op].Add(result);
  all.Add(result);
  cases.push_back(std::move(result));
}

namespace {

// The table on standard output.

// At 80 columns: the failures' sum, and no relative errors.
std::string NarrowLine(const std::string& name, const Summary& summary) {
  const auto totals = [](const Totals& t, double worst, int width) {
    return t.cases == 0 ? absl::StrFormat("%5s %*s", "-", width, "")
                        : absl::StrFormat("%5d %*.3g", t.cases, width, worst);
  };
  std::string line = absl::StrFormat(
      "%-28s %4d  %s  %s  %s", Shorten(name, 28), summary.failures(),
      totals(summary.float32, summary.float32.ulps.value, 8),
      totals(summary.float16, summary.float16.ulps.value, 8),
      totals(summary.quantized, summary.quantized.quantized.value, 6));
  absl::StripTrailingAsciiWhitespace(&line);
  return line + "\n";
}

std::string NarrowHead() {
  const std::string columns = absl::StrFormat("%5s %8s", "cases", "ULP");
  return absl::StrFormat(
      "%-33s  %-14s  %-14s  8 bits\n%-28s %4s  %s  %s  %5s %6s\n", "",
      "float32", "float16", "op", "fail", columns, columns, "cases", "steps");
}

std::string WideLine(const std::string& name, const Summary& summary) {
  const auto floats = [](const Totals& t) {
    if (t.cases == 0) {
      return absl::StrFormat("%6s %5s %9s %9s", "-", "", "", "");
    }
    return absl::StrFormat("%6d %5d %9.3g %9.2g", t.cases, t.failures,
                           t.ulps.value, t.relative.value);
  };
  const Totals& q = summary.quantized;
  const std::string quantized =
      q.cases == 0 ? absl::StrFormat("%6s %5s %6s", "-", "", "")
                   : absl::StrFormat("%6d %5d %6.3g", q.cases, q.failures,
                                     q.quantized.value);
  std::string line =
      absl::StrFormat("%-28s %s   %s   %s", name, floats(summary.float32),
                      floats(summary.float16), quantized);
  absl::StripTrailingAsciiWhitespace(&line);
  return line + "\n";
}

std::string WideHead() {
  const std::string columns =
      absl::StrFormat("%6s %5s %9s %9s", "cases", "fail", "ULP", "relative");
  return absl::StrFormat(
      "%-28s %-32s   %-32s   8 bits\n%-28s %s   %s   %6s %5s %6s\n", "",
      "float32", "float16", "op", columns, columns, "cases", "fail", "steps");
}

// The case that comes nearest to its bound, or is furthest past it.
std::string WorstCase(const char* what, const Totals& totals) {
  if (totals.of_bound.case_name.empty()) return "";
  return absl::StrFormat("%s: %.2f of what is allowed, %s\n", what,
                         totals.of_bound.value, totals.of_bound.case_name);
}

// The ops that the self-check has no reference for.
std::string SelfCheckText(const Results& results) {
  Unchecked all;
  std::string list;
  for (const auto& [op, of] : results.self_check) {
    all.cases += of.cases;
    all.partly += of.partly;
    all.wholly += of.wholly;
    if (of.partly + of.wholly == 0) continue;
    absl::StrAppendFormat(&list, "  %s: %d of %d, %d more in part\n", op,
                          of.wholly, of.cases, of.partly);
  }
  if (all.cases == 0) return "";
  return absl::StrFormat(
      "\nThe self-check did not check %d of %d cases, and %d more in part\n%s",
      all.wholly, all.cases, all.partly, list);
}

}  // namespace

std::string Table(const Results& results) {
  const RunFacts& facts = results.facts;
  std::string text = absl::StrFormat(
      "%s, %s\nTensorFlow Lite %s\n%s UTC, revision %s, seed %s, %s, %.0f "
      "s\n\n",
      facts.renderer, facts.driver, facts.tflite, facts.date, facts.revision,
      facts.seed, facts.selection, facts.seconds);
  const bool wide = Columns() > 80;
  const auto line = wide ? WideLine : NarrowLine;
  text += wide ? WideHead() : NarrowHead();
  for (const auto& [op, summary] : results.by_op) text += line(op, summary);
  text += line("all", results.all);
  absl::StrAppend(&text, "\nNearest to their bounds\n",
                  WorstCase("float32", results.all.float32),
                  WorstCase("float16", results.all.float16),
                  WorstCase("8 bits", results.all.quantized));
  if (!results.not_run.empty()) {
    absl::StrAppend(
        &text, "\nNot run, as TensorFlow Lite ", results.facts.tflite,
        " lacks the op or refuses the model: ",
        absl::StrJoin(results.not_run, ", ", absl::PairFormatter(" ")), "\n");
  }
  absl::StrAppend(&text, SelfCheckText(results));
  absl::StrAppendFormat(&text, "\n%d cases of %d ops, %d failures\n",
                        results.all.cases(), results.by_op.size(),
                        results.all.failures());
  return Wrap(text, 2);
}

namespace {

// JUnit's XML, as CI systems read it.

std::string Property(const char* name, const std::string& value) {
  return absl::StrCat("    <property name=\"", name, "\" value=\"",
                      XmlEscaped(value), "\"/>\n");
}

std::string TestCase(const CaseResult& result) {
  std::string text = absl::StrFormat(
      "    <testcase classname=\"gles_conformance.%s\" name=\"%s\" "
      "time=\"%.4f\"",
      XmlEscaped(result.op), XmlEscaped(result.name), result.seconds);
  if (result.failure.empty()) return absl::StrCat(text, "/>\n");
  const std::string first_line =
      result.failure.substr(0, result.failure.find('\n', 1));
  absl::StrAppend(&text, ">\n      <failure message=\"", XmlEscaped(first_line),
                  "\">", XmlEscaped(result.failure),
                  "</failure>\n    </testcase>\n");
  return text;
}

}  // namespace

std::string JunitXml(const Results& results) {
  std::map<std::string, std::vector<const CaseResult*>> by_op;
  double seconds = 0;
  for (const CaseResult& result : results.cases) {
    by_op[result.op].push_back(&result);
    seconds += result.seconds;
  }
  std::string text = absl::StrFormat(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"gles_conformance\" tests=\"%d\" failures=\"%d\" "
      "time=\"%.3f\">\n",
      results.all.cases(), results.all.failures(), seconds);
  for (const auto& [op, cases] : by_op) {
    const Summary& summary = results.by_op.at(op);
    double time = 0;
    for (const CaseResult* result : cases) time += result->seconds;
    absl::StrAppendFormat(
        &text,
        "  <testsuite name=\"%s\" tests=\"%d\" failures=\"%d\" time=\"%.3f\">\n"
        "    <properties>\n%s%s%s%s%s    </properties>\n",
        XmlEscaped(op), summary.cases(), summary.failures(), time,
        Property("renderer", results.facts.renderer),
        Property("driver", results.facts.driver),
        Property("tflite", results.facts.tflite),
        Property("seed", results.facts.seed),
        Property("revision", results.facts.revision));
    for (const CaseResult* result : cases) {
      absl::StrAppend(&text, TestCase(*result));
    }
    absl::StrAppend(&text, "  </testsuite>\n");
  }
  return absl::StrCat(text, "</testsuites>\n");
}

namespace {

// A page for people: who, when, and a row per op.

constexpr char kStyle[] = R"(
.good, .bad { padding: .3rem .8rem; color: #fff; font-weight: 600; }
.good { background: #15803d; } .bad { background: #b91c1c; }
td, th { text-align: right; white-space: nowrap; }
td:first-child, th:first-child { text-align: left; }
.first { border-left: 1px solid var(--line); }
tr.failed td:first-child { color: #dc2626; font-weight: 600; }
pre { white-space: pre-wrap; font-size: 12px; }
)";

// A cell that names the case which its number is of.
std::string Cell(const std::string& number, const Worst& worst) {
  return absl::StrCat("<td title=\"", XmlEscaped(worst.case_name), "\">",
                      number);
}

// `last`: the cells behind the counts, if there is a case.
std::string Cells(const Totals& totals, const std::string& last) {
  return totals.cases == 0 ? ""
                           : absl::StrCat("<td class=\"first\">", totals.cases,
                                          "<td>", totals.failures, last);
}

std::string FloatCells(const Totals& t) {
  const std::string cells = Cells(
      t,
      absl::StrCat(
          Cell(absl::StrFormat("%.3g", t.ulps.value), t.ulps),
          Cell(absl::StrFormat("%.2g", t.relative.value), t.relative),
          Cell(absl::StrFormat("%.0f%%", 100 * t.of_bound.value), t.of_bound)));
  return cells.empty() ? "<td class=\"first\" colspan=\"5\">" : cells;
}

std::string Row(const std::string& op, const Summary& summary) {
  const Totals& codes = summary.quantized;
  return absl::StrCat(
      "<tr", summary.failures() > 0 ? " class=\"failed\"" : "", "><td>",
      XmlEscaped(op), FloatCells(summary.float32), FloatCells(summary.float16),
      Cells(codes, Cell(absl::StrFormat("%.3g", codes.quantized.value),
                        codes.quantized)),
      "\n");
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
  std::string text = absl::StrFormat(
      "<h1>gles_conformance</h1>\n"
      "<p class=\"%s\">%d cases of %d ops, %d failures</p>\n<dl>\n",
      results.all.failures() == 0 ? "good" : "bad", results.all.cases(),
      results.by_op.size(), results.all.failures());
  for (const auto& [name, fact] :
       {std::pair("renderer", facts.renderer),
        {"driver", facts.driver},
        {"TensorFlow Lite", facts.tflite},
        {"date", facts.date + " UTC"},
        {"revision", facts.revision},
        {"seed", facts.seed},
        {"selection", facts.selection},
        {"time", absl::StrFormat("%.0f s", facts.seconds)}}) {
    text += HtmlFact(name, fact);
  }
  const char* of_floats =
      "<th class=\"first\">cases<th>failed<th>ULP<th>relative<th>of bound";
  absl::StrAppend(&text, R"(</dl>
<p>Against TensorFlow Lite's built-in CPU kernels. ULP: the largest error in
units in the last place (of the sum of the absolute terms, where an op sums).
Relative: to the output's largest magnitude. Of bound: the largest share of what
the arithmetic allows. Quantized values: the largest difference of 8-bit outputs,
in steps. Point at a number for its case.
</p>
<table><tr><th><th class="first" colspan="5">float32
<th class="first" colspan="5">float16<th class="first" colspan="3">8 bits
<tr><th>op)",
                  of_floats, of_floats,
                  "<th class=\"first\">cases<th>failed<th>quantized values\n");
  for (const auto& [op, summary] : results.by_op) text += Row(op, summary);
  absl::StrAppend(&text, Row("all", results.all), "</table>\n",
                  Failures(results));
  return HtmlDocument("gles_conformance on " + facts.renderer, kStyle, text);
}

}  // namespace gles_delegate::conformance

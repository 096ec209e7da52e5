// The table on standard output.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tools/conformance/report.h"

namespace gles_delegate::conformance {
namespace {

std::string Line(const std::string& name, const Summary& summary) {
  const auto floats = [](const Totals& t) {
    if (t.cases == 0)
      return absl::StrFormat("%6s %5s %9s %9s", "-", "", "", "");
    return absl::StrFormat("%6d %5d %9.3g %9.2g", t.cases, t.failures,
                           t.ulps.value, t.relative.value);
  };
  const Totals& q = summary.quantized;
  const std::string quantized =
      q.cases == 0 ? absl::StrFormat("%6s %5s %6s", "-", "", "")
                   : absl::StrFormat("%6d %5d %6.3g", q.cases, q.failures,
                                     q.quantized.value);
  return absl::StrFormat("%-28s %s   %s   %s\n", name, floats(summary.float32),
                         floats(summary.float16), quantized);
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
  absl::StrAppendFormat(&text, "%-28s %-32s   %-32s   %s\n", "", "float32",
                        "float16", "8 bits");
  const std::string columns =
      absl::StrFormat("%6s %5s %9s %9s", "cases", "fail", "ULP", "relative");
  absl::StrAppendFormat(&text, "%-28s %s   %s   %6s %5s %6s\n", "op", columns,
                        columns, "cases", "fail", "quantized");
  for (const auto& [op, summary] : results.by_op) {
    absl::StrAppend(&text, Line(op, summary));
  }
  absl::StrAppend(&text, Line("all", results.all));
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
  return text;
}

}  // namespace gles_delegate::conformance

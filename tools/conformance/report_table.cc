// The table on standard output.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tools/conformance/report.h"
#include "tools/runner/command_line.h"

namespace gles_delegate::conformance {
namespace {

// At 80 columns: the failures' sum, and no relative errors.
std::string NarrowLine(const std::string& name, const Summary& summary) {
  const auto totals = [](const Totals& t, double worst, int width) {
    return t.cases == 0 ? absl::StrFormat("%5s %*s", "-", width, "")
                        : absl::StrFormat("%5d %*.3g", t.cases, width, worst);
  };
  const std::string line = absl::StrFormat(
      "%-28s %4d  %s  %s  %s", Shorten(name, 28), summary.failures(),
      totals(summary.float32, summary.float32.ulps.value, 8),
      totals(summary.float16, summary.float16.ulps.value, 8),
      totals(summary.quantized, summary.quantized.quantized.value, 6));
  return WithoutTrailingSpaces(line) + "\n";
}

std::string NarrowHead() {
  const std::string columns = absl::StrFormat("%5s %8s", "cases", "ULP");
  return absl::StrFormat(
      "%-33s  %-14s  %-14s  8 bits\n%-28s %4s  %s  %s  %5s %6s\n", "",
      "float32", "float16", "op", "fail", columns, columns, "cases", "steps");
}

std::string WideLine(const std::string& name, const Summary& summary) {
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
  const std::string line =
      absl::StrFormat("%-28s %s   %s   %s", name, floats(summary.float32),
                      floats(summary.float16), quantized);
  return WithoutTrailingSpaces(line) + "\n";
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

}  // namespace gles_delegate::conformance

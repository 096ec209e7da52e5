#include "tools/conformance/report.h"

#include <utility>

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

}  // namespace gles_delegate::conformance

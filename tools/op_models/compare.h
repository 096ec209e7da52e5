// Compares a run with TFLite's own, by the bounds that single_op.h derives.
#ifndef GLES_DELEGATE_TOOLS_OP_MODELS_COMPARE_H_
#define GLES_DELEGATE_TOOLS_OP_MODELS_COMPARE_H_

#include <string>

#include "tools/op_models/op_model.h"

namespace gles_delegate::testing {

// The results of TFLite's CPU kernels on a model at one precision, and what the
// bounds need. One reference serves any number of runs.
struct CpuReference {
  // Not Ok: the CPU failed, on the op or on its magnitudes.
  absl::Status status;
  RunResult expected;
  RunResult xnnpack;    // Accuracy::either_kernel; else empty
  RunResult magnitude;  // of the model on absolute values; empty without one
  double min_magnitude = 0;
  Accuracy accuracy;
  Precision precision = Precision::kFloat32;
};
// `invokes`: how often a stateful model is to be run.
CpuReference MakeCpuReference(const SingleOpModel& model, Precision precision,
                              int invokes = 1);

struct Comparison {
  // Empty where the run matches; else what a person needs to see.
  std::string difference;
  // Each of the four is the largest over all elements but those that are as
  // good as equal: NaN and NaN, the largest half for a larger value, zero for a
  // subnormal number where range_ends allows it.
  //
  // The error over the precision's unit in the last place of the magnitude: of
  // the sum of the absolute terms where the op sums, else of the element.
  double worst_ulps = 0;
  // The error over the largest finite magnitude of the output's elements.
  double worst_relative = 0;
  // The error over the bound; 0 where the bound is 0.
  double worst_of_bound = 0;
  // The error over the output's scale, if the output is quantized.
  double worst_quantized = 0;
};
Comparison Compare(const CpuReference& reference, const RunResult& actual);

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TOOLS_OP_MODELS_COMPARE_H_

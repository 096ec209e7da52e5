// Sums, means, products, extremes, ANY and ALL over windows that slide
// (pooling) or that cover whole axes (MEAN, SUM, ...), by one shader,
// gl_shaders/reduction/reduce.comp.
#ifndef GLES_DELEGATE_DELEGATE_OPS_REDUCTION_REDUCTION_H_
#define GLES_DELEGATE_DELEGATE_OPS_REDUCTION_REDUCTION_H_

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "delegate/graph/graph.h"
#include "delegate/plan/planner.h"
#include "quant/fixed_point.h"

namespace gles_delegate {

// kAny and kAll are of bools, the others of floats and, but for kMean, of
// int32.
enum class Reducer { kSum, kMean, kMax, kMin, kProduct, kAny, kAll };

// Along one axis, output o covers source elements o * stride - before and the
// size - 1 that follow, as far as they exist.
struct ReduceAxis {
  int size = 1;
  int stride = 1;
  int before = 0;
};

// What TFLite's kernels make of a sum of codes (quant/code_means.h). Sums are
// in integers: exact up to 2^31, whatever the storage.
struct CodeSums {
  enum class Result {
    kSteps,   // the code whose step the sum reaches
    kScaled,  // the low bits of the sum, rescaled
    kMean,    // the mean code, rounded away from zero
    // Of 16-bit codes, MEAN: the mean code, towards zero; the sum, rescaled,
    // and then its mean, rounded away from zero; the mean in float32, scaled.
    kTruncated,
    kRescaled,
    kFloatMean,
    // No sum: the product, in TFLite's order, scaled at each step.
    kProduct,
  };
  Result result = Result::kSteps;
  int low = 0;  // the type's least code
  int zero_in = 0;
  int zero_out = 0;
  std::vector<int32_t> steps;  // kSteps: quant::StepsOf()
  // kSteps: those of the channels from `last_channels` on; empty: the same.
  std::vector<int32_t> last_steps;
  int last_channels = 0;
  // kScaled: a sum of codes is `first` more than one of (code - zero point).
  int first = 0;
  int added_zero = 0;
  int low_bits = 255;  // those that are kept, counted from `low`; -1: all
  bool rescales = false;
  float scale = 1;  // kFloatMean too
  float bias = 0;
  int count = 1;  // of kTruncated, kRescaled, kFloatMean: codes a mean is of
  quant::Multiplier multiplier;  // kRescaled
  quant::WideMultiplier step;    // kProduct
};

struct Reduction {
  Reducer reducer = Reducer::kSum;
  // The source holds codes; in place of `reducer`.
  std::shared_ptr<const CodeSums> codes;
  // All channels are reduced to one.
  bool channels = false;
  ReduceAxis b, h, w;
  // Elements outside, on h and w, count as zeros; of kMean and kMax alone.
  bool zeros = false;

  static ReduceAxis Whole(int extent) { return {extent, 0, 0}; }
};

// A mean divides by the elements that exist, or by all with `zeros`. Work is
// split where one invocation an output would be too few or too long: a work
// group an output, or width before the other axes by way of a temporary.
void AddReduction(Planner* planner, TensorId src, TensorId dst,
                  const Reduction& r);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_REDUCTION_REDUCTION_H_

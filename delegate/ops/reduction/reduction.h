// Sums, means, products, extremes, ANY and ALL over sliding windows (pooling)
// or whole axes (MEAN, SUM, ...), by one shader,
// gl_shaders/reduction/reduce.comp.
#ifndef GLES_DELEGATE_DELEGATE_OPS_REDUCTION_REDUCTION_H_
#define GLES_DELEGATE_DELEGATE_OPS_REDUCTION_REDUCTION_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "delegate/graph/graph.h"
#include "delegate/graph/op.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/movement/transpose.h"
#include "delegate/plan/planner.h"
#include "quant/fixed_point.h"

namespace gles_delegate {

// kAny and kAll are for bools, the others for floats and, except kMean, int32.
enum class Reducer { kSum, kMean, kMax, kMin, kProduct, kAny, kAll };

// Its #defines in reduce.comp and scatter_nd.comp, for values of this type.
void DefineReducer(Reducer reducer, DataType type, Dispatch* d);
// Of a reduction or of segments, whose row has its name as the function.
Reducer ReducerOf(const OpDefinition& op);

// TFLite's rescaling of sums of quantized values (quant/cpu_kernels.h). Sums
// are in integers, exact up to 2^31 with any storage.
struct CodeSums {
  enum class Result {
    kSteps,   // the value whose step the sum reaches
    kScaled,  // the low bits of the sum, rescaled
    kMean,    // the mean, rounded away from zero
    // int16 MEAN: the mean rounded towards zero; the sum rescaled, then divided
    // with rounding away from zero; the mean in float32, scaled.
    kTruncated,
    kRescaled,
    kFloatMean,
    // Not a sum: the product in TFLite's order, rescaled at each step.
    kProduct,
  };
  Result result = Result::kSteps;
  int low = 0;  // the type's minimum
  int zero_in = 0;
  int zero_out = 0;
  std::vector<int32_t> steps;  // kSteps: quant::StepsOf()
  // kSteps: for channels from `last_channels` on; empty: the same.
  std::vector<int32_t> last_steps;
  int last_channels = 0;
  // kScaled: the difference between a sum of values and a sum of (value - zero
  // point).
  int first = 0;
  int added_zero = 0;
  int low_bits = 255;  // mask of the bits kept, relative to `low`; -1: all
  bool rescales = false;
  float scale = 1;  // kFloatMean too
  float bias = 0;
  bool fused = false;  // adds it without rounding the product
  int count = 1;       // kTruncated, kRescaled, kFloatMean: values per mean
  quant::Multiplier multiplier;  // kRescaled
  quant::Int16Multiplier step;   // kProduct
};

// --- MEAN, SUM, REDUCE_MAX, ... ----------------------------------------------

// MEAN, SUM, REDUCE_MAX, REDUCE_MIN, REDUCE_PROD of floats, REDUCE_ANY and
// REDUCE_ALL of bools, over any constant axes, kept with extent 1 or removed.
// Above rank 4, adjacent axes are one axis; if more than 4 are left, a dispatch
// moves some together first. kInvalidArgument: invalid axes, or a wrong output
// shape. kUnimplemented: other types.

struct ReduceAttributes {
  std::array<bool, 4> over = {};  // B, H, W, C
  // Rank 4, axes given as 1 and 2 in the model, and kept: TFLite has special
  // kernels for its 8-bit mean.
  bool over_plane = false;
  // The same, or with axes given as -3 and -2: newer runtimes.
  bool over_plane_by_any_name = false;
  // 8-bit MEAN and SUM in TFLite's integer arithmetic; else null.
  std::shared_ptr<const CodeSums> quantized;
  std::vector<TransposeStep> moves;  // of the input, before
  std::vector<int> folded;  // the input's dims above rank 4, folded; else empty
};

// --- AVERAGE_POOL_2D, MAX_POOL_2D --------------------------------------------

// AVERAGE_POOL_2D and MAX_POOL_2D: the mean or maximum of a window's elements
// inside the image. BHWC, SAME or VALID, any stride, a fused activation.
// kInvalidArgument: a wrong output shape.

struct PoolWindow : SlidingWindow {
  int window_h = 1, window_w = 1;  // rows and columns
};

struct PoolAttributes : PoolWindow {
  // Elements outside the image are zeros of the window, as added by a PAD that
  // a pass fused; otherwise they are not part of the window, as with SAME.
  bool zeros = false;
  // 8-bit AVERAGE_POOL_2D in integers; else null.
  std::shared_ptr<const CodeSums> quantized;
};

// The result of a MAX_POOL_2D of at most 2x2 as a view of its source; `of` is
// not set. nullopt: the window is larger, counts outside elements, or begins
// outside.
std::optional<MemoryView> MaxPoolView(const Node& node);

// The custom ops MaxPoolingWithArgmax2D and MaxUnpooling2D of on-device vision
// models (MediaPipe's hair segmentation). Parameters: TFLite's pool struct.
// BHWC, any batch.
//
// MaxPoolingWithArgmax2D outputs the pooled tensor and, as floats of the same
// shape, y * filter_width + x + 0.1 of the first maximum in its window (0.1 so
// that truncation gives the integer). MaxUnpooling2D takes data [B,H,W,C] and
// such indices; y [B,H*fh,W*fw,C] is zero except at the indices. Strides must
// equal the window's size.
using ArgmaxPoolAttributes = PoolWindow;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_REDUCTION_REDUCTION_H_

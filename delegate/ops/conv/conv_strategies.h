// All algorithms for convolutions, in one table.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_STRATEGIES_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_STRATEGIES_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "delegate/ops/conv/convolution.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// One algorithm for convolutions.
struct ConvStrategy {
  absl::string_view name;
  // True if the strategy can compute `conv` and is worthwhile for the planner's
  // device profile. Does not change the plan. Takes the planner since
  // conv_unrolled needs the weights' values and the number of dispatches with
  // literals.
  bool (*applies)(const Convolution& conv, const Planner& planner);
  // Adds the dispatches of `conv`; requires `applies`.
  void (*plan)(const Convolution& conv, Planner* planner);
  // Whether it also computes Convolution::next. Otherwise it is skipped for
  // convolutions that have one.
  bool takes_next = false;
  // The same for Convolution::norm and Convolution::gate.
  bool takes_row_stages = false;
};

// CONV_2D with a 3x3 window and many channels by Winograd's F(4x4, 3x3):
// conv_winograd.h.
extern const ConvStrategy kConvWinograd;

// Tiled GEMM in shared memory, for devices that profit from it (split_k_target
// of the profile). Only for constant weights of one group. The only strategy
// that fuses a depthwise convolution before, or a 1x1 convolution after it.
extern const ConvStrategy kConvShared;

// Pointwise products for many pixels, indexed flat.
extern const ConvStrategy kConv1x1;

// GEMV with one output slice per invocation, for SIMD devices (simd_lanes) with
// enough slices: no shared sums, and neighbours read adjacent weights. Constant
// weights, few rows.
extern const ConvStrategy kGemvBySlices;

// GEMV for few rows, or rows that are not pixels: lanes of a work group share
// each sum.
extern const ConvStrategy kGemvByLanes;

// kDepthwiseTiled for SIMD devices (simd_lanes): an invocation goes down a
// strip of rows and reads each input row once.
extern const ConvStrategy kDepthwiseRows;

// DEPTHWISE_CONV_2D with multiplier 1 and a small window whose taps overlap
// those of neighbouring outputs: a tile of columns stays in registers.
extern const ConvStrategy kDepthwiseTiled;

// Any DEPTHWISE_CONV_2D.
extern const ConvStrategy kDepthwiseDirect;

// TRANSPOSE_CONV with few finite constant weights, many pixels and adjacent
// windows: the weights are literals, as for conv_unrolled.
extern const ConvStrategy kTransposeUnrolled;

// Any TRANSPOSE_CONV.
extern const ConvStrategy kTransposeDirect;

// kPointwiseDepthwise, over whole planes in shared memory.
extern const ConvStrategy kPointwiseDepthwise;

// All strategies, in order of precedence.
absl::Span<const ConvStrategy* const> ConvStrategies();

// The first strategy that applies. nullptr only for fused convolutions, if the
// device has no room for a tile.
const ConvStrategy* ChooseConvStrategy(const Convolution& conv,
                                       const Planner& planner);

// Adds the dispatches of `conv` with the first strategy that applies.
// kResourceExhausted: none does.
absl::Status PlanConvolution(const Convolution& conv, Planner* planner);

// The same for a node of one of the four ops (Convolution::Of).
absl::Status PlanConvNode(const Node& node, Planner* planner);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_STRATEGIES_H_

// The ways to compute a convolution, in one table.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_STRATEGIES_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_STRATEGIES_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "delegate/ops/conv/convolution.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// One way to compute a convolution. Each is a file of its own: <name>.cc.
struct ConvStrategy {
  absl::string_view name;
  // True where the strategy can compute `conv` and the planner's device profile
  // has it pay. Adds nothing to the plan. It takes the planner and not the
  // profile alone because kConvUnrolled asks for the values of the weights and
  // for the number of dispatches that hold literals already.
  bool (*applies)(const Convolution& conv, const Planner& planner);
  // Adds the dispatches of `conv`. Asked only where `applies` was true.
  void (*plan)(const Convolution& conv, Planner* planner);
  // Whether it also computes Convolution::next. `applies` is not asked about a
  // convolution that has a next one where it does not.
  bool takes_next = false;
};

// CONV_2D of few constant weights, all finite, and many pixels: the weights are
// literals of the shader, for processors that run invocations abreast
// (unrolled_terms of the profile). Not where the window is dilated along rows,
// or the text would grow too long.
extern const ConvStrategy kConvUnrolled;

// CONV_2D of a 3x3 window and many channels by Winograd's F(4x4, 3x3):
// conv_winograd.h.
extern const ConvStrategy kConvWinograd;

// Tiles in the shared memory of a work group, for devices where that pays
// (split_target of the profile). Constant weights of one group only. It alone
// computes a depthwise convolution on the way to a 1x1 one, and a 1x1
// convolution of the result with it.
extern const ConvStrategy kConvShared;

// Sums that are split over the invocations of a work group, where the output is
// too small to fill a big GPU (split_target). Weights of one group, constant or
// not; no gate.
extern const ConvStrategy kConvSplit;

// Products of the pixels in place, where there are many: pixels are taken flat.
extern const ConvStrategy kConv1x1;

// A slice of outputs an invocation, where invocations run abreast (simd_lanes)
// and there are slices for several such groups: no sum is shared then, and
// neighbours read neighbouring weights. Constant weights of few rows.
extern const ConvStrategy kRowsBySlices;

// Products of few rows, or of rows that are no pixels: lanes of a work group
// share each sum.
extern const ConvStrategy kRowsByLanes;

// Any CONV_2D: any window, groups, weights.
extern const ConvStrategy kConvDirect;

// The same as kDepthwiseTiled where invocations run abreast (simd_lanes): an
// invocation goes down a strip of rows and reads each row of the input once.
extern const ConvStrategy kDepthwiseRows;

// DEPTHWISE_CONV_2D of multiplier 1 and a small window whose taps meet those of
// the neighbouring outputs: a tile of columns is kept in registers.
extern const ConvStrategy kDepthwiseTiled;

// Any DEPTHWISE_CONV_2D.
extern const ConvStrategy kDepthwiseDirect;

// TRANSPOSE_CONV of few constant weights, all finite, and many pixels, whose
// windows lie side by side: weights are literals, as kConvUnrolled's.
extern const ConvStrategy kTransposeUnrolled;

// Any TRANSPOSE_CONV.
extern const ConvStrategy kTransposeDirect;

// All strategies, in the order in which they are asked.
absl::Span<const ConvStrategy* const> ConvStrategies();

// The first strategy that applies; nullptr, only of kDepthwisePointwise and of
// convolutions that have a next one, where the device has no room for a tile.
const ConvStrategy* ChooseConvStrategy(const Convolution& conv,
                                       const Planner& planner);

// Adds the dispatches of `conv` by the first strategy that applies.
// kResourceExhausted: there is none.
absl::Status PlanConvolution(const Convolution& conv, Planner* planner);

// The same of a node of one of the four ops (Convolution::Of).
absl::Status PlanConvNode(const Node& node, Planner* planner);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_STRATEGIES_H_

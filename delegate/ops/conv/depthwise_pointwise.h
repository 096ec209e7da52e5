// A depthwise convolution with the 1x1 convolution that reads it, as one
// dispatch. No node of a model is this op: FuseDepthwise makes them.
// Node inputs: data, filter and bias of the depthwise convolution, filter and
// bias of the other, and, on codes, the table of the depthwise convolution's
// multipliers; a bias may be kNoTensor, the table too or absent.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_DEPTHWISE_POINTWISE_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_DEPTHWISE_POINTWISE_H_

#include <optional>

#include "delegate/graph/op.h"
#include "delegate/ops/conv/sliding_window.h"

namespace gles_delegate {

// Which node input is what, past those of every convolution.
inline constexpr int kInnerTable = 5;

struct DepthwisePointwiseAttributes {
  SlidingWindow window;  // of the depthwise convolution, of multiplier 1
  // What makes codes of its sums, where the node is on codes. Where that is a
  // function with a table (PostOp::operand_table), node input kInnerTable is
  // the table.
  std::optional<PostOp> scaling;
  // What its results are clamped to; infinities: not at all.
  float low = 0;
  float high = 0;
};

const OpDefinition& DepthwisePointwise();

// kResourceExhausted where the device has no room for it.
absl::Status PlanDepthwisePointwise(const Node& node, Planner* planner);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_DEPTHWISE_POINTWISE_H_

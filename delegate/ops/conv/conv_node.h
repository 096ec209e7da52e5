// What the parsers of the convolution ops share.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_NODE_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_NODE_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "delegate/graph/graph.h"
#include "delegate/graph/op.h"
#include "delegate/ops/conv/sliding_window.h"

namespace gles_delegate {

// Types and ranks. kUnimplemented: an input or output that is no float32, or
// weights of a type that CheckWeights refuses; kInvalidArgument: a tensor that
// has not 4 dimensions.
absl::Status CheckConvTensors(const Tensor& src, const Tensor& filter,
                              const Tensor& dst);

// kInvalidArgument unless `dst` has the batch of `src` and `outputs` channels,
// which the filter gives.
absl::Status CheckConvOutput(const Shape& src, int outputs, const Shape& dst);

// What CONV_2D and DEPTHWISE_CONV_2D read of their node alike.
struct ConvNode {
  SlidingWindow window;
  std::vector<PostOp> post_ops;  // the activation
};

// The output channels that a filter gives for an input; kInvalidArgument where
// the two shapes disagree.
using OutputsOfFilter = absl::StatusOr<int> (*)(const Shape& src,
                                                const Shape& filter);

// Reads and checks a node of the inputs data, filter and bias (which may be
// absent). kInvalidArgument: shapes that disagree; kUnimplemented: types, a
// padding or an activation that the op does not take.
absl::StatusOr<ConvNode> ReadConvNode(const NodeView& node,
                                      const WindowParams& window,
                                      int activation, OutputsOfFilter outputs);

// The same for TFLite's ConvParams or DepthwiseConvParams, whose fields have
// the same names. kInvalidArgument also where the node carries no parameters.
template <typename Params>
absl::StatusOr<ConvNode> ReadConvNode(const NodeView& node,
                                      OutputsOfFilter outputs) {
  if (auto s = node.CheckCounts(2, 3, 1); !s.ok()) return s;
  const auto params = node.Get<Params>();
  if (!params.ok()) return params.status();
  const Params& p = **params;
  return ReadConvNode(node,
                      {p.padding, p.stride_height, p.stride_width,
                       p.dilation_height_factor, p.dilation_width_factor},
                      p.activation, outputs);
}

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_NODE_H_

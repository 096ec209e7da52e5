// Parsing shared by the convolution ops.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_NODE_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_NODE_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/status_macros.h"
#include "delegate/graph/graph.h"
#include "delegate/graph/op.h"
#include "delegate/ops/conv/sliding_window.h"

namespace gles_delegate {

// kInvalidArgument unless `dst` has the batch of `src` and `outputs` channels,
// as computed from the filter.
absl::Status CheckConvOutput(const Shape& src, int outputs, const Shape& dst);

// The common part of CONV_2D's and DEPTHWISE_CONV_2D's nodes.
struct ConvNode {
  SlidingWindow window;
  std::vector<PostOp> post_ops;  // the activation
};

// Number of output channels of a filter for an input; kInvalidArgument if the
// shapes are inconsistent.
using OutputsOfFilter = absl::StatusOr<int> (*)(const Shape& src,
                                                const Shape& filter);

// Reads and checks a node with the inputs data, filter and bias (optional).
// kInvalidArgument: inconsistent shapes; kUnimplemented: unsupported types,
// padding or activation.
absl::StatusOr<ConvNode> ReadConvNode(const NodeView& node,
                                      const WindowParams& window,
                                      int activation, OutputsOfFilter outputs);

// The same for TFLite's ConvParams or DepthwiseConvParams, whose fields have
// the same names. kInvalidArgument also if the node has no parameters.
template <typename Params>
absl::StatusOr<ConvNode> ReadConvNode(const NodeView& node,
                                      OutputsOfFilter outputs) {
  ASSIGN_OR_RETURN(const auto params, node.Get<Params>());
  const Params& p = *params;
  return ReadConvNode(node,
                      {p.padding, p.stride_height, p.stride_width,
                       p.dilation_height_factor, p.dilation_width_factor},
                      p.activation, outputs);
}

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_NODE_H_

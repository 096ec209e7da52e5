#include "delegate/ops/conv/depthwise_conv_2d.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/conv/conv_node.h"
#include "delegate/ops/conv/conv_strategies.h"

namespace gles_delegate {
namespace {

absl::StatusOr<int> DepthwiseOutputsOf(const Shape& src, const Shape& filter) {
  if (filter.b != 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "filter must be [1,H,W,O], its first dimension is ", filter.b));
  }
  if (src.c < 1 || filter.c < 1 || filter.c % src.c != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "filter has ", filter.c, " outputs, no multiple of the input's ", src.c,
        " channels"));
  }
  return filter.c;
}

}  // namespace

// Every ConvParams and DepthwiseConvParams since 2.5 has the dilations, and
// TFLite's kernels read them at any version.
absl::StatusOr<ParsedNode> ParseDepthwiseConv2d(const NodeView& node) {
  ASSIGN_OR_RETURN(auto read,
                   ReadConvNode<DepthwiseConvParams>(node, DepthwiseOutputsOf));
  const int multiplier = node.inputs[1]->shape.c / node.inputs[0]->shape.c;
  return ParsedNode{DepthwiseConv2dAttributes{read.window, multiplier},
                    std::move(read.post_ops)};
}

absl::Status PlanDepthwiseConv2d(const Node& node, Planner* planner) {
  return PlanConvNode(node, planner);
}

}  // namespace gles_delegate

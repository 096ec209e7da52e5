#include "delegate/ops/conv/conv_2d.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/conv/conv_strategies.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/ops/fused_activation.h"

namespace gles_delegate {

absl::Status CheckConvOutput(const Shape& src, int outputs, const Shape& dst) {
  if (dst.b == src.b && dst.c == outputs) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("output is ", dst.ToString(), ", input has batch ", src.b,
                   " and filter ", outputs, " outputs"));
}

absl::StatusOr<ConvNode> ReadConvNode(const NodeView& node,
                                      const WindowParams& params,
                                      int activation,
                                      OutputsOfFilter outputs_of) {
  const Tensor& src = *node.inputs[0];
  const Tensor& filter = *node.inputs[1];
  const Tensor& dst = *node.outputs[0];
  ASSIGN_OR_RETURN(const auto outputs, outputs_of(src.shape, filter.shape));
  RETURN_IF_ERROR(CheckConvOutput(src.shape, outputs, dst.shape));
  const Tensor* bias = node.input(2);
  RETURN_IF_ERROR(CheckBias(bias, outputs));
  ASSIGN_OR_RETURN(const auto window,
                   SlidingWindowOf(params, src.shape, filter.shape));
  ASSIGN_OR_RETURN(auto post_ops, FusedActivation(activation));
  return ConvNode{window, std::move(post_ops)};
}

namespace {

absl::StatusOr<int> ConvOutputsOf(const Shape& src, const Shape& filter) {
  if (filter.elements() <= 0 || src.c % filter.c != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("filter has ", filter.c, " input channels, input has ",
                     src.c, "; the one must divide the other"));
  }
  const int groups = src.c / filter.c;
  if (filter.b % groups != 0) {
    return absl::InvalidArgumentError(absl::StrCat("filter has ", filter.b,
                                                   " outputs, which ", groups,
                                                   " groups do not divide"));
  }
  return filter.b;
}

}  // namespace

absl::StatusOr<ParsedNode> ParseConv2d(const NodeView& node) {
  ASSIGN_OR_RETURN(auto read, ReadConvNode<ConvParams>(node, ConvOutputsOf));
  const int groups = node.inputs[0]->shape.c / node.inputs[1]->shape.c;
  return ParsedNode{Conv2dAttributes{read.window, groups},
                    std::move(read.post_ops)};
}

absl::Status PlanConv2d(const Node& node, Planner* planner) {
  return PlanConvNode(node, planner);
}

}  // namespace gles_delegate

#include "delegate/ops/conv/conv_2d.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/conv/conv_node.h"
#include "delegate/ops/conv/conv_strategies.h"

namespace gles_delegate {
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

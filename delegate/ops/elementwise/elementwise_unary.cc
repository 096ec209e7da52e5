#include "delegate/ops/elementwise/elementwise_unary.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_codes.h"
#include "delegate/graph/builtin_params.h"

namespace gles_delegate {
namespace {

absl::StatusOr<PostOp> PostOpOf(const NodeView& node) {
  PostOp op = FunctionOf(node);
  if (node.builtin_code == BuiltinOperator_LEAKY_RELU) {
    ASSIGN_OR_RETURN(auto params, node.Get<LeakyReluParams>());
    op.params[0] = params->alpha;
  }
  if (node.builtin_code == BuiltinOperator_GELU) {
    ASSIGN_OR_RETURN(auto params, node.Get<GeluParams>());
    if (params->approximate) op.function = "gelu_tanh";
  }
  return op;
}

}  // namespace

absl::StatusOr<ParsedNode> ParseUnary(const NodeView& node) {
  ASSIGN_OR_RETURN(auto function, PostOpOf(node));
  ElementwiseAttributes attributes;
  attributes.source_shape = node.inputs[0]->shape;
  return ParsedNode{attributes, {std::move(function)}};
}

}  // namespace gles_delegate

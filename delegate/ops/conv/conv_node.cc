#include "delegate/ops/conv/conv_node.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/ops/checks.h"
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
                   SlidingWindowOf(params, src.shape, filter.shape, dst.shape));
  ASSIGN_OR_RETURN(auto post_ops, FusedActivation(activation));
  return ConvNode{window, std::move(post_ops)};
}

}  // namespace gles_delegate

#include "delegate/ops/conv/conv_node.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/ops/fused_activation.h"

namespace gles_delegate {

absl::Status CheckConvTensors(const Tensor& src, const Tensor& filter,
                              const Tensor& dst) {
  if (auto s = CheckFloat(src, "input"); !s.ok()) return s;
  if (auto s = CheckFloat(dst, "output"); !s.ok()) return s;
  if (auto s = CheckWeights(filter, "the filter"); !s.ok()) return s;
  if (src.dims.size() == 4 && filter.dims.size() == 4 && dst.dims.size() == 4) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "input, filter and output must have 4 dimensions, they have ",
      src.dims.size(), ", ", filter.dims.size(), " and ", dst.dims.size()));
}

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
  if (auto s = CheckConvTensors(src, filter, dst); !s.ok()) return s;
  const auto outputs = outputs_of(src.shape, filter.shape);
  if (!outputs.ok()) return outputs.status();
  if (auto s = CheckConvOutput(src.shape, *outputs, dst.shape); !s.ok()) {
    return s;
  }
  const Tensor* bias = node.inputs.size() > 2 ? node.inputs[2] : nullptr;
  if (auto s = CheckBias(bias, *outputs); !s.ok()) return s;
  const auto window =
      SlidingWindowOf(params, src.shape, filter.shape, dst.shape);
  if (!window.ok()) return window.status();
  auto post_ops = FusedActivation(activation);
  if (!post_ops.ok()) return post_ops.status();
  return ConvNode{*window, *std::move(post_ops)};
}

}  // namespace gles_delegate

#include "delegate/graph/float_view.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/status_macros.h"
#include "delegate/graph/constant_values.h"
#include "delegate/graph/op.h"

namespace gles_delegate {
namespace {

template <typename... Words>
absl::Status Refuse(const Tensor& tensor, const Words&... words) {
  return Invalid(tensor.ToString(), " ", words...);
}

// Checks one scale and its zero point.
absl::Status CheckScale(const Tensor& tensor, float scale, int64_t zero) {
  // The values of biases (int32, int64) need no range check.
  const bool ranged = IsQuantizedType(tensor.stored());
  const quant::CodeRange range =
      ranged ? RangeOf(tensor.stored()) : quant::CodeRange();
  if (!std::isfinite(scale) || scale <= 0) {
    return Refuse(tensor, "has the quantization scale ", scale,
                  ", which is not above zero");
  }
  if (ranged && (zero < range.low || zero > range.high)) {
    return Refuse(tensor, "has the zero point ", zero, ", outside ", range.low,
                  " to ", range.high);
  }
  if (tensor.is_constant()) return absl::OkStatus();
  if (scale < std::numeric_limits<float>::min()) {
    return Refuse(tensor, "has the quantization scale ", scale,
                  ", which is denormal: GPUs may take it for zero");
  }
  const float largest =
      scale * static_cast<float>(std::max(range.high - zero, zero - range.low));
  if (!std::isfinite(largest)) {
    return Refuse(
        tensor,
        "reaches past what 32-bit floats hold, by the quantization scale ",
        scale);
  }
  return absl::OkStatus();
}

}  // namespace

bool KeepsQuantized(const Graph& graph, const Node& node) {
  // A fused activation (a post-op) makes new values.
  if (!node.post_ops.empty() || !node.op->Has(kMovesValues)) return false;
  for (TensorId out : node.outputs) {
    if (!graph.tensor(out).is_float_view()) continue;  // e.g. positions
    for (TensorId in : node.inputs) {
      if (in == kNoTensor || !graph.tensor(in).is_float_view()) continue;
      if (!SameQuantized(graph.tensor(in), graph.tensor(out))) return false;
    }
  }
  return true;
}

bool IsQuantizedType(DataType type) {
  return type == DataType::kInt8 || type == DataType::kUint8 ||
         type == DataType::kInt16;
}

quant::CodeRange RangeOf(DataType type) {
  return quant::RangeOf(static_cast<int>(DataTypeSize(type)),
                        type == DataType::kUint8);
}

absl::Status CheckQuantization(const Tensor& tensor) {
  const Quantization& q = tensor.quantization;
  if (q.empty()) return Refuse(tensor, "carries no quantization parameters");
  if (q.zero_point.size() != q.scale.size() && q.zero_point.size() != 1) {
    return Refuse(tensor, "has ", q.scale.size(), " scales and ",
                  q.zero_point.size(), " zero points");
  }
  if (q.per_channel()) {
    if (!tensor.is_constant()) {
      return Refuse(
          tensor, "has ", q.scale.size(),
          " quantization scales; only constants may have one per channel");
    }
    RETURN_IF_ERROR(CheckChannelScales(tensor));
  }
  for (size_t i = 0; i < q.scale.size(); ++i) {
    const int64_t zero = q.zero_point[q.zero_point.size() > 1 ? i : 0];
    RETURN_IF_ERROR(CheckScale(tensor, q.scale[i], zero));
  }
  return absl::OkStatus();
}

void ViewAsFloat(Tensor* tensor) {
  tensor->quantized = tensor->type;
  tensor->type = DataType::kFloat32;
}

absl::Status AddSimulator(const Graph& graph, Node* node) {
  const bool quantized = std::any_of(
      node->outputs.begin(), node->outputs.end(),
      [&](TensorId id) { return graph.tensor(id).is_float_view(); });
  if (!quantized || KeepsQuantized(graph, *node)) return absl::OkStatus();
  if (node->outputs.size() != 1) {
    return Unimplemented(
        "its outputs have another quantization than its input");
  }
  const Tensor& out = graph.tensor(node->outputs[0]);
  const quant::CodeRange range = RangeOf(out.stored());
  node->post_ops.push_back(
      {"quantize",
       {out.quantization.scale[0],
        static_cast<float>(out.quantization.zero_point[0]),
        static_cast<float>(range.low), static_cast<float>(range.high)}});
  return absl::OkStatus();
}

}  // namespace gles_delegate

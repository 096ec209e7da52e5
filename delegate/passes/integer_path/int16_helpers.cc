#include "delegate/passes/integer_path/int16_helpers.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "delegate/graph/op.h"
#include "delegate/ops/all_ops.h"
#include "delegate/ops/elementwise/elementwise.h"

namespace gles_delegate::integer_path {

bool IsInt16Constant(const Tensor& tensor) {
  const Quantization& q = tensor.quantization;
  return tensor.quantized == DataType::kInt16 && tensor.is_constant() &&
         q.scale.size() == 1 && q.zero_point[0] == 0;
}

TensorId AddLike(const Tensor& like, const char* what, Graph* graph) {
  Tensor tensor;
  tensor.name = absl::StrCat(what, " of ", like.name);
  tensor.dims = like.dims;
  tensor.shape = like.shape;
  return graph->AddTensor(std::move(tensor));
}

Node Int16Elementwise(const Node& of, TensorId source, TensorId to,
                      std::vector<PostOp> post_ops, const Graph& graph) {
  static const OpDefinition& op = *new OpDefinition{
      "QUANTIZED_OF_16_BITS", -1, 1, 1, nullptr, PlanElementwise, ""};
  Node node;
  node.op = &op;
  node.tflite_index = of.tflite_index;
  node.inputs = {source};
  node.outputs = {to};
  ElementwiseAttributes attributes;
  attributes.source_shape = graph.tensor(source).shape;
  node.attributes = attributes;
  node.post_ops = std::move(post_ops);
  node.integer_path = true;
  return node;
}

PostOp CodePart(float scale, int bits, int index) {
  const float unit = std::ldexp(1.0f, -bits * index);
  const bool last = bits * (index + 1) == 16;
  const float next = last ? 0 : std::ldexp(unit, -bits);
  return {"code_part", {scale, unit, next, std::ldexp(1.0f, bits)}};
}

std::optional<PostOp> Int16Clamp(absl::Span<const PostOp> ops,
                                 const Tensor& out) {
  float low = -32768, high = 32767;
  if (ops.size() > 2 || (ops.size() == 2 && ops[0].function != "clamp")) {
    return std::nullopt;
  }
  if (ops.size() == 2) {
    const float scale = out.quantization.scale[0];
    low = std::max(low, std::round(ops[0].params[0] / scale));
    high = std::min(high, std::round(ops[0].params[1] / scale));
  }
  if (low > high) return std::nullopt;
  return PostOp{"clamp", {low, high, 0, 0}};
}

}  // namespace gles_delegate::integer_path

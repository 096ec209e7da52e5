#include "delegate/tflite/hybrid_weights.h"

#include "absl/strings/str_cat.h"
#include "base/hash_tables.h"
#include "delegate/graph/builtin_codes.h"
#include "delegate/ops/op_list.h"

namespace gles_delegate {
namespace {

bool IsByteView(const Tensor& t) {
  return t.is_float_view() &&
         (t.quantized == DataType::kUint8 || t.quantized == DataType::kInt8);
}

bool IsHybrid(const Graph& graph, const OpDefinition* op,
              absl::Span<const int> inputs) {
  return op != nullptr && op->Has(kHybrid) && !inputs.empty() &&
         inputs[0] >= 0 &&
         graph.tensor(inputs[0]).stored() == DataType::kFloat32;
}

bool HasZeroPoint(const Tensor& t) {
  for (int64_t z : t.quantization.zero_point) {
    if (z != 0) return true;
  }
  return false;
}

bool IsReadOtherwise(const Tensor& t) {
  return IsByteView(t) && (t.quantized == DataType::kUint8 || HasZeroPoint(t));
}

void ReadAsInt8(Tensor* t) {
  t->quantized = DataType::kInt8;
  t->quantization.zero_point.assign(t->quantization.scale.size(), 0);
}

}  // namespace

void ViewHybridInputs(absl::Span<const NodeTensors> nodes, Graph* graph) {
  HashSet<int> hybrid, others;
  for (const NodeTensors& node : nodes) {
    others.insert(node.outputs.begin(), node.outputs.end());
    const bool is_hybrid =
        IsHybrid(*graph, FindOp(node.builtin_code, ""), node.inputs) &&
        node.builtin_code != BuiltinOperator_DEPTHWISE_CONV_2D;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      (is_hybrid && i > 0 ? hybrid : others).insert(node.inputs[i]);
    }
  }
  for (int id : hybrid) {
    if (id < 0 || others.contains(id)) continue;
    Tensor& t = graph->tensor(id);
    if (!t.is_constant() && IsReadOtherwise(t)) ReadAsInt8(&t);
  }
}

absl::Status ReadHybridWeights(Graph* graph, Node* node) {
  if (!IsHybrid(*graph, node->op, node->inputs)) return absl::OkStatus();
  for (TensorId& id : node->inputs) {
    if (id == kNoTensor || !IsReadOtherwise(graph->tensor(id))) continue;
    const Tensor& t = graph->tensor(id);
    if (t.quantized == DataType::kUint8 &&
        node->op->builtin_code == BuiltinOperator_DEPTHWISE_CONV_2D) {
      return absl::UnimplementedError(
          absl::StrCat(t.ToString(),
                       " is uint8 beside float32 activations, which TFLite's "
                       "kernel does not take"));
    }
    if (t.quantized == DataType::kUint8 && t.quantization.per_channel()) {
      return absl::UnimplementedError(absl::StrCat(
          t.ToString(), " is uint8 with ", t.quantization.scale.size(),
          " quantization scales beside float32 activations; TFLite's kernel "
          "reads one"));
    }
    if (!t.is_constant()) {
      return absl::UnimplementedError(
          absl::StrCat(t.ToString(), " holds ", DataTypeName(t.quantized),
                       " weights beside float32 activations, which TFLite's "
                       "kernel reads as int8, and which others read by their "
                       "type"));
    }
    Tensor as_read = t;
    ReadAsInt8(&as_read);
    id = graph->AddTensor(std::move(as_read));
  }
  return absl::OkStatus();
}

}  // namespace gles_delegate

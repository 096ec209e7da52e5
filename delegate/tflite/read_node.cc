#include "delegate/tflite/read_node.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_codes.h"
#include "delegate/graph/float_view.h"
#include "delegate/graph/printable.h"
#include "delegate/ops/op_list.h"
#include "delegate/tflite/hybrid_weights.h"
#include "delegate/tflite/read_tensor.h"

namespace gles_delegate {
namespace {

// "": a runtime newer than the list has it.
absl::string_view BuiltinName(int code) {
  switch (code) {
#define BUILTIN(name, value) \
  case value:                \
    return #name;
#include "delegate/graph/builtin_names.inc"
#undef BUILTIN
    default:
      return "";
  }
}

// TFLite's integer kernels add an integer bias to sums of products, whatever it
// says of itself. One that the model gives no scale gets the products', as a
// tensor of the node's own, as other nodes may have it on another scale.
void AssumeBiasScale(Graph* graph, Node* node) {
  const int input = InputOfType(*node->op, 's');
  if (input < 0 || input >= static_cast<int>(node->inputs.size()) ||
      node->inputs[input] == kNoTensor) {
    return;
  }
  const TensorId data_id = node->inputs[InputNamed(*node->op, "x")];
  const TensorId weights_id = node->inputs[1];
  if (data_id == kNoTensor || weights_id == kNoTensor) return;
  Tensor bias = graph->tensor(node->inputs[input]);
  const Tensor& data = graph->tensor(data_id);
  const Tensor& weights = graph->tensor(weights_id);
  if ((bias.type != DataType::kInt32 && bias.type != DataType::kInt64) ||
      !bias.is_constant() || !bias.quantization.empty() ||
      !data.is_float_view() || !weights.is_float_view()) {
    return;
  }
  for (float scale : weights.quantization.scale) {
    bias.quantization.scale.push_back(data.quantization.scale[0] * scale);
  }
  bias.quantization.zero_point = {0};
  bias.tflite_index = -1;
  if (!CheckQuantization(bias).ok()) return;
  ViewAsFloat(&bias);
  node->inputs[input] = graph->AddTensor(std::move(bias));
}

// What a parser sees of the node, but for its tensors.
NodeView ViewOf(const TfLiteNode& tflite_node,
                const TfLiteRegistration& registration) {
  NodeView view;
  view.builtin_code = registration.builtin_code;
  if (registration.custom_name != nullptr)
    view.custom_name = registration.custom_name;
  view.version = registration.version;
  view.builtin_params = tflite_node.builtin_data;
  view.custom_params = {
      static_cast<const uint8_t*>(tflite_node.custom_initial_data),
      static_cast<size_t>(std::max(0, tflite_node.custom_initial_data_size))};
  return view;
}

}  // namespace

std::string OpName(const TfLiteRegistration& registration) {
  if (registration.builtin_code == BuiltinOperator_CUSTOM) {
    return absl::StrCat("CUSTOM ",
                        registration.custom_name == nullptr
                            ? "(unnamed)"
                            : PrintableName(registration.custom_name));
  }
  const absl::string_view name = BuiltinName(registration.builtin_code);
  return name.empty() ? absl::StrCat("builtin op ", registration.builtin_code)
                      : std::string(name);
}

void ViewBiasAsFloat(const TfLiteNode& node, const OpDefinition& op,
                     Graph* graph) {
  const int input = InputOfType(op, 's');
  if (input < 0 || input >= node.inputs->size) return;
  const int index = node.inputs->data[input];
  if (index < 0) return;
  Tensor& bias = graph->tensor(index);
  if ((bias.type != DataType::kInt32 && bias.type != DataType::kInt64) ||
      !bias.is_constant()) {
    return;
  }
  if (CheckQuantization(bias).ok()) ViewAsFloat(&bias);
}

absl::StatusOr<Node> ParseNode(const OpDefinition& op,
                               const TfLiteNode& tflite_node,
                               const TfLiteRegistration& registration,
                               const ReadOptions& options, Graph* graph) {
  Node node;
  node.op = &op;
  node.inputs = ReadInts(tflite_node.inputs);
  node.outputs = ReadInts(tflite_node.outputs);
  for (TensorId& id : node.inputs) {
    if (id < 0) id = kNoTensor;
  }
  RETURN_IF_ERROR(ReadHybridWeights(graph, &node));
  if (options.enable_quantization) {
    AssumeBiasScale(graph, &node);
  }
  NodeView view = ViewOf(tflite_node, registration);
  view.params_minor = options.params_minor;
  view.traits = options.traits;
  for (TensorId id : node.inputs) {
    view.inputs.push_back(id == kNoTensor ? nullptr : &graph->tensor(id));
  }
  for (TensorId id : node.outputs) {
    if (id < 0) {
      return absl::InvalidArgumentError(
          "one of its outputs is absent, which no op here takes");
    }
    view.outputs.push_back(&graph->tensor(id));
  }
  ASSIGN_OR_RETURN(auto parsed, ParseOp(op, view));
  node.attributes = std::move(parsed.attributes);
  node.post_ops = std::move(parsed.post_ops);
  // Parsers name operands by their place among the inputs.
  for (PostOp& post : node.post_ops) {
    if (post.operand != kNoTensor) post.operand = node.inputs[post.operand];
  }
  return node;
}

}  // namespace gles_delegate

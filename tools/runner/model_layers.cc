#include "tools/runner/model_layers.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "base/status_macros.h"
#include "third_party/tflite_schema/schema_generated.h"

namespace gles_delegate {
namespace {

using ModelPtr = std::unique_ptr<schema::ModelT>;

absl::Status Broken(const char* what) {
  return absl::InvalidArgumentError(std::string("the model's ") + what +
                                    " leads nowhere");
}

std::vector<uint8_t> Pack(const schema::ModelT& model) {
  flatbuffers::FlatBufferBuilder builder;
  schema::FinishModelBuffer(builder, schema::Model::Pack(builder, &model));
  return {builder.GetBufferPointer(),
          builder.GetBufferPointer() + builder.GetSize()};
}

// "CONV_2D"; a custom op's own name.
std::string OpName(const schema::OperatorCodeT& code) {
  if (!code.custom_code.empty()) return code.custom_code;
  // Files from before 2020 have the first of the two fields alone.
  const int builtin = std::max(static_cast<int>(code.deprecated_builtin_code),
                               static_cast<int>(code.builtin_code));
  return schema::EnumNameBuiltinOperator(
      static_cast<schema::BuiltinOperator>(builtin));
}

// True of a constant: the file holds its bytes.
bool IsConstant(const schema::ModelT& model, const schema::TensorT& tensor) {
  return tensor.buffer < model.buffers.size() &&
         model.buffers[tensor.buffer] != nullptr &&
         !model.buffers[tensor.buffer]->data.empty();
}

// Of the schema's vectors those of zero points alone have 64-bit elements.
bool ZeroPointsAreAligned(const schema::Model& model) {
  if (model.subgraphs() == nullptr) return true;
  for (const schema::SubGraph* graph : *model.subgraphs()) {
    if (graph->tensors() == nullptr) continue;
    for (const schema::Tensor* tensor : *graph->tensors()) {
      const auto* quantization = tensor->quantization();
      if (quantization == nullptr || quantization->zero_point() == nullptr) {
        continue;
      }
      const auto at =
          reinterpret_cast<uintptr_t>(quantization->zero_point()->Data());
      if (at % sizeof(int64_t) != 0) return false;
    }
  }
  return true;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> OpNamesOf(
    const schema::ModelT& model) {
  std::vector<std::string> names;
  for (const auto& op : model.subgraphs[0]->operators) {
    if (op->opcode_index >= model.operator_codes.size()) {
      return Broken("operator code");
    }
    names.push_back(OpName(*model.operator_codes[op->opcode_index]));
  }
  return names;
}

absl::StatusOr<std::vector<Layer>> LayersOf(absl::Span<const uint8_t> bytes) {
  ASSIGN_OR_RETURN(auto model, UnpackModel(bytes));
  ASSIGN_OR_RETURN(auto names, OpNamesOf(*model));
  const schema::SubGraphT& graph = *model->subgraphs[0];
  const int tensors = static_cast<int>(graph.tensors.size());
  std::vector<Layer> layers;
  for (size_t n = 0; n < graph.operators.size(); ++n) {
    const schema::OperatorT& op = *graph.operators[n];
    Layer layer;
    layer.node = static_cast<int>(n);
    layer.op = names[n];
    for (int input : op.inputs) {
      if (input < 0) continue;
      if (input >= tensors) return Broken("input index");
      if (IsConstant(*model, *graph.tensors[input])) continue;
      // An op may take one tensor twice.
      if (std::find(layer.inputs.begin(), layer.inputs.end(), input) ==
          layer.inputs.end()) {
        layer.inputs.push_back(input);
      }
    }
    for (int output : op.outputs) {
      if (output < 0 || output >= tensors) return Broken("output index");
      layer.tensor = output;
      layers.push_back(layer);
    }
  }
  return layers;
}

absl::StatusOr<std::vector<uint8_t>> WithOutputs(
    absl::Span<const uint8_t> bytes, const std::vector<int>& tensors) {
  ASSIGN_OR_RETURN(auto model, UnpackModel(bytes));
  model->subgraphs[0]->outputs = tensors;
  // Signatures name outputs, which may be gone.
  model->signature_defs.clear();
  return Pack(*model);
}

absl::StatusOr<std::vector<uint8_t>> LayerAlone(
    absl::Span<const uint8_t> bytes, const Layer& layer,
    const std::vector<std::vector<int>>& shapes) {
  ASSIGN_OR_RETURN(auto model, UnpackModel(bytes));
  schema::SubGraphT& graph = *model->subgraphs[0];
  if (layer.node < 0 ||
      layer.node >= static_cast<int>(graph.operators.size())) {
    return Broken("layer");
  }
  std::unique_ptr<schema::OperatorT> op =
      std::move(graph.operators[layer.node]);
  graph.inputs = layer.inputs;
  for (size_t i = 0; i < shapes.size(); ++i) {
    schema::TensorT& tensor = *graph.tensors[layer.inputs[i]];
    tensor.shape = shapes[i];
    tensor.shape_signature.clear();
  }
  graph.outputs = op->outputs;
  graph.operators.clear();
  graph.operators.push_back(std::move(op));
  model->signature_defs.clear();
  return Pack(*model);
}

absl::StatusOr<std::unique_ptr<schema::ModelT>> UnpackModel(
    absl::Span<const uint8_t> file) {
  flatbuffers::Verifier verifier(file.data(), file.size());
  if (!schema::VerifyModelBuffer(verifier)) {
    return absl::InvalidArgumentError("not a whole .tflite model");
  }
  if (!ZeroPointsAreAligned(*schema::GetModel(file.data()))) {
    return absl::InvalidArgumentError(
        "zero points of 64 bits do not lie on eight bytes");
  }
  std::unique_ptr<schema::ModelT> model = schema::UnPackModel(file.data());
  if (model->subgraphs.empty()) {
    return absl::InvalidArgumentError("the model has no subgraph");
  }
  return model;
}

}  // namespace gles_delegate

#include "tools/common/model_builder.h"

#include <algorithm>
#include <memory>

#include "flatbuffers/flatbuffers.h"

namespace gles_delegate {
namespace {

constexpr uint32_t kSchemaVersion = 3;
// The largest code that the old field of one byte can hold. For an op past it,
// that field holds this value, and builtin_code holds the op's code.
constexpr int kPlaceholderCode =
    static_cast<int>(schema::BuiltinOperator::PLACEHOLDER_FOR_GREATER_OP_CODES);

}  // namespace

ModelBuilder::ModelBuilder() {
  model_.version = kSchemaVersion;
  model_.description = "gles_delegate ModelBuilder";
  model_.subgraphs.push_back(std::make_unique<schema::SubGraphT>());
  graph().name = "main";
  AddBuffer({});  // Buffer 0 is empty by convention: no data.
}

int ModelBuilder::AddInput(std::string name, Shape shape,
                           schema::TensorType type,
                           ModelQuantization quantization) {
  const int tensor = AddTensor(std::move(name), std::move(shape), type,
                               std::move(quantization));
  graph().inputs.push_back(tensor);
  return tensor;
}

int ModelBuilder::AddTensor(std::string name, Shape shape,
                            schema::TensorType type,
                            ModelQuantization quantization) {
  return AddTensorWithBuffer(std::move(name), std::move(shape), type, 0,
                             std::move(quantization));
}

int ModelBuilder::AddVariable(std::string name, Shape shape,
                              schema::TensorType type,
                              ModelQuantization quantization) {
  const int tensor = AddTensor(std::move(name), std::move(shape), type,
                               std::move(quantization));
  graph().tensors[tensor]->is_variable = true;
  return tensor;
}

int ModelBuilder::AddConstantBytes(std::string name, Shape shape,
                                   schema::TensorType type,
                                   absl::Span<const uint8_t> data,
                                   ModelQuantization quantization) {
  return AddTensorWithBuffer(std::move(name), std::move(shape), type,
                             AddBuffer(data), std::move(quantization));
}

int ModelBuilder::AddHalfConstant(std::string name, Shape shape,
                                  absl::Span<const float> data) {
  std::vector<uint16_t> half(data.size());
  std::transform(data.begin(), data.end(), half.begin(), FloatToHalf);
  return AddConstantBytes(
      std::move(name), std::move(shape), schema::TensorType::FLOAT16,
      absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(half.data()),
                          half.size() * sizeof(uint16_t)));
}

void ModelBuilder::SetQuantization(int tensor, ModelQuantization quantization) {
  auto& of_tensor = graph().tensors[tensor]->quantization;
  of_tensor = nullptr;
  if (quantization.scale.empty()) return;
  of_tensor = std::make_unique<schema::QuantizationParametersT>();
  of_tensor->scale = std::move(quantization.scale);
  of_tensor->zero_point = std::move(quantization.zero_point);
  of_tensor->quantized_dimension = quantization.dimension;
}

void ModelBuilder::SetSparsity(int tensor,
                               schema::SparsityParametersT sparsity) {
  graph().tensors[tensor]->sparsity =
      std::make_unique<schema::SparsityParametersT>(std::move(sparsity));
}

void ModelBuilder::SetShapeSignature(int tensor, Shape signature) {
  graph().tensors[tensor]->shape_signature = std::move(signature);
}

int ModelBuilder::AddOp(schema::BuiltinOperator op, int version,
                        std::vector<int> inputs, std::vector<int> outputs) {
  return AddOperator(op, "", version, std::move(inputs), std::move(outputs), {},
                     {});
}

int ModelBuilder::AddCustomOp(const std::string& name,
                              absl::Span<const uint8_t> parameters,
                              std::vector<int> inputs, std::vector<int> outputs,
                              int version) {
  return AddOperator(schema::BuiltinOperator::CUSTOM, name, version,
                     std::move(inputs), std::move(outputs), {}, parameters);
}

int ModelBuilder::AddComposite(const std::string& name, int subgraph,
                               std::vector<int> inputs,
                               std::vector<int> outputs) {
  const int node = AddOp(schema::BuiltinOperator::STABLEHLO_COMPOSITE, 1,
                         std::move(inputs), std::move(outputs));
  schema::StableHLOCompositeOptionsT options;
  options.name = name;
  options.decomposition_subgraph_index = subgraph;
  // An empty map, in flexbuffers.
  options.composite_attributes = {0, 0, 1, 0, 0, 36, 1};
  graph().operators[node]->builtin_options_2.Set(std::move(options));
  return node;
}

int ModelBuilder::AddSubgraph(ModelBuilder other) {
  const auto buffers = static_cast<uint32_t>(model_.buffers.size());
  const auto quantized = static_cast<uint32_t>(model_.operator_codes.size());
  schema::SubGraphT& added = other.graph();
  for (auto& tensor : added.tensors) {
    if (tensor->buffer != 0) tensor->buffer += buffers;
  }
  for (auto& op : added.operators) op->opcode_index += quantized;
  for (auto& buffer : other.model_.buffers) {
    model_.buffers.push_back(std::move(buffer));
  }
  for (auto& code : other.model_.operator_codes) {
    model_.operator_codes.push_back(std::move(code));
  }
  model_.subgraphs.push_back(std::move(other.model_.subgraphs[0]));
  return static_cast<int>(model_.subgraphs.size()) - 1;
}

void ModelBuilder::SetOutputs(std::vector<int> outputs) {
  graph().outputs.assign(outputs.begin(), outputs.end());
}

void ModelBuilder::SetDescription(std::string description) {
  model_.description = std::move(description);
}

std::vector<uint8_t> ModelBuilder::Finish() const {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(schema::Model::Pack(builder, &model_),
                 schema::ModelIdentifier());
  return {builder.GetBufferPointer(),
          builder.GetBufferPointer() + builder.GetSize()};
}

int ModelBuilder::AddTensorWithBuffer(std::string name, Shape shape,
                                      schema::TensorType type, uint32_t buffer,
                                      ModelQuantization quantization) {
  auto tensor = std::make_unique<schema::TensorT>();
  tensor->name = std::move(name);
  tensor->shape = std::move(shape);
  tensor->type = type;
  tensor->buffer = buffer;
  graph().tensors.push_back(std::move(tensor));
  const int id = static_cast<int>(graph().tensors.size()) - 1;
  SetQuantization(id, std::move(quantization));
  return id;
}

int ModelBuilder::AddOperator(schema::BuiltinOperator op,
                              const std::string& custom_name, int version,
                              std::vector<int> inputs, std::vector<int> outputs,
                              schema::BuiltinOptionsUnion options,
                              absl::Span<const uint8_t> custom_options) {
  const auto key = std::make_tuple(static_cast<int>(op), custom_name, version);
  auto [it, inserted] = opcodes_.try_emplace(key, model_.operator_codes.size());
  if (inserted) {
    auto code = std::make_unique<schema::OperatorCodeT>();
    code->builtin_code = op;
    code->deprecated_builtin_code =
        static_cast<int8_t>(std::min(static_cast<int>(op), kPlaceholderCode));
    code->custom_code = custom_name;
    code->version = version;
    model_.operator_codes.push_back(std::move(code));
  }
  auto node = std::make_unique<schema::OperatorT>();
  node->opcode_index = it->second;
  node->inputs.assign(inputs.begin(), inputs.end());
  node->outputs.assign(outputs.begin(), outputs.end());
  node->builtin_options = std::move(options);
  node->custom_options.assign(custom_options.begin(), custom_options.end());
  graph().operators.push_back(std::move(node));
  return static_cast<int>(graph().operators.size()) - 1;
}

uint32_t ModelBuilder::AddBuffer(absl::Span<const uint8_t> data) {
  auto buffer = std::make_unique<schema::BufferT>();
  buffer->data.assign(data.begin(), data.end());
  model_.buffers.push_back(std::move(buffer));
  return static_cast<uint32_t>(model_.buffers.size()) - 1;
}

}  // namespace gles_delegate

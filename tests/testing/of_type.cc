#include "tests/testing/of_type.h"

#include <cmath>
#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"
#include "tests/testing/schema_names.h"

namespace gles_delegate::testing {
namespace {

float Converted(float value, TensorType type) {
  if (type == TensorType::BOOL) return value > 0 ? 1 : 0;
  return std::round(10 * value);
}

std::vector<uint8_t> ConvertedBytes(const std::vector<uint8_t>& floats,
                                    TensorType type) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i + sizeof(float) <= floats.size(); i += sizeof(float)) {
    float value;
    std::memcpy(&value, floats.data() + i, sizeof(value));
    const int32_t converted = static_cast<int32_t>(Converted(value, type));
    const auto* begin = reinterpret_cast<const uint8_t*>(&converted);
    bytes.insert(bytes.end(), begin,
                 begin + (type == TensorType::BOOL ? 1 : 4));
  }
  return bytes;
}

}  // namespace

SingleOpModel OfType(const SingleOpModel& model, TensorType type) {
  SingleOpModel typed = model;
  typed.description =
      absl::StrCat(model.description, " of ", schema::EnumNameTensorType(type));
  typed.magnitude_bytes.clear();
  for (std::vector<float>& input : typed.inputs) {
    for (float& value : input) value = Converted(value, type);
  }
  if (model.bytes.empty()) return typed;
  const std::unique_ptr<schema::ModelT> root(
      schema::UnPackModel(model.bytes.data()));
  for (auto& graph : root->subgraphs) {
    for (auto& tensor : graph->tensors) {
      if (tensor->type != TensorType::FLOAT32) continue;
      tensor->type = type;
      std::vector<uint8_t>& data = root->buffers[tensor->buffer]->data;
      data = ConvertedBytes(data, type);
    }
  }
  flatbuffers::FlatBufferBuilder builder;
  schema::FinishModelBuffer(builder, schema::Model::Pack(builder, root.get()));
  typed.bytes.assign(builder.GetBufferPointer(),
                     builder.GetBufferPointer() + builder.GetSize());
  return typed;
}

}  // namespace gles_delegate::testing

#include "tools/op_models/of_type.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "quant/half.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

// The values that fit an integer of `type`, as far as floats count exactly.
std::pair<float, float> Range(TensorType type) {
  switch (type) {
    case TensorType::INT8:
      return {-128, 127};
    case TensorType::UINT8:
      return {0, 255};
    case TensorType::INT16:
      return {-32768, 32767};
    default:
      return {-16777216, 16777216};
  }
}

float Converted(float value, TensorType type) {
  if (type == TensorType::BOOL) return value > 0 ? 1 : 0;
  if (type == TensorType::FLOAT16) return RoundToHalf(value);
  const auto [low, high] = Range(type);
  return std::clamp(std::round(10 * value), low, high);
}

size_t SizeOf(TensorType type) {
  switch (type) {
    case TensorType::BOOL:
    case TensorType::INT8:
    case TensorType::UINT8:
      return 1;
    case TensorType::INT16:
    case TensorType::FLOAT16:
      return 2;
    case TensorType::INT64:
      return 8;
    default:
      return 4;
  }
}

// Little-endian, as the file is.
std::vector<uint8_t> ConvertedBytes(const std::vector<uint8_t>& floats,
                                    TensorType type) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i + sizeof(float) <= floats.size(); i += sizeof(float)) {
    float value;
    std::memcpy(&value, floats.data() + i, sizeof(value));
    value = Converted(value, type);
    const int64_t converted = type == TensorType::FLOAT16
                                  ? FloatToHalf(value)
                                  : static_cast<int64_t>(value);
    const auto* begin = reinterpret_cast<const uint8_t*>(&converted);
    bytes.insert(bytes.end(), begin, begin + SizeOf(type));
  }
  return bytes;
}

std::vector<uint8_t> WidenedBytes(const std::vector<uint8_t>& ints) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i + sizeof(int32_t) <= ints.size(); i += sizeof(int32_t)) {
    int32_t value;
    std::memcpy(&value, ints.data() + i, sizeof(value));
    const int64_t wide = value;
    const auto* begin = reinterpret_cast<const uint8_t*>(&wide);
    bytes.insert(bytes.end(), begin, begin + sizeof(wide));
  }
  return bytes;
}

// The model after `change` of each tensor and its buffer's bytes.
template <typename Change>
std::vector<uint8_t> Changed(const std::vector<uint8_t>& bytes, Change change) {
  const std::unique_ptr<schema::ModelT> root(schema::UnPackModel(bytes.data()));
  for (auto& graph : root->subgraphs) {
    for (auto& tensor : graph->tensors) {
      change(tensor.get(), &root->buffers[tensor->buffer]->data);
    }
  }
  flatbuffers::FlatBufferBuilder builder;
  schema::FinishModelBuffer(builder, schema::Model::Pack(builder, root.get()));
  return {builder.GetBufferPointer(),
          builder.GetBufferPointer() + builder.GetSize()};
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
  typed.bytes = Changed(
      model.bytes, [&](schema::TensorT* tensor, std::vector<uint8_t>* data) {
        if (tensor->type != TensorType::FLOAT32) return;
        tensor->type = type;
        *data = ConvertedBytes(*data, type);
      });
  return typed;
}

SingleOpModel OfInt64(const SingleOpModel& model, bool constants) {
  SingleOpModel typed = model;
  typed.description = absl::StrCat(model.description, " as int64");
  if (model.bytes.empty()) return typed;
  typed.bytes = Changed(
      model.bytes, [&](schema::TensorT* tensor, std::vector<uint8_t>* data) {
        if (tensor->type != TensorType::INT32) return;
        if (!data->empty() && !constants) return;
        tensor->type = TensorType::INT64;
        *data = WidenedBytes(*data);
      });
  return typed;
}

}  // namespace gles_delegate::testing

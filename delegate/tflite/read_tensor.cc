#include "delegate/tflite/read_tensor.h"

#include <cstdint>
#include <cstring>
#include <limits>

#include "absl/strings/str_cat.h"
#include "quant/int4.h"

namespace gles_delegate {
namespace {

Quantization ReadQuantization(const TfLiteTensor& tensor) {
  Quantization q;
  q.is_unknown = QuantizationKind(tensor) > kTfLiteAffineQuantization;
  if (QuantizationKind(tensor) != kTfLiteAffineQuantization ||
      tensor.quantization.params == nullptr) {
    return q;
  }
  const auto* affine =
      static_cast<const TfLiteAffineQuantization*>(tensor.quantization.params);
  if (affine->scale != nullptr) {
    q.scale.assign(affine->scale->data,
                   affine->scale->data + affine->scale->size);
  }
  for (int z : ReadInts(affine->zero_point)) q.zero_point.push_back(z);
  q.dimension = affine->quantized_dimension;
  return q;
}

Sparsity ReadSparsity(const TfLiteSparsity* sparsity) {
  Sparsity s;
  if (sparsity == nullptr) return s;
  s.traversal_order = ReadInts(sparsity->traversal_order);
  s.block_map = ReadInts(sparsity->block_map);
  for (int i = 0; i < sparsity->dim_metadata_size; ++i) {
    const TfLiteDimensionMetadata& d = sparsity->dim_metadata[i];
    s.dimensions.push_back({d.format == kTfLiteDimSparseCSR, d.dense_size,
                            ReadInts(d.array_segments),
                            ReadInts(d.array_indices)});
  }
  return s;
}

// kTfLiteInt4 and kTfLiteInt2, which runtimes have that are newer than the
// headers here.
constexpr int kInt4 = 18, kInt2 = 20;

// Replaces an int4 or int2 constant by the int8 constant of the same values. A
// constant of too few bytes keeps the type kOther, which no op takes.
void Unpack(int type, Tensor* t) {
  const auto bytes = t->constant.bytes();
  const int64_t count = t->shape.elements();
  const int per_byte = type == kInt4 ? 2 : 4;
  if (count <= 0 || static_cast<int64_t>(bytes.size()) * per_byte < count) {
    return;
  }
  t->constant =
      ConstantData::Own(type == kInt4 ? quant::UnpackInt4(bytes, count)
                                      : quant::UnpackInt2(bytes, count));
  t->type = DataType::kInt8;
  t->quantization.bits = 8 / per_byte;
}

}  // namespace

DataType TypeOf(TfLiteType type) {
  switch (type) {
    case kTfLiteFloat32:
      return DataType::kFloat32;
    case kTfLiteFloat16:
      return DataType::kFloat16;
    case kTfLiteInt64:
      return DataType::kInt64;
    case kTfLiteInt32:
      return DataType::kInt32;
    case kTfLiteInt16:
      return DataType::kInt16;
    case kTfLiteInt8:
      return DataType::kInt8;
    case kTfLiteUInt8:
      return DataType::kUint8;
    case kTfLiteBool:
      return DataType::kBool;
    default:
      return DataType::kOther;
  }
}

HostMemory MemoryOf(const TfLiteTensor& tensor) {
  return {tensor.data.raw, tensor.bytes, tensor.name};
}

std::vector<int> ReadInts(const TfLiteIntArray* array) {
  if (array == nullptr) return {};
  return std::vector<int>(array->data, array->data + array->size);
}

int QuantizationKind(const TfLiteTensor& tensor) {
  int kind = 0;
  static_assert(sizeof(kind) == sizeof(tensor.quantization.type), "an int");
  std::memcpy(&kind, &tensor.quantization.type, sizeof(kind));
  return kind;
}

Tensor ReadTensor(const TfLiteTensor& tensor, int index) {
  Tensor t;
  t.name =
      tensor.name == nullptr ? absl::StrCat("tensor ", index) : tensor.name;
  t.type = TypeOf(tensor.type);
  t.dims = ReadInts(tensor.dims);
  t.shape = Shape::FromDims(t.dims);
  t.quantization = ReadQuantization(tensor);
  t.sparsity = ReadSparsity(tensor.sparsity);
  t.is_variable = tensor.is_variable;
  t.tflite_index = index;
  if (tensor.allocation_type == kTfLiteMmapRo && tensor.data.raw != nullptr) {
    t.constant = ConstantData::Borrow(
        {reinterpret_cast<const uint8_t*>(tensor.data.raw), tensor.bytes});
    const int type = static_cast<int>(tensor.type);
    if (type == kInt4 || type == kInt2) Unpack(type, &t);
  } else if (tensor.type == kTfLiteComplex64 && !t.dims.empty() &&
             t.dims.back() <= std::numeric_limits<int>::max() / 2) {
    t.is_complex = true;
    t.type = DataType::kFloat32;
    t.always_float32 = true;
    t.dims.back() *= 2;
    t.shape = Shape::FromDims(t.dims);
  }
  return t;
}

}  // namespace gles_delegate

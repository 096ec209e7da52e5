#include "delegate/tflite/read_tensor.h"

#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>

#include "absl/strings/str_cat.h"
#include "quant/affine.h"

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

// Replaces an int4 or int2 constant by the int8 constant of the same values. A
// constant of too few bytes keeps its type, which no op takes.
void Unpack(Tensor* t) {
  const auto bytes = t->constant.bytes();
  const int64_t count = t->shape.elements();
  const bool is_int4 = t->type == DataType::kInt4;
  const int per_byte = is_int4 ? 2 : 4;
  if (count <= 0 || static_cast<int64_t>(bytes.size()) * per_byte < count) {
    return;
  }
  t->constant = ConstantData::Own(is_int4 ? quant::UnpackInt4(bytes, count)
                                          : quant::UnpackInt2(bytes, count));
  t->type = DataType::kInt8;
  t->quantization.bits = 8 / per_byte;
}

}  // namespace

DataType TypeOf(TfLiteType type) {
  using T = DataType;
  // By number: some are younger than the headers here.
  static constexpr T kTypes[] = {
      T::kOther,   T::kFloat32, T::kInt32,      T::kUint8,     T::kInt64,
      T::kString,  T::kBool,    T::kInt16,      T::kComplex64, T::kInt8,
      T::kFloat16, T::kFloat64, T::kComplex128, T::kUint64,    T::kResource,
      T::kVariant, T::kUint32,  T::kUint16,     T::kInt4,      T::kBfloat16,
      T::kInt2,    T::kUint4};
  static_assert(kTfLiteVariant == 15, "its place in the table");
  const auto number = static_cast<size_t>(type);
  return number < std::size(kTypes) ? kTypes[number] : T::kOther;
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
    if (t.type == DataType::kInt4 || t.type == DataType::kInt2) Unpack(&t);
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

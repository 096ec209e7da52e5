#include "delegate/graph/constant_values.h"

#include <cstring>
#include <limits>

#include "base/status_macros.h"
#include "quant/fixed_point.h"
#include "quant/half.h"

namespace gles_delegate {
namespace {

template <typename T>
T Load(const uint8_t* bytes, int64_t index) {
  T value;
  std::memcpy(&value, bytes + index * sizeof(T), sizeof(T));
  return value;
}

absl::Status CheckConstant(const Tensor& tensor) {
  if (!tensor.is_constant()) {
    return Invalid(tensor.ToString(), " is not constant");
  }
  const size_t wanted = DataTypeSize(tensor.stored()) *
                        static_cast<size_t>(tensor.shape.elements());
  if (wanted == 0 && tensor.shape.elements() != 0) {
    return Invalid("constant ", tensor.ToString(),
                   " has a type with no float view");
  }
  if (tensor.constant.bytes().size() < wanted) {
    return Invalid("constant ", tensor.ToString(), " holds ",
                   tensor.constant.bytes().size(), " bytes, its shape needs ",
                   wanted);
  }
  return absl::OkStatus();
}

// Each element's code as a double (exact for every type but large int64).
double Element(const Tensor& tensor, int64_t i) {
  const uint8_t* bytes = tensor.constant.bytes().data();
  switch (tensor.stored()) {
    case DataType::kFloat32:
      return Load<float>(bytes, i);
    case DataType::kFloat16:
      return HalfToFloat(Load<uint16_t>(bytes, i));
    case DataType::kInt64:
      return static_cast<double>(Load<int64_t>(bytes, i));
    case DataType::kInt32:
      return Load<int32_t>(bytes, i);
    case DataType::kInt16:
      return Load<int16_t>(bytes, i);
    case DataType::kInt8:
      return Load<int8_t>(bytes, i);
    case DataType::kUint8:
      return bytes[i];
    case DataType::kBool:
      return bytes[i] != 0 ? 1 : 0;
    case DataType::kFloat64:
      return Load<double>(bytes, i);
    case DataType::kUint16:
      return Load<uint16_t>(bytes, i);
    default:
      return 0;
  }
}

bool IsFloat(DataType type) {
  return type == DataType::kFloat32 || type == DataType::kFloat16 ||
         type == DataType::kFloat64;
}

struct ScaleLayout {
  int64_t inner;  // consecutive elements with the same scale
  int64_t scales;
};

ScaleLayout ScaleLayoutOf(const Tensor& tensor) {
  const auto& q = tensor.quantization;
  const auto scales = static_cast<int64_t>(q.scale.size());
  if (q.block > 0) return {q.block, scales};
  if (scales <= 1) return {1, scales};
  int64_t inner = 1;
  for (size_t d = q.dimension + 1; d < tensor.dims.size(); ++d) {
    inner *= tensor.dims[d];
  }
  return {inner, scales};
}

float FloatAt(const Tensor& tensor, const ScaleLayout& layout, int64_t i) {
  const auto& q = tensor.quantization;
  const double element = Element(tensor, i);
  if (IsFloat(tensor.stored()) || q.empty()) return static_cast<float>(element);
  const int64_t k = layout.scales > 1 ? i / layout.inner % layout.scales : 0;
  const int64_t zero =
      q.zero_point.empty() ? 0 : q.zero_point[q.zero_point.size() > 1 ? k : 0];
  return quant::Dequantize(static_cast<int64_t>(element), q.scale[k], zero);
}

}  // namespace

absl::Status CheckChannelScales(const Tensor& tensor) {
  const Quantization& q = tensor.quantization;
  if (q.dimension >= 0 && q.dimension < static_cast<int>(tensor.dims.size()) &&
      static_cast<int>(q.scale.size()) == tensor.dims[q.dimension]) {
    return absl::OkStatus();
  }
  return Invalid(tensor.ToString(), " has ", q.scale.size(),
                 " quantization scales, which do not fit dimension ",
                 q.dimension);
}

absl::Status CheckConstantFloats(const Tensor& tensor) {
  RETURN_IF_ERROR(CheckConstant(tensor));
  const bool has_scales = !IsFloat(tensor.stored()) &&
                          tensor.quantization.per_channel() &&
                          tensor.quantization.block == 0;
  return has_scales ? CheckChannelScales(tensor) : absl::OkStatus();
}

absl::StatusOr<std::vector<float>> ConstantFloats(const Tensor& tensor) {
  RETURN_IF_ERROR(CheckConstantFloats(tensor));
  const int64_t n = tensor.shape.elements();
  std::vector<float> values(n);
  if (n > 0 && tensor.stored() == DataType::kFloat32) {
    std::memcpy(values.data(), tensor.constant.bytes().data(),
                n * sizeof(float));
    return values;
  }
  const ScaleLayout layout = ScaleLayoutOf(tensor);
  for (int64_t i = 0; i < n; ++i) values[i] = FloatAt(tensor, layout, i);
  return values;
}

float ConstantFloat(const Tensor& tensor, int64_t i) {
  return FloatAt(tensor, ScaleLayoutOf(tensor), i);
}

absl::StatusOr<absl::Span<const float>> ConstantFloats(
    const Tensor& tensor, std::vector<float>* room) {
  const uint8_t* bytes = tensor.constant.bytes().data();
  // A file may place a tensor anywhere.
  const bool is_aligned =
      reinterpret_cast<uintptr_t>(bytes) % alignof(float) == 0;
  if (tensor.stored() == DataType::kFloat32 && is_aligned) {
    RETURN_IF_ERROR(CheckConstant(tensor));
    return absl::MakeConstSpan(reinterpret_cast<const float*>(bytes),
                               tensor.shape.elements());
  }
  ASSIGN_OR_RETURN(*room, ConstantFloats(tensor));
  return absl::MakeConstSpan(*room);
}

absl::StatusOr<std::vector<int>> ConstantInts(const Tensor& tensor) {
  if (tensor.type != DataType::kInt32 && tensor.type != DataType::kInt64 &&
      tensor.type != DataType::kBool) {
    return Invalid(tensor.ToString(), " is not an integer constant");
  }
  RETURN_IF_ERROR(CheckConstant(tensor));
  std::vector<int> values(tensor.shape.elements());
  for (size_t i = 0; i < values.size(); ++i) {
    const double v = Element(tensor, static_cast<int64_t>(i));
    if (v < std::numeric_limits<int>::min() ||
        v > std::numeric_limits<int>::max()) {
      return Invalid(tensor.ToString(), " holds a value past 32 bits");
    }
    values[i] = static_cast<int>(v);
  }
  return values;
}

}  // namespace gles_delegate

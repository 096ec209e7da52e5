#include "delegate/tflite/constant_output.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "delegate/graph/texels.h"
#include "delegate/tflite/host_tensor.h"
#include "quant/half.h"

namespace gles_delegate {
namespace {

template <typename To, typename From>
std::vector<uint8_t> Converted(absl::Span<const From> values,
                               To convert(From)) {
  std::vector<To> to(values.size());
  std::transform(values.begin(), values.end(), to.begin(), convert);
  const auto bytes = AsBytes<To>(to);
  return {bytes.begin(), bytes.end()};
}

// `type` is narrower or wider than int32; the values are its own.
std::vector<uint8_t> IntegerBytes(absl::Span<const int> values,
                                  TfLiteType type) {
  switch (type) {
    case kTfLiteInt8:
      return Converted<int8_t, int>(values, [](int v) { return int8_t(v); });
    case kTfLiteUInt8:
      return Converted<uint8_t, int>(values, [](int v) { return uint8_t(v); });
    case kTfLiteInt16:
      return Converted<int16_t, int>(values, [](int v) { return int16_t(v); });
    default:
      return Converted<int64_t, int>(values, [](int v) { return int64_t{v}; });
  }
}

// DEQUANTIZE's output is float32 to the runtime, whatever constant it was
// folded from, and what ViewConstantsForHost() made int32 is of fewer or more
// bits to it; other constants are of the runtime's own type.
absl::StatusOr<std::vector<uint8_t>> ConstantOutputBytes(const Tensor& tensor,
                                                         TfLiteType type) {
  const absl::Span<const uint8_t> own = tensor.constant.bytes();
  const bool same =
      (type == kTfLiteInt32 && tensor.type == DataType::kInt32) ||
      (type == kTfLiteBool && tensor.type == DataType::kBool) ||
      (type == kTfLiteFloat16 && tensor.type == DataType::kFloat16);
  if (same) return std::vector<uint8_t>(own.begin(), own.end());
  const bool narrow = type == kTfLiteInt8 || type == kTfLiteUInt8 ||
                      type == kTfLiteInt16 || type == kTfLiteInt64;
  if (narrow && tensor.type == DataType::kInt32) {
    auto values = ConstantInts(tensor);
    if (!values.ok()) return values.status();
    return IntegerBytes(*values, type);
  }
  if (type != kTfLiteFloat32 && type != kTfLiteFloat16) {
    return absl::UnimplementedError(absl::StrCat(
        "the partition's output ", tensor.ToString(),
        " is a constant that is not float32, float16, an integer or bool"));
  }
  auto values = ConstantFloats(tensor);
  if (!values.ok()) return values.status();
  if (type == kTfLiteFloat16) {
    return Converted<uint16_t, float>(*values, FloatToHalf);
  }
  const auto bytes = AsBytes<float>(*values);
  return std::vector<uint8_t>(bytes.begin(), bytes.end());
}

}  // namespace

ConstantOutput::ConstantOutput(int index, std::vector<uint8_t> bytes)
    : index_(index), bytes_(std::move(bytes)) {}

absl::StatusOr<ConstantOutput> ConstantOutput::Of(const Tensor& tensor,
                                                  int index, TfLiteType type) {
  auto bytes = ConstantOutputBytes(tensor, type);
  if (!bytes.ok()) return bytes.status();
  return ConstantOutput(index, *std::move(bytes));
}

absl::Status ConstantOutput::CopyTo(TfLiteContext* context) const {
  TfLiteTensor& t = context->tensors[index_];
  if (auto s = CheckBytes(t, bytes_.size(), DataType::kUint8); !s.ok()) {
    return s;
  }
  std::copy(bytes_.begin(), bytes_.end(), t.data.uint8);
  return absl::OkStatus();
}

}  // namespace gles_delegate

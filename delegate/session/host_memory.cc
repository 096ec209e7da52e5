#include "delegate/session/host_memory.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/constant_values.h"
#include "delegate/graph/texels.h"
#include "quant/half.h"

namespace gles_delegate {

absl::Status CheckBytes(const HostMemory& memory, size_t elements,
                        DataType type) {
  const size_t wanted = elements * DataTypeSize(type);
  if (memory.data != nullptr && memory.bytes == wanted) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "tensor '", memory.name == nullptr ? "" : memory.name, "' holds ",
      memory.bytes, " bytes, the partition was prepared for ", wanted,
      "; call AllocateTensors after resizing"));
}

// --- Memory that the runtime's tensors borrow --------------------------------

namespace {

// TFLite's alignment of a tensor's memory (kDefaultTensorAlignment).
constexpr uintptr_t kAlignment = 64;

}  // namespace

std::unique_ptr<LentMemory> LentMemory::Of(
    std::shared_ptr<egl::Context> context, const HostTransfer& transfer,
    size_t bytes) {
  std::shared_ptr<egl::Buffer> buffer = transfer.HostMemory();
  if (buffer == nullptr || bytes != transfer.bytes() ||
      reinterpret_cast<uintptr_t>(buffer->mapped()) % kAlignment != 0) {
    return nullptr;
  }
  return std::unique_ptr<LentMemory>(
      new LentMemory(std::move(context), std::move(buffer)));
}

LentMemory::LentMemory(std::shared_ptr<egl::Context> context,
                       std::shared_ptr<egl::Buffer> buffer)
    : context_(std::move(context)), buffer_(std::move(buffer)) {}

LentMemory::~LentMemory() {
  (void)context_->Run([this] {
    buffer_.reset();
    return absl::OkStatus();
  });
}

// --- States ------------------------------------------------------------------

namespace {

// A quiet NaN with a payload: the NaNs that arithmetic makes have a payload of
// zeros.
constexpr uint32_t kMark = 0x7fd5a6c3;

}  // namespace

void MarkStateOnGpu(const HostMemory& memory) {
  if (memory.data == nullptr) return;
  std::memcpy(memory.data, &kMark, sizeof(kMark));
}

bool IsStateOnGpu(const HostMemory& memory) {
  return memory.data != nullptr &&
         std::memcmp(memory.data, &kMark, sizeof(kMark)) == 0;
}

// --- Constants ---------------------------------------------------------------

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
std::vector<uint8_t> IntegerBytes(absl::Span<const int> values, DataType type) {
  switch (type) {
    case DataType::kInt8:
      return Converted<int8_t, int>(values, [](int v) { return int8_t(v); });
    case DataType::kUint8:
      return Converted<uint8_t, int>(values, [](int v) { return uint8_t(v); });
    case DataType::kInt16:
      return Converted<int16_t, int>(values, [](int v) { return int16_t(v); });
    case DataType::kUint16:
      return Converted<uint16_t, int>(values,
                                      [](int v) { return uint16_t(v); });
    default:
      return Converted<int64_t, int>(values, [](int v) { return int64_t{v}; });
  }
}

// DEQUANTIZE's output is float32 to the runtime, whatever constant it was
// folded from, and what ViewConstantsForHost() made int32 is of fewer or more
// bits to it; other constants are of the runtime's own type.
absl::StatusOr<std::vector<uint8_t>> ConstantOutputBytes(const Tensor& tensor,
                                                         DataType type) {
  const absl::Span<const uint8_t> own = tensor.constant.bytes();
  const bool is_kept = type == DataType::kInt32 || type == DataType::kInt64 ||
                       type == DataType::kBool || type == DataType::kFloat16;
  if (is_kept && tensor.type == type)
    return std::vector<uint8_t>(own.begin(), own.end());
  const bool narrow = type == DataType::kInt8 || type == DataType::kUint8 ||
                      type == DataType::kInt16 || type == DataType::kUint16 ||
                      type == DataType::kInt64;
  if (narrow && tensor.type == DataType::kInt32) {
    ASSIGN_OR_RETURN(auto values, ConstantInts(tensor));
    return IntegerBytes(values, type);
  }
  if (type != DataType::kFloat32 && type != DataType::kFloat16 &&
      type != DataType::kFloat64) {
    return absl::UnimplementedError(absl::StrCat(
        "the partition's output ", tensor.ToString(),
        " is a constant that is not of floats, integers or bools"));
  }
  ASSIGN_OR_RETURN(auto values, ConstantFloats(tensor));
  if (type == DataType::kFloat16) {
    return Converted<uint16_t, float>(values, FloatToHalf);
  }
  if (type == DataType::kFloat64) {
    return Converted<double, float>(values, [](float v) { return double{v}; });
  }
  const auto bytes = AsBytes<float>(values);
  return std::vector<uint8_t>(bytes.begin(), bytes.end());
}

}  // namespace

ConstantOutput::ConstantOutput(int index, std::vector<uint8_t> bytes)
    : index_(index), bytes_(std::move(bytes)) {}

absl::StatusOr<ConstantOutput> ConstantOutput::Of(const Tensor& tensor,
                                                  int index, DataType type) {
  ASSIGN_OR_RETURN(auto bytes, ConstantOutputBytes(tensor, type));
  return ConstantOutput(index, std::move(bytes));
}

absl::Status ConstantOutput::CopyTo(const HostMemory& memory) const {
  RETURN_IF_ERROR(CheckBytes(memory, bytes_.size(), DataType::kUint8));
  std::copy(bytes_.begin(), bytes_.end(), static_cast<uint8_t*>(memory.data));
  return absl::OkStatus();
}

}  // namespace gles_delegate

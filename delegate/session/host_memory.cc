#include "delegate/session/host_memory.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/constant_values.h"
#include "delegate/graph/float_view.h"
#include "delegate/graph/texels.h"
#include "quant/fixed_point.h"
#include "quant/half.h"

namespace gles_delegate {

absl::Status CheckBytes(const HostMemory& memory, size_t elements,
                        DataType type) {
  const size_t wanted = elements * DataTypeSize(type);
  if (memory.data != nullptr && memory.bytes == wanted) return absl::OkStatus();
  return FailedPrecondition(
      "tensor '", memory.name == nullptr ? "" : memory.name, "' holds ",
      memory.bytes, " bytes, the partition was prepared for ", wanted,
      "; call AllocateTensors after resizing");
}

// --- Memory that the runtime's tensors borrow --------------------------------

std::shared_ptr<char> LendMemory(std::shared_ptr<egl::Context> context,
                                 const HostTransfer& transfer, size_t bytes) {
  // TFLite's alignment of a tensor's memory (kDefaultTensorAlignment).
  constexpr uintptr_t kAlignment = 64;
  std::shared_ptr<egl::Buffer> buffer = transfer.HostMemory();
  if (buffer == nullptr || bytes != transfer.bytes() ||
      reinterpret_cast<uintptr_t>(buffer->mapped()) % kAlignment != 0) {
    return nullptr;
  }
  char* const data = reinterpret_cast<char*>(buffer->mapped());
  return {data, [context = std::move(context),
                 buffer = std::move(buffer)](char*) mutable {
            (void)context->Run([&buffer] {
              buffer.reset();
              return absl::OkStatus();
            });
          }};
}

// --- States ------------------------------------------------------------------

// A quiet NaN with a payload: the NaNs that arithmetic makes have a payload of
// zeros.
constexpr uint32_t kMark = 0x7fd5a6c3;

void MarkStateOnGpu(const HostMemory& memory) {
  if (memory.data == nullptr) return;
  std::memcpy(memory.data, &kMark, sizeof(kMark));
}

bool IsStateOnGpu(const HostMemory& memory) {
  return memory.data != nullptr &&
         std::memcmp(memory.data, &kMark, sizeof(kMark)) == 0;
}

// --- Values ------------------------------------------------------------------

namespace {

// Calls fn with the memory's values as a span of their own type.
template <typename Fn>
void WithValues(const HostMemory& memory, DataType type, size_t n,
                const Fn& fn) {
  switch (type) {
    case DataType::kInt8:
      return fn(memory.As<int8_t>(n));
    case DataType::kUint8:
    case DataType::kBool:
      return fn(memory.As<uint8_t>(n));
    case DataType::kInt16:
      return fn(memory.As<int16_t>(n));
    case DataType::kUint16:
      return fn(memory.As<uint16_t>(n));
    case DataType::kInt32:
      return fn(memory.As<int32_t>(n));
    case DataType::kInt64:
      return fn(memory.As<int64_t>(n));
    case DataType::kFloat32:
      return fn(memory.As<float>(n));
    case DataType::kFloat64:
      return fn(memory.As<double>(n));
    default:
      return;  // no other type is converted
  }
}

bool NeedsConversion(const Tensor& view) {
  return !view.holds_quantized && view.stored() != DataType::kFloat32 &&
         view.stored() != DataType::kInt32;
}

// C++'s own conversion where that is defined, else the nearest int64.
int64_t ToInt64(float value) {
  constexpr float kPast = 9223372036854775808.0f;  // 2^63
  if (value >= kPast) return std::numeric_limits<int64_t>::max();
  if (!(value >= -kPast)) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(value);
}

template <typename To, typename From>
To Converted(From value) {
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return static_cast<To>(ToInt64(static_cast<float>(value)));
  } else {
    return static_cast<To>(value);  // integers wrap, as for TFLite's CAST
  }
}

// Between the runtime's type and the GPU's, float32 or int32.
void Convert(const HostMemory& from, DataType from_type, const HostMemory& to,
             DataType to_type, size_t n) {
  if (from_type == DataType::kFloat16) {
    return HalvesToFloats(from.data, to.data, n);
  }
  if (to_type == DataType::kFloat16) {
    // Not FloatsToHalves(), whose stores may go around the caches: the CPU
    // reads these halves next.
    const auto floats = from.As<float>(n);
    absl::c_transform(floats, static_cast<uint16_t*>(to.data), FloatToHalf);
    return;
  }
  const bool is_bool =
      from_type == DataType::kBool || to_type == DataType::kBool;
  WithValues(from, from_type, n, [&](auto values) {
    WithValues(to, to_type, n, [&](auto room) {
      using From = std::remove_reference_t<decltype(values[0])>;
      using To = std::remove_reference_t<decltype(room[0])>;
      absl::c_transform(values, room.begin(), [is_bool](From value) {
        return is_bool ? static_cast<To>(value != 0 ? 1 : 0)
                       : Converted<To>(value);
      });
    });
  });
}

}  // namespace

HostTensor::HostTensor(const Tensor& view)
    : stored_(view.stored()),
      view_(view.type == DataType::kBool ? DataType::kInt32 : view.type),
      is_float_view_(view.is_float_view()),
      must_fit_(view.must_fit),
      elements_(view.shape.elements()),
      quantization_(view.quantization),
      values_(NeedsConversion(view)
                  ? elements_ * std::max(sizeof(float), DataTypeSize(view_))
                  : 0) {}

HostMemory HostTensor::own() const {
  return {const_cast<uint8_t*>(values_.data()), values_.size()};
}

absl::StatusOr<absl::Span<const uint8_t>> HostTensor::Read(
    const HostMemory& memory) {
  RETURN_IF_ERROR(CheckBytes(memory, elements_, stored_));
  if (values_.empty()) {
    return absl::Span<const uint8_t>(static_cast<const uint8_t*>(memory.data),
                                     memory.bytes);
  }
  RETURN_IF_ERROR(CheckRange(memory));
  if (!is_float_view_) {
    Convert(memory, stored_, own(), view_, elements_);
  } else {
    WithValues(memory, stored_, elements_, [&](auto quantized) {
      using Code = std::remove_reference_t<decltype(quantized[0])>;
      if constexpr (sizeof(Code) <= 2) {
        quant::DequantizeAll<Code>(quantized, quantization_.scale[0],
                                   quantization_.zero_point[0],
                                   own().As<float>(elements_));
      }
    });
  }
  return absl::Span<const uint8_t>(values_);
}

absl::StatusOr<absl::Span<uint8_t>> HostTensor::Room(const HostMemory& memory) {
  RETURN_IF_ERROR(CheckBytes(memory, elements_, stored_));
  if (values_.empty()) {
    return absl::Span<uint8_t>(static_cast<uint8_t*>(memory.data),
                               memory.bytes);
  }
  return absl::MakeSpan(values_);
}

absl::Status HostTensor::CheckRange(const HostMemory& memory) const {
  if (!must_fit_ || stored_ != DataType::kInt64) return absl::OkStatus();
  const auto values = memory.As<const int64_t>(elements_);
  const auto great = absl::c_find_if(values, [](int64_t value) {
    return value != static_cast<int32_t>(value);
  });
  if (great == values.end()) return absl::OkStatus();
  return absl::OutOfRangeError(absl::StrCat(
      "tensor '", memory.name == nullptr ? "" : memory.name, "' holds ", *great,
      " at element ", great - values.begin(),
      "; int64 is computed in 32 bits here. The option exclude_nodes leaves "
      "the nodes that read it to the CPU"));
}

void HostTensor::Finish(const HostMemory& memory) const {
  if (values_.empty()) return;
  if (!is_float_view_) return Convert(own(), view_, memory, stored_, elements_);
  const quant::CodeRange range = quant::RangeOf(
      static_cast<int>(DataTypeSize(stored_)), stored_ == DataType::kUint8);
  WithValues(memory, stored_, elements_, [&](auto quantized) {
    using Code = std::remove_reference_t<decltype(quantized[0])>;
    if constexpr (sizeof(Code) <= 2) {
      quant::QuantizeAll<Code>(own().As<float>(elements_),
                               quantization_.scale[0],
                               quantization_.zero_point[0], range, quantized);
    }
  });
}

// --- Constants ---------------------------------------------------------------

namespace {

// The tensor's values as the runtime has them in `type`.
template <typename Value>
std::vector<uint8_t> BytesOfType(const Tensor& tensor, DataType type,
                                 absl::Span<const Value> values) {
  Tensor view;
  view.shape = tensor.shape;
  view.type =
      std::is_same_v<Value, int> ? DataType::kInt32 : DataType::kFloat32;
  if (type != view.type) view.host = type;
  std::vector<uint8_t> bytes(values.size() * DataTypeSize(type));
  const HostMemory memory = {bytes.data(), bytes.size()};
  HostTensor host(view);
  const auto room = host.Room(memory);
  if (!room.ok()) return {};
  const auto from = AsBytes<Value>(values);
  absl::c_copy(from, room->begin());
  host.Finish(memory);
  return bytes;
}

}  // namespace

// DEQUANTIZE's output is float32 to the runtime, whatever constant it was
// folded from, and what ViewConstantsForHost() made int32 is of fewer or more
// bits to it; other constants are of the runtime's own type.
absl::StatusOr<ConstantOutput> ConstantOutput::Of(const Tensor& tensor,
                                                  int index, DataType type) {
  const bool is_float = type == DataType::kFloat16 ||
                        type == DataType::kFloat32 ||
                        type == DataType::kFloat64;
  const bool is_narrow = IsQuantizedType(type) || type == DataType::kUint16;
  const bool is_kept = type == DataType::kInt32 || type == DataType::kInt64 ||
                       type == DataType::kBool || type == DataType::kFloat16;
  if (is_kept && tensor.type == type) {
    const auto own = tensor.constant.bytes();
    return ConstantOutput{index, {own.begin(), own.end()}};
  }
  if ((is_narrow || type == DataType::kInt64) &&
      tensor.type == DataType::kInt32) {
    ASSIGN_OR_RETURN(const auto values, ConstantInts(tensor));
    return ConstantOutput{index, BytesOfType<int>(tensor, type, values)};
  }
  if (!is_float) {
    return Unimplemented(
        "the partition's output ", tensor.ToString(),
        " is a constant that is not of floats, integers or bools");
  }
  ASSIGN_OR_RETURN(const auto values, ConstantFloats(tensor));
  return ConstantOutput{index, BytesOfType<float>(tensor, type, values)};
}

absl::Status ConstantOutput::CopyTo(const HostMemory& memory) const {
  RETURN_IF_ERROR(CheckBytes(memory, bytes.size(), DataType::kUint8));
  absl::c_copy(bytes, static_cast<uint8_t*>(memory.data));
  return absl::OkStatus();
}

// --- Buffers of the app ------------------------------------------------------

absl::Status CopyBuffer(const Gpu* gpu, uint32_t buffer, const Tensor& tensor,
                        const HostMemory& memory, bool to_buffer) {
  if (gpu == nullptr || !gpu->has_objects_of_app()) {
    return FailedPrecondition(
        "buffer handle ", buffer,
        " is one of an app's buffer, and the delegate neither uses the app's "
        "EGLContext nor shares objects with it");
  }
  Tensor view = tensor;
  if (IsQuantizedType(view.type)) {
    RETURN_IF_ERROR(CheckQuantization(view));
    ViewAsFloat(&view);
  }
  if (view.type != DataType::kFloat32) {
    return FailedPrecondition(
        "tensor ", view.ToString(),
        " has no buffer handle: the buffers of handles hold floats, of float32 "
        "and quantized tensors");
  }
  HostTensor floats(view);
  return gpu->context->Run([&]() -> absl::Status {
    if (to_buffer) {
      ASSIGN_OR_RETURN(const auto bytes, floats.Read(memory));
      RETURN_IF_ERROR(CheckBuffer(buffer, static_cast<int64_t>(bytes.size())));
      return egl::Buffer::UploadToOther(buffer, bytes);
    }
    ASSIGN_OR_RETURN(const auto room, floats.Room(memory));
    RETURN_IF_ERROR(CheckBuffer(buffer, static_cast<int64_t>(room.size())));
    RETURN_IF_ERROR(egl::Buffer::ReadOther(buffer, room));
    floats.Finish(memory);
    return absl::OkStatus();
  });
}

}  // namespace gles_delegate

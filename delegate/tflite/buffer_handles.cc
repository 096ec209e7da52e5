// TFLite's own buffer handles: a tensor's handle is the name of a buffer object
// of the app's, which holds the tensor as float32 in BHWC order, as one that
// TfLiteGlesDelegateBindBuffer() binds.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/runtime/check_object.h"
#include "delegate/tflite/gles_simple_delegate.h"
#include "delegate/tflite/object_struct.h"
#include "egl/objects.h"

namespace gles_delegate {
namespace {

template <typename Code>
void ToCodes(const std::vector<float>& values, const TfLiteTensor& tensor) {
  auto* codes = reinterpret_cast<Code*>(tensor.data.raw);
  for (size_t i = 0; i < values.size(); ++i) {
    const float code = std::round(values[i] / tensor.params.scale) +
                       static_cast<float>(tensor.params.zero_point);
    codes[i] = static_cast<Code>(
        std::clamp(code, static_cast<float>(std::numeric_limits<Code>::min()),
                   static_cast<float>(std::numeric_limits<Code>::max())));
  }
}

template <typename Code>
void FromCodes(const TfLiteTensor& tensor, std::vector<float>* values) {
  const auto* codes = reinterpret_cast<const Code*>(tensor.data.raw);
  for (size_t i = 0; i < values->size(); ++i) {
    (*values)[i] = tensor.params.scale *
                   static_cast<float>(codes[i] - tensor.params.zero_point);
  }
}

absl::StatusOr<size_t> ElementsOf(const TfLiteTensor& tensor) {
  if (tensor.data.raw == nullptr) {
    return absl::FailedPreconditionError("the tensor has no memory");
  }
  switch (tensor.type) {
    case kTfLiteFloat32:
      return tensor.bytes / sizeof(float);
    case kTfLiteInt8:
    case kTfLiteUInt8:
      if (tensor.params.scale > 0) return tensor.bytes;
      break;
    case kTfLiteInt16:
      if (tensor.params.scale > 0) return tensor.bytes / sizeof(int16_t);
      break;
    default:
      break;
  }
  return absl::FailedPreconditionError(
      "only float32 and quantized tensors have buffer handles");
}

void Store(const std::vector<float>& values, const TfLiteTensor& tensor) {
  if (tensor.type == kTfLiteInt8) return ToCodes<int8_t>(values, tensor);
  if (tensor.type == kTfLiteUInt8) return ToCodes<uint8_t>(values, tensor);
  if (tensor.type == kTfLiteInt16) return ToCodes<int16_t>(values, tensor);
  std::copy(values.begin(), values.end(), tensor.data.f);
}

void Load(const TfLiteTensor& tensor, std::vector<float>* values) {
  if (tensor.type == kTfLiteInt8) return FromCodes<int8_t>(tensor, values);
  if (tensor.type == kTfLiteUInt8) return FromCodes<uint8_t>(tensor, values);
  if (tensor.type == kTfLiteInt16) return FromCodes<int16_t>(tensor, values);
  std::copy_n(tensor.data.f, values->size(), values->begin());
}

// Calls copy(values) in the context, where buffer `handle` has room for them.
absl::Status WithBuffer(
    const Gpu* gpu, TfLiteBufferHandle handle, const TfLiteTensor& tensor,
    absl::FunctionRef<absl::Status(std::vector<float>*)> copy) {
  if (gpu == nullptr || !gpu->has_objects_of_app()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "buffer handle ", handle,
        " is one of an app's buffer, and the delegate neither uses the app's "
        "EGLContext nor shares objects with it"));
  }
  const auto count = ElementsOf(tensor);
  if (!count.ok()) return count.status();
  std::vector<float> values(*count);
  return gpu->context->Run([&]() -> absl::Status {
    const auto bytes = static_cast<int64_t>(values.size() * sizeof(float));
    auto s = CheckBuffer(static_cast<GLuint>(handle), bytes);
    return s.ok() ? copy(&values) : s;
  });
}

template <typename T>
absl::Span<T> BytesOf(std::vector<float>* values) {
  return {reinterpret_cast<T*>(values->data()), values->size() * sizeof(float)};
}

}  // namespace

absl::Status GlesSimpleDelegate::CopyFromHandle(TfLiteBufferHandle handle,
                                                TfLiteTensor* tensor) {
  const auto name = static_cast<GLuint>(handle);
  return WithBuffer(gpu_.get(), handle, *tensor, [&](auto* values) {
    auto s = egl::Buffer::ReadOther(name, BytesOf<uint8_t>(values));
    if (s.ok()) Store(*values, *tensor);
    return s;
  });
}

absl::Status GlesSimpleDelegate::CopyToHandle(TfLiteBufferHandle handle,
                                              const TfLiteTensor& tensor) {
  const auto name = static_cast<GLuint>(handle);
  return WithBuffer(gpu_.get(), handle, tensor, [&](auto* values) {
    Load(tensor, values);
    return egl::Buffer::UploadToOther(name, BytesOf<const uint8_t>(values));
  });
}

const TfLiteGlesObject* GlesKernel::ObjectOf(int tensor) const {
  const TfLiteGlesObject* object = setup_.objects->Of(tensor);
  return object != nullptr ? object : handles_.Of(tensor);
}

void GlesKernel::TakeHandles(TfLiteContext* context) {
  for (const auto* list : {&graph_.inputs, &graph_.outputs}) {
    for (TensorId id : *list) {
      const int index = graph_.tensor(id).tflite_index;
      if (index < 0) continue;
      const TfLiteTensor& tensor = context->tensors[index];
      const TfLiteGlesObject* had = handles_.Of(index);
      const bool has = tensor.buffer_handle > 0 && handle_owner_ != nullptr &&
                       HandleOwner(tensor) == handle_owner_;
      if (!has) {
        if (had != nullptr) handles_.Bind(index, nullptr);
        continue;
      }
      const auto name = static_cast<uint32_t>(tensor.buffer_handle);
      if (had != nullptr && had->name == name) continue;
      TfLiteGlesObject object;
      InitObject(&object, sizeof(object));
      object.name = name;
      handles_.Bind(index, &object);
    }
  }
}

}  // namespace gles_delegate

#include "delegate/session/buffer_copy.h"

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/float_view.h"
#include "delegate/runtime/object_form.h"
#include "delegate/session/host_tensor.h"
#include "egl/objects.h"

namespace gles_delegate {
namespace {

// The conversion of the tensor's values to floats and back.
// kFailedPrecondition: its type does not allow that.
absl::StatusOr<HostTensor> FloatsOf(Tensor view) {
  if (IsQuantizedType(view.type)) {
    RETURN_IF_ERROR(CheckQuantization(view));
    ViewAsFloat(&view);
  }
  if (view.type == DataType::kFloat32) return HostTensor(view);
  return absl::FailedPreconditionError(
      absl::StrCat("tensor ", view.ToString(),
                   " has no buffer handle: the buffers of handles hold floats, "
                   "of float32 and quantized tensors"));
}

// Calls copy(floats) in a context that has the app's buffers.
absl::Status WithFloats(const Gpu* gpu, uint32_t buffer, const Tensor& tensor,
                        absl::FunctionRef<absl::Status(HostTensor*)> copy) {
  if (gpu == nullptr || !gpu->has_objects_of_app()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "buffer handle ", buffer,
        " is one of an app's buffer, and the delegate neither uses the app's "
        "EGLContext nor shares objects with it"));
  }
  ASSIGN_OR_RETURN(auto floats, FloatsOf(tensor));
  return gpu->context->Run([&] { return copy(&floats); });
}

}  // namespace

absl::Status CopyFromBuffer(const Gpu* gpu, uint32_t buffer,
                            const Tensor& tensor, const HostMemory& memory) {
  return WithFloats(gpu, buffer, tensor, [&](HostTensor* floats) {
    ASSIGN_OR_RETURN(const auto room, floats->Room(memory));
    auto s = CheckBuffer(buffer, static_cast<int64_t>(room.size()));
    if (s.ok()) s = egl::Buffer::ReadOther(buffer, room);
    if (s.ok()) floats->Finish(memory);
    return s;
  });
}

absl::Status CopyToBuffer(const Gpu* gpu, uint32_t buffer, const Tensor& tensor,
                          const HostMemory& memory) {
  return WithFloats(gpu, buffer, tensor, [&](HostTensor* floats) {
    ASSIGN_OR_RETURN(const auto bytes, floats->Read(memory));
    auto s = CheckBuffer(buffer, static_cast<int64_t>(bytes.size()));
    return s.ok() ? egl::Buffer::UploadToOther(buffer, bytes) : s;
  });
}

}  // namespace gles_delegate

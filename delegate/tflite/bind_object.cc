// The part of GlesSimpleDelegate that binds the app's objects.

#include "absl/strings/str_cat.h"
#include "delegate/tflite/gles_simple_delegate.h"
#include "delegate/tflite/messages.h"
#include "delegate/tflite/object_struct.h"

namespace gles_delegate {

absl::Status GlesSimpleDelegate::BindObject(int tensor,
                                            const TfLiteGlesObject* object) {
  const bool never_shares =
      !options_.gpu.worker_shares &&
      (worker_ != nullptr || options_.gpu.force_own_context);
  if (object != nullptr &&
      (never_shares || (gpu_ != nullptr && !gpu_->has_objects_of_app()))) {
    return absl::FailedPreconditionError(
        "a GL object can be bound where the delegate uses the app's "
        "EGLContext or shares objects with it (thread_mode: worker_sharing), "
        "and this one has a context of its own (thread_mode: worker or "
        "caller_own_context, or no context was current when it was applied)");
  }
  reports_.ForgetGone();
  if (object != nullptr && gpu_ != nullptr && !reports_.IsOnBorder(tensor)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "tensor ", tensor,
        " is no input or output of what the delegate runs on the GPU"));
  }
  if (object == nullptr) {
    objects_->Unbind(tensor);
  } else {
    objects_->Bind(tensor, AppObjectOf(*object));
  }
  return absl::OkStatus();
}

absl::Status GlesSimpleDelegate::UseBuffersOfRuntime(
    const GlesRuntimeBuffers& buffers) {
  if (gpu_ != nullptr) {
    return absl::InternalError("the delegate was applied before");
  }
  runtime_buffers_ = buffers;
  return absl::OkStatus();
}

void GlesSimpleDelegate::WarnOfUnusedObjects(TfLiteContext* context) const {
  if (!model_) return;
  for (const auto& [tensor, object] : objects_->all()) {
    if (reports_.IsOnBorder(tensor)) continue;
    Warn(context,
         absl::StrCat("GL object ", object.name, " is bound to tensor ", tensor,
                      ", which is no input or output of what runs on the GPU"));
  }
}

}  // namespace gles_delegate

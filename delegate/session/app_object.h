// An app's GL texture or buffer in place of a tensor's memory.
#ifndef GLES_DELEGATE_DELEGATE_SESSION_APP_OBJECT_H_
#define GLES_DELEGATE_DELEGATE_SESSION_APP_OBJECT_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "delegate/graph/graph.h"
#include "delegate/runtime/object_form.h"
#include "egl/device_info.h"
#include "gles_delegate/gles_delegate.h"

namespace gles_delegate {

struct AppObject : TfLiteGlesObject {
  AppObject() : TfLiteGlesObject{} { scale = 1; }
  explicit AppObject(const TfLiteGlesObject& whole) : TfLiteGlesObject(whole) {}

  // Of the delegate's context (TensorBuffer): the name is 0 until the next
  // inference, which knows it.
  bool is_own = false;
  uint32_t view = 0;  // as UsedObject has it

  bool is_external() const { return type == kTfLiteGlesObjectTextureExternal; }
  bool is_texture() const { return type != kTfLiteGlesObjectBuffer; }
};

// kFailedPrecondition: the tensor cannot have an object, for the reason `why`.
absl::Status CannotBind(const Tensor& tensor, absl::string_view why);

// Ok if `buffer` is a buffer of the current context with at least `bytes`
// bytes. kFailedPrecondition, with the actual state.
absl::Status CheckBuffer(uint32_t buffer, int64_t bytes);

// `object` as an input or output of a partition. Queries GL, so call it inside
// the context. kFailedPrecondition: the tensor does not match the object, or
// the context has no such object.
absl::StatusOr<UsedObject> ResolveObject(const AppObject& object,
                                         const Tensor& tensor, bool is_input,
                                         const egl::DeviceInfo& device);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_SESSION_APP_OBJECT_H_

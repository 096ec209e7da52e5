// Converts an app's object to the form for its transfer.
#ifndef GLES_DELEGATE_DELEGATE_SESSION_RESOLVE_OBJECT_H_
#define GLES_DELEGATE_DELEGATE_SESSION_RESOLVE_OBJECT_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "delegate/graph/graph.h"
#include "delegate/runtime/object_form.h"
#include "delegate/session/app_object.h"
#include "egl/device_info.h"

namespace gles_delegate {

struct ResolvedObject {
  ObjectForm form;  // kNone: the tensor has no object
  UsedObject used;
};

// kFailedPrecondition: the tensor cannot have an object, for the reason `why`.
absl::Status CannotBind(const Tensor& tensor, absl::string_view why);

// `object` as an input or output of a partition. Queries GL, so call it inside
// the context. kFailedPrecondition: the tensor does not match the object, or
// the context has no such object.
absl::StatusOr<ResolvedObject> ResolveObject(const AppObject& object,
                                             const Tensor& tensor,
                                             bool is_input,
                                             const egl::DeviceInfo& device);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_SESSION_RESOLVE_OBJECT_H_

// TfLiteGlesObject as it crosses the C boundary.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_OBJECT_STRUCT_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_OBJECT_STRUCT_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "gles_delegate/gles_delegate.h"

namespace gles_delegate {

// TfLiteGlesDelegateObjectInit().
void InitObject(TfLiteGlesObject* object, size_t size);

// The caller's struct, whatever its size, with the defaults of fields that it
// lacks. kInvalidArgument: it is null, a field that this library does not know
// is set, or a value is none of those that the header lists.
absl::StatusOr<TfLiteGlesObject> WholeObject(const TfLiteGlesObject* caller);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_OBJECT_STRUCT_H_

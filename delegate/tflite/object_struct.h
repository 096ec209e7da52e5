// Conversion of TfLiteGlesObject at the C boundary.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_OBJECT_STRUCT_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_OBJECT_STRUCT_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "delegate/session/app_object.h"
#include "gles_delegate/gles_delegate.h"

namespace gles_delegate {

// TfLiteGlesDelegateObjectInit().
void InitObject(TfLiteGlesObject* object, size_t size);

// The caller's struct, of whatever size, completed with defaults.
// kInvalidArgument: null, an unknown field is set, or a value is not listed in
// the header.
absl::StatusOr<TfLiteGlesObject> WholeObject(const TfLiteGlesObject* caller);

// A whole one, as sessions take it.
AppObject AppObjectOf(const TfLiteGlesObject& object);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_OBJECT_STRUCT_H_

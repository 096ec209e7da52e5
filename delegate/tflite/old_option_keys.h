// The options of version 0.1 that 1.0 names otherwise, or no longer has. They
// are keys of the external delegate and of GLES_DELEGATE_OPTIONS alone.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_OLD_OPTION_KEYS_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_OLD_OPTION_KEYS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "delegate/tflite/option_keys.h"
#include "gles_delegate/gles_delegate.h"

namespace gles_delegate {

// Whether the option was removed, or this value of it.
bool IsOldKey(absl::string_view name, absl::string_view value);

// Sets today's option for an old key with its value, if there is one, and adds
// a warning that names it. kInvalidArgument: not a value of the old option.
// Requires IsOldKey(name, value).
absl::Status SetOldKey(absl::string_view name, absl::string_view value,
                       TfLiteGlesDelegateOptions* options, OptionTexts* texts);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_OLD_OPTION_KEYS_H_

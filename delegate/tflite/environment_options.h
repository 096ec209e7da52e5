// Options from the environment, for apps that cannot be changed.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_ENVIRONMENT_OPTIONS_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_ENVIRONMENT_OPTIONS_H_

#include <string>

#include "absl/status/status.h"
#include "delegate/tflite/option_keys.h"
#include "gles_delegate/gles_delegate.h"

namespace gles_delegate {

// The variable: "key:value;...", with the keys of the external delegate.
inline constexpr char kEnvironmentOptions[] = "GLES_DELEGATE_OPTIONS";

// The variable's value; "" if it is not set.
std::string EnvironmentOptions();

// Sets the fields of `*options` named in the variable. A value ends at the next
// semicolon and may contain colons; surrounding spaces are ignored; the last of
// repeated keys counts. Strings are added to `*texts`, which must outlive
// `*options`. kInvalidArgument, with the variable's name: an unknown key, a
// value of the wrong type, or an item that is not a key with a value.
absl::Status SetFromEnvironment(TfLiteGlesDelegateOptions* options,
                                OptionTexts* texts);

// kInvalidArgument, with the known items: GLES_DELEGATE_DEBUG
// (egl/environment.h) has an unknown one, or one that lacks its value.
absl::Status CheckDebugVariable();

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_ENVIRONMENT_OPTIONS_H_

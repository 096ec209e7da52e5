// Options that a user gives by the environment, for apps that cannot be
// changed.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_ENVIRONMENT_OPTIONS_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_ENVIRONMENT_OPTIONS_H_

#include <string>

#include "absl/status/status.h"
#include "delegate/tflite/option_keys.h"
#include "gles_delegate/gles_delegate.h"

namespace gles_delegate {

// The variable: "key:value;...", with the keys of the external delegate.
inline constexpr char kEnvironmentOptions[] = "GLES_DELEGATE_OPTIONS";

// The variable's value; "" where it is not set.
std::string EnvironmentOptions();

// Sets the fields of `*options` that the variable names. A value ends at the
// next semicolon and may have colons; spaces around keys and values are no part
// of them; a key that comes twice has its last value. Texts are appended to
// `*texts`, which must outlive `*options`. kInvalidArgument, with the
// variable's name: an unknown key, a value that is not of its key's type, or an
// item that is no key with a value.
absl::Status SetFromEnvironment(TfLiteGlesDelegateOptions* options,
                                OptionTexts* texts);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_ENVIRONMENT_OPTIONS_H_

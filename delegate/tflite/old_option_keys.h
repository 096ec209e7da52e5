// The options of version 0.1 that 1.0 names otherwise, or no longer has. They
// are keys of the external delegate and of GLES_DELEGATE_OPTIONS alone.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_OLD_OPTION_KEYS_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_OLD_OPTION_KEYS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "gles_delegate/gles_delegate.h"

namespace gles_delegate {

// One value of an old option.
struct OldKey {
  absl::string_view name;
  absl::string_view value;  // "": any
  // The rest of the warning.
  absl::string_view advice;
  // Today's option with its value; nullptr: none, or not an integer.
  int32_t TfLiteGlesDelegateOptions::*field = nullptr;
  int32_t field_value = 0;
};

// nullptr: not an option of version 0.1. kInvalidArgument: it is one, but did
// not have this value.
absl::StatusOr<const OldKey*> FindOldKey(absl::string_view name,
                                         absl::string_view value);

// "option NAME=VALUE of version 0.1 ..."
std::string WarningOf(const OldKey& key);

// Sets today's options for the old keys, unless these have another value than
// `defaults`: in whichever order keys are given, today's win.
void ApplyOldKeys(const std::vector<const OldKey*>& keys,
                  const TfLiteGlesDelegateOptions& defaults,
                  TfLiteGlesDelegateOptions* options);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_OLD_OPTION_KEYS_H_

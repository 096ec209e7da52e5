// The options' keys: the names of the C struct's fields, and how the text of a
// value is read.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_OPTION_KEYS_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_OPTION_KEYS_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "gles_delegate/gles_delegate.h"

namespace gles_delegate {

// The texts that a struct of options points to; each stays where it is.
using OptionTexts = std::vector<std::unique_ptr<std::string>>;

// Sets the field `name` of `*options`. A text that the struct then points to is
// appended to `*texts`, which must outlive the struct. kInvalidArgument: no
// such key, with the list of those there are; or `value` is not of the key's
// type.
absl::Status SetKey(absl::string_view name, absl::string_view value,
                    TfLiteGlesDelegateOptions* options, OptionTexts* texts);

// kInvalidArgument: a choice or a level is none of those that it may be, which
// a caller of the C API can bring about.
absl::Status CheckChoices(const TfLiteGlesDelegateOptions& options);

// The text of a TfLiteGlesThreadMode.
absl::string_view ThreadModeName(int mode);

// Gives each field of `*options` that has its default, or is an empty text, the
// value that it has in `from`.
void FillUnset(const TfLiteGlesDelegateOptions& defaults,
               const TfLiteGlesDelegateOptions& from,
               TfLiteGlesDelegateOptions* options);

// The key of the field that a struct of `size` bytes would cut in two; "" where
// there is none.
absl::string_view FieldCutAt(size_t size);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_OPTION_KEYS_H_

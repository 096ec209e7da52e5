// The list of options (options.inc): their keys, which are the C struct's field
// names, defaults and the parsing of their values.
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

// Strings that a struct of options points to; their addresses are stable.
using OptionTexts = std::vector<std::unique_ptr<std::string>>;

TfLiteGlesDelegateOptions DefaultOptions();

// Sets the field `name` of `*options`. Adds a string that the struct points to
// to `*texts`, which must outlive the struct. kInvalidArgument: an unknown key,
// with a list of all; or a `value` of the wrong type.
absl::Status SetKey(absl::string_view name, absl::string_view value,
                    TfLiteGlesDelegateOptions* options, OptionTexts* texts);

// kInvalidArgument: a choice, level or number of bytes is out of range, as a
// caller of the C API can set it.
absl::Status CheckRanges(const TfLiteGlesDelegateOptions& options);

// The text of a TfLiteGlesThreadMode.
absl::string_view ThreadModeName(int mode);

// Copies fields from `from` that have their default, or are an empty text, in
// `*options`.
void FillUnset(const TfLiteGlesDelegateOptions& from,
               TfLiteGlesDelegateOptions* options);

// The key of the field that would extend past a struct of `size` bytes; "" if
// there is none.
absl::string_view FieldCutAt(size_t size);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_OPTION_KEYS_H_

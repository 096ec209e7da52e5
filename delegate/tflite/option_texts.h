// Options whose text needs more than a copy: nodes, shapes, and the tuning
// file.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_OPTION_TEXTS_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_OPTION_TEXTS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gles_delegate {

// "3,17-20" -> {{3,3},{17,20}}. Errors name `option`.
absl::StatusOr<std::vector<std::pair<int, int>>> ParseNodeRanges(
    absl::string_view option, absl::string_view text);

// The option input_shapes: "ids=1x128,3=8x16".
absl::StatusOr<std::vector<std::pair<std::string, std::vector<int>>>>
ParseInputShapes(absl::string_view text);

// "name=value,..." of a tuning file: one item on each line, comments after '#'.
// kInvalidArgument: the file cannot be read, or has an unknown parameter or a
// value out of range.
absl::StatusOr<std::string> ReadTuningFile(const std::string& path);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_OPTION_TEXTS_H_

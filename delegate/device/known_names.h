#ifndef GLES_DELEGATE_DELEGATE_DEVICE_KNOWN_NAMES_H_
#define GLES_DELEGATE_DELEGATE_DEVICE_KNOWN_NAMES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace gles_delegate {

// The end of the message that refuses `name`: " (did you mean 'a'?); known are:
// a, b", without the question if no name is near. `known` must not be empty.
std::string KnownNames(absl::string_view name,
                       const std::vector<absl::string_view>& known);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_DEVICE_KNOWN_NAMES_H_

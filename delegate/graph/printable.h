// Text of others (a model's names, a cache file) for messages.
#ifndef GLES_DELEGATE_DELEGATE_GRAPH_PRINTABLE_H_
#define GLES_DELEGATE_DELEGATE_GRAPH_PRINTABLE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace gles_delegate {

// The text with "\x1b" and the like in place of control characters: a terminal
// obeys those. Line breaks and tabs stay.
std::string Printable(absl::string_view text);

// The same, for a name within a line: "\x0a" in place of a line break, too.
std::string PrintableName(absl::string_view text);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_GRAPH_PRINTABLE_H_

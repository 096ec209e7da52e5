// Makes untrusted text (a model's names, a cache file, a driver's log) safe for
// messages.
#ifndef GLES_DELEGATE_DELEGATE_GRAPH_PRINTABLE_H_
#define GLES_DELEGATE_DELEGATE_GRAPH_PRINTABLE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace gles_delegate {

// Replaces control characters by "\x1b" and the like, since terminals interpret
// them, and bytes that are no UTF-8. Keeps line breaks and tabs.
std::string Printable(absl::string_view text);

// The same for names within a line: line breaks become "\x0a".
std::string PrintableName(absl::string_view text);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_GRAPH_PRINTABLE_H_

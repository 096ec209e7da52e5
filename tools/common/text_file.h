// Files that the programs read and write.
#ifndef GLES_DELEGATE_TOOLS_COMMON_TEXT_FILE_H_
#define GLES_DELEGATE_TOOLS_COMMON_TEXT_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace gles_delegate {

// The bytes of the file, of which a .tflite model or a picture has at most
// 2 GiB. kNotFound, with the path and the reason: it cannot be read (a folder,
// no permission), or has more.
absl::StatusOr<std::vector<uint8_t>> ReadFile(const std::string& path);

// Writes `text` to `path`. A plain file is replaced as a whole, so that a
// program which is interrupted leaves the old one or the new one. Anything
// else (/dev/stdout, a pipe, a symbolic link) is written to.
// kUnavailable, with the path and the reason: the file cannot be written.
absl::Status WriteText(const std::string& path, const std::string& text);

// The error that WriteText() would have now, before the work whose result is
// written. A full disk is only found by writing.
absl::Status CheckWritable(const std::string& path);

// Text inside XML and HTML.

// & < > " as XML has them; other control characters than newline are dropped.
std::string XmlEscaped(const std::string& text);

// A page of HTML that needs no other file. `body` is HTML; `style` are rules of
// CSS beside those that every page has.
std::string HtmlDocument(const std::string& title, const std::string& style,
                         const std::string& body);

// An entry of a <dl>.
std::string HtmlFact(const std::string& name, const std::string& value);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_COMMON_TEXT_FILE_H_

// absl::StrFormat for a process that may run out of memory: abseil's grows its
// string in a destructor, which ends the process if it cannot.
#ifndef GLES_DELEGATE_BASE_FORMAT_H_
#define GLES_DELEGATE_BASE_FORMAT_H_

#include <algorithm>
#include <cstddef>
#include <string>

#include "absl/strings/str_format.h"

namespace gles_delegate {

template <typename... Args>
void AppendFormatted(std::string* text, const absl::FormatSpec<Args...>& format,
                     const Args&... args) {
  char buffer[1024];
  const auto size = static_cast<size_t>(
      std::max(absl::SNPrintF(buffer, sizeof(buffer), format, args...), 0));
  if (size < sizeof(buffer)) {
    text->append(buffer, size);
    return;
  }
  const size_t old_size = text->size();
  text->resize(old_size + size + 1);  // with the zero at its end
  absl::SNPrintF(&(*text)[old_size], size + 1, format, args...);
  text->resize(old_size + size);
}

template <typename... Args>
std::string Formatted(const absl::FormatSpec<Args...>& format,
                      const Args&... args) {
  std::string text;
  AppendFormatted(&text, format, args...);
  return text;
}

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_BASE_FORMAT_H_

#include "egl/environment.h"

#include <sys/auxv.h>

#include <cstdlib>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"

namespace gles_delegate::egl {

// The kernel's word for it, which every C library hands on; secure_getenv() of
// glibc asks the same.
bool IsPrivileged() { return getauxval(AT_SECURE) != 0; }

const char* EnvironmentValue(const char* name) {
  return IsPrivileged() ? nullptr : std::getenv(name);
}

const std::vector<absl::string_view>& DebugItems() {
  static const auto& items = *new std::vector<absl::string_view>{
      "bounds",    "context",  "ignore_resets", "plan=",   "programs",
      "rounding=", "shaders=", "storage_seed=", "validate"};
  return items;
}

std::optional<std::string> DebugValue(absl::string_view item) {
  const char* variable = EnvironmentValue(kDebugVariable);
  if (variable == nullptr) return std::nullopt;
  std::optional<std::string> found;
  for (absl::string_view part :
       absl::StrSplit(absl::string_view(variable), ',')) {
    const std::pair<absl::string_view, absl::string_view> pair =
        absl::StrSplit(part, absl::MaxSplits('=', 1));
    if (absl::StripAsciiWhitespace(pair.first) != item) continue;
    found = std::string(absl::StripAsciiWhitespace(pair.second));
  }
  return found;
}

}  // namespace gles_delegate::egl

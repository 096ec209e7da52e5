#include "egl/process.h"

#include <sys/auxv.h>

#include <cstdlib>
#include <exception>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"

namespace gles_delegate::egl {

// --- Environment variables ---------------------------------------------------

// The kernel's word for it, which every C library hands on; secure_getenv() of
// glibc asks the same.
bool IsPrivileged() { return getauxval(AT_SECURE) != 0; }

absl::string_view EnvironmentValue(const char* name) {
  return absl::NullSafeStringView(IsPrivileged() ? nullptr : std::getenv(name));
}

const std::vector<absl::string_view>& DebugItems() {
  static const auto& items = *new std::vector<absl::string_view>{
      "bounds",    "context",  "ignore_resets", "plan=",   "programs",
      "rounding=", "shaders=", "storage_seed=", "validate"};
  return items;
}

std::optional<std::string> DebugValue(absl::string_view item) {
  std::optional<std::string> found;
  for (absl::string_view part :
       absl::StrSplit(EnvironmentValue(kDebugVariable), ',')) {
    const std::pair<absl::string_view, absl::string_view> pair =
        absl::StrSplit(part, absl::MaxSplits('=', 1));
    if (absl::StripAsciiWhitespace(pair.first) != item) continue;
    found = std::string(absl::StripAsciiWhitespace(pair.second));
  }
  return found;
}

// --- Where exceptions end ----------------------------------------------------

absl::Status Caught(absl::FunctionRef<absl::Status()> fn) {
  // A libgcc that is linked statically gets ready when it first throws. Before,
  // it ends the process if another library's exception passes: the runtime's
  // and Mesa's compiler throw std::bad_alloc, too.
  [[maybe_unused]] static const bool can_catch = [] {
    try {
      throw 0;
    } catch (int) {
    }
    return true;
  }();
  try {
    return fn();
  } catch (const std::exception&) {
  }
  try {
    return absl::ResourceExhaustedError("the process has run out of memory");
  } catch (const std::exception&) {
    return absl::Status(absl::StatusCode::kResourceExhausted, "");
  }
}

}  // namespace gles_delegate::egl

// Access to environment variables, unless the process is privileged.
#ifndef GLES_DELEGATE_EGL_ENVIRONMENT_H_
#define GLES_DELEGATE_EGL_ENVIRONMENT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace gles_delegate::egl {

// Whether this program has more rights than its caller: setuid, setgid or file
// capabilities. Variables would let the caller use those rights, by naming a
// library to load or a file to write.
bool IsPrivileged();

// The variable's value; nullptr if it is not set or IsPrivileged(). All code
// reads variables through this.
const char* EnvironmentValue(const char* name);

// The variable for finding errors: "item,item=value,...". docs/debugging.md has
// the items.
inline constexpr char kDebugVariable[] = "GLES_DELEGATE_DEBUG";

// All items of the variable. A name that ends with '=' takes a value.
const std::vector<absl::string_view>& DebugItems();

// The value of an item of the variable, "" for an item without one; nullopt if
// it is not there. The last of repeated items counts. `item`: as in
// DebugItems(), without '='.
std::optional<std::string> DebugValue(absl::string_view item);

// Whether the variable has the item.
inline bool DebugHas(absl::string_view item) {
  return DebugValue(item).has_value();
}

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_ENVIRONMENT_H_

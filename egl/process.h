// Environment variables, per-process state and the place where exceptions end.
#ifndef GLES_DELEGATE_EGL_PROCESS_H_
#define GLES_DELEGATE_EGL_PROCESS_H_

#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace gles_delegate::egl {

// --- Environment variables ---------------------------------------------------

// Whether this program has more rights than its caller: setuid, setgid or file
// capabilities. Variables would let the caller use those rights, by naming a
// library to load or a file to write.
bool IsPrivileged();

// The variable's value, borrowed; "" if it is not set or IsPrivileged(). All
// code reads variables through this.
absl::string_view EnvironmentValue(const char* name);

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

// --- Per-process state -------------------------------------------------------

// This process's T, made by the first call on any thread. A forked child makes
// its own, since a thread of the parent may have held one of its mutexes and
// the GL objects in it belong to the parent. Never deleted: threads and exit
// handlers may use it after static objects are destroyed.
template <typename T>
T& OfProcess() {
  struct Held {
    const pid_t process = getpid();
    T value;
  };
  static std::atomic<Held*> held = nullptr;
  Held* known = held.load();
  if (known != nullptr && known->process == getpid()) return known->value;
  auto* made = new Held;
  if (held.compare_exchange_strong(known, made)) return made->value;
  delete made;
  return known->value;
}

// --- Where exceptions end ----------------------------------------------------

// The code throws none, but the standard library does if memory ends.

// fn's result. kResourceExhausted: it threw, as if memory had run out.
//
// Each function that others call (the C API, the runtime's callbacks, threads)
// goes through this, and so does what must be undone: Context::Run().
absl::Status Caught(absl::FunctionRef<absl::Status()> fn);

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_PROCESS_H_

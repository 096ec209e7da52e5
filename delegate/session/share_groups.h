// Groups of contexts that share GL objects, by the option share_key.
#ifndef GLES_DELEGATE_DELEGATE_SESSION_SHARE_GROUPS_H_
#define GLES_DELEGATE_DELEGATE_SESSION_SHARE_GROUPS_H_

#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "delegate/runtime/shared_objects.h"
#include "delegate/runtime/worker_thread.h"
#include "egl/context.h"

namespace gles_delegate {

struct SharingContext {
  std::shared_ptr<egl::Context> context;
  std::shared_ptr<SharedObjects> objects;  // of all that share with it
};

// The worker thread of the group `key`, whose delegates use one context, since
// drivers are slow at switching contexts. Made on demand, ends with its last
// owner. Not inherited by forked children. Threads: any.
std::shared_ptr<WorkerThread> WorkerOfGroup(const std::string& key);

// Makes a context that shares with the given one, or with none if nullptr.
using ContextMaker =
    absl::FunctionRef<absl::StatusOr<std::unique_ptr<egl::Context>>(
        const egl::Context*)>;

// Calls `make` with a living context of the group `key` that is not lost and
// that `may_join` accepts, or, with `on_one_thread` (delegates of one worker),
// returns that context itself; without one, calls it with nullptr and starts a
// new group. If joining fails, calls `tell` with the reason and replaces the
// group. Groups hold weak references and are not inherited by forked children.
// Threads: any; serialized, `make` included. Errors: those of `make`.
absl::StatusOr<SharingContext> JoinShareGroup(
    const std::string& key,
    absl::FunctionRef<bool(const egl::Context&)> may_join, ContextMaker make,
    absl::FunctionRef<void(const absl::Status&)> tell,
    bool on_one_thread = false);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_SESSION_SHARE_GROUPS_H_

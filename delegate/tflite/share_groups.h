// Which contexts of this process share GL's objects, by the option share_key.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_SHARE_GROUPS_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_SHARE_GROUPS_H_

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

// A thread whose delegates of one group use one context between them: drivers
// are slow at changing between contexts. The one of the group `key` that lives,
// else a new one, which goes with the last who has it. A forked child has none
// of its parent's. Threads: any.
std::shared_ptr<WorkerThread> WorkerOfGroup(const std::string& key);

// Makes a context that shares with the one given; nullptr: with none.
using ContextMaker =
    absl::FunctionRef<absl::StatusOr<std::unique_ptr<egl::Context>>(
        const egl::Context*)>;

// `make` of a context of the group `key` that lives, is not lost, and that
// `may_join` takes, or, with `on_one_thread`, as for delegates of one worker,
// that context itself; where there is none, of nullptr: a new group begins.
// Where the group cannot be joined, `tell` hears why, and a new group takes its
// place. The groups own nothing: one is gone with its last context. A forked
// child has none of its parent's. Threads: any; one after the other, `make`
// included. Errors: those of `make`.
absl::StatusOr<SharingContext> JoinShareGroup(
    const std::string& key,
    absl::FunctionRef<bool(const egl::Context&)> may_join, ContextMaker make,
    absl::FunctionRef<void(const absl::Status&)> tell,
    bool on_one_thread = false);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_SHARE_GROUPS_H_

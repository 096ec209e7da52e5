// Which contexts of this process share GL's objects, by the option share_key.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_SHARE_GROUPS_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_SHARE_GROUPS_H_

#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "delegate/runtime/shared_objects.h"
#include "egl/context.h"

namespace gles_delegate {

struct SharingContext {
  std::shared_ptr<egl::Context> context;
  std::shared_ptr<SharedObjects> objects;  // of all that share with it
};

// `make` of a context of the group `key` that lives, is not lost, and that
// `may_join` takes; where there is none, of nullptr: a new group begins. Where
// the group cannot be joined, `tell` hears why, and a new group takes its
// place. The groups own nothing: one is gone with its last context. A forked
// child has none of its parent's. Threads: any; one after the other, `make`
// included. Errors: those of `make`.
absl::StatusOr<SharingContext> JoinShareGroup(
    const std::string& key,
    absl::FunctionRef<bool(const egl::Context&)> may_join,
    absl::FunctionRef<
        absl::StatusOr<std::unique_ptr<egl::Context>>(const egl::Context*)>
        make,
    absl::FunctionRef<void(const absl::Status&)> tell);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_SHARE_GROUPS_H_

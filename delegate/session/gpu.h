// The GPU context shared by a delegate and its kernels.
#ifndef GLES_DELEGATE_DELEGATE_SESSION_GPU_H_
#define GLES_DELEGATE_DELEGATE_SESSION_GPU_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "delegate/partition/background_build.h"
#include "delegate/runtime/gpu_memory.h"
#include "delegate/runtime/worker_thread.h"
#include "egl/context.h"

namespace gles_delegate {

// --- Groups of delegates that share GL objects, by the option share_key ------

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

// Which context a Gpu has. The names are those of the delegate's options.
struct GpuOptions {
  egl::ContextOptions context;  // of the delegate's own
  // Its display and device, as part of a key.
  std::string Place() const;
  bool force_own_context = false;
  std::string share_key;    // "": nothing is shared
  bool has_worker = false;  // thread_mode: either of the workers
  // The worker's context shares objects with that of the applying thread.
  bool worker_shares = false;
};

// The app's context to share objects with, or why there is none.
using ContextOrError = absl::StatusOr<std::shared_ptr<egl::Context>>;

// A context and its objects; destroyed with the last owner.
struct Gpu {
  ~Gpu();

  // Replaces the delegate's own context if it is lost. kFailedPrecondition: the
  // context is the app's, or shares objects with it. kUnavailable: none can be
  // made on the device for which the partitions were planned. Otherwise the
  // errors of making a context.
  absl::Status Renew();

  // Pins `context`, and its replacements by Renew(), to the thread that uses it
  // first.
  void Pin() {
    pins_context = true;
    context->Pin();
  }

  // Builds partitions in the background; nullptr if not used yet. The first
  // member, so that its context is destroyed last.
  std::shared_ptr<BackgroundThread> background;
  // Shared with objects made in it, so that its handle is not reused while
  // handles of its objects exist.
  std::shared_ptr<egl::Context> context;
  // Released inside the context. Never nullptr.
  std::shared_ptr<SharedObjects> objects;
  GpuOptions options;  // for Renew()
  bool pins_context = false;
  // The app's context with which `context` shares objects (thread_mode:
  // worker_sharing), or EGL_NO_CONTEXT.
  EGLContext shared_with = EGL_NO_CONTEXT;
  // Whether the app's textures and buffers are accessible in `context`.
  bool has_objects_of_app() const {
    return !context->owned() || shared_with != EGL_NO_CONTEXT;
  }
  int losses = 0;  // contexts that Renew() has replaced
  // GPU memory needed by the partitions if memory_limit_bytes is set. Atomic,
  // since kernels may be deleted on any thread.
  std::atomic<int64_t> reserved_bytes = 0;
};

// The GPU for `options`: the context that is current on this thread, unless
// thread_mode is caller_own_context or it cannot be used; otherwise a headless
// one. With share_key it shares objects with delegates of the same key
// (docs/integration.md). `log` gets warnings.
// `of_caller`: with worker_shares, the result of AdoptCurrent() on the applying
// thread. Errors: no allowed display has OpenGL ES 3.1; with worker_shares that
// of `of_caller`, or EGL refuses sharing.
absl::StatusOr<std::shared_ptr<Gpu>> MakeGpu(
    const GpuOptions& options, const ContextOrError& of_caller,
    absl::FunctionRef<void(const std::string&)> log);

// The context that is current on this thread. kFailedPrecondition: there is
// none, or it is not OpenGL ES 3.1. kUnavailable: a software renderer, which
// is not allowed.
absl::StatusOr<std::unique_ptr<egl::Context>> AdoptCurrent(bool allow_software);

// --- On which threads a session works ----------------------------------------

// Three ways, of which the Gpu has one:
//   its own context        one thread: the one that prepared the session
//   the app's context      any thread on which that context is current
//   a worker's context     the worker's thread; if it shares objects with the
//                          app's context, fences order the two on the GPU
// Threads: BeforeSubmit() and AfterWait() on the thread that calls Invoke, the
// others on the one that works for it.
class GpuQueue {
 public:
  // `does_not_wait`: Invoke returns before the GPU has finished.
  GpuQueue(std::shared_ptr<Gpu> gpu, bool does_not_wait)
      : gpu_(std::move(gpu)), does_not_wait_(does_not_wait) {}

  // This thread prepares the session.
  void TakeThread() { thread_ = std::this_thread::get_id(); }
  // kFailedPrecondition, with threads and contexts: for the delegate's own
  // context, on another thread than TakeThread()'s; for an app's, if another
  // one is current on another thread.
  absl::Status CheckCaller() const;

  // With a worker that shares objects: the worker's commands of the next
  // inference wait for the caller's earlier ones. kFailedPrecondition: Invoke
  // does not wait, and no context is current here that could.
  absl::Status BeforeSubmit();
  // The caller's later commands wait for the worker's, if Invoke did not wait.
  absl::Status AfterWait() {
    return egl::DisplayFence(std::move(own_commands_)).WaitOnGpu();
  }

  // Within the context, before and after an inference's commands: the worker's
  // side of BeforeSubmit() and AfterWait().
  absl::Status AwaitCaller() {
    return egl::DisplayFence(std::move(callers_commands_)).WaitOnGpu();
  }
  absl::Status LetCallerAwait();

 private:
  std::shared_ptr<Gpu> gpu_;
  bool does_not_wait_;
  std::thread::id thread_;
  // Of the current inference.
  egl::DisplayFence callers_commands_, own_commands_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_SESSION_GPU_H_

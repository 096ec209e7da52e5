// The GPU that a delegate and its kernels share.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_GPU_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_GPU_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "delegate/partition/background_build.h"
#include "delegate/runtime/shared_objects.h"
#include "delegate/tflite/options.h"
#include "egl/context.h"

namespace gles_delegate {

// The context with what lives in it; gone with the last of its owners.
struct Gpu {
  ~Gpu();

  // Makes another context in place of one of the delegate's own that is lost.
  // Does nothing where it is not lost. kFailedPrecondition: the context is the
  // app's, or shares objects with one of the app's. kUnavailable: there is none
  // on the device that the partitions were planned for. What else making a
  // context gives.
  absl::Status Renew(const Options& options);

  // Makes `context` stay current on the thread that uses it first, and what
  // Renew() puts in its place.
  void KeepCurrent() {
    keeps_current = true;
    context->KeepCurrent();
  }

  // Builds partitions in the background (kernel_background.cc); nullptr: none
  // was built so yet. The first member, so that its context is the last to go.
  std::shared_ptr<BackgroundThread> background;
  // Shared with what was made in it, so that no other context has its handle
  // while handles of its objects are left.
  std::shared_ptr<egl::Context> context;
  // Let go of inside the context. Never nullptr.
  std::shared_ptr<SharedObjects> objects;
  bool keeps_current = false;
  // The app's context with which `context` shares objects (thread_mode:
  // worker_sharing); EGL_NO_CONTEXT: with none.
  EGLContext shared_with = EGL_NO_CONTEXT;
  // Whether `context` has the app's textures and buffers.
  bool has_objects_of_app() const {
    return !context->owned() || shared_with != EGL_NO_CONTEXT;
  }
  int losses = 0;  // contexts that Renew() has replaced
  // GPU memory that the partitions need, where the option memory_limit_bytes is
  // set. Atomic: kernels may be deleted on any thread.
  std::atomic<int64_t> reserved_bytes = 0;
};

// The GPU that `options` ask for: in the context that is current on this
// thread, unless force_own_context is set or the context cannot be used; else
// in a headless context. With share_key the context shares objects with those
// of the delegates that have the same one, as docs/integration.md says. `log`
// takes warnings, at the options' verbosity.
// `of_caller`: with worker_shares, what AdoptCurrent() gave on the thread that
// applies the delegate. Errors: no display that the options allow has OpenGL ES
// 3.1; with worker_shares that of `of_caller`, or EGL allows no sharing.
absl::StatusOr<std::shared_ptr<Gpu>> MakeGpu(
    const Options& options,
    const absl::StatusOr<std::shared_ptr<egl::Context>>& of_caller,
    absl::FunctionRef<void(const std::string&)> log);

// The context that is current on this thread. kFailedPrecondition: none is, or
// it is not OpenGL ES 3.1. kUnavailable: it is of software, which the options
// decline.
absl::StatusOr<std::unique_ptr<egl::Context>> AdoptCurrent(
    const Options& options);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_GPU_H_

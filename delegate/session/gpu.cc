#include "delegate/session/gpu.h"

#include <algorithm>
#include <mutex>
#include <sstream>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/hash_tables.h"
#include "base/status_macros.h"
#include "egl/process.h"

namespace gles_delegate {

// --- Delegates that share a context ------------------------------------------

namespace {

struct Group {
  std::weak_ptr<SharedObjects> objects;
  std::vector<std::weak_ptr<egl::Context>> contexts;

  // One to share with. nullptr: none is left.
  std::shared_ptr<egl::Context> Member() const {
    for (const auto& weak : contexts) {
      std::shared_ptr<egl::Context> context = weak.lock();
      if (context != nullptr && !context->is_lost()) return context;
    }
    return nullptr;
  }
};

struct Groups {
  std::mutex mutex;
  HashMap<std::string, Group> by_key;
  HashMap<std::string, std::weak_ptr<WorkerThread>> workers;
};

void ForgetGone(HashMap<std::string, Group>* groups) {
  EraseIf(*groups,
          [](const auto& entry) { return entry.second.objects.expired(); });
  for (auto& [key, group] : *groups) {
    auto& list = group.contexts;
    list.erase(std::remove_if(list.begin(), list.end(),
                              [](const auto& weak) { return weak.expired(); }),
               list.end());
  }
}

}  // namespace

std::shared_ptr<WorkerThread> WorkerOfGroup(const std::string& key) {
  Groups& groups = egl::OfProcess<Groups>();
  const std::lock_guard<std::mutex> lock(groups.mutex);
  EraseIf(groups.workers,
          [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<WorkerThread>& known = groups.workers[key];
  std::shared_ptr<WorkerThread> worker = known.lock();
  if (worker == nullptr) known = worker = std::make_shared<WorkerThread>();
  return worker;
}

absl::StatusOr<SharingContext> JoinShareGroup(
    const std::string& key,
    absl::FunctionRef<bool(const egl::Context&)> may_join, ContextMaker make,
    absl::FunctionRef<void(const absl::Status&)> tell, bool on_one_thread) {
  Groups& groups = egl::OfProcess<Groups>();
  // Released after the mutex, since this may be the last owner.
  std::shared_ptr<egl::Context> member;
  const std::lock_guard<std::mutex> lock(groups.mutex);
  ForgetGone(&groups.by_key);
  Group& group = groups.by_key[key];
  SharingContext result;
  result.objects = group.objects.lock();
  member = group.Member();
  if (result.objects != nullptr && !result.objects->lost && member != nullptr &&
      may_join(*member)) {
    if (on_one_thread) {
      result.context = std::move(member);
      return result;
    }
    auto context = make(member.get());
    if (context.ok()) {
      result.context = *std::move(context);
      group.contexts.push_back(result.context);
      return result;
    }
    tell(context.status());
  }
  ASSIGN_OR_RETURN(auto context, make(nullptr));
  result.context = std::move(context);
  result.objects = std::make_shared<SharedObjects>(/*shared_by_key=*/true);
  group = {result.objects, {result.context}};
  return result;
}

namespace {

using Log = absl::FunctionRef<void(const std::string&)>;

// `made`, as a replacement for the app's context: tells the user why, with the
// failure if there is one.
template <typename T>
absl::StatusOr<T> InPlace(absl::StatusOr<T> made, const std::string& why,
                          Log log) {
  if (!made.ok()) {
    return absl::Status(made.status().code(),
                        absl::StrCat(made.status().message(), "; ", why));
  }
  log(why);
  return made;
}

// On the app's display, if it gave one that works.
absl::StatusOr<std::unique_ptr<egl::Context>> MakeUnshared(
    const GpuOptions& options, Log log) {
  auto context = egl::Context::Create(options.context);
  if (options.context.display == EGL_NO_DISPLAY) return context;
  if (context.ok()) return context;
  const std::string why = absl::StrCat("the app's EGLDisplay is not used: ",
                                       context.status().message());
  egl::ContextOptions elsewhere = options.context;
  elsewhere.display = EGL_NO_DISPLAY;
  return InPlace(egl::Context::Create(elsewhere), why, log);
}

// The delegate's own context, and the objects shared by its partitions.
absl::StatusOr<SharingContext> MakeOwn(const GpuOptions& options, Log log) {
  if (options.share_key.empty()) {
    ASSIGN_OR_RETURN(auto context, MakeUnshared(options, log));
    return SharingContext{std::move(context),
                          std::make_shared<SharedObjects>()};
  }
  const auto make = [&](const egl::Context* other) {
    if (other != nullptr) {
      return egl::Context::CreateSharing(*other);
    }
    auto context = MakeUnshared(options, log);
    if (context.ok()) (*context)->FlushWhenReleased();
    return context;
  };
  const auto may_join = [&](const egl::Context& other) {
    return options.context.allow_software || !other.device().software;
  };
  const auto tell = [&](const absl::Status& why) {
    log(absl::StrCat(
        "share_key: nothing is shared with the delegates that there are: ",
        why.message()));
  };
  return JoinShareGroup(absl::StrCat(options.has_worker ? "worker\n" : "own\n",
                                     options.Place(), "\n", options.share_key),
                        may_join, make, tell,
                        /*on_one_thread=*/options.has_worker);
}

// The EGLContext, as long as it lives.
std::string KeyOf(const egl::Context& context) {
  const auto address = [](const void* handle) {
    return absl::Hex(reinterpret_cast<uintptr_t>(handle));
  };
  return absl::StrCat(address(context.display()), "\n",
                      address(context.handle()));
}

// Around the app's context.
absl::StatusOr<SharingContext> Around(std::unique_ptr<egl::Context> adopted,
                                      const GpuOptions& options) {
  if (options.share_key.empty()) {
    return SharingContext{std::move(adopted),
                          std::make_shared<SharedObjects>()};
  }
  const std::string key =
      absl::StrCat("borrowed\n", KeyOf(*adopted), "\n", options.share_key);
  return JoinShareGroup(
      key, [](const egl::Context&) { return true; },
      [&](const egl::Context* other)
          -> absl::StatusOr<std::unique_ptr<egl::Context>> {
        if (other != nullptr) adopted->TakeShareGroupOf(*other);
        return std::move(adopted);
      },
      [](const absl::Status&) {});
}

// A context for a worker, with the app's objects.
absl::StatusOr<SharingContext> MakeWithObjectsOf(const egl::Context& app,
                                                 const GpuOptions& options) {
  const auto make = [&](const egl::Context*) {
    return egl::Context::CreateSharing(app);
  };
  if (options.share_key.empty()) {
    ASSIGN_OR_RETURN(auto context, make(nullptr));
    return SharingContext{std::move(context),
                          std::make_shared<SharedObjects>()};
  }
  return JoinShareGroup(
      absl::StrCat("sharing\n", KeyOf(app), "\n", options.share_key),
      [](const egl::Context&) { return true; }, make,
      [](const absl::Status&) {}, /*on_one_thread=*/true);
}

absl::StatusOr<SharingContext> MakeContext(const GpuOptions& options,
                                           const ContextOrError& of_caller,
                                           Log log) {
  if (options.worker_shares) {
    if (of_caller.ok()) return MakeWithObjectsOf(**of_caller, options);
    return absl::Status(
        of_caller.status().code(),
        absl::StrCat("thread_mode: worker_sharing wants the app's EGLContext "
                     "current on the thread that applies the delegate: ",
                     of_caller.status().message()));
  }
  // On a worker's thread, the current context belongs to another delegate.
  if (!options.force_own_context && !options.has_worker &&
      egl::Context::HasCurrent()) {
    auto adopted = AdoptCurrent(options.context.allow_software);
    if (adopted.ok()) return Around(*std::move(adopted), options);
    const std::string why = absl::StrCat(
        "the current EGL context is not used: ", adopted.status().message());
    return InPlace(MakeOwn(options, log), why, log);
  }
  return MakeOwn(options, log);
}

}  // namespace

std::string GpuOptions::Place() const {
  if (context.display == EGL_NO_DISPLAY) return context.device;
  return absl::StrCat(absl::Hex(reinterpret_cast<uintptr_t>(context.display)),
                      " ", context.device);
}

absl::StatusOr<std::unique_ptr<egl::Context>> AdoptCurrent(
    bool allow_software) {
  auto adopted = egl::Context::AdoptCurrent();
  if (adopted.ok() && (*adopted)->device().software && !allow_software) {
    return Unavailable("it is of software rendering (",
                       (*adopted)->device().renderer,
                       "), which device: hardware declines");
  }
  return adopted;
}

Gpu::~Gpu() {
  if (context == nullptr) return;
  // Deletes objects while their context is current; if it cannot be made
  // current (another thread holds it), they are deleted with it.
  (void)context->Run([this] {
    objects.reset();
    return absl::OkStatus();
  });
  if (pins_context) context->Unpin();
}

absl::Status Gpu::Renew() {
  if (!context->is_lost()) return absl::OkStatus();
  const egl::DeviceInfo& before = context->device();
  objects->lost = true;
  if (has_objects_of_app()) {
    return FailedPrecondition(
        context->owned() ? "the OpenGL ES context that shares objects with the "
                           "app's on "
                         : "the app's OpenGL ES context on ",
        before.renderer,
        " was reset, and what the delegate held in it is gone. Apply the "
        "delegate again (ModifyGraphWithDelegate on a new interpreter) with a "
        "new context current");
  }
  ASSIGN_OR_RETURN(auto renewed, MakeOwn(options, [](const std::string&) {}));
  const egl::DeviceInfo& now = renewed.context->device();
  if (now.renderer != before.renderer || now.version != before.version) {
    return Unavailable(
        "the OpenGL ES context on ", before.renderer, " (", before.version,
        ") is lost, and there is none but on ", now.renderer, " (", now.version,
        "), for which nothing is planned. Apply the delegate again");
  }
  background = nullptr;  // kernels that it builds for still hold it
  objects = std::move(renewed.objects);  // the lost context is not current
  context = std::move(renewed.context);
  if (pins_context) context->Pin();
  ++losses;
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<Gpu>> MakeGpu(
    const GpuOptions& options, const ContextOrError& of_caller,
    absl::FunctionRef<void(const std::string&)> log) {
  ASSIGN_OR_RETURN(auto context, MakeContext(options, of_caller, log));
  auto gpu = std::make_shared<Gpu>();
  gpu->options = options;
  gpu->context = std::move(context.context);
  gpu->objects = std::move(context.objects);
  if (options.worker_shares) gpu->shared_with = (*of_caller)->handle();
  const egl::DeviceInfo& device = gpu->context->device();
  if (device.software) {
    // The report says why no hardware was found.
    log(absl::StrCat("software rendering: ", device.renderer,
                     " computes on the CPU; device: hardware declines it"));
  }
  return gpu;
}

// --- Where a session's commands go -------------------------------------------

absl::Status GpuQueue::CheckCaller() const {
  const egl::Context& context = *gpu_->context;
  // A borrowed context ties its user to the context, not to a thread; if it is
  // current nowhere, the thread that applied the delegate makes it current.
  const bool right_thread = thread_ == std::this_thread::get_id();
  if (context.owned()
          ? right_thread
          : right_thread || egl::CurrentContext() == context.handle()) {
    return absl::OkStatus();
  }
  const auto text = [](auto id) {
    std::ostringstream out;
    out << id;
    return out.str();
  };
  const std::string threads = absl::StrCat(
      "on thread ", text(std::this_thread::get_id()),
      "; the delegate was applied (ModifyGraphWithDelegate) on thread ",
      text(thread_));
  if (context.owned()) {
    return FailedPrecondition(
        "GpuDelegate must run on the same thread where it was initialized: "
        "Invoke was called ",
        threads,
        ", with an EGLContext of its own. Call it there, or apply the delegate "
        "with the app's EGLContext current");
  }
  return FailedPrecondition(
      "Invoke was called with EGLContext ", text(egl::CurrentContext()),
      " current, ", threads, ", with the app's EGLContext ",
      text(context.handle()),
      " current. Make that context current before Invoke");
}

absl::Status GpuQueue::BeforeSubmit() {
  const Gpu& gpu = *gpu_;
  if (gpu.shared_with == EGL_NO_CONTEXT) return absl::OkStatus();
  if (!egl::Context::HasCurrent() ||
      egl::egl().GetCurrentDisplay() != gpu.context->display()) {
    if (!does_not_wait_) return absl::OkStatus();
    return FailedPrecondition(
        "wait_type: do_not_wait with thread_mode: worker_sharing wants a "
        "context of the delegate's EGLDisplay current on the thread that calls "
        "Invoke, whose later commands are to wait for the results; none is");
  }
  // Stores of the app's shaders become visible in other contexts after a
  // barrier. Another app's context may be older than OpenGL ES 3.1, and have
  // none.
  if (egl::CurrentContext() == gpu.shared_with) {
    egl::gl().MemoryBarrier(GL_ALL_BARRIER_BITS);
  }
  ASSIGN_OR_RETURN(callers_commands_,
                   egl::DisplayFence::Insert(gpu.context->display()));
  return absl::OkStatus();
}

absl::Status GpuQueue::LetCallerAwait() {
  if (gpu_->shared_with == EGL_NO_CONTEXT || !does_not_wait_) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(own_commands_,
                   egl::DisplayFence::Insert(gpu_->context->display()));
  return absl::OkStatus();
}

}  // namespace gles_delegate

// The C structs and callbacks.
#include "delegate/tflite/simple_delegate.h"

#include <cstdio>
#include <cstring>
#include <iterator>
#include <new>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/cpu_ops/custom_ops.h"
#include "delegate/graph/builtin_codes.h"
#include "delegate/graph/host_budget.h"
#include "delegate/graph/printable.h"
#include "delegate/tflite/reader.h"
#include "delegate/tflite/runtime.h"
#include "egl/gl_api.h"
#include "egl/process.h"

namespace gles_delegate {

// --- Messages ----------------------------------------------------------------

namespace {

constexpr char kName[] = "TfLiteGlesDelegate: ";

thread_local HeldWarnings* t_held = nullptr;

void Report(TfLiteContext* context, const std::string& line) {
  context->ReportError(context, "%s\n", Printable(line).c_str());
}

// The form of all warnings.
std::string WarningLine(absl::string_view text) {
  return absl::StrCat("WARNING: TfLiteGlesDelegate: ", text);
}

}  // namespace

void Warn(TfLiteContext* context, absl::string_view text) {
  if (t_held == nullptr) {
    Report(context, WarningLine(text));
  } else {
    t_held->texts_.emplace_back(text);
  }
}

void Tell(TfLiteContext* context, absl::string_view text) {
  Report(context, absl::StrCat(kName, text));
}

HeldWarnings::Scope::Scope(HeldWarnings* warnings)
    : before_(std::exchange(t_held, warnings)) {}
HeldWarnings::Scope::~Scope() { t_held = before_; }

TfLiteStatus HeldWarnings::End(TfLiteContext* context,
                               const absl::Status& status) {
  const std::vector<std::string> texts = std::exchange(texts_, {});
  if (!status.ok()) {
    Report(context, absl::StrCat(kName, status.message()));
    return kTfLiteError;
  }
  for (const std::string& text : texts) Report(context, WarningLine(text));
  return kTfLiteOk;
}

namespace {

struct Wrapped {
  NewestDelegate abi;  // first: what TFLite points at
  std::shared_ptr<SimpleDelegate> delegate;
  absl::Status kernels;  // why one of those made last is none
};

// A kernel with the delegate it came from, which may be deleted before it.
struct KernelState {
  std::shared_ptr<SimpleDelegate> delegate;
  std::unique_ptr<SimpleDelegateKernel> kernel;
  absl::Status init;  // Ok, or why there is no kernel
};

// Through data_: TFLite's stock loader hands its own wrapper around.
Wrapped& WrappedOf(TfLiteDelegate* delegate) {
  return *static_cast<Wrapped*>(delegate->data_);
}

std::shared_ptr<SimpleDelegate>& DelegateOf(TfLiteDelegate* delegate) {
  return WrappedOf(delegate).delegate;
}

// Runs fn on the delegate's working thread and holds its warnings. fn does not
// run in a forked child, or if the worker fails.
absl::Status OnItsThread(const SimpleDelegate& delegate,
                         absl::FunctionRef<absl::Status()> fn,
                         HeldWarnings* warnings = nullptr) {
  RETURN_IF_ERROR(delegate.CheckProcess());
  // Kept, as fn may delete the delegate's last owner but this caller.
  const std::shared_ptr<WorkerThread> worker = delegate.worker();
  absl::Status result;
  const auto run = [&] {
    const HeldWarnings::Scope scope(warnings);
    const HostBudget budget;
    result = egl::Caught(fn);
  };
  if (worker == nullptr) {
    run();
    return result;
  }
  const absl::Status ran = egl::Caught([&] { return worker->Run(run); });
  return ran.ok() ? result : ran;
}

// Runs fn on the delegate's working thread, if that has begun to work. Not in a
// forked child: the objects belong to the parent.
void AtTheEnd(const SimpleDelegate& delegate, absl::FunctionRef<void()> fn) {
  if (!delegate.CheckProcess().ok()) return;
  const std::shared_ptr<WorkerThread> worker = delegate.worker();
  if (worker == nullptr || !worker->is_started()) return fn();
  (void)worker->Run(fn);
}

// Returns a runtime callback's result. No exception passes.
TfLiteStatus Guarded(TfLiteContext* context,
                     absl::FunctionRef<absl::Status(HeldWarnings*)> callback) {
  TfLiteStatus result = kTfLiteError;
  const absl::Status ran = egl::Caught([&] {
    HeldWarnings warnings;
    result = warnings.End(context, callback(&warnings));
    return absl::OkStatus();
  });
  if (ran.ok()) return result;
  context->ReportError(context, "%s",
                       "TfLiteGlesDelegate: the process has run out of "
                       "memory\n");
  return kTfLiteError;
}

ModelPartition PartitionOf(const TfLiteDelegateParams& params) {
  return {ReadInts(params.nodes_to_replace), ReadPresent(params.input_tensors),
          ReadInts(params.output_tensors)};
}

// Within DelegatePrepare, and so on the delegate's thread. nullptr: no memory.
void* KernelInit(TfLiteContext* context, const char* buffer, size_t) {
  const auto* params = reinterpret_cast<const TfLiteDelegateParams*>(buffer);
  auto state = std::unique_ptr<KernelState>(new (std::nothrow) KernelState);
  // TFLite takes no error from here: DelegatePrepare fails with it.
  const absl::Status made = egl::Caught([&] {
    if (state == nullptr) throw std::bad_alloc();
    state->delegate = DelegateOf(params->delegate);
    ASSIGN_OR_RETURN(auto kernel, state->delegate->CreateKernel(
                                      context, PartitionOf(*params)));
    state->kernel = std::move(kernel);
    return absl::OkStatus();
  });
  if (state != nullptr) state->init = made;
  WrappedOf(params->delegate).kernels.Update(made);
  return state.release();
}

void KernelFree(TfLiteContext* context, void* user_data) {
  auto* state = static_cast<KernelState*>(user_data);
  if (state == nullptr) return;
  // In a forked child the state is leaked, since its objects belong to the
  // parent.
  (void)OnItsThread(*state->delegate, [state, context] {
    const std::unique_ptr<KernelState> owned(state);
    if (state->kernel != nullptr) state->kernel->TakeMemoryBack(context);
    return absl::OkStatus();
  });
}

absl::Status PrepareKernel(TfLiteContext* context, KernelState* state,
                           HeldWarnings* warnings) {
  return OnItsThread(
      *state->delegate, [&] { return state->kernel->Prepare(context); },
      warnings);
}

absl::Status RunKernel(TfLiteContext* context, KernelState* state,
                       HeldWarnings* warnings) {
  RETURN_IF_ERROR(state->delegate->CheckProcess());
  if (state->delegate->report_waits()) {
    const absl::Status written = OnItsThread(
        *state->delegate, [&] { return state->delegate->WriteReport(); });
    if (!written.ok()) Warn(context, written.message());
  }
  const std::shared_ptr<WorkerThread> worker = state->delegate->worker();
  if (worker == nullptr) {
    const HeldWarnings::Scope scope(warnings);
    return egl::Caught([&] {
      return state->kernel->Submit(context, /*may_split=*/false).status();
    });
  }
  RETURN_IF_ERROR(state->kernel->queue()->BeforeSubmit());
  absl::Status status;
  const auto submit = [&] {
    const HeldWarnings::Scope scope(warnings);
    bool is_split = false;
    status = egl::Caught([&] {
      const auto submitted = state->kernel->Submit(context, /*may_split=*/true);
      is_split = submitted.ok() && *submitted;
      return submitted.status();
    });
    return is_split;
  };
  const auto wait = [&] {
    const HeldWarnings::Scope scope(warnings);
    status = egl::Caught([&] { return state->kernel->Wait(context); });
  };
  status.Update(worker->SubmitAndWait(submit, wait));
  RETURN_IF_ERROR(status);
  return state->kernel->queue()->AfterWait();
}

template <absl::Status (*kFunction)(TfLiteContext*, KernelState*,
                                    HeldWarnings*)>
TfLiteStatus GuardedKernel(TfLiteContext* context, TfLiteNode* node) {
  auto* state = static_cast<KernelState*>(node->user_data);
  return Guarded(context, [&](HeldWarnings* warnings) -> absl::Status {
    if (state == nullptr) return Exhausted("there was no memory for a kernel");
    RETURN_IF_ERROR(state->init);
    return kFunction(context, state, warnings);
  });
}

NewestRegistration RegistrationOfKernels() {
  NewestRegistration r = {};
  r.base.init = KernelInit;
  r.base.free = KernelFree;
  r.base.prepare = GuardedKernel<PrepareKernel>;
  r.base.invoke = GuardedKernel<RunKernel>;
  r.base.builtin_code = BuiltinOperator_CUSTOM;
  r.base.custom_name = "TfLiteGlesDelegate";
  r.base.version = 1;
  return r;
}

// The runtime's partitions of these nodes.
absl::StatusOr<std::vector<ModelPartition>> Preview(
    TfLiteContext* context, const std::vector<int>& nodes) {
  if (nodes.empty()) return std::vector<ModelPartition>();
  TfLiteDelegateParams* params = nullptr;
  int count = 0;
  if (context->PreviewDelegatePartitioning(context, MakeIntArray(nodes).get(),
                                           &params, &count) != kTfLiteOk) {
    return Internal("the runtime could not partition the graph");
  }
  std::vector<ModelPartition> partitions;
  partitions.reserve(count);
  for (int i = 0; i < count; ++i) partitions.push_back(PartitionOf(params[i]));
  return partitions;
}

std::vector<int> NodesOf(const std::vector<ModelPartition>& partitions) {
  std::vector<int> nodes;
  for (const ModelPartition& partition : partitions) {
    absl::c_copy(partition.nodes, std::back_inserter(nodes));
  }
  return nodes;
}

// The nodes of the partitions that are built: one that is given back may leave
// the others to be cut otherwise.
absl::StatusOr<std::vector<int>> BuildNodes(TfLiteContext* context,
                                            SimpleDelegate& delegate) {
  ASSIGN_OR_RETURN(const auto plan, NodeFinder(*context).PlanOf(context));
  std::vector<int> nodes;
  absl::c_copy_if(plan, std::back_inserter(nodes), [&delegate](int node) {
    return delegate.IsNodeSupported(node).ok();
  });
  // TFLite 2.9's partitioner crashes on some graphs (CheckGraph()).
  if (nodes.empty()) return nodes;
  ASSIGN_OR_RETURN(auto partitions, Preview(context, nodes));
  nodes = NodesOf(delegate.ChoosePartitions(context, std::move(partitions)));
  for (;;) {
    ASSIGN_OR_RETURN(partitions, Preview(context, nodes));
    ASSIGN_OR_RETURN(partitions,
                     delegate.BuildPartitions(context, std::move(partitions)));
    std::vector<int> built = NodesOf(partitions);
    if (built.size() == nodes.size()) return built;
    nodes = std::move(built);
  }
}

// Calls the runtime's function with the first bytes of `registration`, as many
// as Registration has.
template <typename Registration>
TfLiteStatus CallWith(TfLiteContext* context,
                      const NewestRegistration& registration,
                      const TfLiteIntArray* nodes, TfLiteDelegate* delegate) {
  static_assert(sizeof(Registration) <= sizeof(registration));
  Registration beginning;
  std::memcpy(&beginning, &registration, sizeof(beginning));
  using Call = TfLiteStatus (*)(TfLiteContext*, Registration,
                                const TfLiteIntArray*, TfLiteDelegate*);
  // memcpy, since a cast between these function types would warn.
  Call call;
  static_assert(sizeof(call) ==
                sizeof(context->ReplaceNodeSubsetsWithDelegateKernels));
  std::memcpy(&call, &context->ReplaceNodeSubsetsWithDelegateKernels,
              sizeof(call));
  return call(context, beginning, nodes, delegate);
}

#if !defined(__x86_64__) && !defined(__aarch64__)
template <int kPointers>
struct LongerRegistration {
  TfLiteRegistration base;
  void* appended[kPointers];
};

// 0: unknown, and older than 2.14.
int RegistrationBytes(TfLiteContext* context) {
  const int bytes = RegistrationBytesOf(context);
  return bytes == 0 && IsRuntimeOf214(*context)
             ? static_cast<int>(sizeof(NewestRegistration))
             : bytes;
}
#endif

// Calls context->ReplaceNodeSubsetsWithDelegateKernels, which takes a
// TfLiteRegistration by value, with the runtime's size. A longer struct is safe
// on x86-64, where it is copied to the stack and the other arguments are in
// registers, and on AArch64, which passes it by reference. On other platforms
// (32-bit ARM) the arguments behind it move with its size, so it gets the size
// that the runtime is seen to have.
TfLiteStatus ReplaceNodes(TfLiteContext* context,
                          const NewestRegistration& registration,
                          const TfLiteIntArray* nodes,
                          TfLiteDelegate* delegate) {
#if !defined(__x86_64__) && !defined(__aarch64__)
  switch (RegistrationBytes(context)) {
    case 0:
    case sizeof(TfLiteRegistration):
      return CallWith<TfLiteRegistration>(context, registration, nodes,
                                          delegate);
    case sizeof(LongerRegistration<1>):
      return CallWith<LongerRegistration<1>>(context, registration, nodes,
                                             delegate);
    case sizeof(LongerRegistration<2>):
      return CallWith<LongerRegistration<2>>(context, registration, nodes,
                                             delegate);
    default:
      break;
  }
#endif
  return CallWith<NewestRegistration>(context, registration, nodes, delegate);
}

// `*has_begun`: whether nodes may have been replaced.
absl::Status Replace(TfLiteContext* context, TfLiteDelegate* wrapped,
                     SimpleDelegate& delegate, bool* has_begun) {
  ASSIGN_OR_RETURN(const auto nodes, BuildNodes(context, delegate));
  if (nodes.empty()) return absl::OkStatus();
  Wrapped& state = WrappedOf(wrapped);
  state.kernels = absl::OkStatus();
  *has_begun = true;
  if (ReplaceNodes(context, RegistrationOfKernels(), MakeIntArray(nodes).get(),
                   wrapped) != kTfLiteOk) {
    return Internal("the runtime did not take the delegate's kernels");
  }
  return std::exchange(state.kernels, absl::OkStatus());
}

// `*has_replaced`: as `*has_begun` of Replace().
absl::Status Apply(TfLiteContext* context, TfLiteDelegate* wrapped,
                   bool* has_replaced, HeldWarnings* warnings) {
  SimpleDelegate& delegate = *DelegateOf(wrapped);
  RETURN_IF_ERROR(delegate.CheckProcess());
  delegate.TakeProcess();
  const ContextOrError of_caller = delegate.ContextOfCaller();
  const auto apply = [&] {
    absl::Status applied = egl::Caught([&]() -> absl::Status {
      RETURN_IF_ERROR(delegate.Initialize(context, of_caller));
      return Replace(context, wrapped, delegate, has_replaced);
    });
    delegate.Finish(context, applied);
    return applied;
  };
  return OnItsThread(delegate, apply, warnings);
}

TfLiteStatus DelegatePrepare(TfLiteContext* context, TfLiteDelegate* wrapped) {
  bool has_replaced = false;
  const TfLiteStatus result = Guarded(context, [&](HeldWarnings* warnings) {
    return Apply(context, wrapped, &has_replaced, warnings);
  });
  return !has_replaced && DelegateOf(wrapped)->FallsBackToCpu() ? kTfLiteOk
                                                                : result;
}

bool IsWrapped(const TfLiteDelegate* delegate) {
  return delegate != nullptr && delegate->Prepare == DelegatePrepare;
}

// TfLiteDelegate's functions for buffer handles.
template <bool kToHandle>
TfLiteStatus CopyHandle(TfLiteContext* context, TfLiteDelegate* wrapped,
                        TfLiteBufferHandle handle, TfLiteTensor* tensor) {
  SimpleDelegate& delegate = *DelegateOf(wrapped);
  return Guarded(context, [&](HeldWarnings*) {
    return OnItsThread(delegate, [&] {
      return delegate.CopyHandle(handle, *tensor, kToHandle);
    });
  });
}

// The buffer is the app's: only the handle is released.
void FreeHandle(TfLiteContext*, TfLiteDelegate*, TfLiteBufferHandle* handle) {
  *handle = kTfLiteNullBufferHandle;
}

}  // namespace

absl::Status SimpleDelegate::CheckProcess() const {
  return egl::CheckNotForked(process_, "the delegate");
}

TfLiteDelegate* WrapDelegate(std::unique_ptr<SimpleDelegate> delegate) {
  auto wrapped = std::make_unique<Wrapped>();
  wrapped->delegate = {delegate.release(), [](SimpleDelegate* deleted) {
                         AtTheEnd(*deleted, [deleted] { delete deleted; });
                       }};
  wrapped->abi.base.data_ = wrapped.get();
  wrapped->abi.base.Prepare = DelegatePrepare;
  wrapped->abi.base.CopyFromBufferHandle = CopyHandle</*kToHandle=*/false>;
  wrapped->abi.base.CopyToBufferHandle = CopyHandle</*kToHandle=*/true>;
  wrapped->abi.base.FreeBufferHandle = FreeHandle;
  // Otherwise TFLite refuses models with a dynamic tensor before calling
  // Prepare; docs/decisions/0005-dynamic-tensors.md describes the cost.
  wrapped->abi.base.flags = kTfLiteDelegateFlagsAllowDynamicTensors;
  return &wrapped.release()->abi.base;
}

absl::StatusOr<SimpleDelegate*> Unwrapped(TfLiteDelegate* delegate) {
  if (IsWrapped(delegate)) return DelegateOf(delegate).get();
  return Invalid("the delegate is not one of this library");
}

const SimpleDelegate* DelegateOfTensor(const TfLiteTensor& tensor) {
  return IsWrapped(tensor.delegate) ? DelegateOf(tensor.delegate).get()
                                    : nullptr;
}

absl::Status OnItsThread(TfLiteDelegate* delegate,
                         absl::FunctionRef<absl::Status(SimpleDelegate&)> fn) {
  ASSIGN_OR_RETURN(const auto wrapped, Unwrapped(delegate));
  return OnItsThread(*wrapped, [&] { return fn(*wrapped); });
}

void DeleteWrapped(TfLiteDelegate* delegate) {
  if (delegate == nullptr) return;
  (void)egl::Caught([delegate] {
    SimpleDelegate& own = *DelegateOf(delegate);
    absl::Status written;
    AtTheEnd(own, [&] {
      // A worker's thread catches nothing.
      written = egl::Caught([&] { return own.WriteReport(); });
    });
    if (!written.ok()) {
      // No interpreter's error reporter is at hand.
      std::fprintf(stderr, "%s\n", WarningLine(written.message()).c_str());
    }
    return absl::OkStatus();
  });
  delete static_cast<Wrapped*>(delegate->data_);
}

}  // namespace gles_delegate

#include "delegate/tflite/gles_simple_delegate.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "delegate/graph/float_view.h"
#include "delegate/graph/host_budget.h"
#include "delegate/graph/printable.h"

namespace gles_delegate {
namespace {

constexpr int kSmallest = 4;
constexpr int kLargest = 1 << 14;  // a second of sound
// More free axes than one would make tensors of any size of these.
constexpr double kMaxInputBytes = 64 << 20;
constexpr size_t kMaxKernelBytes = 256 << 20;

bool IsList(const TfLiteTensor& t) {
  return t.dims->size == 1 &&
         (t.type == kTfLiteInt32 || t.type == kTfLiteInt64);
}

// Whether any tensor of the model and its decompositions has a type that may be
// quantized; otherwise the runtime's rounding does not matter.
bool AnyMayHoldQuantized(TfLiteContext* context, const ModelNodes& nodes) {
  std::vector<TfLiteContext*> subgraphs = SubgraphsOf(nodes.decompositions);
  subgraphs.push_back(context);
  for (const TfLiteContext* subgraph : subgraphs) {
    for (size_t i = 0; i < subgraph->tensors_size; ++i) {
      if (IsQuantizedType(TypeOf(subgraph->tensors[i].type))) return true;
    }
  }
  return false;
}

// Whether the runtime's own kernels say how quantized values round. Not if the
// app names another runtime's; of the newer ones it only says whether XNNPACK
// computes.
bool FollowsKernels(const Options& options, const Runtime& runtime) {
  const auto is_newer = [](quant::CpuKernels kernels) {
    return kernels == quant::CpuKernels::kLitert ||
           kernels == quant::CpuKernels::kXnnpack;
  };
  return !options.integer_rounding || (is_newer(*options.integer_rounding) &&
                                       is_newer(CpuKernelsOf(runtime)));
}

// nullptr: the delegate works on its callers' threads.
std::shared_ptr<WorkerThread> WorkerOf(const Options& options) {
  if (!options.gpu.has_worker) return nullptr;
  auto worker = options.gpu.share_key.empty()
                    ? std::make_shared<WorkerThread>()
                    : WorkerOfGroup(absl::StrCat(
                          options.gpu.worker_shares ? "sharing\n" : "own\n",
                          options.gpu.Place(), "\n", options.gpu.share_key));
  if (options.session.waiting != egl::Waiting::kPassive) {
    worker->AllowPolling(WorkerThread::Polling::kFirst);
  }
  return worker;
}

}  // namespace

// Other sizes of the model's free extents than those of the file, which are
// placeholders: LiteRT gives a free extent the size 1 until the app resizes it.
// While it lives, extents of the model's inputs may have other sizes than in
// the file: those that the shape signature marks as free (-1), or else those of
// 1 or less, with or without the last axis (channels).
class TrialShapes {
 public:
  // Both must outlive this.
  TrialShapes(TfLiteContext* context, const ModelNodes& nodes)
      : context_(context), nodes_(nodes) {
    HashSet<int> seen;
    for (int index : nodes.plan) {
      const auto found = nodes.find.Get(context, index);
      if (!found.ok()) continue;
      for (int id : ReadInts(found->node->inputs)) {
        if (id < 0 || !seen.insert(id).second) continue;
        const TfLiteTensor& t = context->tensors[id];
        const std::vector<int> signature = ReadInts(t.dims_signature);
        const std::vector<int> dims = ReadInts(t.dims);
        const bool is_free = absl::c_linear_search(signature, -1);
        if (!is_free || signature.size() != dims.size() ||
            t.allocation_type != kTfLiteArenaRw) {
          continue;
        }
        inputs_.push_back({id, dims, signature, t.data.raw});
      }
      // Outputs of nodes are not model inputs.
      for (int id : ReadInts(found->node->outputs)) seen.insert(id);
    }
  }
  ~TrialShapes() {
    for (const Input& input : inputs_) {
      TfLiteTensor& t = context_->tensors[input.id];
      // Without a copy: a destructor must not throw.
      const bool is_as_before =
          std::equal(input.dims.begin(), input.dims.end(), t.dims->data,
                     t.dims->data + t.dims->size);
      if (is_as_before || !ResizeTensor(context_, input.id, input.dims)) {
        continue;
      }
      t.data.raw = input.memory;  // resizing takes it away
    }
  }
  TrialShapes(const TrialShapes&) = delete;
  TrialShapes& operator=(const TrialShapes&) = delete;

  // The option input_shapes. kInvalidArgument: an input has other fixed axes,
  // or, with `all`, no input of a name has free ones.
  absl::Status Set(
      absl::Span<const std::pair<std::string, std::vector<int>>> shapes,
      bool all) {
    const auto name_of = [this](const Input& input) {
      const char* name = context_->tensors[input.id].name;
      return std::string(name == nullptr ? "" : name);
    };
    for (const auto& [name, dims] : shapes) {
      const auto it =
          absl::c_find_if(inputs_, [&, &name = name](const Input& input) {
            return name == name_of(input) || name == absl::StrCat(input.id);
          });
      if (it == inputs_.end() && !all) continue;
      if (it == inputs_.end()) {
        return Invalid(
            "option input_shapes: no input '", name,
            "' has free axes; of these: ",
            absl::StrJoin(inputs_, ", ", [&](std::string* out, const Input& i) {
              absl::StrAppend(out, PrintableName(name_of(i)));
            }));
      }
      bool fits = dims.size() == it->signature.size();
      for (size_t i = 0; fits && i < dims.size(); ++i) {
        fits = it->signature[i] == -1 || it->signature[i] == dims[i];
      }
      if (!fits || !ResizeTensor(context_, it->id, dims)) {
        return Invalid("option input_shapes: '", name, "' has the shape [",
                       absl::StrJoin(it->signature, ","), "], and not ",
                       absl::StrJoin(dims, "x"));
      }
    }
    return absl::OkStatus();
  }

  // If there are obstacles at the present shapes (`facts`), tries a few powers
  // of four as the size of these extents, and leaves the model at the first
  // with the fewest, with its `facts`. True: that is another size.
  absl::StatusOr<bool> FindBetter(ShapeFacts* facts) {
    Obstacles best = ObstaclesOf(*facts);
    if (inputs_.empty() || best.sum() == 0) return false;
    // The app's own sizes count, unless nothing runs at them.
    if (best.refusals == 0 && !ArePlaceholders()) return false;
    std::vector<Free> ways = {Free::kBySignature};
    if (best.refusals > 0) {
      ways.insert(ways.end(), {Free::kOnesButLast, Free::kOnes});
    }
    Shapes at, best_at;
    for (const Input& input : inputs_) best_at.push_back(input.dims);
    bool found = false;
    for (size_t way = 0; way < ways.size() && !found; ++way) {
      for (int extent = kSmallest; extent <= kLargest && best.sum() > 0;
           extent *= 4) {
        auto shapes = WithSize(ways[way], extent);
        if (!shapes) break;
        at = *std::move(shapes);
        ASSIGN_OR_RETURN(auto tried, PropagateAt(at));
        const Obstacles left = ObstaclesOf(tried);
        if (left.refusals > 0) continue;
        if (best.refusals == 0 && left.sum() >= best.sum()) continue;
        found = true;
        best = left;
        best_at = at;
        *facts = std::move(tried);
      }
    }
    if (at.empty() || at == best_at) return found;
    ASSIGN_OR_RETURN(*facts, PropagateAt(best_at));
    return found;
  }

 private:
  struct Input {
    int id;
    std::vector<int> dims;       // before
    std::vector<int> signature;  // of the file
    char* memory;                // of the runtime
  };
  // Why nodes cannot run at some shapes.
  struct Obstacles {
    int refusals = 0;  // of the runtime's kernels
    int unknown = 0;   // tensors whose shape is not known
    int empty = 0;     // tensors that nodes write, without elements

    int sum() const { return refusals + unknown + empty; }
  };
  using Shapes = std::vector<std::vector<int>>;  // of inputs_
  enum class Free { kBySignature, kOnesButLast, kOnes };
  // nullopt: no extent is free, or the inputs would be too large.
  std::optional<Shapes> WithSize(Free which, int extent) const {
    Shapes shapes;
    bool any = false;
    double bytes = 0;
    for (const Input& input : inputs_) {
      shapes.push_back(input.dims);
      std::vector<int>& dims = shapes.back();
      double of_input = ElementBytes(context_->tensors[input.id].type);
      for (size_t i = 0; i < dims.size(); ++i) {
        const bool is_last = i + 1 == dims.size();
        const bool is_free =
            which == Free::kBySignature
                ? input.signature[i] == -1
                : dims[i] <= 1 && (which == Free::kOnes || !is_last);
        if (is_free) dims[i] = extent;
        any |= is_free;
        of_input *= dims[i];
      }
      bytes += of_input;
    }
    if (!any || bytes > kMaxInputBytes) return std::nullopt;
    return shapes;
  }
  absl::StatusOr<ShapeFacts> PropagateAt(const Shapes& shapes) {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (!ResizeTensor(context_, inputs_[i].id, shapes[i])) {
        return Internal("the runtime resizes no input");
      }
    }
    const ResizeLimit limit(context_, kMaxKernelBytes);
    return PropagateShapes(context_, nodes_);
  }
  // All free extents are 1 or less.
  bool ArePlaceholders() const {
    return absl::c_all_of(inputs_, [](const Input& input) {
      for (size_t i = 0; i < input.dims.size(); ++i) {
        if (input.signature[i] == -1 && input.dims[i] > 1) return false;
      }
      return true;
    });
  }
  Obstacles ObstaclesOf(const ShapeFacts& facts) const {
    Obstacles found = {static_cast<int>(facts.refusals.size()),
                       static_cast<int>(facts.unknown.size()), 0};
    for (int index : nodes_.plan) {
      const auto at = nodes_.find.Get(context_, index);
      if (!at.ok()) continue;
      for (int id : ReadInts(at->node->outputs)) {
        if (id < 0 || facts.unknown.contains(id)) continue;
        const TfLiteTensor& t = context_->tensors[id];
        found.empty += IsEmpty(t) && !IsList(t);
      }
    }
    return found;
  }

  TfLiteContext* context_;
  const ModelNodes& nodes_;
  std::vector<Input> inputs_;
};

GlesSimpleDelegate::GlesSimpleDelegate(Options options, absl::Status refusal)
    : options_(std::move(options)),
      refusal_(std::move(refusal)),
      worker_(WorkerOf(options_)) {
  reports_.Finish(refusal_, /*was_read=*/false);
}

GlesSimpleDelegate::~GlesSimpleDelegate() = default;

ContextOrError GlesSimpleDelegate::ContextOfCaller() const {
  if (!options_.gpu.worker_shares) {
    return absl::CancelledError("it is not asked for");
  }
  return AdoptCurrent(options_.gpu.context.allow_software);
}

absl::Status GlesSimpleDelegate::EnsureGpu(TfLiteContext* context,
                                           const ContextOrError& of_caller) {
  if (gpu_ != nullptr && gpu_->Renew().ok()) return absl::OkStatus();
  const auto log = [&](const std::string& text) {
    if (options_.verbosity >= 1) Warn(context, text);
  };
  ASSIGN_OR_RETURN(gpu_, MakeGpu(options_.gpu, of_caller, log));
  if (options_.verbosity >= 2) {
    const egl::DeviceInfo& device = gpu_->context->device();
    Tell(context, absl::StrCat("running on ", device.renderer, " (",
                               device.version, ")"));
  }
  const bool pins = options_.pins_context && gpu_->context->owned();
  if (worker_ != nullptr || pins) gpu_->Pin();
  // Software rendering needs the processors itself.
  if (worker_ != nullptr && !gpu_->context->device().software) {
    worker_->AllowPolling(WorkerThread::Polling::kBriefly);
  }
  profile_ = ProfileFor(gpu_->context->device(), options_.planning);
  return absl::OkStatus();
}

void GlesSimpleDelegate::BeginSubgraph(TfLiteContext* context) {
  // All subgraphs of an interpreter share its CPU context.
  const void* interpreter =
      context->GetExternalContext == nullptr
          ? nullptr
          : context->GetExternalContext(context, kTfLiteCpuBackendContext);
  reports_.Begin(interpreter, context->impl_);
  const Subgraphs subgraphs(context);
  const auto first = subgraphs.Get(0);
  // TFLite begins with the first. Later, nodes that call may be replaced.
  if (first.ok() && *first == context) called_ = subgraphs.Called();
  now().is_called =
      first.ok() ? called_.contains(context) : !reports_.IsFirst();
}

// The shapes at which nodes are chosen.
absl::Status GlesSimpleDelegate::FindShapes(TfLiteContext* context) {
  trial_shapes_ = std::make_unique<TrialShapes>(context, nodes_);
  // A body or another signature has its own inputs.
  RETURN_IF_ERROR(
      trial_shapes_->Set(options_.input_shapes, reports_.IsFirst()));
  ASSIGN_OR_RETURN(nodes_.shapes, PropagateShapes(context, nodes_));
  if (!options_.input_shapes.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(nodes_.shapes_are_placeholders,
                   trial_shapes_->FindBetter(&nodes_.shapes));
  return absl::OkStatus();
}

absl::Status GlesSimpleDelegate::Initialize(TfLiteContext* context,
                                            const ContextOrError& of_caller) {
  RETURN_IF_ERROR(refusal_);
  model_.reset();
  BeginSubgraph(context);
  memory_plan_is_old_ = HasOldMemoryPlan(context);
  runtime_ = RuntimeOf(context);
  StageTimer timer(&now().stages);
  RETURN_IF_ERROR(EnsureGpu(context, of_caller));
  timer.Lap("context");
  ASSIGN_OR_RETURN(nodes_, FindNodes(context));
  if (nodes_.graph.ok()) {
    if (!options_.integer_rounding && AnyMayHoldQuantized(context, nodes_)) {
      runtime_.asked = AskForCpuKernels(runtime_.library);
    }
    RETURN_IF_ERROR(FindShapes(context));
    options_.read.traits =
        AskKernels(context, nodes_, quant::TraitsOf(cpu_kernels()),
                   FollowsKernels(options_, runtime_));
  }
  timer.Lap("shapes");
  options_.read.params_minor = ParamsMinorOf(runtime_);
  options_.read.cpu_kernels = cpu_kernels();
  ASSIGN_OR_RETURN(model_, ReadModel(context, nodes_, profile_, options_.read));
  timer.Lap("read_model");
  now().nodes_total = static_cast<int>(model_->nodes.size());
  KeepUnusedConstantsOnCpu(&*model_);
  if (options_.max_delegated_partitions < 0) RefuseLoops(context);
  now().refusals = GroupRefusals(*model_);
  if (const absl::Status refused = HostBudget::Refused(); !refused.ok()) {
    now().refusals.push_back(
        {"a part of the model", std::string(refused.message()), "", {}});
  }
  return absl::OkStatus();
}

absl::Status GlesSimpleDelegate::IsNodeSupported(int node_index) {
  const auto it = model_->position_of.find(node_index);
  if (it == model_->position_of.end()) {
    return absl::NotFoundError(absl::StrCat("no node ", node_index));
  }
  return model_->nodes[it->second].support;
}

absl::StatusOr<std::unique_ptr<SimpleDelegateKernel>>
GlesSimpleDelegate::CreateKernel(TfLiteContext* context,
                                 const ModelPartition& partition) {
  ASSIGN_OR_RETURN(auto kernel, TakeKernel(context, partition));
  RETURN_IF_ERROR(kernel->RequireBuffers(context));
  now().partitions.push_back(kernel->report());
  return kernel;
}

void GlesSimpleDelegate::Finish(TfLiteContext* context,
                                const absl::Status& applied) {
  trial_shapes_.reset();
  reports_.Finish(applied, model_.has_value());
  made_.clear();
  if (model_) NoteDecompositions(context);
  // Here, as ChoosePartitions() adds to them.
  if (options_.verbosity >= 1 && model_ && !now().is_inlined) {
    for (const auto& text : WarningsOf(now().refusals)) Warn(context, text);
  }
  if (options_.verbosity >= 2 && model_ && !now().is_inlined) {
    Tell(context, absl::StrCat(now().nodes_delegated, " of ", now().nodes_total,
                               " nodes in ", now().partitions_chosen,
                               " partitions run on the GPU"));
  }
  WarnOfUnusedObjects(context);
  model_.reset();
  // Not for each subgraph if there are many, as composites have: each report
  // has all of them.
  constexpr size_t kAlwaysWritten = 16;
  const size_t subgraphs = reports_.list().back().subgraphs.size();
  report_waits_ = !options_.report_file.empty() && applied.ok() &&
                  subgraphs > kAlwaysWritten &&
                  subgraphs < subgraphs_written_ + subgraphs_written_ / 4;
  if (report_waits_) return;
  const absl::Status written = WriteReport();
  if (!written.ok()) Warn(context, written.message());
}

std::string GlesSimpleDelegate::MakeReport() {
  reports_.ForgetGone();
  return ReportText(
      {options_, gpu_.get(), runtime_, cpu_kernels(), reports_.list()});
}

const char* GlesSimpleDelegate::Report() {
  report_ = MakeReport();
  return report_.c_str();
}

absl::Status GlesSimpleDelegate::WriteReport() {
  report_waits_ = false;
  if (options_.report_file.empty()) return absl::OkStatus();
  subgraphs_written_ = reports_.list().back().subgraphs.size();
  return ReplaceFile(options_.report_file, MakeReport() + "\n");
}

// --- The app's objects -------------------------------------------------------

absl::Status GlesSimpleDelegate::BindObject(int tensor,
                                            const TfLiteGlesObject* object) {
  RETURN_IF_ERROR(refusal_);
  const bool never_shares =
      !options_.gpu.worker_shares &&
      (worker_ != nullptr || options_.gpu.force_own_context);
  if (object != nullptr &&
      (never_shares || (gpu_ != nullptr && !gpu_->has_objects_of_app()))) {
    return FailedPrecondition(
        "a GL object can be bound where the delegate uses the app's "
        "EGLContext or shares objects with it (thread_mode: worker_sharing), "
        "and this one has a context of its own (thread_mode: worker or "
        "caller_own_context, or no context was current when it was applied)");
  }
  reports_.ForgetGone();
  if (object != nullptr && gpu_ != nullptr && !reports_.IsOnBorder(tensor)) {
    return FailedPrecondition(
        "tensor ", tensor,
        " is no input or output of what the delegate runs on the GPU");
  }
  if (object == nullptr) {
    objects_->Unbind(tensor);
  } else {
    objects_->Bind(tensor, AppObject(*object));
  }
  return absl::OkStatus();
}

absl::Status GlesSimpleDelegate::UseBuffersOfRuntime(
    const GlesRuntimeBuffers& buffers) {
  if (gpu_ != nullptr) return Internal("the delegate was applied before");
  runtime_buffers_ = buffers;
  return absl::OkStatus();
}

void GlesSimpleDelegate::WarnOfUnusedObjects(TfLiteContext* context) const {
  if (!model_) return;
  for (const auto& [tensor, object] : objects_->all()) {
    if (reports_.IsOnBorder(tensor)) continue;
    Warn(context,
         absl::StrCat("GL object ", object.name, " is bound to tensor ", tensor,
                      ", which is no input or output of what runs on the GPU"));
  }
}

// --- Buffer handles ----------------------------------------------------------

// TFLite's buffer handles: a tensor's handle is the name of an app's buffer
// object with the tensor as float32 in BHWC order.

absl::Status GlesSimpleDelegate::CopyHandle(TfLiteBufferHandle handle,
                                            TfLiteTensor& tensor,
                                            bool to_handle) {
  return CopyBuffer(gpu_.get(), static_cast<uint32_t>(handle),
                    ReadTensor(tensor, /*index=*/-1), MemoryOf(tensor),
                    to_handle);
}

}  // namespace gles_delegate

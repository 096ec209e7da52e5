#include "delegate/tflite/gles_simple_delegate.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/host_budget.h"
#include "delegate/session/share_groups.h"
#include "delegate/tflite/ask_kernels.h"
#include "delegate/tflite/ask_runtime.h"
#include "delegate/tflite/messages.h"
#include "delegate/tflite/partition_worth.h"
#include "delegate/tflite/read_node.h"
#include "delegate/tflite/refusals.h"
#include "delegate/tflite/report_file.h"
#include "delegate/tflite/session_options.h"
#include "delegate/tflite/subgraphs.h"

namespace gles_delegate {
namespace {

// What reading a model goes by.
ReadOptions ReadOptionsOf(const Options& options, const Runtime& runtime) {
  ReadOptions read;
  read.params_minor = ParamsMinorOf(runtime);
  read.traits = runtime.traits;
  read.enable_quantization = options.enable_quantization;
  read.simulate_quantization =
      options.quantized_compute != kTfLiteGlesQuantizedFloatUnsimulated;
  read.half = options.is_precision_loss_allowed;
  read.exclude_nodes = options.exclude_nodes;
  read.float32_nodes = options.float32_nodes;
  return read;
}

// MayHoldQuantized() of the model and its decompositions.
bool AnyMayHoldQuantized(const TfLiteContext& context,
                         const ModelNodes& nodes) {
  const auto subgraphs = SubgraphsOf(nodes.decompositions);
  return MayHoldQuantized(context) ||
         std::any_of(
             subgraphs.begin(), subgraphs.end(),
             [](const TfLiteContext* c) { return MayHoldQuantized(*c); });
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
  if (!options.has_worker) return nullptr;
  auto worker =
      options.share_key.empty()
          ? std::make_shared<WorkerThread>()
          : WorkerOfGroup(absl::StrCat(
                options.worker_shares ? "sharing\n" : "own\n",
                options.PlaceOfOwnContext(), "\n", options.share_key));
  if (options.waiting != egl::Waiting::kPassive) {
    worker->AllowPolling(WorkerThread::Polling::kFirst);
  }
  return worker;
}

}  // namespace

GlesSimpleDelegate::GlesSimpleDelegate(Options options)
    : options_(std::move(options)), worker_(WorkerOf(options_)) {}

ContextOrError GlesSimpleDelegate::ContextOfCaller() const {
  if (!options_.worker_shares) return SimpleDelegate::ContextOfCaller();
  return AdoptCurrent(options_.allow_software);
}

absl::Status GlesSimpleDelegate::EnsureGpu(TfLiteContext* context,
                                           const ContextOrError& of_caller) {
  if (gpu_ != nullptr && gpu_->Renew().ok()) return absl::OkStatus();
  const auto log = [&](const std::string& text) {
    if (options_.verbosity >= 1) Warn(context, text);
  };
  ASSIGN_OR_RETURN(gpu_, MakeGpu(GpuOptionsOf(options_), of_caller, log));
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
  profile_ = ProfileFor(
      gpu_->context->device(),
      {options_.is_precision_loss_allowed, StorageOption(options_.storage),
       options_.saturate_halves, options_.zero_copy, options_.tiered_start,
       options_.prefers_fast_start, options_.tuning});
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
  trial_shapes_.emplace(context, nodes_.find, nodes_.plan,
                        nodes_.decompositions);
  // A body or another signature has its own inputs.
  RETURN_IF_ERROR(
      trial_shapes_->Set(options_.input_shapes, reports_.IsFirst()));
  ASSIGN_OR_RETURN(auto shapes,
                   PropagateShapes(context, nodes_.find, nodes_.plan,
                                   nodes_.decompositions));
  nodes_.shapes = std::move(shapes);
  if (!options_.input_shapes.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const auto is_better,
                   trial_shapes_->FindBetter(&nodes_.shapes));
  nodes_.shapes_are_placeholders = is_better;
  return absl::OkStatus();
}

absl::Status GlesSimpleDelegate::RefuseAll(TfLiteContext* context,
                                           const absl::Status& why) {
  if (!absl::IsFailedPrecondition(why)) return why;  // not the model's fault
  model_.emplace();
  for (int index : nodes_.plan) {
    TfLiteNode* node = nullptr;
    TfLiteRegistration* registration = nullptr;
    RETURN_IF_ERROR(nodes_.find.Get(context, index, &node, &registration));
    CheckedNode checked;
    checked.index = index;
    checked.op = OpName(*registration);
    checked.support = why;
    model_->position_of[index] = model_->nodes.size();
    model_->nodes.push_back(std::move(checked));
  }
  now().nodes_total = static_cast<int>(model_->nodes.size());
  now().refusals = GroupRefusals(*model_);
  return absl::OkStatus();
}

absl::Status GlesSimpleDelegate::Initialize(TfLiteContext* context,
                                            const ContextOrError& of_caller) {
  model_.reset();
  BeginSubgraph(context);
  memory_plan_is_old_ = HasOldMemoryPlan(context);
  runtime_ = RuntimeOf(context);
  StageTimer timer(&now().stages);
  RETURN_IF_ERROR(EnsureGpu(context, of_caller));
  timer.Lap("context");
  ASSIGN_OR_RETURN(nodes_, FindNodes(context));
  if (!nodes_.graph.ok()) return RefuseAll(context, nodes_.graph);
  if (!options_.integer_rounding && AnyMayHoldQuantized(*context, nodes_)) {
    runtime_.asked = AskForCpuKernels(runtime_.library);
  }
  RETURN_IF_ERROR(FindShapes(context));
  runtime_.traits = AskKernels(context, nodes_, quant::TraitsOf(cpu_kernels()),
                               FollowsKernels(options_, runtime_));
  timer.Lap("shapes");
  ASSIGN_OR_RETURN(auto model, ReadModel(context, nodes_, profile_,
                                         ReadOptionsOf(options_, runtime_)));
  timer.Lap("read_model");
  model_ = std::move(model);
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

absl::StatusOr<std::unique_ptr<GlesKernel>> GlesSimpleDelegate::MakeKernel(
    TfLiteContext* context, const ModelPartition& partition) {
  if (!model_) {
    return absl::FailedPreconditionError(
        "a partition was made while the delegate was not being applied");
  }
  auto report = std::make_shared<PartitionReport>();
  const PartitionWorth worth = WorthOf(*model_, partition);
  report->worth = {worth.cpu_us, worth.crossing_us};
  KernelSetup setup;
  setup.session = {gpu_,
                   profile_,
                   SessionOptionsOf(options_),
                   partition.nodes,
                   /*builds_late=*/now().is_inlined,
                   std::move(report)};
  setup.read = {profile_, cpu_kernels(), ReadOptionsOf(options_, runtime_),
                options_.uses_integer_path()};
  setup.nodes = nodes_;
  setup.partition = partition;
  setup.fallback_to_cpu = options_.fallback_to_cpu;
  setup.objects = objects_;
  setup.runtime_buffers = runtime_buffers_;
  setup.worker = worker_;
  return GlesKernel::Create(*context, *model_, std::move(setup));
}

absl::StatusOr<std::unique_ptr<GlesKernel>> GlesSimpleDelegate::TakeKernel(
    TfLiteContext* context, const ModelPartition& partition) {
  const auto made = std::find_if(
      made_.begin(), made_.end(),
      [&](const auto& kernel) { return kernel->partition() == partition; });
  if (made == made_.end()) return MakeKernel(context, partition);
  std::unique_ptr<GlesKernel> kernel = std::move(*made);
  made_.erase(made);
  return kernel;
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

// Not for each subgraph if there are many, as composites have: each report has
// all of them.
absl::Status GlesSimpleDelegate::WriteReport(ReportTime time) {
  constexpr size_t kAlwaysWritten = 16;
  if (options_.report_file.empty()) return absl::OkStatus();
  const InterpreterReport& last = reports_.list().back();
  const size_t subgraphs = last.subgraphs.size();
  report_waits_ = time == ReportTime::kMayWait && last.applied.ok() &&
                  subgraphs > kAlwaysWritten &&
                  subgraphs < subgraphs_written_ + subgraphs_written_ / 4;
  if (report_waits_) return absl::OkStatus();
  subgraphs_written_ = subgraphs;
  return ReplaceFile(options_.report_file, MakeReport() + "\n");
}

}  // namespace gles_delegate

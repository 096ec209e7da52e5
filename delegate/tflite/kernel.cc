#include "delegate/tflite/kernel.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "delegate/passes/passes.h"
#include "delegate/tflite/extract_partition.h"
#include "delegate/tflite/messages.h"

namespace gles_delegate {

BuildOptions GlesKernel::BuildOptionsOfPartition() const {
  const Options& options = setup_.options;
  BuildOptions build;
  build.cache = options.cache;
  build.checks_itself = options.self_check;
  build.may_change_storage = options.storage == kTfLiteGlesStorageAuto;
  build.tells_passes_dropped = options.verbosity >= 1;
  return build;
}

GlesKernel::GlesKernel(KernelSetup setup)
    : setup_(std::move(setup)),
      queue_(setup_.gpu, setup_.options.does_not_wait),
      builder_(*setup_.gpu->context, setup_.gpu->objects.get(), setup_.profile,
               BuildOptionsOfPartition(), setup_.partition.nodes,
               setup_.report.get()) {}

GlesKernel::~GlesKernel() {
  // Waits for the start-up cache to be written.
  if (background_ != nullptr && !setup_.options.cache.directory.empty()) {
    background_->Wait();
  }
  DropExecutor();
  ReleaseMemory();
}

void GlesKernel::DropExecutor() {
  StopBackground();
  setup_.report->KeepProfile();
  setup_.report->executor = nullptr;
  if (executor_ == nullptr) return;
  // If the context cannot be made current here (another thread holds it, or it
  // is lost), the objects are deleted with it.
  (void)executor_context_->Run([this] {
    executor_.reset();
    return absl::OkStatus();
  });
  executor_.reset();
}

absl::StatusOr<std::unique_ptr<GlesKernel>> GlesKernel::Create(
    const TfLiteContext& context, const CheckedModel& model,
    KernelSetup setup) {
  setup.report->nodes = setup.partition.nodes;
  std::unique_ptr<GlesKernel> kernel(new GlesKernel(std::move(setup)));
  if (auto s = kernel->Read(context, model); !s.ok()) return s;
  return kernel;
}

absl::Status GlesKernel::Read(const TfLiteContext& context,
                              const CheckedModel& model) {
  read_shapes_ = BorderShapes(context);
  constant_outputs_.clear();
  input_tensors_.clear();
  output_tensors_.clear();
  inputs_.clear();
  outputs_.clear();
  for (int id : setup_.partition.outputs) {
    if (setup_.nodes.shapes.values.contains(id)) continue;  // HoldValues()
    const Tensor& tensor = model.graph.tensor(id);
    if (!tensor.is_constant()) {
      output_tensors_.push_back(id);
      continue;
    }
    auto constant = ConstantOutput::Of(tensor, id, context.tensors[id].type);
    if (!constant.ok()) return constant.status();
    constant_outputs_.push_back(*std::move(constant));
  }
  graph_ = ExtractPartition(model, setup_.partition.nodes,
                            setup_.partition.inputs, output_tensors_);
  original_ = graph_;
  PlanDump* const dump = builder_.dump();
  dump->AddGraph("read", graph_);
  if (setup_.options.uses_integer_path()) {
    const PassContext passes = {setup_.profile, setup_.cpu_kernels,
                                setup_.read_options.traits,
                                &setup_.report->nodes_on_integer_path};
    absl::Status passed =
        RunPasses(PassStage::kRead, passes, &graph_,
                  [dump](absl::string_view pass, const Graph& graph) {
                    dump->AddGraph(pass, graph);
                  });
    if (!passed.ok()) return passed;
  }
  for (TensorId id : graph_.inputs) {
    input_tensors_.push_back(graph_.tensor(id).tflite_index);
    inputs_.emplace_back(graph_.tensor(id));
  }
  for (TensorId id : graph_.outputs) outputs_.emplace_back(graph_.tensor(id));
  return absl::OkStatus();
}

absl::Status GlesKernel::Prepare(TfLiteContext* context) {
  if (std::exchange(setup_.nodes.shapes_are_placeholders, false)) {
    read_shapes_.clear();
  }
  if (auto s = EvaluateInputValues(context); !s.ok()) return s;
  if (auto s = FallBack(context, PrepareOnGpu(context)); !s.ok()) return s;
  return HoldValues(context);
}

absl::Status GlesKernel::PrepareOnGpu(TfLiteContext* context) {
  // While the delegate is applied, there is nothing to plan for yet.
  if (setup_.nodes.shapes_are_placeholders) return absl::OkStatus();
  if (BorderShapes(*context) != read_shapes_) {
    if (auto s = ReadAgain(context); !s.ok()) return s;
    if (!setup_.builds_late) {
      if (auto s = ReserveMemoryAgain(context); !s.ok()) return s;
    }
  }
  if (on_cpu_ != nullptr) return absl::OkStatus();
  if (setup_.builds_late) {
    queue_.TakeThread();
    return absl::OkStatus();
  }
  if (built_ && IsBuilt() && queue_.CheckCaller().ok()) return absl::OkStatus();
  queue_.TakeThread();
  if (auto s = setup_.gpu->Renew(); !s.ok()) return s;
  DropExecutor();
  builder_.UseContext(*setup_.gpu->context, setup_.gpu->objects.get());
  absl::Status built =
      setup_.gpu->context->Run([this] { return BuildAlone(); });
  built_ = built.ok();
  const std::vector<std::string> warnings = builder_.TakeWarnings();
  const std::vector<std::string> of_baseline =
      std::exchange(baseline_warnings_, {});
  // An error's message is sufficient by itself.
  if (!built.ok()) return built;
  TellWarnings(context, warnings);
  TellWarnings(context, of_baseline);
  return built;
}

absl::Status GlesKernel::BuildLate(TfLiteContext* context) {
  setup_.builds_late = false;
  if (auto s = ReserveMemoryAgain(context); !s.ok()) return s;
  return FallBack(context, PrepareOnGpu(context));
}

void GlesKernel::TellWarnings(TfLiteContext* context,
                              const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    Warn(context, line);
  }
}

absl::Status GlesKernel::BuildAlone() {
  SharedObjects& objects = *setup_.gpu->objects;
  const std::lock_guard<std::mutex> lock(objects.building);
  absl::Status built = Build();
  objects.program_count = objects.programs.size();
  // Objects must be complete before another context uses them.
  if (objects.by_key || setup_.gpu->keeps_current) egl::gl().Finish();
  return built;
}

absl::Status GlesKernel::Build() {
  setup_.report->profile.clear();
  has_state_ = false;
  executor_context_ = setup_.gpu->context;
  objects_version_ = -1;
  bound_ = FormsOf(ResolveObjects());
  if (auto s = CheckMayReturnAtOnce(); !s.ok()) return s;
  if (BuildBaseline()) return absl::OkStatus();
  builder_.Bind(bound_);
  auto executor = builder_.Build(graph_, original_);
  if (!executor.ok()) return executor.status();
  UseExecutor(*std::move(executor));
  compiled_in_ = executor_context_;
  if (!setup_.options.enable_op_profiling) return absl::OkStatus();
  return executor_->EnableProfiling(!setup_.gpu->context->device().software);
}

void GlesKernel::UseExecutor(std::unique_ptr<Executor> executor) {
  executor_ = std::move(executor);
  executor_->WaitBy(setup_.options.waiting);
  executor_->ReturnAtOnce(setup_.options.does_not_wait);
  setup_.report->executor = executor_.get();
  setup_.report->was_built = true;
}

}  // namespace gles_delegate

#include "delegate/tflite/kernel.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "delegate/passes/passes.h"
#include "delegate/tflite/extract_partition.h"
#include "delegate/tflite/messages.h"
#include "delegate/tflite/read_tensor.h"
#include "delegate/tflite/session_options.h"

namespace gles_delegate {

GlesKernel::GlesKernel(KernelSetup setup)
    : setup_(std::move(setup)),
      options_(SessionOptionsOf(setup_.options)),
      queue_(setup_.gpu, options_.does_not_wait),
      builder_(*setup_.gpu->context, setup_.gpu->objects.get(), setup_.profile,
               options_.build, setup_.partition.nodes, setup_.report.get()) {}

GlesKernel::~GlesKernel() {
  if (source_ != nullptr) source_->AwaitCache();
  DropExecutor();
  ReleaseMemory();
}

void GlesKernel::DropExecutor() {
  if (source_ != nullptr) source_->Stop();
  setup_.report->KeepProfile();
  setup_.report->executor = nullptr;
  if (source_ == nullptr) return;
  if (source_->is_optimized()) compiled_in_ = executor_context_;
  // If the context cannot be made current here (another thread holds it, or it
  // is lost), the objects are deleted with it.
  (void)executor_context_->Run([this] {
    source_.reset();
    return absl::OkStatus();
  });
  source_.reset();
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
    auto constant =
        ConstantOutput::Of(tensor, id, TypeOf(context.tensors[id].type));
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
  absl::Status built = setup_.gpu->context->Run([this] { return Build(); });
  built_ = built.ok();
  // An error's message is sufficient by itself.
  if (built.ok()) TellWarnings(context);
  return built;
}

absl::Status GlesKernel::BuildLate(TfLiteContext* context) {
  setup_.builds_late = false;
  if (auto s = ReserveMemoryAgain(context); !s.ok()) return s;
  return FallBack(context, PrepareOnGpu(context));
}

void GlesKernel::TellWarnings(TfLiteContext* context) {
  for (const std::string& line : source_->TakeWarnings()) Warn(context, line);
}

absl::Status GlesKernel::Build() {
  has_state_ = false;
  executor_context_ = setup_.gpu->context;
  objects_version_ = -1;
  bound_ = FormsOf(ResolveObjects());
  if (auto s = CheckMayReturnAtOnce(); !s.ok()) return s;
  auto source = ExecutorSource::Make(
      {setup_.gpu.get(), &setup_.profile, &options_, &setup_.partition.nodes,
       &graph_, &original_, &builder_, setup_.report.get(), bound_,
       /*was_compiled=*/compiled_in_.lock() == executor_context_});
  if (!source.ok()) return source.status();
  source_ = *std::move(source);
  return absl::OkStatus();
}

}  // namespace gles_delegate

#include "delegate/session/session.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/partition/plan_partition.h"
#include "delegate/runtime/memory_needs.h"
#include "delegate/session/state_mark.h"
#include "egl/caught.h"

namespace gles_delegate {

IoSlot::IoSlot(const Tensor& tensor, int index)
    : index_(index), is_state_(tensor.is_variable), host_(tensor) {}

absl::StatusOr<absl::Span<const uint8_t>> IoSlot::Read(bool gpu_has_state) {
  auto values = host_.Read(memory);
  if (!values.ok() || !is_state_ || !IsStateOnGpu(memory)) return values;
  if (gpu_has_state) return absl::Span<const uint8_t>();
  // The GPU that held it was deleted with an earlier session: start over.
  std::memset(memory.data, 0, memory.bytes);
  return values;
}

void IoSlot::FinishInput() const {
  if (is_state_) MarkStateOnGpu(memory);
}

void Recovery::Note(const absl::Status& status, const egl::Context& context) {
  if (status.ok()) {
    guilty_resets_ = 0;
  } else if (absl::IsAborted(status) && context.is_guilty()) {
    ++guilty_resets_;
  }
}

std::string Recovery::WhyNot(size_t nodes, const std::string& renderer) const {
  std::string why = absl::StrCat(
      guilty_resets_, " Invokes in a row of the partition of ", nodes,
      " nodes ended with a reset of the OpenGL ES context on ", renderer,
      " that its own commands may have caused");
  return why;
}

absl::Status MemoryReservation::Reserve(const Graph& graph,
                                        const DeviceProfile& profile,
                                        int64_t limit) {
  Release();
  if (limit == 0) return absl::OkStatus();
  ASSIGN_OR_RETURN(auto planned, PlanPartition(graph, profile, nullptr));
  ASSIGN_OR_RETURN(const auto needs,
                   MemoryNeeds(gpu_->context->device(), planned.graph,
                               std::move(planned.dispatches), profile));
  const int64_t others = gpu_->reserved_bytes;
  if (others + needs.total() > limit) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "it needs ", needs.ToString(), " of GPU memory, with the ", others,
        " bytes of the delegate's other partitions more than "
        "memory_limit_bytes=",
        limit));
  }
  bytes_ = needs.total();
  gpu_->reserved_bytes += bytes_;
  return absl::OkStatus();
}

void MemoryReservation::Release() {
  gpu_->reserved_bytes -= bytes_;
  bytes_ = 0;
}

Session::Session(SessionSetup setup)
    : setup_(std::move(setup)),
      queue_(setup_.gpu, setup_.options.does_not_wait),
      builder_(*setup_.gpu->context, setup_.gpu->objects.get(), setup_.profile,
               setup_.options.build, setup_.nodes, setup_.report.get()),
      reservation_(setup_.gpu) {}

Session::~Session() {
  (void)egl::Caught([this] {
    if (on_gpu() != nullptr) on_gpu()->source->AwaitCache();
    Drop();
    return absl::OkStatus();
  });
}

void Session::Forget() {
  Drop();
  state_ = Unbuilt{};
  has_graph_ = false;
  setup_.report->on_cpu.clear();
  recovery_.Reset();
}

void Session::SetGraph(Graph graph, Graph original,
                       const std::vector<int>& outputs) {
  graph_ = std::move(graph);
  original_ = std::move(original);
  has_graph_ = true;
  inputs_.clear();
  outputs_.clear();
  for (TensorId id : graph_.inputs) {
    const Tensor& tensor = graph_.tensor(id);
    inputs_.emplace_back(tensor, tensor.tflite_index);
  }
  for (size_t i = 0; i < graph_.outputs.size(); ++i) {
    outputs_.emplace_back(graph_.tensor(graph_.outputs[i]), outputs[i]);
  }
}

absl::Status Session::Reserve() {
  return reservation_.Reserve(graph_, setup_.profile,
                              setup_.options.memory_limit_bytes);
}

absl::Status Session::ReserveAgain(SessionHost* host) {
  if (is_on_cpu() || setup_.builds_late) return absl::OkStatus();
  const absl::Status reserved = Reserve();
  if (!absl::IsResourceExhausted(reserved)) return reserved;
  const std::string why = absl::StrCat(
      "the partition of ", setup_.nodes.size(),
      " nodes cannot run on the GPU at the shapes that the inputs were "
      "resized to: ",
      reserved.message());
  return UseCpu(host, why);
}

absl::Status Session::Prepare(SessionHost* host) {
  if (is_on_cpu()) return absl::OkStatus();
  if (setup_.builds_late) {
    queue_.TakeThread();
    return absl::OkStatus();
  }
  NoteLoss();
  if (on_gpu() != nullptr && queue_.CheckCaller().ok()) return absl::OkStatus();
  return Build(host);
}

absl::Status Session::FallBack(SessionHost* host,
                               const absl::Status& prepared) {
  if (prepared.ok()) return prepared;
  // A limit of the device is not a failure.
  if (!absl::IsOutOfRange(prepared) && !host->MayFallBack()) return prepared;
  const std::string why =
      absl::StrCat("TfLiteGlesDelegate: the partition of ", setup_.nodes.size(),
                   " nodes cannot be built: ", prepared.message());
  return UseCpu(host, why);
}

absl::Status Session::UseCpu(SessionHost* host, const std::string& why) {
  if (auto s = host->UseCpu(); !s.ok()) {
    return absl::FailedPreconditionError(absl::StrCat(why, "; ", s.message()));
  }
  if (setup_.options.is_verbose) {
    const std::string line = absl::StrCat(why, "; it runs on the CPU");
    host->Warn(line);
  }
  Drop();
  state_ = OnCpu{};
  reservation_.Release();
  setup_.report->on_cpu = why;
  std::string& background = setup_.report->background.state;
  if (background == "waiting") background = "stopped";
  return absl::OkStatus();
}

void Session::NoteLoss() {
  const OnGpu* gpu = on_gpu();
  if (gpu == nullptr) return;
  if (gpu->context == setup_.gpu->context && !gpu->context->is_lost()) return;
  Drop();
  state_ = Lost{};
}

void Session::Drop() {
  OnGpu* gpu = on_gpu();
  if (gpu == nullptr) return;
  gpu->source->Stop();
  setup_.report->KeepProfile();
  setup_.report->executor = nullptr;
  if (gpu->source->is_optimized()) compiled_in_ = gpu->context;
  // If the context cannot be made current here (another thread holds it, or it
  // is lost), the objects are deleted with it.
  (void)gpu->context->Run([gpu] {
    gpu->source.reset();
    return absl::OkStatus();
  });
  state_ = Unbuilt{};
}

absl::Status Session::Build(SessionHost* host) {
  queue_.TakeThread();
  Gpu& gpu = *setup_.gpu;
  RETURN_IF_ERROR(gpu.Renew());
  Drop();
  builder_.UseContext(*gpu.context, gpu.objects.get());
  absl::Status built = gpu.context->Run([this] { return BuildInContext(); });
  if (built.ok()) TellWarnings(host);
  return built;
}

absl::Status Session::BuildInContext() {
  const ResolvedObjects objects = ResolveObjects();
  OnGpu built;
  built.context = setup_.gpu->context;
  for (const auto& o : objects.inputs) built.bound.inputs.push_back(o.form);
  for (const auto& o : objects.outputs) built.bound.outputs.push_back(o.form);
  RETURN_IF_ERROR(CheckMayReturnAtOnce(built.bound));
  ASSIGN_OR_RETURN(
      built.source,
      ExecutorSource::Make(
          {setup_.gpu.get(), &setup_.profile, &setup_.options, &setup_.nodes,
           &graph_, &original_, &builder_, setup_.report.get(), built.bound,
           /*was_compiled=*/compiled_in_.lock() == built.context}));
  state_ = std::move(built);
  return absl::OkStatus();
}

absl::Status Session::BuildToRun(SessionHost* host) {
  if (!has_graph_) {
    return absl::InternalError(
        "the partition is not prepared for the shapes of its inputs");
  }
  if (std::exchange(setup_.builds_late, false)) {
    if (auto s = ReserveAgain(host); !s.ok() || is_on_cpu()) return s;
    return FallBack(host, Build(host));
  }
  return Recover(host);
}

absl::Status Session::Recover(SessionHost* host) {
  if (!recovery_.MayRebuild()) return GiveUp(host);
  const bool was_lost = std::holds_alternative<Lost>(state_);
  const absl::Status built = Build(host);
  // Lost again: the next inference tries once more.
  if (absl::IsAborted(built)) return built;
  RETURN_IF_ERROR(FallBack(host, built));
  if (was_lost && !is_on_cpu() && setup_.options.is_verbose) {
    const std::string line = absl::StrCat(
        "the OpenGL ES context on ", setup_.gpu->context->device().renderer,
        " was lost; the partition of ", setup_.nodes.size(),
        " nodes is built again in another one");
    host->Warn(line);
  }
  return absl::OkStatus();
}

absl::Status Session::GiveUp(SessionHost* host) {
  const std::string why = recovery_.WhyNot(
      setup_.nodes.size(), setup_.gpu->context->device().renderer);
  if (host->MayFallBack()) return UseCpu(host, why);
  return absl::FailedPreconditionError(absl::StrCat(
      why,
      "; it is not tried again. Exclude nodes (exclude_nodes), or run them on "
      "the CPU (fallback_to_cpu does so by itself)"));
}

void Session::TellWarnings(SessionHost* host) {
  for (const std::string& line : on_gpu()->source->TakeWarnings()) {
    host->Warn(line);
  }
}

}  // namespace gles_delegate

#include "delegate/session/session.h"

#include <cstring>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/partition/plan_partition.h"
#include "delegate/runtime/gpu_memory.h"
#include "egl/process.h"

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

Session::Session(SessionSetup setup)
    : setup_(std::move(setup)),
      queue_(setup_.gpu, setup_.options.does_not_wait),
      builder_(*setup_.gpu->context, setup_.gpu->objects.get(), setup_.profile,
               setup_.options.build, setup_.nodes, setup_.report.get()) {}

Session::~Session() {
  (void)egl::Caught([this] {
    if (on_gpu() != nullptr) on_gpu()->source->AwaitCache();
    Drop();
    return absl::OkStatus();
  });
  ReleaseReservation();
}

void Session::Forget() {
  Drop();
  state_ = Unbuilt{};
  has_graph_ = false;
  setup_.report->on_cpu.clear();
  guilty_resets_ = 0;
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
  ReleaseReservation();
  const int64_t limit = setup_.options.memory_limit_bytes;
  if (limit == 0) return absl::OkStatus();
  ASSIGN_OR_RETURN(auto planned,
                   PlanPartition(graph_, setup_.profile, nullptr));
  ASSIGN_OR_RETURN(const auto needs,
                   MemoryNeeds(setup_.gpu->context->device(), planned.graph,
                               std::move(planned.dispatches), setup_.profile));
  const int64_t others = setup_.gpu->reserved_bytes;
  if (others + needs.total() > limit) {
    return Exhausted("it needs ", needs.ToString(), " of GPU memory, with the ",
                     others,
                     " bytes of the delegate's other partitions more than "
                     "memory_limit_bytes=",
                     limit);
  }
  reserved_bytes_ = needs.total();
  setup_.gpu->reserved_bytes += reserved_bytes_;
  return absl::OkStatus();
}

void Session::ReleaseReservation() {
  setup_.gpu->reserved_bytes -= std::exchange(reserved_bytes_, 0);
}

absl::Status Session::ReserveAgain(SessionHost* host) {
  if (is_on_cpu() || setup_.builds_late) return absl::OkStatus();
  absl::Status reserved = Reserve();
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
    return FailedPrecondition(why, "; ", s.message());
  }
  if (setup_.options.build.is_verbose) {
    const std::string line = absl::StrCat(why, "; it runs on the CPU");
    host->Warn(line);
  }
  Drop();
  state_ = OnCpu{};
  ReleaseReservation();
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
  const UsedObjects objects = ResolveObjects();
  OnGpu built;
  built.context = setup_.gpu->context;
  for (const auto& o : objects.inputs) built.bound.inputs.push_back(o.form);
  for (const auto& o : objects.outputs) built.bound.outputs.push_back(o.form);
  RETURN_IF_ERROR(CheckMayReturnAtOnce(built.bound));
  ASSIGN_OR_RETURN(
      built.source,
      ExecutorSource::Make(
          {setup_, graph_, original_, &builder_, built.bound,
           /*was_compiled=*/compiled_in_.lock() == built.context}));
  state_ = std::move(built);
  return absl::OkStatus();
}

absl::Status Session::BuildToRun(SessionHost* host) {
  if (!has_graph_) {
    return Internal(
        "the partition is not prepared for the shapes of its inputs");
  }
  if (std::exchange(setup_.builds_late, false)) {
    if (auto s = ReserveAgain(host); !s.ok() || is_on_cpu()) return s;
    return FallBack(host, Build(host));
  }
  return Recover(host);
}

absl::Status Session::Recover(SessionHost* host) {
  if (guilty_resets_ >= kMaxGuiltyResets) return GiveUp(host);
  const bool was_lost = std::holds_alternative<Lost>(state_);
  absl::Status built = Build(host);
  // Lost again: the next inference tries once more.
  if (absl::IsAborted(built)) return built;
  RETURN_IF_ERROR(FallBack(host, built));
  if (was_lost && !is_on_cpu() && setup_.options.build.is_verbose) {
    const std::string line = absl::StrCat(
        "the OpenGL ES context on ", setup_.gpu->context->device().renderer,
        " was lost; the partition of ", setup_.nodes.size(),
        " nodes is built again in another one");
    host->Warn(line);
  }
  return absl::OkStatus();
}

absl::Status Session::GiveUp(SessionHost* host) {
  const std::string why =
      absl::StrCat(guilty_resets_, " Invokes in a row of the partition of ",
                   setup_.nodes.size(),
                   " nodes ended with a reset of the OpenGL ES context on ",
                   setup_.gpu->context->device().renderer,
                   " that its own commands may have caused");
  if (host->MayFallBack()) return UseCpu(host, why);
  return FailedPrecondition(
      why,
      "; it is not tried again. Exclude nodes (exclude_nodes), or run them on "
      "the CPU (fallback_to_cpu does so by itself)");
}

void Session::NoteEnd(const absl::Status& status, const egl::Context& context) {
  if (status.ok()) {
    guilty_resets_ = 0;
  } else if (absl::IsAborted(status) && context.is_guilty()) {
    ++guilty_resets_;
  }
}

void Session::TellWarnings(SessionHost* host) {
  for (const std::string& line : on_gpu()->source->TakeWarnings()) {
    host->Warn(line);
  }
}

// --- One inference -----------------------------------------------------------

absl::StatusOr<Session::Ran> Session::Submit(SessionHost* host,
                                             bool may_split) {
  auto ran = SubmitOrBuild(host, may_split && has_run_);
  if (!ran.ok() || *ran != Ran::kSubmitted) {
    NoteEnd(ran.status(), *setup_.gpu->context);
  }
  return ran;
}

absl::StatusOr<Session::Ran> Session::SubmitOrBuild(SessionHost* host,
                                                    bool may_split) {
  if (!is_on_cpu()) {
    RETURN_IF_ERROR(queue_.CheckCaller());
    NoteLoss();
    if (on_gpu() == nullptr) RETURN_IF_ERROR(BuildToRun(host));
    if (on_gpu() != nullptr) Advance(host);
  }
  if (on_gpu() == nullptr || !on_gpu()->has_objects) {
    RETURN_IF_ERROR(UpdateObjects(host));
  }
  if (is_on_cpu()) return Ran::kOnCpu;
  StageTimer timer(&setup_.report->stages);
  auto ran = Run(may_split);
  if (!ran.ok()) return ran;
  if (!std::exchange(has_run_, true)) timer.Lap("first_invoke");
  if (*ran == Ran::kDone) NoteInference(host);
  return ran;
}

absl::StatusOr<Session::Ran> Session::Run(bool may_split) {
  RETURN_IF_ERROR(Collect());
  UseMemory();
  OnGpu& gpu = *on_gpu();
  Executor& executor = gpu.source->executor();
  Ran ran = Ran::kDone;
  RETURN_IF_ERROR(gpu.context->Run([&]() -> absl::Status {
    RETURN_IF_ERROR(queue_.AwaitCaller());
    if (may_split) {
      ASSIGN_OR_RETURN(const auto submitted,
                       executor.SubmitInvoke(input_values_, output_room_));
      if (submitted) {
        ran = Ran::kSubmitted;
        return absl::OkStatus();
      }
    } else {
      RETURN_IF_ERROR(executor.Invoke(input_values_, output_room_));
    }
    RETURN_IF_ERROR(queue_.LetCallerAwait());
    Finish();
    return absl::OkStatus();
  }));
  return ran;
}

absl::Status Session::Wait(SessionHost* host) {
  OnGpu& gpu = *on_gpu();
  absl::Status status = gpu.context->Run([&]() -> absl::Status {
    auto s = gpu.source->executor().WaitInvoke(output_room_);
    if (s.ok()) Finish();
    return s;
  });
  // Meanwhile another session may have replaced a context that was lost.
  NoteEnd(status, *gpu.context);
  if (status.ok()) NoteInference(host);
  return status;
}

absl::Status Session::Collect() {
  const OnGpu& gpu = *on_gpu();
  input_values_.clear();
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (gpu.bound.inputs[i].is_bound()) {
      input_values_.emplace_back();
      continue;
    }
    ASSIGN_OR_RETURN(auto values, inputs_[i].Read(gpu.has_state));
    input_values_.push_back(values);
  }
  output_room_.clear();
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (gpu.bound.outputs[i].is_bound()) {
      output_room_.emplace_back();
      continue;
    }
    ASSIGN_OR_RETURN(auto room, outputs_[i].Room());
    output_room_.push_back(room);
  }
  return absl::OkStatus();
}

void Session::UseMemory() {
  // A buffer of a lost context is read like other memory.
  const egl::Context* const context = on_gpu()->context.get();
  const auto list = [context](const std::vector<IoSlot>& slots,
                              std::vector<GLuint>* buffers) {
    buffers->clear();
    for (const IoSlot& slot : slots) {
      const bool is_here = slot.memory.context == context && !slot.converts();
      buffers->push_back(is_here ? slot.memory.buffer : 0);
    }
  };
  list(inputs_, &input_memory_);
  list(outputs_, &output_memory_);
  on_gpu()->source->executor().UseMemory(input_memory_, output_memory_);
}

void Session::Finish() {
  OnGpu& gpu = *on_gpu();
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (!gpu.bound.outputs[i].is_bound()) outputs_[i].FinishOutput();
  }
  for (const IoSlot& input : inputs_) input.FinishInput();
  gpu.has_state = true;
}

void Session::Advance(SessionHost* host) {
  OnGpu& gpu = *on_gpu();
  // The inference reports errors of its tensors.
  if (gpu.source->HasNext() && Collect().ok() &&
      gpu.source->Advance(input_values_)) {
    gpu.has_objects = false;
  }
  TellWarnings(host);
}

void Session::NoteInference(SessionHost* host) {
  on_gpu()->source->NoteInference();
  TellWarnings(host);
}

std::vector<int> Session::ZeroCopyTensors() const {
  std::vector<int> tensors;
  const bool can_map =
      setup_.gpu->context->device().Has("GL_EXT_buffer_storage");
  const auto add = [&](HostTransfer::Direction direction,
                       const std::vector<TensorId>& ids,
                       const std::vector<IoSlot>& slots) {
    for (size_t i = 0; i < ids.size(); ++i) {
      const HostTransfer transfer(direction, ids[i], graph_.tensor(ids[i]),
                                  setup_.profile, can_map);
      if (transfer.is_zero_copy() &&
          MayBeZeroCopy(slots[i], /*is_bound=*/false, false)) {
        tensors.push_back(slots[i].index());
      }
    }
  };
  add(HostTransfer::Direction::kUpload, graph_.inputs, inputs_);
  add(HostTransfer::Direction::kReadback, graph_.outputs, outputs_);
  return tensors;
}

bool Session::LendsMemory() const {
  return setup_.profile.choices.zero_copy != 0 &&
         std::holds_alternative<OnGpu>(state_);
}

bool Session::MayBeZeroCopy(const IoSlot& slot, bool is_bound,
                            bool has_custom_memory) const {
  FeatureFacts facts;
  facts.does_not_wait = setup_.options.does_not_wait;
  facts.has_bound_object = is_bound;
  facts.has_variable = slot.is_state();
  facts.has_custom_memory = has_custom_memory;
  return !slot.converts() &&
         WhyNot(&Exclusion::excludes_zero_copy, facts).empty();
}

std::shared_ptr<char> Session::Lend(bool is_input, size_t i, size_t bytes,
                                    bool has_custom_memory) {
  if (!LendsMemory()) return nullptr;
  const OnGpu& gpu = *on_gpu();
  const IoSlot& slot = is_input ? inputs_[i] : outputs_[i];
  const auto& bound = is_input ? gpu.bound.inputs : gpu.bound.outputs;
  if (!MayBeZeroCopy(slot, bound[i].is_bound(), has_custom_memory)) {
    return nullptr;
  }
  const Executor& executor = gpu.source->executor();
  return LendMemory(gpu.context,
                    (is_input ? executor.inputs() : executor.outputs())[i],
                    bytes);
}

// --- The app's textures and buffers ------------------------------------------

namespace {

bool HaveForms(const std::vector<UsedObject>& objects,
               const std::vector<ObjectForm>& forms) {
  return absl::c_equal(
      objects, forms,
      [](const UsedObject& o, const ObjectForm& f) { return o.form == f; });
}

// Whether the buffer is bound at another position. GL numbers textures
// separately.
bool IsElsewhere(GLuint buffer, const std::vector<UsedObject>& objects,
                 int position) {
  for (int i = 0; i < static_cast<int>(objects.size()); ++i) {
    if (i != position && objects[i].name == buffer &&
        objects[i].form.kind == ObjectForm::Kind::kBuffer) {
      return true;
    }
  }
  return false;
}

}  // namespace

absl::Status Session::CheckCaches(const UsedObjects& objects) const {
  for (const BoundCache& cache : on_gpu()->source->executor().caches()) {
    const GLuint buffer = objects.outputs[cache.output].name;
    if (IsElsewhere(buffer, objects.inputs, cache.input) ||
        IsElsewhere(buffer, objects.outputs, cache.output)) {
      return CannotBind(graph_.tensor(graph_.outputs[cache.output]),
                        "its buffer is that of another tensor, too; it may be "
                        "that of the cache's input alone");
    }
  }
  return absl::OkStatus();
}

void Session::NoteObjects() {
  if (on_gpu() != nullptr) on_gpu()->has_objects = false;
}

Session::UsedObjects Session::ResolveObjects() const {
  UsedObjects objects;
  const auto resolve = [&](const std::vector<IoSlot>& slots,
                           const std::vector<TensorId>& tensors,
                           bool are_inputs) {
    std::vector<UsedObject> list(slots.size());
    for (size_t i = 0; i < slots.size(); ++i) {
      if (!slots[i].object) continue;
      auto resolved = ResolveObject(*slots[i].object, graph_.tensor(tensors[i]),
                                    are_inputs, setup_.gpu->context->device());
      if (resolved.ok()) {
        list[i] = *std::move(resolved);
      } else {
        objects.status.Update(resolved.status());
      }
    }
    return list;
  };
  objects.inputs = resolve(inputs_, graph_.inputs, true);
  objects.outputs = resolve(outputs_, graph_.outputs, false);
  return objects;
}

absl::Status Session::CheckBound(SessionHost* host, const AppObject& object,
                                 const Tensor& tensor) const {
  if (object.is_own) return absl::OkStatus();
  if (is_on_cpu()) {
    return CannotBind(tensor, "its partition runs on the CPU now");
  }
  if (!setup_.gpu->has_objects_of_app()) {
    return CannotBind(tensor,
                      "the delegate has an EGLContext of its own, which has no "
                      "objects of the app's; apply the delegate with the app's "
                      "context current (thread_mode: caller or "
                      "worker_sharing)");
  }
  return host->CheckMayBind(tensor);
}

absl::Status Session::CheckMayReturnAtOnce(const BoundTransfers& bound) const {
  if (!setup_.options.does_not_wait) return absl::OkStatus();
  for (size_t i = 0; i < graph_.outputs.size(); ++i) {
    if (bound.outputs[i].is_bound()) continue;
    const Tensor& tensor = graph_.tensor(graph_.outputs[i]);
    return FailedPrecondition(
        "wait_type: do_not_wait wants all outputs bound to GL objects, and "
        "tensor ",
        tensor.tflite_index, " (", tensor.ToString(),
        ") is not: bind it before the delegate is applied, or let Invoke wait");
  }
  return absl::OkStatus();
}

absl::Status Session::UpdateObjects(SessionHost* host) {
  for (const bool is_input : {true, false}) {
    const auto& slots = is_input ? inputs_ : outputs_;
    const auto& tensors = is_input ? graph_.inputs : graph_.outputs;
    for (size_t i = 0; i < slots.size(); ++i) {
      if (!slots[i].object) continue;
      RETURN_IF_ERROR(
          CheckBound(host, *slots[i].object, graph_.tensor(tensors[i])));
    }
  }
  if (is_on_cpu()) return absl::OkStatus();
  UsedObjects objects;
  RETURN_IF_ERROR(setup_.gpu->context->Run([&] {
    objects = ResolveObjects();
    return objects.status;
  }));
  const BoundTransfers& bound = on_gpu()->bound;
  if (!HaveForms(objects.inputs, bound.inputs) ||
      !HaveForms(objects.outputs, bound.outputs)) {
    RETURN_IF_ERROR(FallBack(host, Build(host)));
    if (is_on_cpu()) return UpdateObjects(host);
  }
  RETURN_IF_ERROR(CheckCaches(objects));
  return setup_.gpu->context->Run([&]() -> absl::Status {
    auto s = on_gpu()->source->executor().UseObjects(objects.inputs,
                                                     objects.outputs);
    on_gpu()->has_objects = s.ok();
    return s;
  });
}

}  // namespace gles_delegate

// The part of Session that is one inference.
#include "base/status_macros.h"
#include "delegate/session/exclusions.h"
#include "delegate/session/session.h"

namespace gles_delegate {

absl::StatusOr<Session::Ran> Session::Submit(SessionHost* host,
                                             bool may_split) {
  auto ran = SubmitOrBuild(host, may_split && has_run_);
  if (!ran.ok() || *ran != Ran::kSubmitted) {
    recovery_.Note(ran.status(), *setup_.gpu->context);
  }
  return ran;
}

absl::StatusOr<Session::Ran> Session::SubmitOrBuild(SessionHost* host,
                                                    bool may_split) {
  if (!is_on_cpu()) {
    RETURN_IF_ERROR(queue_.CheckCaller());
    NoteLoss();
    if (on_gpu() == nullptr) {
      RETURN_IF_ERROR(BuildToRun(host));
    }
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
    } else
      RETURN_IF_ERROR(executor.Invoke(input_values_, output_room_));
    RETURN_IF_ERROR(queue_.LetCallerAwait());
    Finish();
    return absl::OkStatus();
  }));
  return ran;
}

absl::Status Session::Wait(SessionHost* host) {
  OnGpu& gpu = *on_gpu();
  const absl::Status status = gpu.context->Run([&]() -> absl::Status {
    auto s = gpu.source->executor().WaitInvoke(output_room_);
    if (s.ok()) Finish();
    return s;
  });
  // Meanwhile another session may have replaced a context that was lost.
  recovery_.Note(status, *gpu.context);
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
  return !slot.converts() && WhyNoZeroCopy(facts).empty();
}

std::unique_ptr<LentMemory> Session::Lend(const IoSlot& slot,
                                          const ObjectForm& bound,
                                          const HostTransfer& transfer,
                                          size_t bytes,
                                          bool has_custom_memory) {
  if (!MayBeZeroCopy(slot, bound.is_bound(), has_custom_memory)) return nullptr;
  return LentMemory::Of(on_gpu()->context, transfer, bytes);
}

std::unique_ptr<LentMemory> Session::LendInput(size_t i, size_t bytes,
                                               bool has_custom_memory) {
  if (!LendsMemory()) return nullptr;
  return Lend(inputs_[i], on_gpu()->bound.inputs[i],
              on_gpu()->source->executor().inputs()[i], bytes,
              has_custom_memory);
}

std::unique_ptr<LentMemory> Session::LendOutput(size_t i, size_t bytes,
                                                bool has_custom_memory) {
  if (!LendsMemory()) return nullptr;
  return Lend(outputs_[i], on_gpu()->bound.outputs[i],
              on_gpu()->source->executor().outputs()[i], bytes,
              has_custom_memory);
}

}  // namespace gles_delegate

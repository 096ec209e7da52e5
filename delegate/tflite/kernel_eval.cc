// The part of GlesKernel that is one inference.
#include <cstring>
#include <utility>

#include "delegate/session/state_mark.h"
#include "delegate/tflite/kernel.h"
#include "delegate/tflite/read_tensor.h"

namespace gles_delegate {

absl::StatusOr<absl::Span<const uint8_t>> GlesKernel::ReadInput(
    TfLiteContext* context, size_t i) {
  const HostMemory memory = MemoryOf(context->tensors[input_tensors_[i]]);
  auto values = inputs_[i].Read(memory);
  if (!values.ok() || !graph_.tensor(graph_.inputs[i]).is_variable ||
      !IsStateOnGpu(memory)) {
    return values;
  }
  if (has_state_) return absl::Span<const uint8_t>();
  // The GPU that held it was deleted with an earlier kernel: start over.
  std::memset(memory.data, 0, memory.bytes);
  return values;
}

absl::Status GlesKernel::Eval(TfLiteContext* context) {
  const auto ended = RunOrBegin(context, /*in_halves=*/false);
  recovery_.Note(ended.status(), *setup_.gpu->context);
  return ended.status();
}

absl::StatusOr<bool> GlesKernel::BeginEval(TfLiteContext* context) {
  auto is_under_way = RunOrBegin(context, /*in_halves=*/true);
  if (!is_under_way.ok() || !*is_under_way) {
    recovery_.Note(is_under_way.status(), *setup_.gpu->context);
  }
  return is_under_way;
}

absl::Status GlesKernel::EndEval(TfLiteContext* context) {
  absl::Status status = EndOnGpu(context);
  // Meanwhile another kernel may have replaced a context that was lost.
  recovery_.Note(status, *executor_context_);
  if (status.ok()) NoteInference(context);
  return status;
}

absl::StatusOr<bool> GlesKernel::RunOrBegin(TfLiteContext* context,
                                            bool in_halves) {
  if (on_cpu_ == nullptr) {
    if (auto s = queue_.CheckCaller(); !s.ok()) return s;
    if (!IsBuilt()) {
      const absl::Status built =
          setup_.builds_late ? BuildLate(context) : Recover(context);
      if (!built.ok()) return built;
    }
    Advance(context);
  }
  TakeHandles(context);
  if (ObjectsVersion() != objects_version_) {
    if (auto s = UpdateObjects(context); !s.ok()) return s;
  }
  if (on_cpu_ != nullptr) {
    if (auto s = EvalOnCpu(context); !s.ok()) return s;
    return false;
  }
  if (in_halves && invoked_) {
    auto is_under_way = BeginOnGpu(context);
    if (is_under_way.ok() && !*is_under_way) NoteInference(context);
    return is_under_way;
  }
  StageTimer timer(&setup_.report->stages);
  if (auto s = EvalOnGpu(context); !s.ok()) return s;
  if (!std::exchange(invoked_, true)) timer.Lap("first_invoke");
  NoteInference(context);
  return false;
}

void GlesKernel::Advance(TfLiteContext* context) {
  if (source_ == nullptr) return;
  // The inference reports errors of its tensors.
  if (source_->HasNext() && CollectTensors(context).ok() &&
      source_->Advance(input_values_)) {
    objects_version_ = -1;
  }
  TellWarnings(context);
}

void GlesKernel::NoteInference(TfLiteContext* context) {
  source_->NoteInference();
  TellWarnings(context);
}

absl::Status GlesKernel::EvalOnGpu(TfLiteContext* context) {
  if (auto s = CollectTensors(context); !s.ok()) return s;
  return executor_context_->Run([&]() -> absl::Status {
    if (auto s = queue_.AwaitCaller(); !s.ok()) return s;
    if (auto s = source_->executor().Invoke(input_values_, output_room_);
        !s.ok()) {
      return s;
    }
    if (auto s = queue_.LetCallerAwait(); !s.ok()) return s;
    return FinishTensors(context);
  });
}

absl::Status GlesKernel::CollectTensors(TfLiteContext* context) {
  input_values_.clear();
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (bound_.inputs[i].is_bound()) {
      input_values_.emplace_back();
      continue;
    }
    auto values = ReadInput(context, i);
    if (!values.ok()) return values.status();
    input_values_.push_back(*values);
  }
  output_room_.clear();
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (bound_.outputs[i].is_bound()) {
      output_room_.emplace_back();
      continue;
    }
    auto room =
        outputs_[i].Room(MemoryOf(context->tensors[output_tensors_[i]]));
    if (!room.ok()) return room.status();
    output_room_.push_back(*room);
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> GlesKernel::BeginOnGpu(TfLiteContext* context) {
  if (auto s = CollectTensors(context); !s.ok()) return s;
  bool is_under_way = false;
  const absl::Status status = executor_context_->Run([&]() -> absl::Status {
    if (auto s = queue_.AwaitCaller(); !s.ok()) return s;
    const auto begun =
        source_->executor().BeginInvoke(input_values_, output_room_);
    if (!begun.ok()) return begun.status();
    is_under_way = *begun;
    if (is_under_way) return absl::OkStatus();
    if (auto s = queue_.LetCallerAwait(); !s.ok()) return s;
    return FinishTensors(context);
  });
  if (!status.ok()) return status;
  return is_under_way;
}

absl::Status GlesKernel::EndOnGpu(TfLiteContext* context) {
  return executor_context_->Run([&]() -> absl::Status {
    if (auto s = source_->executor().EndInvoke(output_room_); !s.ok()) return s;
    return FinishTensors(context);
  });
}

absl::Status GlesKernel::FinishTensors(TfLiteContext* context) {
  for (const ConstantOutput& constant : constant_outputs_) {
    if (auto s = constant.CopyTo(MemoryOf(context->tensors[constant.index()]));
        !s.ok())
      return s;
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    TfLiteTensor& tensor = context->tensors[output_tensors_[i]];
    if (bound_.outputs[i].is_bound()) {
      // TFLite, or the app, has it copied (CopyFromHandle).
      if (handles_.Of(output_tensors_[i]) != nullptr) {
        tensor.data_is_stale = true;
      }
      continue;
    }
    outputs_[i].Finish(MemoryOf(tensor));
  }
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (!graph_.tensor(graph_.inputs[i]).is_variable) continue;
    MarkStateOnGpu(MemoryOf(context->tensors[input_tensors_[i]]));
  }
  has_state_ = true;
  return absl::OkStatus();
}

}  // namespace gles_delegate

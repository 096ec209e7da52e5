// The part of Validator that tracks host accesses and copies.
#include "delegate/runtime/validator.h"

namespace gles_delegate {

void Validator::HostWrote(int resource, Range range, TensorId tensor) {
  Memory& memory = memories_[resource];
  for (const Event& event : memory.events) {
    if (!Overlap(event.range, range)) continue;
    if (event.time >= completed_) {
      Violation("the host", "writes", memory, tensor,
                "a fence after the GPU's last access was waited for");
    } else if (event.write && event.by == By::kShader &&
               !BarrierBetween(event.time, completed_,
                               GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT_EXT)) {
      Violation("the host", "writes", memory, tensor,
                "GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT_EXT stands between a "
                "shader's store and the fence");
    }
  }
  Forget(range, &memory);
  memory.written.push_back(range);
  if (tensor != kNoTensor) Store(tensor, &memory);
}

void Validator::HostReads(int resource, Range range, TensorId tensor) {
  Memory& memory = memories_[resource];
  if (tensor != kNoTensor ? !Holds(memory, tensor)
                          : !IsWritten(memory, range)) {
    Violation("the host", "reads", memory, tensor,
              "what is read was written in this Invoke");
  }
  for (const Event& event : memory.events) {
    if (!event.write || !Overlap(event.range, range)) continue;
    if (event.time >= completed_ ||
        !BarrierBetween(event.time, completed_,
                        GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT_EXT)) {
      Violation("the host", "reads", memory, tensor,
                "GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT_EXT and then a fence that "
                "was waited for stand after a shader's store");
    }
  }
}

void Validator::AppWrote(int resource, TensorId tensor) {
  Store(tensor, &memories_[resource]);
}

void Validator::CheckWritten(absl::string_view who, const Memory& memory,
                             const Range& range) {
  if (IsWritten(memory, range)) return;
  Violation(who, "reads", memory, kNoTensor,
            "what is read was written in this Invoke");
}

void Validator::CheckUpdateBarrier(absl::string_view who,
                                   absl::string_view does, const Memory& memory,
                                   const Range& range) {
  for (const Event& event : memory.events) {
    if (!event.write || event.by != By::kShader ||
        !Overlap(event.range, range) ||
        BarrierBetween(event.time, now_, GL_BUFFER_UPDATE_BARRIER_BIT)) {
      continue;
    }
    Violation(who, does, memory, kNoTensor,
              "GL_BUFFER_UPDATE_BARRIER_BIT stands after a shader's store");
  }
}

void Validator::Uploaded(int resource, Range range) {
  Memory& memory = memories_[resource];
  CheckUpdateBarrier("an upload", "writes", memory, range);
  ++now_;
  Forget(range, &memory);
  memory.written.push_back(range);
}

void Validator::ReadsBack(int resource, Range range) {
  Memory& memory = memories_[resource];
  CheckWritten("a readback", memory, range);
  CheckUpdateBarrier("a readback", "reads", memory, range);
  ++now_;
}

void Validator::Copied(int from, int to, Range range) {
  Memory& source = memories_[from];
  Memory& target = memories_[to];
  CheckWritten("a copy between buffers", source, range);
  CheckUpdateBarrier("a copy between buffers", "writes", target, range);
  const uint64_t time = now_++;
  source.events.push_back({time, By::kCopy, false, kNoTensor, range});
  target.events.push_back({time, By::kCopy, true, kNoTensor, range});
  target.written.push_back(range);
}

}  // namespace gles_delegate

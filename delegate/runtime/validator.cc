#include "delegate/runtime/validator.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "egl/process.h"

namespace gles_delegate {
namespace {

absl::string_view NameOf(AccessKind kind) {
  switch (kind) {
    case AccessKind::kSampler:
      return "GL_TEXTURE_FETCH_BARRIER_BIT";
    case AccessKind::kImage:
      return "GL_SHADER_IMAGE_ACCESS_BARRIER_BIT";
    case AccessKind::kBuffer:
      return "GL_SHADER_STORAGE_BARRIER_BIT";
  }
  return "";
}

}  // namespace

bool ValidationIsOn() { return egl::DebugHas("validate"); }

Validator::Validator(const Graph& graph) {
  for (size_t id = 0; id < graph.tensors.size(); ++id) {
    const Tensor& tensor = graph.tensors[id];
    const TensorId of = tensor.view.of;
    const auto self = static_cast<TensorId>(id);
    tensors_.push_back({tensor.ToString(),
                        of == kNoTensor ? self : of,
                        tensor.view.IsWritten(),
                        tensor.is_variable,
                        {}});
  }
  for (size_t id = 0; id < tensors_.size(); ++id) {
    const TensorId memory = tensors_[id].memory;
    if (memory == static_cast<TensorId>(id) || !tensors_[id].is_written) {
      continue;
    }
    tensors_[memory].views.push_back(static_cast<TensorId>(id));
  }
}

int Validator::AddResource(std::string name) {
  memories_.emplace_back();
  memories_.back().name = std::move(name);
  return static_cast<int>(memories_.size()) - 1;
}

int Validator::AddCommand(Command command) {
  commands_.push_back(std::move(command));
  return static_cast<int>(commands_.size()) - 1;
}

bool Validator::Overlap(const Range& a, const Range& b) {
  return a.begin < b.end && b.begin < a.end;
}

bool Validator::LieApart(TensorId a, TensorId b) const {
  if (a == b || a == kNoTensor || b == kNoTensor) return false;
  const TensorId whole = tensors_[a].memory;
  return whole == tensors_[b].memory && whole != a && whole != b;
}

bool Validator::BarrierBetween(uint64_t after, uint64_t before,
                               GLbitfield bit) const {
  for (auto it = barriers_.rbegin(); it != barriers_.rend(); ++it) {
    if (it->first <= after) return false;
    if (it->first < before && (it->second & bit) != 0) return true;
  }
  return false;
}

// True if the touch may conflict with a shader's access to the same bytes
// without a barrier in between.
bool Validator::IsUnordered(const Event& event, const Touch& touch) const {
  return event.by == By::kShader && Overlap(event.range, touch.range) &&
         !BarrierBetween(event.time, now_, BarrierBit(touch.kind));
}

// Drops the events that are complete: nothing has to wait for them any more. Of
// each resource the last store stays, as the barrier that makes it visible may
// be still to come.
void Validator::BeginInvoke() {
  ++invoke_;
  fences_.clear();
  fences_waited_ = 0;
  for (Memory& memory : memories_) {
    memory.written.clear();
    Event last;  // store
    std::vector<Event> open;
    for (const Event& event : memory.events) {
      // Events from before the last Invoke were looked at throughout that
      // Invoke. They are dropped, too: without fences no event is ever known to
      // be complete.
      const bool old = event.time < completed_ || event.time < invoke_begin_;
      if (!old) open.push_back(event);
      if (event.write && old) last = event;
    }
    last.range = Range();
    if (last.time != 0) open.insert(open.begin(), last);
    memory.events = std::move(open);
  }
  invoke_begin_ = now_;
  uint64_t oldest = now_;
  for (const Memory& memory : memories_) {
    for (const Event& event : memory.events) {
      oldest = std::min(oldest, event.time);
    }
  }
  barriers_.erase(
      std::remove_if(barriers_.begin(), barriers_.end(),
                     [oldest](const auto& b) { return b.first < oldest; }),
      barriers_.end());
}

void Validator::Barrier(GLbitfield bits) {
  barriers_.emplace_back(now_++, bits);
}

void Validator::FenceInserted() { fences_.push_back(now_++); }

void Validator::FenceWaited() {
  if (fences_waited_ >= fences_.size()) return;
  completed_ = std::max(completed_, fences_[fences_waited_++]);
}

void Validator::Finished() {
  completed_ = now_++;
  fences_waited_ = fences_.size();  // no one has to wait for them any more
}

void Validator::Violation(absl::string_view who, absl::string_view does,
                          const Memory& memory, TensorId tensor,
                          absl::string_view rule) {
  if (!status_.ok()) return;
  status_ = absl::InternalError(absl::StrCat(
      "validation: ", who, " ", does, " ",
      tensor == kNoTensor ? "" : absl::StrCat(tensors_[tensor].name, " in "),
      memory.name, "; rule: ", rule));
}

bool Validator::IsCovered(const std::vector<Range>& pieces,
                          const Range& range) {
  // All of `range` below `until` is.
  size_t until = range.begin;
  for (bool grown = true; grown && until < range.end;) {
    grown = false;
    for (const Range& piece : pieces) {
      if (piece.begin > until || piece.end <= until) continue;
      until = piece.end;
      grown = true;
    }
  }
  return until >= range.end;
}

bool Validator::Holds(const Memory& memory, TensorId tensor) const {
  const TensorId owner = tensors_[tensor].memory;
  if (memory.holds != owner) return false;
  const bool now = memory.invoke == invoke_ || tensors_[owner].is_variable;
  if (!now) return false;
  if (memory.parts.count(owner) != 0 || memory.parts.count(tensor) != 0) {
    return true;
  }
  // A tensor with views is complete when all of its views are written, and so
  // are views that are only read.
  const TensorId whole = tensors_[tensor].is_written ? tensor : owner;
  const std::vector<TensorId>& views = tensors_[whole].views;
  return !views.empty() && absl::c_all_of(views, [&](TensorId view) {
    return memory.parts.count(view) != 0;
  });
}

void Validator::Occupy(TensorId owner, Memory* memory) {
  if (memory->holds != owner ||
      (memory->invoke != invoke_ && !tensors_[owner].is_variable)) {
    memory->parts.clear();
  }
  memory->holds = owner;
  memory->invoke = invoke_;
}

void Validator::Store(TensorId tensor, Memory* memory) {
  Occupy(tensors_[tensor].memory, memory);
  memory->parts.insert(tensor);
}

void Validator::CheckRead(const Command& command, const Touch& touch) {
  Memory& memory = memories_[touch.resource];
  if (touch.tensor != kNoTensor ? !Holds(memory, touch.tensor)
                                : !IsWritten(memory, touch.range)) {
    const std::string rule = absl::StrCat(
        "what is read was written before, and not overwritten since",
        memory.holds == kNoTensor
            ? ""
            : absl::StrCat(" (it holds ", tensors_[memory.holds].name, ")"));
    Violation(command.label, "reads", memory, touch.tensor, rule);
  }
  for (const Event& event : memory.events) {
    if (!event.write || !IsUnordered(event, touch)) continue;
    Violation(command.label, "reads", memory, touch.tensor,
              absl::StrCat("a barrier with ", NameOf(touch.kind),
                           " stands between a shader's store and the load"));
  }
}

void Validator::CheckWrite(const Command& command, const Touch& touch) {
  Memory& memory = memories_[touch.resource];
  for (const Event& event : memory.events) {
    // Pieces of one upload are disjoint.
    if (command.continues && event.write && event.tensor == touch.tensor) {
      continue;
    }
    if (event.write && LieApart(event.tensor, touch.tensor)) continue;
    if (event.time < completed_ || !IsUnordered(event, touch)) continue;
    Violation(command.label, "writes", memory, touch.tensor,
              absl::StrCat("a barrier with ", NameOf(touch.kind),
                           " stands between an earlier access and the store"));
  }
}

void Validator::Dispatched(int index) {
  const Command& command = commands_[index];
  for (const Touch& touch : command.touches) {
    if (touch.write) {
      CheckWrite(command, touch);
    } else {
      CheckRead(command, touch);
    }
  }
  const uint64_t time = now_++;
  for (const Touch& touch : command.touches) {
    Memory& memory = memories_[touch.resource];
    // An access that waits for this store waits for all that came before the
    // store: earlier events need not be kept.
    if (touch.write && touch.tensor != kNoTensor && !command.continues) {
      memory.events.erase(
          std::remove_if(memory.events.begin(), memory.events.end(),
                         [&](const Event& e) {
                           return e.time < time &&
                                  Contains(touch.range, e.range) &&
                                  !LieApart(e.tensor, touch.tensor);
                         }),
          memory.events.end());
    }
    memory.events.push_back(
        {time, By::kShader, touch.write, touch.tensor, touch.range});
    if (!touch.write) continue;
    if (touch.tensor == kNoTensor) {
      memory.written.push_back(touch.range);
    } else if (command.pieces_left == 0) {
      Store(touch.tensor, &memory);
    }
  }
}

void Validator::Forget(const Range& range, Memory* memory) {
  auto& events = memory->events;
  events.erase(std::remove_if(events.begin(), events.end(),
                              [&range](const Event& event) {
                                return Contains(range, event.range);
                              }),
               events.end());
}

absl::Status Validator::Rehearse(absl::Span<const GLbitfield> barriers) {
  Validator rehearsal = *this;
  rehearsal.BeginInvoke();
  for (const auto& [resource, tensor] : brought_) {
    rehearsal.Store(tensor, &rehearsal.memories_[resource]);
  }
  for (size_t i = 0; i < rehearsal.commands_.size(); ++i) {
    // Assume the host's data is present.
    for (const Touch& touch : rehearsal.commands_[i].touches) {
      if (touch.write || touch.tensor != kNoTensor) continue;
      rehearsal.memories_[touch.resource].written.push_back(touch.range);
    }
    if (barriers[i] != 0) rehearsal.Barrier(barriers[i]);
    rehearsal.Dispatched(static_cast<int>(i));
  }
  return rehearsal.status_;
}

// --- Host accesses and copies ------------------------------------------------

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

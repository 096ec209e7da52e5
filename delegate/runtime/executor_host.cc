// The part of Executor that moves inputs and outputs between the host's tensors
// and the buffers that uploads read and readbacks write.
#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "delegate/runtime/executor.h"

namespace gles_delegate {

using egl::gl;

namespace {

// Of one piece of a staged transfer. Each piece costs a submission, so that
// smaller pieces cost more; the bus is idle while the host copies the first
// piece, so that larger pieces leave it idle longer.
constexpr size_t kStagedPieceBytes = 512 << 10;

}  // namespace

absl::Status Executor::CopyIn(const Piece& piece, Inputs inputs) {
  return parts_.inputs[piece.index].CopyIn(inputs[piece.index], piece.begin,
                                           piece.end, &copier_);
}

absl::Status Executor::CopyOut(const Piece& piece, Outputs outputs) {
  return parts_.outputs[piece.index].CopyOut(outputs[piece.index], piece.begin,
                                             piece.end, &copier_);
}

void Executor::RecordInPieces(size_t first, size_t end,
                              absl::Span<const uint8_t> from, GLuint* program) {
  // The GPU begins with a piece while the host copies the next one.
  HostTransfer& input = parts_.inputs[parts_.commands[first].piece.index];
  if (input.Holds(from)) {  // nothing to copy, and no piece to wait for
    for (size_t i = 0; i < input.Chunks(); ++i) input.ChunkFilled(i);
    input.CopyToStaging(0, input.bytes());
    for (size_t i = first; i < end; ++i) Record(parts_.commands[i], program);
    return;
  }
  size_t sent = 0;      // bytes, to the staging buffer
  size_t next = first;  // upload
  const auto send = [&](size_t copied) {
    if (input.is_staged()) {
      const bool all = copied == input.bytes();
      if (!all && copied - sent < kStagedPieceBytes) return;
      input.CopyToStaging(sent, copied);
      sent = copied;
      if (!all) gl().Flush();
      return;
    }
    while (next < end && parts_.commands[next].piece.end <= copied) {
      Record(parts_.commands[next++], program);
      if (next < end) gl().Flush();
    }
  };
  copier_.InOrder(
      egl::HostCopier::ThreadsFor(from.size()), input.Chunks(),
      [&](size_t chunk) { input.FillChunk(from, chunk); },
      [&](size_t chunk) {
        input.ChunkFilled(chunk);
        send(input.ChunkEnd(chunk));
      });
  // One upload unpacks everything in the staging buffer.
  for (; next < end; ++next) Record(parts_.commands[next], program);
}

absl::Status Executor::RecordUploads(Inputs inputs, GLuint* program) {
  for (size_t i = 0; i < uploads_end();) {
    const int index = parts_.commands[i].piece.index;
    size_t end = i + 1;
    while (end < uploads_end() && parts_.commands[end].piece.index == index) {
      ++end;
    }
    if (skip_[index]) {  // a state that stays on the GPU
      i = end;
      continue;
    }
    const HostTransfer& input = parts_.inputs[index];
    if (input.stays_mapped() && (end > i + 1 || input.is_staged())) {
      RecordInPieces(i, end, inputs[index], program);
      i = end;
      continue;
    }
    for (; i < end; ++i) {
      RETURN_IF_ERROR(CopyIn(parts_.commands[i].piece, inputs));
      Record(parts_.commands[i], program);
    }
  }
  return absl::OkStatus();
}

absl::Status Executor::InsertFence() {
  Barrier(parts_.final_barrier);
  ASSIGN_OR_RETURN(auto fence, egl::Fence::Insert());
  if (validator() != nullptr) validator()->FenceInserted();
  fences_.push_back(std::move(fence));
  return absl::OkStatus();
}

absl::Status Executor::RecordReadbacks(GLuint* program) {
  fences_.clear();
  for (size_t i = readbacks_begin(); i < parts_.commands.size(); ++i) {
    Record(parts_.commands[i], program);
    if (!parts_.commands[i].piece.fenced) continue;
    RETURN_IF_ERROR(InsertFence());
    if (i + 1 < parts_.commands.size()) gl().Flush();
  }
  // Outputs unpacked by the host have no readback.
  if (!fences_.empty() || parts_.commands.empty()) return absl::OkStatus();
  return InsertFence();
}

absl::Status Executor::Await(const egl::Fence& fence) {
  if (validator() != nullptr) validator()->FenceWaited();
  RETURN_IF_ERROR(fence.Wait(waiting_));
  return CheckResults();
}

void Executor::PackInputs(Inputs inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!parts_.inputs[i].is_packed_by_host() || skip_[i]) continue;
    parts_.inputs[i].Pack(inputs[i]);
  }
}

void Executor::UnpackOutputs(Outputs outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!parts_.outputs[i].is_packed_by_host()) continue;
    parts_.outputs[i].Unpack(outputs[i]);
  }
}

absl::Status Executor::AwaitLast() {
  // GL itself orders transfers that are bound at both ends.
  const bool host_writes =
      std::any_of(parts_.inputs.begin(), parts_.inputs.end(),
                  [](const HostTransfer& input) { return !input.is_bound(); });
  if (host_writes) {
    for (const egl::Fence& fence : fences_) {
      RETURN_IF_ERROR(Await(fence));
    }
  }
  fences_.clear();
  return absl::OkStatus();
}

absl::Status Executor::FinishReadbacks(Outputs outputs) {
  for (const egl::Fence& fence : fences_) {
    RETURN_IF_ERROR(Await(fence));
  }
  fences_.clear();
  for (size_t i = readbacks_begin(); i < parts_.commands.size();) {
    // The pieces of an output follow one another: they are copied as a whole.
    Piece whole = parts_.commands[i].piece;
    for (++i; i < parts_.commands.size() &&
              parts_.commands[i].piece.index == whole.index;
         ++i) {
      whole.end = parts_.commands[i].piece.end;
    }
    RETURN_IF_ERROR(CopyOut(whole, outputs));
  }
  return absl::OkStatus();
}

}  // namespace gles_delegate

// The part of Executor that moves inputs and outputs between the host's tensors
// and the buffers that uploads read and readbacks write.
#include <algorithm>
#include <cstring>
#include <utility>

#include "delegate/graph/texels.h"
#include "delegate/runtime/executor.h"
#include "quant/half.h"

namespace gles_delegate {

using egl::gl;

namespace {

// Pieces of a staged transfer: smaller ones pay for being submitted, larger
// ones leave the bus idle while the first is copied (docs/performance.md).
constexpr size_t kStagedPieceBytes = 512 << 10;
// Of an active wait: polling saves a few microseconds over sleeping in the
// driver; an inference that takes longer than this is not worth a busy core.
constexpr int kSpinUs = 2000;
// What a thread copies at a time, of the host's tensor.
constexpr size_t kChunkBytes = 64 << 10;

// Of a tensor's bytes, for each that the buffer holds of it.
size_t Widening(bool halves) { return halves ? 2 : 1; }

}  // namespace

void Executor::FillHost(const HostBuffer& input, absl::Span<const uint8_t> from,
                        size_t begin, size_t end) {
  uint8_t* to = input.buffer.mapped() + begin;
  const uint8_t* source = from.data() + begin * Widening(input.halves);
  if (input.halves) {
    FloatsToHalves(source, to, (end - begin) / sizeof(uint16_t));
  } else {
    egl::StreamCopy(to, source, end - begin);
  }
}

void Executor::TakeFromHost(const HostBuffer& output, absl::Span<uint8_t> to,
                            size_t begin, size_t end) {
  const uint8_t* from = output.buffer.mapped() + begin;
  uint8_t* target = to.data() + begin * Widening(output.halves);
  if (output.halves) {
    HalvesToFloats(from, target, (end - begin) / sizeof(uint16_t));
  } else {
    std::memcpy(target, from, end - begin);
  }
}

void Executor::MoveToStaging(const Piece& piece) {
  const HostBuffer& input = inputs_[piece.tensor];
  if (!input.is_staged()) return;
  gl().BindBuffer(GL_COPY_READ_BUFFER, input.buffer.id());
  gl().BindBuffer(GL_COPY_WRITE_BUFFER, input.staging.id());
  gl().CopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER,
                         static_cast<GLintptr>(piece.begin),
                         static_cast<GLintptr>(piece.begin),
                         static_cast<GLsizeiptr>(piece.end - piece.begin));
  if (validator_ != nullptr) {
    validator_->Copied(input.resource, input.staging_resource,
                       {piece.begin, piece.end});
  }
}

absl::Status Executor::CopyIn(const Piece& piece, Inputs inputs) {
  HostBuffer& input = inputs_[piece.tensor];
  const auto from = inputs[piece.tensor];
  if (!mapped_) {
    if (validator_ != nullptr) {
      validator_->Uploaded(input.resource, {piece.begin, piece.end});
    }
    return input.buffer.Upload(
        piece.begin, from.subspan(piece.begin, piece.end - piece.begin));
  }
  if (validator_ != nullptr) {
    validator_->HostWrote(input.resource, {piece.begin, piece.end});
  }
  FillHost(input, from, piece.begin, piece.end);
  MoveToStaging(piece);
  return absl::OkStatus();
}

absl::Status Executor::CopyOut(const Piece& piece, Outputs outputs) {
  const HostBuffer& output = outputs_[piece.tensor];
  const auto to = outputs[piece.tensor];
  const size_t bytes = piece.end - piece.begin;
  if (!mapped_) {
    if (validator_ != nullptr) {
      validator_->ReadsBack(output.resource, {piece.begin, piece.end});
    }
    return output.buffer.Read(piece.begin, to.subspan(piece.begin, bytes));
  }
  if (validator_ != nullptr) {
    validator_->HostReads(output.resource, {piece.begin, piece.end});
  }
  const size_t chunk_bytes = kChunkBytes / Widening(output.halves);
  copier_.InOrder(
      egl::HostCopier::ThreadsFor(bytes * Widening(output.halves)),
      (bytes + chunk_bytes - 1) / chunk_bytes,
      [&](size_t chunk) {
        const size_t begin = piece.begin + chunk * chunk_bytes;
        TakeFromHost(output, to, begin,
                     std::min(piece.end, begin + chunk_bytes));
      },
      [](size_t) {});
  return absl::OkStatus();
}

void Executor::RecordInPieces(size_t first, size_t end,
                              absl::Span<const uint8_t> from, GLuint* program) {
  // The GPU begins with a piece while the next one is copied.
  const HostBuffer& input = inputs_[commands_[first].piece.tensor];
  const int tensor = commands_[first].piece.tensor;
  const bool staged = input.is_staged();
  const size_t chunk_bytes = kChunkBytes / Widening(input.halves);
  size_t sent = 0;      // bytes, to the staging buffer
  size_t next = first;  // upload
  const auto send = [&](size_t copied) {
    if (staged) {
      const bool all = copied == input.bytes;
      if (!all && copied - sent < kStagedPieceBytes) return;
      MoveToStaging({tensor, sent, copied});
      sent = copied;
      if (!all) gl().Flush();
      return;
    }
    while (next < end && commands_[next].piece.end <= copied) {
      Record(commands_[next++], program);
      if (next < end) gl().Flush();
    }
  };
  copier_.InOrder(
      egl::HostCopier::ThreadsFor(from.size()),
      (input.bytes + chunk_bytes - 1) / chunk_bytes,
      [&](size_t chunk) {
        const size_t at = chunk * chunk_bytes;
        FillHost(input, from, at, std::min(input.bytes, at + chunk_bytes));
      },
      [&](size_t chunk) {
        const size_t copied = std::min(input.bytes, (chunk + 1) * chunk_bytes);
        if (validator_ != nullptr) {
          validator_->HostWrote(input.resource, {chunk * chunk_bytes, copied});
        }
        send(copied);
      });
  // What was staged is unpacked from there, by one upload.
  for (; next < end; ++next) Record(commands_[next], program);
}

absl::Status Executor::RecordUploads(Inputs inputs, GLuint* program) {
  for (size_t i = 0; i < uploads_end();) {
    const int tensor = commands_[i].piece.tensor;
    size_t end = i + 1;
    while (end < uploads_end() && commands_[end].piece.tensor == tensor) ++end;
    if (skip_[tensor]) {  // a state that stays on the GPU
      i = end;
      continue;
    }
    if (mapped_ && (end > i + 1 || inputs_[tensor].is_staged())) {
      RecordInPieces(i, end, inputs[tensor], program);
      i = end;
      continue;
    }
    for (; i < end; ++i) {
      if (auto s = CopyIn(commands_[i].piece, inputs); !s.ok()) return s;
      Record(commands_[i], program);
    }
  }
  return absl::OkStatus();
}

absl::Status Executor::RecordReadbacks(GLuint* program) {
  fences_.clear();
  for (size_t i = readbacks_begin(); i < commands_.size(); ++i) {
    Record(commands_[i], program);
    if (!commands_[i].piece.fenced) continue;
    Barrier(final_barrier_);
    if (!mapped_) continue;
    auto fence = egl::Fence::Insert();
    if (!fence.ok()) return fence.status();
    if (validator_ != nullptr) validator_->FenceInserted();
    fences_.push_back(*std::move(fence));
    if (i + 1 < commands_.size()) gl().Flush();
  }
  return absl::OkStatus();
}

absl::Status Executor::Await(const egl::Fence& fence) {
  if (validator_ != nullptr) validator_->FenceWaited();
  return fence.Wait(waits_actively_ ? kSpinUs : 0);
}

void Executor::PackInputs(Inputs inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const HostBuffer& to = inputs_[i];
    if (to.texels == nullptr || skip_[i]) continue;
    if (validator_ != nullptr) {
      validator_->HostWrote(to.resource, {}, to.tensor);
    }
    HostToTexels(inputs[i].data(), to.shape, to.texels);
  }
}

bool Executor::AnyPacked(const std::vector<HostBuffer>& buffers) {
  return std::any_of(buffers.begin(), buffers.end(),
                     [](const HostBuffer& b) { return b.texels != nullptr; });
}

absl::Status Executor::UnpackOutputs(Outputs outputs) {
  if (!AnyPacked(outputs_)) return absl::OkStatus();
  Barrier(GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT_EXT);
  auto fence = egl::Fence::Insert();
  if (!fence.ok()) return fence.status();
  if (validator_ != nullptr) validator_->FenceInserted();
  if (auto s = Await(*fence); !s.ok()) return s;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const HostBuffer& from = outputs_[i];
    if (from.texels == nullptr) continue;
    if (validator_ != nullptr) {
      validator_->HostReads(from.resource, {}, from.tensor);
    }
    TexelsToHost(from.texels, from.shape, outputs[i].data());
  }
  return absl::OkStatus();
}

absl::Status Executor::FinishReadbacks(Outputs outputs) {
  size_t ready = readbacks_begin();  // the first that is not copied
  size_t fence = 0;
  for (size_t i = ready; i < commands_.size(); ++i) {
    if (!commands_[i].piece.fenced) continue;
    if (mapped_) {
      if (auto s = Await(fences_[fence++]); !s.ok()) return s;
    }
    for (; ready <= i; ++ready) {
      if (auto s = CopyOut(commands_[ready].piece, outputs); !s.ok()) return s;
    }
  }
  fences_.clear();
  return absl::OkStatus();
}

}  // namespace gles_delegate

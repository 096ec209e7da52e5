// One input or output of a partition.
#ifndef GLES_DELEGATE_DELEGATE_SESSION_IO_SLOT_H_
#define GLES_DELEGATE_DELEGATE_SESSION_IO_SLOT_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "delegate/graph/graph.h"
#include "delegate/session/app_object.h"
#include "delegate/session/host_memory.h"
#include "delegate/session/host_tensor.h"

namespace gles_delegate {

// The values of an inference are in one of three places:
//   an app's object   `object` is set: the app's own, or the buffer that is the
//                     tensor's handle in the runtime
//   a state           on the GPU between inferences; `memory` has a mark
//                     (state_mark.h), or the values of a new state
//   host memory       `memory`: the runtime's, or memory that the GPU accesses
//                     directly (LentMemory)
// An output that is constant has no slot (constant_output.h).
class IoSlot {
 public:
  // `tensor` as the graph has it; the runtime has it at `index`.
  IoSlot(const Tensor& tensor, int index);

  // Set before each inference; an object also before Session::Prepare(), and
  // if it changes, with Session::NoteObjects().
  HostMemory memory;
  std::optional<AppObject> object;

  int index() const { return index_; }
  bool is_state() const { return is_state_; }
  // Whether the executor's values differ from the runtime's.
  bool converts() const { return host_.converts(); }

  // The values of an input for the executor, valid until the next call; empty
  // for a state that stays on the GPU. `gpu_has_state`: the executor has the
  // one of an earlier inference; a state that is lost starts at zero. Errors as
  // HostTensor::Read().
  absl::StatusOr<absl::Span<const uint8_t>> Read(bool gpu_has_state);
  // The memory for an output of the executor. Errors as HostTensor::Room().
  absl::StatusOr<absl::Span<uint8_t>> Room() { return host_.Room(memory); }
  // After the inference: converts an output, and marks a state.
  void FinishOutput() const { host_.Finish(memory); }
  void FinishInput() const;

 private:
  int index_;
  bool is_state_;
  HostTensor host_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_SESSION_IO_SLOT_H_

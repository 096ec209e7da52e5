// How one input or output of a partition travels between the host's tensor and
// the GPU.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_HOST_TRANSFER_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_HOST_TRANSFER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/runtime/copied_output.h"
#include "delegate/runtime/object_form.h"
#include "delegate/runtime/validator.h"
#include "egl/host_copy.h"
#include "egl/objects.h"

namespace gles_delegate {

// Bytes an element of an input or output takes in what Executor::Invoke is
// given.
int64_t HostElementBytes(const Tensor& tensor);

// One input or output, and the memory through which it travels. The constructor
// chooses way and element from tensor, profile and driver; then the memory is
// made (Allocate, or UseTensorMemory where the way is kPackedByHost); then each
// Invoke copies. The host's tensor is BHWC, tightly packed.
// Threads: like egl::Buffer, inside the context's Run().
class HostTransfer {
 public:
  enum class Direction { kUpload, kReadback };

  // Which memory the host reaches, and who rearranges between the host's order
  // and the tensor's texels.
  enum class Way {
    // The tensor's own buffer stays mapped, and the host packs or unpacks its
    // texels. There is no dispatch (DeviceChoices::host_transfers and
    // host_output_bytes).
    kPackedByHost,
    // A buffer in the host's order stays mapped. A dispatch reads or writes it.
    kMapped,
    // Of uploads: as kMapped, but the GPU copies the mapped buffer to a staging
    // buffer in its own memory, and the dispatch reads the staging buffer
    // (DeviceChoices::staged_upload_bytes).
    kStaged,
    // A buffer in the host's order that does not stay mapped, for lack of
    // GL_EXT_buffer_storage. Each Invoke uploads or reads it by calls of GL.
    kUnmapped,
    // A texture or buffer of the app's. A dispatch reads or writes it; nothing
    // is copied, and the host's tensor is not touched.
    kBound,
  };

  // What an element is in the buffer.
  enum class Element {
    kWord,  // float32 or int32, as in the host's tensor
    // float16 of the host's float32 (DeviceChoices::half_transfers); never with
    // zero_copy
    kHalf,
    kCode,  // a byte, as in the host's tensor; in a tensor's texels uint8 is
            // less 128
  };

  // `can_map`: buffers can stay mapped (egl::Buffer::CanBeMapped). `object`:
  // where it is of any kind, the way is kBound. `in_parts`: the parts of its
  // batch go by themselves (batch_parts.h). Where the way is kStaged, the first
  // one is staged, and the others are read where the host has them.
  HostTransfer(Direction direction, TensorId id, const Tensor& tensor,
               const DeviceProfile& profile, bool can_map,
               const ObjectForm& object = {}, bool in_parts = false);

  Direction direction() const { return direction_; }
  bool is_upload() const { return direction_ == Direction::kUpload; }
  Way way() const { return way_; }
  Element element() const { return element_; }
  bool is_packed_by_host() const { return way_ == Way::kPackedByHost; }
  bool is_staged() const { return way_ == Way::kStaged; }
  bool is_bound() const { return way_ == Way::kBound; }
  bool is_in_parts() const { return is_in_parts_; }
  const ObjectForm& object() const { return object_; }
  // The buffer in the host's order stays mapped.
  bool stays_mapped() const { return way_ == Way::kMapped || is_staged(); }

  TensorId tensor() const { return tensor_; }
  const Shape& shape() const { return shape_; }
  // Bytes of the buffer, without its padding.
  size_t bytes() const { return bytes_; }

  // How many dispatches share the transfer, where `steps` steps of the grid
  // follow each other in memory (0: none do). 1: the transfer goes as a whole.
  int64_t Pieces(int64_t steps) const;

  // Makes the buffers of every way but kPackedByHost; of kBound, what is copied
  // to the object. `memory`, the HostMemory() of another transfer of the same
  // tensor, is used in place of a buffer of its own, where this one can have
  // the host's tensor lie there; it may be nullptr. kResourceExhausted, with
  // the sizes, past the profile's max_buffer_bytes. kFailedPrecondition: the
  // driver cannot copy to the object.
  absl::Status Allocate(const DeviceProfile& profile,
                        std::shared_ptr<egl::Buffer> memory = nullptr);
  // Bytes of GPU memory that Allocate() takes.
  int64_t gpu_bytes() const;
  // For kPackedByHost: the tensor's texels, mapped for as long as this lives,
  // and the tensor's slot, by the validator's count.
  void UseTensorMemory(uint8_t* texels, int slot);
  // The mapped memory in which the host's tensor itself may lie: bytes() of it
  // and what pads it. Then nothing is copied between the two. It stays mapped
  // for as long as somebody holds it. nullptr where DeviceChoices::zero_copy is
  // 0, or the way is neither kMapped nor kStaged.
  std::shared_ptr<egl::Buffer> HostMemory() const;
  // Whether the host's tensor lies there. Only of what stays mapped.
  bool Holds(absl::Span<const uint8_t> tensor) const {
    return tensor.data() == buffer_->mapped();
  }
  // For kBound, before each Invoke that uses another one: the name of the app's
  // object, which has the form object() (a buffer: at least bytes() bytes).
  void UseObject(GLuint name) { bound_ = name; }
  // From here on `validator`, which outlives this, is told of each copy.
  void TellValidator(Validator* validator);

  // What the dispatch binds that moves what begins at byte `begin`, and the
  // validator's id of that.
  GLuint shader_object(size_t begin = 0) const {
    if (object_.is_copied) return copied_.texture();
    if (is_bound()) return bound_;
    return Stages(begin) ? staging_.id() : buffer_->id();
  }
  int shader_resource(size_t begin = 0) const {
    return Stages(begin) ? staging_resource_ : resource_;
  }

  // --- Of Invoke ---

  // kPackedByHost: from and to the whole of the host's tensor.
  void Pack(absl::Span<const uint8_t> from) const;
  void Unpack(absl::Span<uint8_t> to) const;

  // kBound: what the app has written is there.
  void BringBound() const;
  // After the dispatch of an output whose object is one that is copied to.
  void CopyToObject() const { copied_.CopyTo(bound_); }

  // Bytes [begin, end) of the buffer, for the dispatch to read; `from`: the
  // whole of the host's tensor. Nothing happens for kBound, nor in CopyOut().
  absl::Status CopyIn(absl::Span<const uint8_t> from, size_t begin, size_t end,
                      egl::HostCopier* copier);
  // Bytes [begin, end) of the buffer, which the dispatch wrote and which a
  // fence was waited for (kUnmapped: the driver waits); `to`: the whole of the
  // host's tensor.
  absl::Status CopyOut(absl::Span<uint8_t> to, size_t begin, size_t end,
                       egl::HostCopier* copier);

  // For copies by several threads. Chunk `i` of the mapped buffer, from the
  // whole of the host's tensor; from any thread, no chunk twice at a time.
  size_t Chunks() const;
  void FillChunk(absl::Span<const uint8_t> from, size_t chunk);
  // The end of a chunk in the buffer, in bytes.
  size_t ChunkEnd(size_t chunk) const;
  // Tells the validator that a chunk was filled.
  void ChunkFilled(size_t chunk);
  // kStaged: the GPU copies bytes [begin, end) to the staging buffer. Nothing
  // happens on another way.
  void CopyToStaging(size_t begin, size_t end);

 private:
  // Whether what begins at this byte is staged.
  bool Stages(size_t begin) const {
    return is_staged() && (begin == 0 || !is_in_parts_);
  }
  // Bytes of the host's tensor for each byte of the buffer.
  size_t widening() const { return element_ == Element::kHalf ? 2 : 1; }
  size_t chunk_bytes() const;
  // Whole vec4s (ints of codes), and threes: uploads read so much at a time.
  size_t padded_bytes() const { return (bytes_ + 47) / 48 * 48; }
  void Fill(absl::Span<const uint8_t> from, size_t begin, size_t end);
  void Take(absl::Span<uint8_t> to, size_t begin, size_t end) const;
  // Copies bytes [begin, end) of the buffer by several threads where they are
  // many.
  void InChunks(size_t begin, size_t end, egl::HostCopier* copier,
                absl::FunctionRef<void(size_t begin, size_t end)> copy) const;

  Direction direction_;
  ObjectForm object_;  // of kBound
  bool is_in_parts_;
  Way way_;
  Element element_;
  TensorId tensor_;
  uint8_t turned_;  // of kCode: the bits in which texels differ from the host's
  Shape shape_;
  std::string name_;  // the tensor's, for errors
  size_t host_bytes_;
  size_t bytes_;
  bool is_zero_copy_;  // HostMemory() is buffer_
  int64_t
      piece_bytes_;  // of the host's tensor; 0: the transfer goes as a whole

  std::shared_ptr<egl::Buffer> buffer_;  // none for kPackedByHost and kBound
  GLuint bound_ = 0;                     // of kBound
  CopiedOutput copied_;             // of kBound, of an object that is copied to
  egl::Buffer staging_;             // of kStaged
  uint8_t* texels_ = nullptr;       // of kPackedByHost
  Validator* validator_ = nullptr;  // null: validation is off
  // The validator's ids of buffer_ (kPackedByHost: of the slot) and staging_.
  int resource_ = -1;
  int staging_resource_ = -1;
};

// HostTransfer::gpu_bytes() of all.
int64_t GpuBytes(absl::Span<const HostTransfer> transfers);
// True where the host packs or unpacks at least one of these.
bool AnyPackedByHost(absl::Span<const HostTransfer> transfers);
// True where at least one of these stays mapped in the host's order.
bool AnyStaysMapped(absl::Span<const HostTransfer> transfers);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_HOST_TRANSFER_H_

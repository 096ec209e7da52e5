// The transfer of one partition input or output between host and GPU.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_HOST_TRANSFER_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_HOST_TRANSFER_H_

#include <array>
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
#include "delegate/runtime/validator.h"
#include "egl/gl_api.h"
#include "egl/host_copy.h"
#include "egl/objects.h"

namespace gles_delegate {

// --- An app's texture or buffer ----------------------------------------------

// The properties that determine a transfer's program.
struct ObjectForm {
  enum class Kind { kNone, kBuffer, kTexture };
  enum class Layout {
    kBhwc,   // tightly packed
    kPhwc4,  // batch, slice, height, width, and four channels of the slice
  };
  enum class Element { kFloat32, kByte, kSignedByte };

  Kind kind = Kind::kNone;
  // A buffer of the tensor's floats in BHWC order, for which the usual programs
  // (upload.comp, readback.comp) work.
  bool is_plain = false;
  // A buffer with the same texels as the tensor's memory of 32-bit floats.
  bool holds_texels = false;
  Layout layout = Layout::kBhwc;        // of buffers
  Element element = Element::kFloat32;  // of buffers
  int channels = 0;                     // that the object holds of a pixel
  // For output textures: the format for stores.
  GLenum image_format = 0;
  // For output textures to which shaders cannot store: they store to the
  // delegate's own texture (HostTransfer), which GL copies.
  bool is_copied = false;
  bool is_external = false;  // a GL_TEXTURE_EXTERNAL_OES
  // All or part of a texture is resized to the input's height and width.
  bool is_resized = false;

  bool is_bound() const { return kind != Kind::kNone; }
  int slices() const { return (channels + 3) / 4; }
  bool operator==(const ObjectForm& o) const {
    return kind == o.kind && is_plain == o.is_plain &&
           holds_texels == o.holds_texels && layout == o.layout &&
           element == o.element && channels == o.channels &&
           image_format == o.image_format && is_copied == o.is_copied &&
           is_external == o.is_external && is_resized == o.is_resized;
  }
};

// Properties that may change between Invokes without another program.
struct ObjectScaling {
  // tensor value = scale * object value + bias. Textures of normalized formats
  // have values of 0 to 1.
  float scale = 1;
  float bias = 0;
  // x, y, width and height of the resized part, in pixels; width 0: all of it.
  std::array<float, 4> crop = {};

  bool operator==(const ObjectScaling& o) const {
    return scale == o.scale && bias == o.bias && crop == o.crop;
  }
};

// An object for an Invoke. The transfer's program was built for its form.
struct UsedObject {
  ObjectForm form;  // kNone: the tensor has no object
  GLuint name = 0;
  GLuint view = 0;  // of a buffer: a texture of its texels, if there is one
  ObjectScaling scaling;
};

// Bytes of a buffer of this form for a tensor of this shape, rounded up to
// words of four. 0 for textures.
int64_t ObjectBytes(const ObjectForm& form, const Shape& shape);

// Existing objects and memory of a graph's inputs and outputs, by position; may
// be empty.
struct BoundTransfers {
  // The forms of the app's objects.
  std::vector<ObjectForm> inputs;
  std::vector<ObjectForm> outputs;
  // Memory (HostTransfer::HostMemory) from an earlier executor of the graph in
  // which the host's tensors are placed, to be reused; nullptr: none.
  std::vector<std::shared_ptr<egl::Buffer>> input_memory;
  std::vector<std::shared_ptr<egl::Buffer>> output_memory;
};

// --- The transfer ------------------------------------------------------------

// Bytes per element of an input or output as passed to Executor::Invoke.
int64_t HostElementBytes(const Tensor& tensor);

// One input or output and its transfer memory. The constructor chooses way and
// element from tensor, profile and driver; Allocate (or UseTensorMemory for
// kPackedByHost) provides memory; then each Invoke copies. The host's tensor is
// packed BHWC. Threads: inside the context's Run(), as for egl::Buffer.
class HostTransfer {
 public:
  enum class Direction { kUpload, kReadback };

  // Which memory the host accesses, and where data is rearranged between the
  // host's order and texels.
  enum class Way {
    // The tensor's own buffer stays mapped, and the host packs or unpacks its
    // texels, without a dispatch (DeviceChoices::host_transfers and
    // host_output_bytes).
    kPackedByHost,
    // A mapped buffer in the host's order, which a dispatch reads or writes.
    kMapped,
    // For uploads: like kMapped, but the GPU copies the mapped buffer to a
    // staging buffer in its own memory, which the dispatch reads
    // (BusTransfers::staged_upload_bytes).
    kStaged,
    // A buffer in the host's order that cannot stay mapped, for lack of
    // GL_EXT_buffer_storage. Each Invoke uploads or reads it by GL calls.
    kUnmapped,
    // An app's texture or buffer, which a dispatch reads or writes; the host's
    // tensor is not accessed.
    kBound,
    // For readbacks: an app's buffer that is the tensor's own memory
    // (BoundCache), without a dispatch.
    kBoundMemory,
  };

  // The type of an element in the buffer.
  enum class Element {
    kWord,  // float32 or int32, as in the host's tensor
    // float16, from float32 on the host (BusTransfers::half_transfers); not
    // with zero_copy.
    kHalf,
    kCode,  // a byte, as in the host's tensor; in a tensor's texels uint8 is
            // less 128
  };

  // `can_map`: buffers can stay mapped (egl::Buffer::CanBeMapped). `object`: if
  // of any kind, the way is kBound.
  HostTransfer(Direction direction, TensorId id, const Tensor& tensor,
               const DeviceProfile& profile, bool can_map,
               const ObjectForm& object = {});

  Direction direction() const { return direction_; }
  bool is_upload() const { return direction_ == Direction::kUpload; }
  Way way() const { return way_; }
  Element element() const { return element_; }
  bool is_packed_by_host() const { return way_ == Way::kPackedByHost; }
  bool is_staged() const { return way_ == Way::kStaged; }
  bool is_bound() const {
    return way_ == Way::kBound || way_ == Way::kBoundMemory;
  }
  bool is_bound_memory() const { return way_ == Way::kBoundMemory; }
  bool has_dispatch() const {
    return !is_packed_by_host() && !is_bound_memory();
  }
  const ObjectForm& object() const { return object_; }
  // The buffer in the host's order stays mapped.
  bool stays_mapped() const { return way_ == Way::kMapped || is_staged(); }

  TensorId tensor() const { return tensor_; }
  const Shape& shape() const { return shape_; }
  // Bytes of the buffer, without padding.
  size_t bytes() const { return bytes_; }

  // Number of dispatches for the transfer, for `steps` consecutive grid steps
  // in memory (0: not consecutive). 1: not divided.
  int64_t Pieces(int64_t steps) const;

  // Makes the buffers of all ways but kPackedByHost; for kBound, the texture to
  // copy from, if any. `memory`, another transfer's HostMemory() of the same
  // tensor (or nullptr), replaces a new buffer if this transfer is zero-copy.
  // kOutOfRange, with the sizes, beyond the profile's max_buffer_bytes.
  // kFailedPrecondition: the driver cannot copy to the object.
  absl::Status Allocate(const DeviceProfile& profile,
                        std::shared_ptr<egl::Buffer> memory = nullptr);
  // GPU memory bytes of Allocate().
  int64_t gpu_bytes() const;
  // For kPackedByHost: the tensor's texels, mapped while this lives, and the
  // tensor's slot as the validator's resource. For kBoundMemory: nullptr, and
  // the slot.
  void UseTensorMemory(uint8_t* texels, int slot);
  // Turns kBound into kBoundMemory, before Allocate().
  void BecomeMemory() { way_ = Way::kBoundMemory; }
  // The mapped memory in which the host's tensor itself may be placed (bytes(),
  // plus padding), so that nothing is copied. Stays mapped while it has owners.
  // nullptr if DeviceChoices::zero_copy is 0 or the way is neither kMapped nor
  // kStaged.
  std::shared_ptr<egl::Buffer> HostMemory() const;
  bool is_zero_copy() const { return is_zero_copy_; }
  // Before each Invoke: another buffer, of the size of HostMemory() or more, in
  // whose mapped memory the host's tensor is; 0: none. No effect unless this is
  // zero-copy.
  void UseMemory(GLuint buffer) { lent_ = is_zero_copy_ ? buffer : 0; }
  GLuint memory_used() const { return lent_; }
  // Bytes of a buffer for a host's tensor of that many: a multiple of vec4s (or
  // ints) and threes, the unit of uploads.
  static size_t PaddedBytes(size_t bytes) { return (bytes + 47) / 48 * 48; }
  // Whether the host's tensor is in this memory. Only for mapped buffers.
  bool Holds(absl::Span<const uint8_t> tensor) const {
    return lent_ != 0 || tensor.data() == buffer_->mapped();
  }
  // For kBound, before each Invoke with another object: the name of the app's
  // object, of the form object() (a buffer: at least bytes() bytes).
  void UseObject(GLuint name) { bound_ = name; }
  // Reports copies to `validator`, which must outlive this.
  void TellValidator(Validator* validator);

  // The object that the dispatch binds, and its validator id.
  GLuint shader_object() const {
    if (object_.is_copied) return copied_.id();
    if (is_bound()) return bound_;
    return is_staged() ? staging_.id() : host_buffer();
  }
  int shader_resource() const {
    return is_staged() ? staging_resource_ : resource_;
  }

  // --- Of Invoke ---

  // kPackedByHost: packs or unpacks the whole host tensor.
  void Pack(absl::Span<const uint8_t> from) const;
  void Unpack(absl::Span<uint8_t> to) const;
  // kPackedByHost: whether the texels' padding channels are zero.
  bool PaddingIsZero() const;

  // kBound: tells the validator that the app has written the object.
  void BringBound() const;
  // Call after the dispatch of an output whose object needs a copy. Binds the
  // object to unit 0; egl::GlState restores all that it changes.
  void CopyToObject() const;

  // Copies bytes [begin, end) of the buffer for the dispatch; `from` is the
  // whole host tensor. CopyIn() and CopyOut() are no-ops for kBound.
  absl::Status CopyIn(absl::Span<const uint8_t> from, size_t begin, size_t end,
                      egl::HostCopier* copier);
  // Copies bytes [begin, end) of the buffer after the dispatch and a fence
  // (kUnmapped: the driver waits); `to` is the whole host tensor.
  absl::Status CopyOut(absl::Span<uint8_t> to, size_t begin, size_t end,
                       egl::HostCopier* copier);

  // For copies by several threads: fills chunk `i` of the mapped buffer from
  // the whole host tensor. Any thread, each chunk at most once at a time.
  size_t Chunks() const;
  void FillChunk(absl::Span<const uint8_t> from, size_t chunk);
  // The end of a chunk in the buffer, in bytes.
  size_t ChunkEnd(size_t chunk) const;
  // Tells the validator that a chunk was filled.
  void ChunkFilled(size_t chunk);
  // kStaged: makes the GPU copy bytes [begin, end) to the staging buffer.
  // Otherwise a no-op.
  void CopyToStaging(size_t begin, size_t end);

 private:
  // Host tensor bytes per byte of the buffer.
  size_t widening() const { return element_ == Element::kHalf ? 2 : 1; }
  size_t chunk_bytes() const;
  size_t padded_bytes() const { return PaddedBytes(bytes_); }
  // Where the host writes and reads.
  GLuint host_buffer() const { return lent_ != 0 ? lent_ : buffer_->id(); }
  void Fill(absl::Span<const uint8_t> from, size_t begin, size_t end);
  void Take(absl::Span<uint8_t> to, size_t begin, size_t end) const;
  // Copies bytes [begin, end) of the buffer, with several threads if there are
  // many.
  void InChunks(size_t begin, size_t end, egl::HostCopier* copier,
                absl::FunctionRef<void(size_t begin, size_t end)> copy) const;

  Direction direction_;
  ObjectForm object_;  // of kBound
  Way way_;
  Element element_;
  TensorId tensor_;
  uint8_t turned_;  // of kCode: bits that are flipped between texels and host
  uint8_t zero_;    // of kCode: the texels' zero point; else 0
  Shape shape_;
  std::string name_;  // the tensor's, for errors
  size_t host_bytes_;
  size_t bytes_;
  bool is_zero_copy_;  // HostMemory() is buffer_
  int64_t
      piece_bytes_;  // of the host's tensor; 0: the transfer goes as a whole

  std::shared_ptr<egl::Buffer> buffer_;  // none for kPackedByHost and kBound
  GLuint lent_ = 0;                      // of UseMemory()
  GLuint bound_ = 0;                     // of kBound
  // Of kBound, if shaders cannot store to the object (an EGLImage's texture,
  // for example): what the dispatch writes, and from which GL copies to the
  // object.
  egl::Texture copied_;
  egl::Framebuffer copied_framebuffer_;
  egl::Buffer staging_;             // of kStaged
  uint8_t* texels_ = nullptr;       // of kPackedByHost
  Validator* validator_ = nullptr;  // null: validation is off
  // The validator's ids of buffer_ (kPackedByHost: of the slot) and staging_.
  int resource_ = -1;
  int staging_resource_ = -1;
};

// The sum of HostTransfer::gpu_bytes().
int64_t GpuBytes(absl::Span<const HostTransfer> transfers);
// True if the host packs or unpacks at least one of these.
bool AnyPackedByHost(absl::Span<const HostTransfer> transfers);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_HOST_TRANSFER_H_

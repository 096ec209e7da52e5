#include "delegate/runtime/host_transfer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/texels.h"
#include "delegate/plan/storage.h"
#include "quant/half.h"

namespace gles_delegate {

// --- The way and the element -------------------------------------------------

using gl_shaders::Format;

namespace {

// Whether the host reaches the tensor's own memory, of which no other tensor
// has a part. A variable tensor stays on the GPU.
bool HostCanReach(const Tensor& tensor, const DeviceProfile& profile) {
  const auto storage = StorageFor(tensor, profile);
  const bool in_buffer = storage.ok() && gl_shaders::IsBuffer(*storage);
  return in_buffer && tensor.view.of == kNoTensor && !tensor.is_variable &&
         !tensor.is_constant();
}

// Whether the host packs and unpacks tensors: of four bytes an element on both
// sides.
bool ArePackedByHost(const Tensor& tensor, const DeviceProfile& profile) {
  return profile.choices.host_transfers != 0 &&
         gl_shaders::BytesPerTexel(FormatFor(tensor, profile.options)) == 16;
}

// Whether the tensor, as an output, is so small that the host's memory across a
// bus takes it from the dispatch that computes it in less time than from
// another one.
bool IsSmallOutput(const Tensor& tensor, const DeviceProfile& profile) {
  const Shape& s = tensor.shape;
  const Format format = FormatFor(tensor, profile.options);
  const int64_t bytes =
      int64_t{s.b} * s.h * s.w * s.slices() * gl_shaders::BytesPerTexel(format);
  return bytes > 0 && bytes <= profile.bus.host_output_bytes &&
         (format != Format::kRgba16f || HalvesAreFast());
}

// Whether the host packs or unpacks the tensor if it reaches its memory.
bool WantsHost(HostTransfer::Direction direction, const Tensor& tensor,
               const DeviceProfile& profile) {
  const bool is_upload = direction == HostTransfer::Direction::kUpload;
  if (profile.options.self_check != SelfCheckRun::kNone) {
    return IsHosts(profile.options.self_check, is_upload);
  }
  return ArePackedByHost(tensor, profile) ||
         (!is_upload && IsSmallOutput(tensor, profile));
}

HostTransfer::Way ChooseWay(HostTransfer::Direction direction,
                            const Tensor& tensor, const DeviceProfile& profile,
                            bool can_map) {
  using Way = HostTransfer::Way;
  // Without a mapping the driver itself brings the bytes to the GPU's memory.
  if (!can_map) return Way::kUnmapped;
  if (WantsHost(direction, tensor, profile) && HostCanReach(tensor, profile)) {
    return Way::kPackedByHost;
  }
  const bool is_large = profile.bus.staged_upload_bytes > 0 &&
                        tensor.shape.elements() * HostElementBytes(tensor) >=
                            profile.bus.staged_upload_bytes;
  return direction == HostTransfer::Direction::kUpload && is_large
             ? Way::kStaged
             : Way::kMapped;
}

HostTransfer::Element ChooseElement(const Tensor& tensor,
                                    const DeviceProfile& profile,
                                    HostTransfer::Way way) {
  using Element = HostTransfer::Element;
  using Way = HostTransfer::Way;
  if (tensor.holds_quantized) return Element::kCode;
  const bool is_half = FormatFor(tensor, profile.options) == Format::kRgba16f;
  if (way == Way::kPackedByHost && is_half) return Element::kHalf;
  // The host's conversion saturates.
  const bool as_halves =
      profile.options.half && profile.bus.half_transfers != 0 &&
      profile.choices.zero_copy == 0 && profile.options.saturate_halves &&
      is_half && HalvesAreFast();
  const bool is_mapped = way == Way::kMapped || way == Way::kStaged;
  return as_halves && is_mapped ? Element::kHalf : Element::kWord;
}

// The padding channels of texels that hold quantized values; 0 for others.
uint8_t ZeroInTexels(const Tensor& tensor, uint8_t turned) {
  if (!tensor.holds_quantized) return 0;
  return static_cast<uint8_t>(tensor.quantization.zero_point[0]) ^ turned;
}

}  // namespace

int64_t ObjectBytes(const ObjectForm& form, const Shape& s) {
  if (form.kind != ObjectForm::Kind::kBuffer) return 0;
  const int64_t pixels = int64_t{s.b} * s.h * s.w;
  const int64_t elements =
      pixels * (form.layout == ObjectForm::Layout::kPhwc4 ? 4 * form.slices()
                                                          : form.channels);
  return form.element == ObjectForm::Element::kFloat32 ? elements * 4
                                                       : (elements + 3) / 4 * 4;
}

int64_t HostElementBytes(const Tensor& tensor) {
  return tensor.holds_quantized ? 1 : sizeof(float);
}

HostTransfer::HostTransfer(Direction direction, TensorId id,
                           const Tensor& tensor, const DeviceProfile& profile,
                           bool can_map, const ObjectForm& object)
    : direction_(direction),
      object_(object),
      way_(object.is_bound() ? Way::kBound
                             : ChooseWay(direction, tensor, profile, can_map)),
      element_(ChooseElement(tensor, profile, way_)),
      tensor_(id),
      turned_(tensor.quantized == DataType::kUint8 ? 0x80 : 0),
      zero_(ZeroInTexels(tensor, turned_)),
      shape_(tensor.shape),
      name_(tensor.ToString()),
      host_bytes_(tensor.shape.elements() * HostElementBytes(tensor)),
      bytes_(is_bound() ? ObjectBytes(object, tensor.shape)
                        : host_bytes_ / widening()),
      is_zero_copy_(profile.choices.zero_copy != 0 && stays_mapped()),
      // A staged upload is divided on the host's side, not the GPU's. Data that
      // the host does not copy goes as a whole.
      piece_bytes_(way_ == Way::kBound || way_ == Way::kStaged || is_zero_copy_
                       ? 0
                   : direction == Direction::kReadback
                       ? profile.bus.readback_piece_bytes
                       : profile.bus.upload_piece_bytes) {}

using egl::gl;

namespace {

// More pieces gain little: the first piece's copy and the last piece's transfer
// remain.
constexpr int64_t kMaxPieces = 16;
// Bytes of the host tensor that a thread copies at a time.
constexpr size_t kChunkBytes = 64 << 10;

}  // namespace

int64_t HostTransfer::Pieces(int64_t steps) const {
  if (steps <= 0 || piece_bytes_ <= 0) return 1;
  // Pieces are counted in host bytes, also for 16-bit transfers.
  return std::clamp(static_cast<int64_t>(host_bytes_) / piece_bytes_,
                    int64_t{1}, std::min(kMaxPieces, steps));
}

absl::Status HostTransfer::Allocate(const DeviceProfile& profile,
                                    std::shared_ptr<egl::Buffer> memory) {
  if (object_.is_copied) {
    ASSIGN_OR_RETURN(copied_,
                     egl::Texture::Create({GL_TEXTURE_2D, object_.image_format,
                                           shape_.w, shape_.h}));
    ASSIGN_OR_RETURN(copied_framebuffer_, egl::FramebufferOf(copied_));
    return absl::OkStatus();
  }
  if (is_bound()) return absl::OkStatus();
  buffer_ = std::make_shared<egl::Buffer>();
  const size_t padded = padded_bytes();
  if (static_cast<int64_t>(padded) > profile.limits.max_buffer_bytes) {
    return absl::OutOfRangeError(absl::StrCat(
        name_, " needs ", padded,
        " bytes between host and GPU, past the device's buffers of ",
        profile.limits.max_buffer_bytes,
        "; without the nodes that use it (option exclude_nodes) the others of "
        "the partition may run there"));
  }
  const auto keep = [&](absl::StatusOr<egl::Buffer> made, egl::Buffer* buffer) {
    if (!made.ok()) {
      return Labelled(made.status(), name_);
    }
    *buffer = *std::move(made);
    egl::LabelObject(GL_BUFFER_KHR, buffer->id(),
                     absl::StrCat(is_upload() ? "input " : "output ", name_));
    return absl::OkStatus();
  };
  if (way_ == Way::kUnmapped) {
    const GLenum usage = is_upload() ? GL_DYNAMIC_DRAW : GL_DYNAMIC_READ;
    return keep(egl::Buffer::Create(padded, nullptr, usage), buffer_.get());
  }
  // Anyone may read and write the host's tensor.
  const GLbitfield access = is_zero_copy_ ? GL_MAP_READ_BIT | GL_MAP_WRITE_BIT
                            : is_upload() ? GL_MAP_WRITE_BIT
                                          : GL_MAP_READ_BIT;
  absl::Status status;
  if (is_zero_copy_ && memory != nullptr && memory->bytes() == padded) {
    buffer_ = std::move(memory);
  } else {
    status = keep(egl::Buffer::CreateMapped(padded, access), buffer_.get());
  }
  if (!status.ok() || !is_staged()) return status;
  return keep(egl::Buffer::Create(padded, nullptr, GL_DYNAMIC_COPY), &staging_);
}

int64_t HostTransfer::gpu_bytes() const {
  if (is_packed_by_host()) return 0;
  if (is_bound()) return static_cast<int64_t>(copied_.bytes());
  return static_cast<int64_t>(padded_bytes()) * (is_staged() ? 2 : 1);
}

void HostTransfer::UseTensorMemory(uint8_t* texels, int slot) {
  texels_ = texels;
  resource_ = slot;
}

void HostTransfer::TellValidator(Validator* validator) {
  validator_ = validator;
  if (is_packed_by_host()) {
    if (is_upload()) validator->HostBrings(resource_, tensor_);
    return;
  }
  const std::string name =
      absl::StrCat(is_upload() ? "input " : "output ", name_);
  resource_ = validator->AddResource(absl::StrCat(
      is_bound() ? "the app's object" : "the host's buffer", " of ", name));
  if (!is_staged()) return;
  staging_resource_ = validator->AddResource(
      absl::StrCat("the GPU's staging buffer of ", name));
}

void HostTransfer::Pack(absl::Span<const uint8_t> from) const {
  if (validator_ != nullptr) validator_->HostWrote(resource_, {}, tensor_);
  switch (element_) {
    case Element::kWord:
      HostToTexels(from.data(), shape_, texels_);
      break;
    case Element::kHalf:
      HostToHalfTexels(from.data(), shape_, texels_);
      break;
    case Element::kCode:
      HostToCodeTexels(from.data(), shape_, turned_, zero_, texels_);
      break;
  }
}

void HostTransfer::Unpack(absl::Span<uint8_t> to) const {
  if (validator_ != nullptr) validator_->HostReads(resource_, {}, tensor_);
  switch (element_) {
    case Element::kWord:
      TexelsToHost(texels_, shape_, to.data());
      break;
    case Element::kHalf:
      HalfTexelsToHost(texels_, shape_, to.data());
      break;
    case Element::kCode:
      CodeTexelsToHost(texels_, shape_, turned_, to.data());
      break;
  }
}

bool HostTransfer::PaddingIsZero() const {
  const int bytes = element_ == Element::kWord   ? sizeof(float)
                    : element_ == Element::kHalf ? sizeof(uint16_t)
                                                 : 1;
  return PaddingIs(zero_, texels_, shape_, bytes);
}

void HostTransfer::BringBound() const {
  if (validator_ == nullptr) return;
  validator_->Uploaded(resource_, {});
}

void HostTransfer::CopyToObject() const {
  gl().MemoryBarrier(GL_FRAMEBUFFER_BARRIER_BIT);
  gl().BindFramebuffer(GL_READ_FRAMEBUFFER, copied_framebuffer_.id());
  gl().ActiveTexture(GL_TEXTURE0);
  gl().BindTexture(GL_TEXTURE_2D, bound_);
  gl().CopyTexSubImage2D(GL_TEXTURE_2D, /*level=*/0, /*xoffset=*/0,
                         /*yoffset=*/0, /*x=*/0, /*y=*/0, shape_.w, shape_.h);
}

void HostTransfer::Fill(absl::Span<const uint8_t> from, size_t begin,
                        size_t end) {
  uint8_t* to = buffer_->mapped() + begin;
  const uint8_t* source = from.data() + begin * widening();
  if (element_ == Element::kHalf) {
    FloatsToHalves(source, to, (end - begin) / sizeof(uint16_t));
  } else {
    egl::StreamCopy(to, source, end - begin);
  }
}

void HostTransfer::Take(absl::Span<uint8_t> to, size_t begin,
                        size_t end) const {
  const uint8_t* from = buffer_->mapped() + begin;
  uint8_t* target = to.data() + begin * widening();
  if (element_ == Element::kHalf) {
    HalvesToFloats(from, target, (end - begin) / sizeof(uint16_t));
  } else {
    std::memcpy(target, from, end - begin);
  }
}

absl::Status HostTransfer::CopyIn(absl::Span<const uint8_t> from, size_t begin,
                                  size_t end, egl::HostCopier* copier) {
  if (is_bound()) return absl::OkStatus();
  if (!stays_mapped()) {
    if (validator_ != nullptr) validator_->Uploaded(resource_, {begin, end});
    return buffer_->Upload(begin, from.subspan(begin, end - begin));
  }
  if (validator_ != nullptr) validator_->HostWrote(resource_, {begin, end});
  if (!Holds(from)) {
    InChunks(begin, end, copier,
             [&](size_t first, size_t last) { Fill(from, first, last); });
  }
  if (is_staged()) CopyToStaging(begin, end);
  return absl::OkStatus();
}

absl::Status HostTransfer::CopyOut(absl::Span<uint8_t> to, size_t begin,
                                   size_t end, egl::HostCopier* copier) {
  if (is_bound()) return absl::OkStatus();
  if (!stays_mapped()) {
    if (validator_ != nullptr) validator_->ReadsBack(resource_, {begin, end});
    return buffer_->Read(begin, to.subspan(begin, end - begin));
  }
  if (validator_ != nullptr) validator_->HostReads(resource_, {begin, end});
  if (Holds(to)) return absl::OkStatus();
  InChunks(begin, end, copier,
           [&](size_t first, size_t last) { Take(to, first, last); });
  return absl::OkStatus();
}

void HostTransfer::InChunks(
    size_t begin, size_t end, egl::HostCopier* copier,
    absl::FunctionRef<void(size_t begin, size_t end)> copy) const {
  const size_t bytes = end - begin;
  copier->InOrder(
      egl::HostCopier::ThreadsFor(bytes * widening()),
      (bytes + chunk_bytes() - 1) / chunk_bytes(),
      [&](size_t chunk) {
        const size_t at = begin + chunk * chunk_bytes();
        copy(at, std::min(end, at + chunk_bytes()));
      },
      [](size_t) {});
}

size_t HostTransfer::chunk_bytes() const { return kChunkBytes / widening(); }

size_t HostTransfer::Chunks() const {
  return (bytes_ + chunk_bytes() - 1) / chunk_bytes();
}

size_t HostTransfer::ChunkEnd(size_t chunk) const {
  return std::min(bytes_, (chunk + 1) * chunk_bytes());
}

void HostTransfer::FillChunk(absl::Span<const uint8_t> from, size_t chunk) {
  Fill(from, chunk * chunk_bytes(), ChunkEnd(chunk));
}

void HostTransfer::ChunkFilled(size_t chunk) {
  if (validator_ == nullptr) return;
  validator_->HostWrote(resource_, {chunk * chunk_bytes(), ChunkEnd(chunk)});
}

std::shared_ptr<egl::Buffer> HostTransfer::HostMemory() const {
  return is_zero_copy_ ? buffer_ : nullptr;
}

void HostTransfer::CopyToStaging(size_t begin, size_t end) {
  if (!is_staged()) return;
  gl().BindBuffer(GL_COPY_READ_BUFFER, host_buffer());
  gl().BindBuffer(GL_COPY_WRITE_BUFFER, staging_.id());
  gl().CopyBufferSubData(
      GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, static_cast<GLintptr>(begin),
      static_cast<GLintptr>(begin), static_cast<GLsizeiptr>(end - begin));
  if (validator_ != nullptr) {
    validator_->Copied(resource_, staging_resource_, {begin, end});
  }
}

int64_t GpuBytes(absl::Span<const HostTransfer> transfers) {
  int64_t bytes = 0;
  for (const HostTransfer& t : transfers) bytes += t.gpu_bytes();
  return bytes;
}

bool AnyPackedByHost(absl::Span<const HostTransfer> transfers) {
  return absl::c_any_of(
      transfers, [](const HostTransfer& t) { return t.is_packed_by_host(); });
}

}  // namespace gles_delegate

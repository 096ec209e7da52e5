// The part of HostTransfer that chooses its way and its element.
#include "delegate/plan/storage.h"
#include "delegate/runtime/host_transfer.h"
#include "quant/half.h"

namespace gles_delegate {

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

}  // namespace gles_delegate

// Storage and format of tensors and constants on the GPU.
#ifndef GLES_DELEGATE_DELEGATE_PLAN_STORAGE_H_
#define GLES_DELEGATE_DELEGATE_PLAN_STORAGE_H_

#include "absl/status/statusor.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/dispatch.h"
#include "gl_shaders/shader.h"

namespace gles_delegate {

// Texel format: floats have 32 bits, or 16 if the options allow it; int32 and
// bool (0 or 1) are 32-bit integers; tensors with holds_quantized have 8-bit
// integers, with 128 subtracted from uint8.
gl_shaders::Format FormatFor(const Tensor& tensor,
                             const PlanningOptions& options);

// A texture or buffer large enough for each of its tensors in turn. Tensors may
// be smaller than a texture: shaders take sizes from Params.
struct Slot {
  gl_shaders::Storage storage = gl_shaders::Storage::kTextureArray;
  int width = 0;   // texels; buffers: the count of texels
  int height = 0;  // 1 for buffers
  int layers = 0;  // 1 for 2-D textures and buffers
  gl_shaders::Format format = gl_shaders::Format::kRgba32f;
  int64_t texels() const { return int64_t{width} * height * layers; }
  int64_t bytes() const { return texels() * BytesPerTexel(format); }
};

// The slot for a single tensor of this shape.
Slot SlotFor(const Shape& shape, gl_shaders::Storage storage,
             gl_shaders::Format format);

// Whether the device can have it.
bool Fits(const Slot& slot, const DeviceLimits& limits);

// The storage of a tensor with this shape: the profile's choice if the device's
// limits allow it, else another. kResourceExhausted: none is possible.
absl::StatusOr<gl_shaders::Storage> StorageFor(const Shape& shape,
                                               gl_shaders::Format format,
                                               const DeviceProfile& profile);
absl::StatusOr<gl_shaders::Storage> StorageFor(const Tensor& tensor,
                                               const DeviceProfile& profile);

gl_shaders::Format FormatFor(const PackedConstant& constant,
                             const PlanningOptions& options);

// The storage of a packed constant: the profile's choice if the device's limits
// allow it, else the other. kResourceExhausted: neither is possible.
absl::StatusOr<gl_shaders::Storage> ConstantStorageFor(
    const PackedConstant& constant, const DeviceProfile& profile);

// `status` with `label` prefixed to its message.
absl::Status Labelled(const absl::Status& status, absl::string_view label);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PLAN_STORAGE_H_

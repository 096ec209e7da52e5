// Where tensors and constants live on the GPU, and in which format.
#ifndef GLES_DELEGATE_DELEGATE_PLAN_STORAGE_H_
#define GLES_DELEGATE_DELEGATE_PLAN_STORAGE_H_

#include "absl/status/statusor.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/dispatch.h"
#include "gl_shaders/shader.h"

namespace gles_delegate {

// What a texel of the tensor is: floats in the profile's precision, int32 and
// bool (0 or 1) as 32-bit integers; codes where the tensor holds_codes, uint8
// less 128.
gl_shaders::Format FormatFor(const Tensor& tensor,
                             const DeviceProfile& profile);

// Where a tensor of this shape lives: the profile's storage if it fits the
// device's limits, else another that does. kResourceExhausted: none fits.
absl::StatusOr<gl_shaders::Storage> StorageFor(const Shape& shape,
                                               gl_shaders::Format format,
                                               const DeviceProfile& profile);
absl::StatusOr<gl_shaders::Storage> StorageFor(const Tensor& tensor,
                                               const DeviceProfile& profile);

// Whether the constant's texels are of 16-bit floats.
bool ConstantIsHalf(const PackedConstant& constant,
                    const DeviceProfile& profile);

// Where a packed constant lives: the profile's choice if it fits, else the
// other. kResourceExhausted: neither.
absl::StatusOr<gl_shaders::Storage> ConstantStorageFor(
    const PackedConstant& constant, const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PLAN_STORAGE_H_

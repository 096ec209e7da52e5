// Where tensors and constants live on the GPU, and in which format.
#ifndef GLES_DELEGATE_DELEGATE_PLAN_STORAGE_H_
#define GLES_DELEGATE_DELEGATE_PLAN_STORAGE_H_

#include "absl/status/statusor.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/dispatch.h"
#include "gl_shaders/shader.h"

namespace gles_delegate {

// The format of the tensor's texels. Floats have 32 bits, or 16 where the
// options allow it; int32 and bool (0 or 1) are 32-bit integers; a tensor that
// holds_codes has 8-bit integers, where a uint8 code is stored less 128.
gl_shaders::Format FormatFor(const Tensor& tensor,
                             const PlanningOptions& options);

// The storage of a tensor of this shape: the one that the profile chooses where
// the device's limits allow it, else another that they allow.
// kResourceExhausted: they allow none.
absl::StatusOr<gl_shaders::Storage> StorageFor(const Shape& shape,
                                               gl_shaders::Format format,
                                               const DeviceProfile& profile);
absl::StatusOr<gl_shaders::Storage> StorageFor(const Tensor& tensor,
                                               const DeviceProfile& profile);

// Whether the constant's texels are of 16-bit floats.
bool ConstantIsHalf(const PackedConstant& constant,
                    const PlanningOptions& options);

// The storage of a packed constant: the one that the profile chooses where the
// device's limits allow it, else the other. kResourceExhausted: they allow
// neither.
absl::StatusOr<gl_shaders::Storage> ConstantStorageFor(
    const PackedConstant& constant, const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PLAN_STORAGE_H_

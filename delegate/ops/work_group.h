// Work groups for shaders whose invocations read few texels.
#ifndef GLES_DELEGATE_DELEGATE_OPS_WORK_GROUP_H_
#define GLES_DELEGATE_DELEGATE_OPS_WORK_GROUP_H_

#include <cstdint>
#include <initializer_list>

#include "absl/strings/string_view.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/dispatch.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// Gives a dispatch, whose grid is set, work groups of at least 64 invocations.
// Profiles with smaller groups mean them for convolution tiles; here they would
// cost more than the work itself (llvmpipe is fastest at 64).
void UseLightWorkGroup(const DeviceProfile& profile, Dispatch* dispatch);

// Adds a dispatch, whose grid is set, with such work groups.
void AddInLightGroups(Dispatch dispatch, Planner* planner);

using TensorNames = std::initializer_list<absl::string_view>;

// Binds the node's first inputs and outputs under the shader's names. The grid
// covers the texels of output 0.
Dispatch TexelDispatch(absl::string_view shader, const Node& node,
                       const Planner& planner, TensorNames inputs = {"src"},
                       TensorNames outputs = {"dst"});

// Uniform `name` has the values for x, y, channel and batch, in the shaders'
// order.
inline void BindAxes(absl::string_view name, const AxisArray& values,
                     Dispatch* d) {
  d->uniforms.Int4(name, values[kWidthAxis], values[kHeightAxis],
                   values[kChannelAxis], values[kBatchAxis]);
}

// `length` along one axis, 0 along the others.
inline AxisArray Along(int axis, int length) {
  AxisArray values = {};
  values[axis] = length;
  return values;
}

// op_quotient of gl_shaders/lib/indices.glsl, with which shaders divide
// indices by reciprocals, is exact for indices below this.
inline constexpr int64_t kQuotientEnd = 1 << 21;

// Requires `divisor` >= 1.
inline float Reciprocal(int64_t divisor) {
  return 1.0f / static_cast<float>(divisor);
}

// Makes the shader use integer division if its indices, up to twice `count`,
// are too large for op_quotient.
inline void BindQuotients(int64_t count, Dispatch* d) {
  if (2 * count > kQuotientEnd) d->Define("LARGE_INDICES");
}

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_WORK_GROUP_H_

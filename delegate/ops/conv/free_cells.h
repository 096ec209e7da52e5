// conv_shared.comp with FREE_CELLS: work groups of one size whose cells and
// lanes are uniforms, so that one text computes many layers.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_FREE_CELLS_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_FREE_CELLS_H_

#include <optional>

#include "delegate/device/device_profile.h"
#include "delegate/ops/conv/conv_shared_tiling.h"
#include "delegate/plan/dispatch.h"

namespace gles_delegate {

// The sums of `grid` by a work group of 256 invocations of 2x2 texels, or of
// 512 of two pixels each. It has the slices of the grid's own, for which the
// weights are packed. nullopt: it does not fit, or costs more than a little.
std::optional<SharedGrid> WithFreeCells(const SharedGrid& grid,
                                        const SharedWork& work,
                                        const DeviceProfile& profile);

// `grid` is of free cells.
void BindFreeCells(const SharedWork& work, const SharedGrid& grid,
                   Dispatch::General* general);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_FREE_CELLS_H_

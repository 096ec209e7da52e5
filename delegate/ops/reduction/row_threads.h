// How many invocations share a row of texels, for shaders that walk along one
// (CUMSUM, L2_NORMALIZATION, ...).
#ifndef GLES_DELEGATE_DELEGATE_OPS_REDUCTION_ROW_THREADS_H_
#define GLES_DELEGATE_DELEGATE_OPS_REDUCTION_ROW_THREADS_H_

#include <cstdint>

#include "delegate/plan/planner.h"

namespace gles_delegate {

// 1, or a power of two from 8 on that is the whole work group: where there are
// too few rows to keep the device busy and each has four texels an invocation.
// Devices that run invocations one after another (they ask for small work
// groups) gain nothing from sharing: 1 there.
int ThreadsPerRow(int texels, int64_t rows, const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_REDUCTION_ROW_THREADS_H_

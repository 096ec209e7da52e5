// Number of invocations per row of texels, for shaders that scan rows (CUMSUM,
// L2_NORMALIZATION, ...).
#ifndef GLES_DELEGATE_DELEGATE_OPS_REDUCTION_ROW_THREADS_H_
#define GLES_DELEGATE_DELEGATE_OPS_REDUCTION_ROW_THREADS_H_

#include <cstdint>

#include "delegate/plan/planner.h"

namespace gles_delegate {

// Whether the device runs many invocations at once, so that sharing a sum pays.
// Devices that run them one after another ask for small work groups.
bool RunsAbreast(const DeviceChoices& choices);

// Number of invocations of a work group that share a sum, of which up to
// `useful` have enough work: a power of two from 8 on, or 1.
int SharingThreads(int64_t useful, const DeviceProfile& profile);

// Number of invocations per row, for `rows` rows of `texels` texels: a whole
// work group if there are too few rows to keep the device busy, else 1.
int ThreadsPerRow(int texels, int64_t rows, const DeviceProfile& profile);

// Gives a dispatch over the rows of `shape` (pixels of channels) its grid and
// work group: THREADS invocations along y for each row, which it defines and
// returns, and rows side by side along x, whose texels are neighbours in
// memory. Along z: height and batch. With one thread the work group is the
// planner's. Shared memory: a texel for each invocation.
int SpreadRows(const Shape& shape, const DeviceProfile& profile, Dispatch* d);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_REDUCTION_ROW_THREADS_H_

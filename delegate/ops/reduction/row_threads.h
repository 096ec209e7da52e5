// How many invocations share a row of texels, for shaders that walk along one
// (CUMSUM, L2_NORMALIZATION, ...).
#ifndef GLES_DELEGATE_DELEGATE_OPS_REDUCTION_ROW_THREADS_H_
#define GLES_DELEGATE_DELEGATE_OPS_REDUCTION_ROW_THREADS_H_

#include <cstdint>

#include "delegate/plan/planner.h"

namespace gles_delegate {

// Whether the device runs many invocations at once, so that several may share a
// sum. A device that runs them one after another asks for small work groups,
// and gains nothing from sharing.
bool RunsAbreast(const DeviceChoices& choices);

// How many invocations of one work group share a sum, where up to `useful` of
// them have enough to do: a power of two from 8 on, or 1.
int SharingThreads(int64_t useful, const DeviceProfile& profile);

// The invocations that share each of `rows` rows of `texels` texels. They are a
// whole work group where the rows are too few to keep the device busy; else 1.
int ThreadsPerRow(int texels, int64_t rows, const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_REDUCTION_ROW_THREADS_H_

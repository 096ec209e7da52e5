// FULLY_CONNECTED of few rows, as when a decoder makes one token, does more of
// its layer: it normalizes its rows as it reads them (RMS normalization), and
// computes the gate by which its results are multiplied (SwiGLU, GEGLU).
//
// Must not fire on processors, which would compute the squares once for each
// output slice, nor if the normalized rows or the gate are read elsewhere.
// After fuse_rows, which makes one node of a normalization. O(nodes).
#ifndef GLES_DELEGATE_DELEGATE_PASSES_FUSE_FEW_ROWS_H_
#define GLES_DELEGATE_DELEGATE_PASSES_FUSE_FEW_ROWS_H_

#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

void FuseFewRows(Graph* graph, const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_FUSE_FEW_ROWS_H_

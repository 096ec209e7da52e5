// Functions of rows and of reductions of these (means, maxima over the last
// axis) become one ROW_FUNCTIONS node (ops/reduction/row_functions.h): layer
// and RMS normalizations, however they are written. A region grows from a
// reduction over the channels to the nodes that read it, and nothing but it and
// what was computed before.
//
// Must not fire on the integer path, or if a number of each row is read outside
// of the region. O(nodes), with a bound on a region's size.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_FUSE_ROWS_H_
#define GLES_DELEGATE_DELEGATE_PASSES_FUSE_ROWS_H_

#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

void FuseRows(Graph* graph, const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_FUSE_ROWS_H_

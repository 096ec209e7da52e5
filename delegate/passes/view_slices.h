// REGROUP_SLICES becomes a view of its source (MemoryView::Kind::kSlices): the
// texels stay where they are, and readers count slices and batches their own
// way. Must not fire if the source is a view itself, or if the result is an
// output of the graph. O(nodes).
#ifndef GLES_DELEGATE_DELEGATE_PASSES_VIEW_SLICES_H_
#define GLES_DELEGATE_DELEGATE_PASSES_VIEW_SLICES_H_

#include "delegate/graph/graph.h"

namespace gles_delegate {

void ViewSlices(Graph* graph);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_VIEW_SLICES_H_

// The precision of caches that stay in an app's buffers.
#ifndef GLES_DELEGATE_DELEGATE_PARTITION_KEEP_CACHES_H_
#define GLES_DELEGATE_DELEGATE_PARTITION_KEEP_CACHES_H_

#include "delegate/graph/graph.h"
#include "delegate/runtime/object_form.h"

namespace gles_delegate {

// With 16-bit storage, keeps in 32 bits inputs that DYNAMIC_UPDATE_SLICE
// updates, and the outputs with the result, if both have objects of 32-bit
// texels: these are then the tensors' memory (runtime/bound_caches.h). Copies
// with another type in each inference take longer than the 16 bits save. Before
// any pass.
void KeepCachesInFloat32(const BoundTransfers& bound, Graph* graph);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PARTITION_KEEP_CACHES_H_

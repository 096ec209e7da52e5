// Multiplications and additions of constants into the weights of the
// convolution or matrix product beside them.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_FOLD_SCALES_H_
#define GLES_DELEGATE_DELEGATE_PASSES_FOLD_SCALES_H_

#include "absl/status/status.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

// Of CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED and TRANSPOSE_CONV with
// constant weights and a constant bias, or none:
// - after it: post-ops that multiply by, add or subtract a constant, of one
//   value or one per output channel, up to the first that does something else.
//   The bias is made where there was none.
// - before it (not TRANSPOSE_CONV): an elementwise node that only it reads. A
//   multiplication goes into the weights; an addition into the bias, where no
//   zeros are padded (they would not have been added to).
// New weights are float32, made here; the old constant stays for its other
// readers. Weights to be stored in 16 bits (`half`) are scaled by 1/16 to 16 at
// most, lest they leave what 16 bits hold well. Does not fire on nodes that
// work on codes. Run it after FuseElementwise, which makes post-ops of what
// follows.
absl::Status FoldScales(Graph* graph, bool half = false);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_FOLD_SCALES_H_

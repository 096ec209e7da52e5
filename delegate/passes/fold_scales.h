// Folds multiplications and additions of constants into the weights of adjacent
// convolutions and matrix products.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_FOLD_SCALES_H_
#define GLES_DELEGATE_DELEGATE_PASSES_FOLD_SCALES_H_

#include "absl/status/status.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

// For CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED and TRANSPOSE_CONV with
// constant weights and a constant bias, or none:
// - after the node: post-ops that multiply by, add or subtract a constant, of
//   one value or one per output channel, up to the first other post-op. Adds a
//   bias if there was none.
// - before the node (not TRANSPOSE_CONV): an elementwise node that only it
//   reads. A multiplication goes into the weights; an addition into the bias,
//   unless zeros are padded, to which it would not apply.
//
// New weights are float32; the old constant stays for other readers. Weights to
// be stored in 16 bits (`half`) are scaled only by 1/16 to 16, to stay in the
// range that 16 bits hold well. Skips nodes on the integer path. Run it after
// FuseElementwise, which turns following nodes into post-ops.
absl::Status FoldScales(Graph* graph, bool half = false);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_FOLD_SCALES_H_

#ifndef GLES_DELEGATE_DELEGATE_PASSES_FUSE_INPUTS_H_
#define GLES_DELEGATE_DELEGATE_PASSES_FUSE_INPUTS_H_

#include "delegate/graph/graph.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// Makes an elementwise node of real values, [B,H,W,C], an input stage of the
// 1x1 convolution that is its only reader, which saves a dispatch and a tensor.
// Examples are the MUL of a squeeze-excite block with the ADD after it, and the
// normalization and activation before a convolution.
//
// Requires profile.choices.read_through. Not fused:
// - functions other than sums, products, differences, minima, maxima and
//   clamps, as each tile of outputs computes them again; for the same reason,
//   convolutions with many output slices;
// - functions of tensors other than [1,1,1,C] and [B,H,W,C];
// - nodes whose results are graph outputs, have other readers (such as a
//   concatenation in place) or are 8-bit, and so rounded;
// - convolutions of few pixels, which gemv_by_lanes.comp computes, and those
//   that would exceed the device's bindings.
//
// Run it after FuseElementwise and FuseDepthwise, which find more to fuse if
// the node is still separate.
void FuseInputs(Graph* graph, const DeviceProfile& profile);

// The tensor of which an elementwise node's post-ops are functions that an
// input stage can have; kNoTensor if they are not.
TensorId SourceOfInputStage(const Graph& graph, const Node& node);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_FUSE_INPUTS_H_

// The rules of the passes, of which passes.cc has the order and says what each
// does. A rule looks at the graph around one node; some look at all of it. Each
// is described in its file.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_ALL_PASSES_H_
#define GLES_DELEGATE_DELEGATE_PASSES_ALL_PASSES_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "delegate/graph/graph.h"
#include "delegate/passes/rewrite.h"

namespace gles_delegate {

void ConcatInPlace(Rewriter& r, int n);
absl::Status FoldConstants(Rewriter& r, int n);
// True: the node's output is now a constant of `graph`.
absl::StatusOr<bool> FoldConstantNode(Graph* graph, const Node& node);
void FoldHeads(Rewriter& r, int n);
absl::Status FoldScales(Rewriter& r);
void FoldTransposes(Rewriter& r, int n);
void FuseAttention(Rewriter& r, int n);
void FuseChannelPadding(Rewriter& r, int n);
void FuseDepthwise(Rewriter& r, int n);
void FuseElementwise(Rewriter& r, int n);
void FuseGates(Rewriter& r, int n);
void FuseInputs(Rewriter& r, int n);

void FuseMovement(Rewriter& r);
void FuseNext(Rewriter& r, int n);
void FusePadding(Rewriter& r, int n);
void FusePlanes(Rewriter& r, int n);
void FuseRows(Rewriter& r, int n);
void FuseSqueezeExcite(Rewriter& r, int n);
void FuseUpdates(Rewriter& r, int n);
void JoinProducts(Rewriter& r, int n);
void KeepFloat32(Rewriter& r);
void NormalizeFewRows(Rewriter& r, int n);
void ReadThrough(Rewriter& r, int n);
void RealignOperands(Rewriter& r, int n);
void RemoveIdentityNodes(Rewriter& r);
void SinkReshapes(Rewriter& r);
void UpdateInPlace(Rewriter& r);
void UseIntegerPath(Rewriter& r);
void ViewSlices(Rewriter& r, int n);
void WriteThrough(Rewriter& r, int n);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_ALL_PASSES_H_

#include "delegate/passes/passes.h"

#include "delegate/passes/concat_in_place.h"
#include "delegate/passes/dead_nodes.h"
#include "delegate/passes/fold_constants.h"
#include "delegate/passes/fuse_padding.h"
#include "delegate/passes/remove_identity.h"

namespace gles_delegate {

absl::Status RunPasses(Graph* graph, int max_tensors) {
  if (auto s = FoldConstants(graph); !s.ok()) return s;
  RemoveIdentityNodes(graph);
  FusePadding(graph);
  RealignConstants(graph);
  FuseChannelPadding(graph);
  RemoveDeadNodes(graph);
  FuseElementwise(graph, max_tensors);
  ConcatInPlace(graph);
  return absl::OkStatus();
}

}  // namespace gles_delegate

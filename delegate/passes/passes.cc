#include "delegate/passes/passes.h"

#include "delegate/passes/dead_nodes.h"
#include "delegate/passes/fold_constants.h"
#include "delegate/passes/fuse_elementwise.h"
#include "delegate/passes/fuse_padding.h"
#include "delegate/passes/remove_identity.h"

namespace gles_delegate {

absl::Status RunPasses(Graph* graph) {
  if (auto s = FoldConstants(graph); !s.ok()) return s;
  RemoveIdentityNodes(graph);
  FusePadding(graph);
  RemoveDeadNodes(graph);
  RealignConstants(graph);
  FuseElementwise(graph);
  return absl::OkStatus();
}

}  // namespace gles_delegate

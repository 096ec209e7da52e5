#include "delegate/passes/passes.h"

#include "delegate/passes/concat_in_place.h"
#include "delegate/passes/dead_nodes.h"
#include "delegate/passes/fold_constants.h"
#include "delegate/passes/fold_scales.h"
#include "delegate/passes/fold_transposes.h"
#include "delegate/passes/fuse_padding.h"
#include "delegate/passes/remove_identity.h"

namespace gles_delegate {

absl::Status RunPasses(Graph* graph, int max_tensors, bool half) {
  if (auto s = FoldConstants(graph); !s.ok()) return s;
  RemoveIdentityNodes(graph);
  FusePadding(graph);
  RealignConstants(graph);
  FuseChannelPadding(graph);
  RemoveDeadNodes(graph);
  FuseElementwise(graph, max_tensors);
  if (auto s = FoldTransposes(graph); !s.ok()) return s;
  RemoveIdentityNodes(graph);
  FuseElementwise(graph, max_tensors);  // past the transposes that are gone
  if (auto s = FoldScales(graph, half); !s.ok()) return s;
  ConcatInPlace(graph);
  return absl::OkStatus();
}

}  // namespace gles_delegate

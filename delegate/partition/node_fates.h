// What planning made of each of the model's nodes, for the report.
#ifndef GLES_DELEGATE_DELEGATE_PARTITION_NODE_FATES_H_
#define GLES_DELEGATE_DELEGATE_PARTITION_NODE_FATES_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/dispatch.h"

namespace gles_delegate {

constexpr int kNoNode = -1;

// Which node's dispatches compute a node of the model. Both are TFLite's
// indices.
struct NodeFate {
  int node = kNoNode;
  // `node` itself; another node, into which passes fused this one; kNoNode: no
  // dispatch, as its values are constants, or no node reads them.
  int computed_by = kNoNode;
};

// A fate for each of `nodes`, which are those of a partition. `before` is the
// partition as it was read, without what reading folded; `after` is the same
// partition after the passes, with the same tensor ids. A node that left is
// computed by the node that now writes its output, or a part of it in place;
// where none does, by the first node that read its output. Linear in the graph.
std::vector<NodeFate> FatesOfNodes(absl::Span<const int> nodes,
                                   const Graph& before, const Graph& after);

// What a reader of the report wants of a dispatch.
struct DispatchReport {
  int node = kNoNode;   // TFLite's index
  std::string label;    // "CONV_2D 12"
  std::string shader;   // gl_shaders/**/<shader>.comp
  std::string defines;  // "TILE_ROWS=3 TILE_SLICES=2"
};

std::vector<DispatchReport> ReportsOf(absl::Span<const Dispatch> dispatches);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PARTITION_NODE_FATES_H_

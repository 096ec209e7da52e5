// The result of planning for each of the model's nodes, for the report.
#ifndef GLES_DELEGATE_DELEGATE_PARTITION_NODE_FATES_H_
#define GLES_DELEGATE_DELEGATE_PARTITION_NODE_FATES_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/dispatch.h"

namespace gles_delegate {

constexpr int kNoNode = -1;

// The node whose dispatches compute a node of the model. Both are TFLite's
// indices.
struct NodeFate {
  int node = kNoNode;
  // `node` itself; or the node into which passes fused it; kNoNode: no
  // dispatch, since its values are constant or unused.
  int computed_by = kNoNode;
  std::string composite;  // its name, if the node is one
  // With 16-bit storage: why it is in 32 bits; "": it is not.
  std::string float32;
};

// The fates of `nodes`, a partition's nodes. `before` is the partition as read,
// after folding; `after` is the same partition after the passes, with the same
// tensor ids. A removed node is computed by the node that now writes its
// output, or part of it in place; if there is none, by the first reader of its
// output. Linear time.
std::vector<NodeFate> FatesOfNodes(absl::Span<const int> nodes,
                                   const Graph& before, const Graph& after);

// A dispatch's description for the report.
struct DispatchReport {
  int node = kNoNode;   // TFLite's index
  std::string label;    // "CONV_2D 12"
  std::string shader;   // gl_shaders/**/<shader>.comp
  std::string defines;  // "TILE_ROWS=3 TILE_SLICES=2"
};

std::vector<DispatchReport> ReportsOf(absl::Span<const Dispatch> dispatches);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PARTITION_NODE_FATES_H_

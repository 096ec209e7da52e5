// Replaces a STABLEHLO_COMPOSITE by the nodes of its decomposition, and a WHILE
// by those of its body, once for each step.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_INLINE_COMPOSITE_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_INLINE_COMPOSITE_H_

#include <functional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/hash_tables.h"
#include "delegate/graph/graph.h"
#include "delegate/tflite/decomposition.h"
#include "delegate/tflite/follow_loop.h"
#include "delegate/tflite/host_view.h"
#include "delegate/tflite/inlined_node.h"
#include "delegate/tflite/joined_rows.h"
#include "delegate/tflite/node_finder.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// Each step of a loop gets its own nodes, rather than dispatches that repeat.
// The step's number is a constant in them, so all places and shapes are known,
// and passes, plans and checks know nothing of loops.
struct InlinedComposite {
  absl::Status status;  // Ok, or why it cannot be inlined
  // In execution order, those of composites inside and of all steps among them.
  std::vector<InlinedNode> nodes;
};

class CompositeInliner {
 public:
  // Adds a tensor to the graph, with the view that ops see of it.
  using AddTensor = std::function<TensorId(Tensor)>;

  // All must outlive this. `graph` has the model's tensors at TFLite's indices;
  // those of decompositions are added, constants once.
  CompositeInliner(const NodeFinder& find, const Decompositions& decompositions,
                   const DecomposedTensors& tensors, const Loops& loops,
                   const Graph& graph, AddTensor add)
      : find_(find),
        decompositions_(decompositions),
        tensors_(tensors),
        loops_(loops),
        graph_(graph),
        add_(std::move(add)),
        rows_(graph, add_) {}

  // Inlines the composites and loops among the nodes of `plan`, and returns all
  // nodes that there are then, in execution order. Errors: a missing node.
  absl::StatusOr<std::vector<NodeTensors>> Expand(TfLiteContext* context,
                                                  absl::Span<const int> plan);

  // The composite or loop with TFLite's index `node`. nullptr: another op.
  const InlinedComposite* Find(int node) const {
    const auto it = inlined_.find(node);
    return it == inlined_.end() ? nullptr : &it->second;
  }

 private:
  class Level;

  absl::Status InlineInto(const NodeKey& key, const std::vector<int>& inputs,
                          const std::vector<int>& outputs,
                          std::vector<InlinedNode>* nodes);

  // The nodes of a loop's steps.
  absl::Status InlineSteps(const NodeKey& key, const std::vector<int>& inputs,
                           const std::vector<int>& outputs,
                           std::vector<InlinedNode>* nodes);

  const NodeFinder& find_;
  const Decompositions& decompositions_;
  const DecomposedTensors& tensors_;
  const Loops& loops_;
  const Graph& graph_;
  const AddTensor add_;
  JoinedRows rows_;
  // Of the file, by subgraph and TFLite's tensor index.
  HashMap<NodeKey, TensorId> constants_;
  HashMap<int, InlinedComposite> inlined_;  // by TFLite's index
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_INLINE_COMPOSITE_H_

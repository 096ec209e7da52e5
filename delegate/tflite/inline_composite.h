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
#include "delegate/tflite/propagate_shapes.h"
#include "delegate/tflite/read_node.h"
#include "delegate/tflite/runtime_nodes.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// The lists of a loop's results, without a copy of the list in each step.
// Converters write row i of a list as a CONCATENATION of the rows before it,
// the new row and the rows after it, or as a DYNAMIC_UPDATE_SLICE. This notes
// which rows such tensors consist of. Nodes that join them are made only for
// lists that other nodes read: of a loop's list, once after the last step.
class JoinedRows {
 public:
  // Adds a tensor to the graph.
  using AddTensor = std::function<TensorId(Tensor)>;

  // Both must outlive this.
  JoinedRows(const Graph& graph, const AddTensor& add)
      : graph_(graph), add_(add) {}

  // True: the node moves whole rows, that is, along the first axis, and its
  // output is noted. It is not needed otherwise.
  bool Take(const TfLiteNode& node, const TfLiteRegistration& registration,
            const std::vector<int>& inputs, const std::vector<int>& outputs);

  // True: the node is a GATHER of one row, and nodes that cost less were added.
  bool TakeRow(const TfLiteNode& node, const TfLiteRegistration& registration,
               const std::vector<int>& inputs, const std::vector<int>& outputs,
               std::vector<InlinedNode>* nodes);

  // Adds the nodes that write `id`, if it is noted.
  void Write(TensorId id, std::vector<InlinedNode>* nodes);

  // Adds a node that copies one tensor to another.
  void Copy(TensorId from, TensorId to, std::vector<InlinedNode>* nodes);

  // Forgets all other tensors, which are not read from now on.
  void KeepOnly(const std::vector<TensorId>& ids);

 private:
  struct Rows {
    TensorId of;  // not noted
    int begin;
    int end;
  };

  std::vector<Rows> RowsOf(TensorId id, int begin, int end) const;
  bool IsAll(const Rows& rows) const;
  TensorId AddInts(const std::vector<int>& values);
  void Slice(const Rows& rows, TensorId to, std::vector<InlinedNode>* nodes);

  const Graph& graph_;
  const AddTensor& add_;
  HashMap<TensorId, std::vector<Rows>> noted_;
};

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

// The lists of a loop's results, without a copy of the list in each step.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_JOINED_ROWS_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_JOINED_ROWS_H_

#include <functional>
#include <vector>

#include "base/hash_tables.h"
#include "delegate/graph/graph.h"
#include "delegate/tflite/inlined_node.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

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

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_JOINED_ROWS_H_

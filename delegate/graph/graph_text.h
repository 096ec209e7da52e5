// Formats a graph for readers: as text, and as a Graphviz file.
#ifndef GLES_DELEGATE_DELEGATE_GRAPH_GRAPH_TEXT_H_
#define GLES_DELEGATE_DELEGATE_GRAPH_GRAPH_TEXT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

// Writes a graph's nodes, or its dispatches, in Graphviz's language, drawn from
// top to bottom: boxes, an ellipse for each graph input and output, and an edge
// for each tensor between them. Labels may be any text; line breaks are kept,
// other control characters become '?'.
class DotGraph {
 public:
  // `graph` must outlive this.
  DotGraph(absl::string_view title, const Graph& graph);

  // A box with an edge from everything that has written what it reads so far.
  // Repeated tensors are drawn once; constants and absent tensors have no
  // edges. Writing a view also counts as writing the tensor that it is a view
  // of.
  void AddBox(absl::string_view label, absl::Span<const TensorId> reads,
              absl::Span<const TensorId> writes);
  // Draws the graph's outputs, and returns the whole file.
  std::string Finish();

 private:
  // Returns the new node's number.
  int AddNode(absl::string_view shape, absl::string_view label);
  void AddEdges(int to, absl::Span<const TensorId> ids);

  const Graph& graph_;
  std::vector<std::vector<int>> writers_;  // by tensor
  std::string text_;
  int nodes_ = 0;
};

// "|clamp(0,6)", "|add(t7)": the function, its constants without trailing
// zeros, and its operand.
std::string PostOpText(const PostOp& op);
// "input_stage[|mul(t3) |add(t4)]".
std::string StageText(const Stage& stage);

// One line for each graph input, node (in order) and graph output, then one for
// each tensor that they name. Omits attributes.
std::string GraphToString(const Graph& graph);

// A box for each node, an ellipse for each graph input and output, an edge for
// each tensor between them. Boxes name their constants.
std::string GraphToDot(const Graph& graph);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_GRAPH_GRAPH_TEXT_H_

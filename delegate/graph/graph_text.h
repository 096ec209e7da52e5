// Formats a graph for readers: as text, and as a Graphviz file.
#ifndef GLES_DELEGATE_DELEGATE_GRAPH_GRAPH_TEXT_H_
#define GLES_DELEGATE_DELEGATE_GRAPH_GRAPH_TEXT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

// Writes graphs in Graphviz's language: a directed graph, drawn from top to
// bottom. Labels may be any text; line breaks are kept, other control
// characters become '?'.
class DotGraph {
 public:
  explicit DotGraph(absl::string_view title);

  // Returns the new node's number, for AddEdge(). Boxes are computations,
  // ellipses are inputs and outputs.
  int AddBox(absl::string_view label) { return AddNode("box", label); }
  int AddEllipse(absl::string_view label) { return AddNode("ellipse", label); }
  // `from` and `to` are numbers of nodes.
  void AddEdge(int from, int to, absl::string_view label);

  // The whole file.
  std::string ToString() const;

 private:
  int AddNode(absl::string_view shape, absl::string_view label);
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

// Draws the edges of a graph's tensors; used for nodes and for dispatches.
class TensorEdges {
 public:
  // Draws an ellipse for each graph input. Both arguments must outlive the
  // object.
  TensorEdges(const Graph& graph, DotGraph* dot);

  // Box `box` reads `ids`: draws an edge from everything that has written the
  // tensor so far. Repeated tensors are drawn once; constants and absent
  // tensors have no edges.
  void Read(int box, absl::Span<const TensorId> ids);
  // Box `box` writes `ids`. Writing a view also counts as writing the tensor
  // that it is a view of.
  void Write(int box, absl::Span<const TensorId> ids);
  // Draws an ellipse with its edges for each graph output.
  void DrawOutputs();

 private:
  const Graph& graph_;
  DotGraph& dot_;
  std::vector<std::vector<int>> writers_;  // By tensor.
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_GRAPH_GRAPH_TEXT_H_

// A graph for people to read: as text, and as a picture.
#ifndef GLES_DELEGATE_DELEGATE_GRAPH_GRAPH_TEXT_H_
#define GLES_DELEGATE_DELEGATE_GRAPH_GRAPH_TEXT_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "delegate/graph/dot.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

// "|clamp(0,6)", "|add(t7)": the function, its constants up to the last that is
// not zero, and its operand.
std::string PostOpText(const PostOp& op);

// A line for each of the graph's inputs, nodes (in order) and outputs, and then
// for each tensor that those lines name. Attributes of nodes are not shown.
std::string GraphToString(const Graph& graph);

// A box for each node, an ellipse for each input and output of the graph, an
// edge for each tensor that one of them makes and another reads. Constants are
// named in the boxes.
std::string GraphToDot(const Graph& graph);

// Draws the edges of a graph's tensors; used for nodes and for dispatches.
class TensorEdges {
 public:
  // Draws an ellipse for each input of the graph. Both arguments must outlive
  // the object.
  TensorEdges(const Graph& graph, DotGraph* dot);

  // Box `box` reads `ids`: an edge from all that wrote into the tensor so far.
  // A tensor that is named twice is drawn once. Constants and absent tensors
  // have no edge.
  void Read(int box, absl::Span<const TensorId> ids);
  // Box `box` writes `ids`. A tensor that is a view of another one's memory
  // counts as written there too.
  void Write(int box, absl::Span<const TensorId> ids);
  // Draws an ellipse, and its edges, for each output of the graph.
  void DrawOutputs();

 private:
  const Graph& graph_;
  DotGraph& dot_;
  std::vector<std::vector<int>> writers_;  // By tensor.
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_GRAPH_GRAPH_TEXT_H_

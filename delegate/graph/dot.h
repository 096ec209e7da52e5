// Writes graphs in Graphviz's language.
#ifndef GLES_DELEGATE_DELEGATE_GRAPH_DOT_H_
#define GLES_DELEGATE_DELEGATE_GRAPH_DOT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace gles_delegate {

// A directed graph, drawn from top to bottom. Labels may be any text; line
// breaks are kept, other control characters become '?'.
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

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_GRAPH_DOT_H_

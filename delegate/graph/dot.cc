#include "delegate/graph/dot.h"

#include "absl/strings/str_cat.h"

namespace gles_delegate {
namespace {

// `text` as a quoted string of Graphviz's language.
std::string Quoted(absl::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '\n') {
      quoted += "\\n";
    } else if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      quoted += byte < 0x20 || byte >= 0x7f ? '?' : c;
    }
  }
  return quoted + "\"";
}

}  // namespace

DotGraph::DotGraph(absl::string_view title) {
  absl::StrAppend(&text_, "digraph ", Quoted(title), " {\n",
                  "  node [fontname=\"monospace\" fontsize=10]\n",
                  "  edge [fontname=\"monospace\" fontsize=8]\n");
}

int DotGraph::AddNode(absl::string_view shape, absl::string_view label) {
  absl::StrAppend(&text_, "  n", nodes_, " [shape=", shape,
                  " label=", Quoted(label), "]\n");
  return nodes_++;
}

void DotGraph::AddEdge(int from, int to, absl::string_view label) {
  absl::StrAppend(&text_, "  n", from, " -> n", to, " [label=", Quoted(label),
                  "]\n");
}

std::string DotGraph::ToString() const { return absl::StrCat(text_, "}\n"); }

}  // namespace gles_delegate

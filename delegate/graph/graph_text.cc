#include "delegate/graph/graph_text.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "delegate/graph/op.h"

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

std::string IdText(TensorId id) {
  return id == kNoTensor ? "-" : absl::StrCat("t", id);
}

std::string IdsText(absl::Span<const TensorId> ids) {
  return absl::StrJoin(ids, ", ", [](std::string* out, TensorId id) {
    absl::StrAppend(out, IdText(id));
  });
}

std::string FunctionsText(const Node& node) {
  std::string text;
  for (const PostOp& op : node.post_ops) {
    absl::StrAppend(&text, " ", PostOpText(op));
  }
  for (const Stage& stage : node.stages) {
    absl::StrAppend(&text, " ", StageText(stage));
  }
  return text;
}

// A short description of a node's computation: "CONV_2D in integers".
std::string Title(const Node& node) {
  return absl::StrCat(NameOf(node), node.integer_path ? " in integers" : "",
                      node.always_float32 ? " in float32" : "");
}

std::string TensorText(const Graph& graph, TensorId id) {
  const Tensor& t = graph.tensor(id);
  std::string text = absl::StrCat("t", id, " ", t.ToString());
  if (t.is_constant()) {
    absl::StrAppend(&text, " constant of ", t.constant.bytes().size(),
                    " bytes");
  }
  if (t.is_variable) text += " variable";
  if (t.is_float_view()) {
    absl::StrAppend(&text, " from ", DataTypeName(t.quantized));
  }
  if (t.holds_quantized) text += " stored as quantized values";
  if (t.always_float32) text += " in float32";
  return text + t.view.ToString();
}

// "t1 32x3x3x3, t2 1x1x1x32": the constants among `ids`.
std::string ConstantsText(const Graph& graph, absl::Span<const TensorId> ids) {
  std::vector<std::string> texts;
  for (TensorId id : ids) {
    if (id == kNoTensor || !graph.tensor(id).is_constant()) continue;
    texts.push_back(
        absl::StrCat("t", id, " ", graph.tensor(id).shape.ToString()));
  }
  return absl::StrJoin(texts, ", ");
}

}  // namespace

std::string MemoryView::ToString() const {
  if (of == kNoTensor) return "";
  std::string in = absl::StrCat(" in t", of);
  switch (kind) {
    case Kind::kNone:
      break;
    case Kind::kBox:
      return slices != 0
                 ? absl::StrCat(in, " from slice ", at[kChannelAxis] / 4)
                 : absl::StrCat(in, " at ", absl::StrJoin(at, ","));
    case Kind::kRows:
      return absl::StrCat(in, " as rows at ", absl::StrJoin(at, ","));
    case Kind::kDepthToSpace:
      return absl::StrCat(in, " by blocks of ", block);
    case Kind::kBilinear:
      return absl::StrCat(in, " resized by ", scale_x, ",", scale_y, " shift ",
                          shift);
    case Kind::kMaxPool:
      return absl::StrCat(in, " largest of ", window[0], "x", window[1], " by ",
                          step[0], ",", step[1]);
  }
  return in;
}

std::string PostOpText(const PostOp& op) {
  size_t count = op.params.size();
  const size_t min = op.function == "clamp" ? 2 : 0;
  while (count > min && op.params[count - 1] == 0) --count;
  std::string text = absl::StrCat("|", op.function);
  if (count > 0) {
    absl::StrAppend(
        &text, "(",
        absl::StrJoin(absl::MakeConstSpan(op.params).first(count), ","), ")");
  }
  if (op.operand != kNoTensor) {
    absl::StrAppend(
        &text, "(t", op.operand,
        op.operand_as == OperandAs::kZeroExtended ? " zero-extended)" : ")");
  }
  return text;
}

std::string StageText(const Stage& stage) {
  return absl::StrCat(stage.name, "[",
                      absl::StrJoin(stage.ops, " ",
                                    [](std::string* out, const PostOp& op) {
                                      absl::StrAppend(out, PostOpText(op));
                                    }),
                      "]");
}

std::string GraphToString(const Graph& graph) {
  std::set<TensorId> named(graph.inputs.begin(), graph.inputs.end());
  named.insert(graph.outputs.begin(), graph.outputs.end());
  std::string text = absl::StrCat("inputs ", IdsText(graph.inputs), "\n");
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    absl::StrAppend(&text, i, ": ", Title(node), " (node ", node.tflite_index,
                    "): ", IdsText(node.inputs), " -> ", IdsText(node.outputs),
                    FunctionsText(node), "\n");
    named.insert(node.inputs.begin(), node.inputs.end());
    named.insert(node.outputs.begin(), node.outputs.end());
    for (TensorId id : OperandsOf(node)) named.insert(id);
  }
  absl::StrAppend(&text, "outputs ", IdsText(graph.outputs), "\n\n");
  for (TensorId id : named) {
    if (id == kNoTensor) continue;
    absl::StrAppend(&text, TensorText(graph, id), "\n");
  }
  return text;
}

std::string GraphToDot(const Graph& graph) {
  DotGraph dot("graph", graph);
  for (const Node& node : graph.nodes) {
    std::vector<TensorId> reads = node.inputs;
    for (TensorId id : OperandsOf(node)) reads.push_back(id);
    std::string label =
        absl::StrCat(Title(node), " ", node.tflite_index, FunctionsText(node));
    const std::string constants = ConstantsText(graph, reads);
    if (!constants.empty()) absl::StrAppend(&label, "\n", constants);
    dot.AddBox(label, reads, node.outputs);
  }
  return dot.Finish();
}

// --- DotGraph ----------------------------------------------------------------

DotGraph::DotGraph(absl::string_view title, const Graph& graph)
    : graph_(graph), writers_(graph.tensors.size()) {
  absl::StrAppend(&text_, "digraph ", Quoted(title), " {\n",
                  "  node [fontname=\"monospace\" fontsize=10]\n",
                  "  edge [fontname=\"monospace\" fontsize=8]\n");
  for (TensorId id : graph.inputs) {
    writers_[id].push_back(
        AddNode("ellipse", absl::StrCat("input\n", TensorText(graph, id))));
  }
}

int DotGraph::AddNode(absl::string_view shape, absl::string_view label) {
  absl::StrAppend(&text_, "  n", nodes_, " [shape=", shape,
                  " label=", Quoted(label), "]\n");
  return nodes_++;
}

void DotGraph::AddEdges(int to, absl::Span<const TensorId> ids) {
  for (TensorId id : std::set<TensorId>(ids.begin(), ids.end())) {
    if (id == kNoTensor) continue;
    // Views that are only read have no writers.
    const Tensor& tensor = graph_.tensor(id);
    for (int from : writers_[tensor.view.IsWritten() ? id : tensor.view.of]) {
      if (from == to) continue;
      const std::string label =
          absl::StrCat("t", id, " ", tensor.shape.ToString());
      absl::StrAppend(&text_, "  n", from, " -> n", to,
                      " [label=", Quoted(label), "]\n");
    }
  }
}

void DotGraph::AddBox(absl::string_view label, absl::Span<const TensorId> reads,
                      absl::Span<const TensorId> writes) {
  const int box = AddNode("box", label);
  AddEdges(box, reads);
  for (TensorId id : writes) {
    for (TensorId at = id; at != kNoTensor; at = graph_.tensor(at).view.of) {
      std::vector<int>& writers = writers_[at];
      if (std::find(writers.begin(), writers.end(), box) == writers.end()) {
        writers.push_back(box);
      }
    }
  }
}

std::string DotGraph::Finish() {
  for (TensorId id : graph_.outputs) {
    AddEdges(
        AddNode("ellipse", absl::StrCat("output\n", TensorText(graph_, id))),
        {id});
  }
  return absl::StrCat(text_, "}\n");
}

}  // namespace gles_delegate

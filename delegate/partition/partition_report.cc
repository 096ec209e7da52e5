#include "delegate/partition/partition_report.h"

#include "absl/strings/str_join.h"
#include "base/hash_tables.h"

namespace gles_delegate {
namespace {

// Which node writes each tensor, whole or a box of it; TFLite's indices.
HashMap<TensorId, int> WritersOf(const Graph& graph) {
  HashMap<TensorId, int> writers;
  for (const Node& node : graph.nodes) {
    for (TensorId id : node.outputs) {
      if (id == kNoTensor) continue;
      writers[id] = node.tflite_index;
      const TensorId whole = graph.tensor(id).view.of;
      if (whole != kNoTensor) writers[whole] = node.tflite_index;
    }
  }
  return writers;
}

// Resolves the nodes of `before` from the last to the first, so that the fate
// of who reads a node's output is known.
class Resolver {
 public:
  Resolver(const Graph& before, const Graph& after)
      : before_(before),
        after_(after),
        uses_(before),
        writers_(WritersOf(after)) {
    for (const Node& node : after.nodes) {
      fates_[node.tflite_index] = node.tflite_index;
    }
  }

  void Resolve(const Node& node) {
    if (fates_.count(node.tflite_index) > 0) return;
    fates_[node.tflite_index] = WriterOrReader(node);
  }

  // kNoNode of a node that was not read, too.
  int FateOf(int tflite_index) const {
    const auto fate = fates_.find(tflite_index);
    return fate == fates_.end() ? kNoNode : fate->second;
  }

 private:
  int WriterOrReader(const Node& node) const {
    for (TensorId id : node.outputs) {
      const auto writer = writers_.find(id);
      if (writer != writers_.end()) return writer->second;
    }
    for (TensorId id : node.outputs) {
      if (id == kNoTensor) continue;
      for (int reader : uses_.consumers[id]) {
        const int fate = FateOf(before_.nodes[reader].tflite_index);
        if (fate != kNoNode) return fate;
      }
    }
    return SourceOf(node);
  }

  // The node that writes the tensor of which the output is a view; kNoNode:
  // none.
  int SourceOf(const Node& node) const {
    for (TensorId id : node.outputs) {
      if (id == kNoTensor) continue;
      const auto writer = writers_.find(after_.tensor(id).view.of);
      if (writer != writers_.end()) return writer->second;
    }
    return kNoNode;
  }

  const Graph& before_;
  const Graph& after_;
  const Uses uses_;
  const HashMap<TensorId, int> writers_;
  HashMap<int, int> fates_;
};

}  // namespace

std::vector<NodeFate> FatesOfNodes(absl::Span<const int> nodes,
                                   const Graph& before, const Graph& after) {
  Resolver resolver(before, after);
  for (auto node = before.nodes.rbegin(); node != before.nodes.rend(); ++node) {
    resolver.Resolve(*node);
  }
  std::vector<NodeFate> fates;
  for (int node : nodes) {
    const auto name = before.composites.find(node);
    const auto reason = after.float32_reasons.find(node);
    fates.push_back(
        {node, resolver.FateOf(node),
         name == before.composites.end() ? "" : name->second,
         reason == after.float32_reasons.end() ? "" : reason->second});
  }
  return fates;
}

std::vector<DispatchReport> ReportsOf(absl::Span<const Dispatch> dispatches) {
  std::vector<DispatchReport> reports;
  for (const Dispatch& d : dispatches) {
    reports.push_back(
        {d.node, d.label, d.shader,
         absl::StrJoin(d.defines, " ", absl::PairFormatter("="))});
  }
  return reports;
}

}  // namespace gles_delegate

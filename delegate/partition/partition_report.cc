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

// The writer of the first of `outputs` that has one, or of what it is a view
// of.
int WriterOf(const std::vector<TensorId>& outputs, const Graph& graph,
             const HashMap<TensorId, int>& writers, bool of_view) {
  for (TensorId id : outputs) {
    if (of_view && id == kNoTensor) continue;
    const auto writer = writers.find(of_view ? graph.tensor(id).view.of : id);
    if (writer != writers.end()) return writer->second;
  }
  return kNoNode;
}

}  // namespace

std::vector<NodeFate> FatesOfNodes(absl::Span<const int> nodes,
                                   const Graph& before, const Graph& after) {
  const Uses uses(before);
  const HashMap<TensorId, int> writers = WritersOf(after);
  HashMap<int, int> computed_by;
  for (const Node& node : after.nodes) {
    computed_by[node.tflite_index] = node.tflite_index;
  }
  // kNoNode of a node that was not read, too.
  const auto fate_of = [&computed_by](int tflite_index) {
    const auto fate = computed_by.find(tflite_index);
    return fate == computed_by.end() ? kNoNode : fate->second;
  };
  // From the last to the first, so that the fate of who reads an output is
  // known.
  for (auto node = before.nodes.rbegin(); node != before.nodes.rend(); ++node) {
    if (computed_by.contains(node->tflite_index)) continue;
    int fate = WriterOf(node->outputs, after, writers, /*of_view=*/false);
    for (TensorId id : node->outputs) {
      if (id == kNoTensor) continue;
      for (int reader : uses.consumers[id]) {
        if (fate == kNoNode) fate = fate_of(before.nodes[reader].tflite_index);
      }
    }
    if (fate == kNoNode) {
      fate = WriterOf(node->outputs, after, writers, /*of_view=*/true);
    }
    computed_by[node->tflite_index] = fate;
  }
  std::vector<NodeFate> fates;
  for (int node : nodes) {
    const auto name = before.composites.find(node);
    const auto reason = after.float32_reasons.find(node);
    fates.push_back(
        {node, fate_of(node),
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

#include "delegate/tflite/extract_partition.h"

#include <utility>

#include "base/hash_tables.h"

namespace gles_delegate {

Graph ExtractPartition(const CheckedModel& model, absl::Span<const int> nodes,
                       absl::Span<const int> inputs,
                       absl::Span<const int> outputs) {
  Graph graph;
  HashMap<TensorId, TensorId> ids;
  const auto map = [&](TensorId id) {
    if (id == kNoTensor) return kNoTensor;
    const auto [it, inserted] = ids.try_emplace(id, kNoTensor);
    if (inserted) it->second = graph.AddTensor(model.graph.tensor(id));
    return it->second;
  };
  HashSet<TensorId> read;
  for (int index : nodes) {
    const CheckedNode& checked = model.nodes[model.position_of.at(index)];
    if (checked.folded) continue;
    for (const Node& node : checked.nodes) {
      read.insert(node.inputs.begin(), node.inputs.end());
      for (const PostOp& post : node.post_ops) read.insert(post.operand);
    }
  }
  // Of an input that no node reads, only the shape counted.
  for (int id : inputs) {
    if (!model.graph.tensor(id).is_constant() && read.contains(id)) {
      graph.inputs.push_back(map(id));
    }
  }
  for (int index : nodes) {
    const CheckedNode& checked = model.nodes[model.position_of.at(index)];
    if (checked.folded) continue;
    if (const auto name = model.graph.composites.find(index);
        name != model.graph.composites.end()) {
      graph.composites.insert(*name);
    }
    for (Node node : checked.nodes) {
      for (TensorId& id : node.inputs) id = map(id);
      for (TensorId& id : node.outputs) id = map(id);
      for (PostOp& post : node.post_ops) post.operand = map(post.operand);
      graph.nodes.push_back(std::move(node));
    }
  }
  for (int id : outputs) graph.outputs.push_back(map(id));
  return graph;
}

}  // namespace gles_delegate

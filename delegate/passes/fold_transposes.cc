// Simplifies sequences of transposes and reshapes.
//
// - Merges two successive transposes if only the second reads the first; the
//   same for two reshapes. Post-ops without an operand move to the second node;
//   a post-op with one prevents merging.
// - Turns a transpose into a reshape if the order of elements stays the same,
//   that is if its axes of more than one element stay in order.
// - Turns a chain of transposes and reshapes into a reshape if its elements end
//   in the order in which they began.
// - If both ends of a pair have the same shape, leaves an elementwise node, or
//   without post-ops an identity, for FuseElementwise and RemoveIdentityNodes.
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "delegate/graph/constant_values.h"
#include "delegate/graph/op.h"
#include "delegate/ops/all_ops.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/op_list.h"
#include "delegate/passes/all_passes.h"
#include "delegate/passes/element_map.h"
#include "delegate/passes/fusing.h"

namespace gles_delegate {
namespace {

bool IsTranspose(const Node& node) { return node.op->Has(kPermutesAxes); }
bool IsReshape(const Node& node) { return node.op->Has(kKeepsOrder); }

// Axes counted from the front.
absl::StatusOr<std::vector<int>> PermutationOf(const Graph& graph,
                                               const Node& node) {
  auto permutation = ConstantInts(graph.tensor(node.inputs[1]));
  if (!permutation.ok()) return permutation.status();
  for (int& axis : *permutation) {
    if (axis < 0) axis += static_cast<int>(permutation->size());
  }
  return permutation;
}

bool HasOperands(const Node& node) {
  return std::any_of(node.post_ops.begin(), node.post_ops.end(),
                     [](const PostOp& op) { return op.operand != kNoTensor; });
}

class Folder {
 public:
  explicit Folder(Graph* graph)
      : graph_(graph), uses_(*graph), removed_(graph->nodes.size(), false) {}

  absl::Status Run() {
    for (size_t n = 0; n < graph_->nodes.size(); ++n) {
      RETURN_IF_ERROR(Fold(static_cast<int>(n)));
    }
    RemoveNodes(removed_, graph_);
    return absl::OkStatus();
  }

 private:
  // Nodes before n are folded already, so chains collapse from the front.
  absl::Status Fold(int n) {
    Node& node = graph_->nodes[n];
    if (IsTranspose(node)) {
      RETURN_IF_ERROR(ComposeTransposes(n));
      if (IsRoundTrip({n})) BecomeReshape(&node);
    }
    FoldRoundTrip(n);
    if (IsReshape(node)) FollowReshape(n);
    return absl::OkStatus();
  }

  // Transposes and reshapes after which all elements follow one another as
  // before, as between an image of another layout and its rows, are a RESHAPE.
  void FoldRoundTrip(int n) {
    std::vector<int> chain;  // from node n on upwards
    size_t folded = 0, functions = 0;
    for (int p = n; p >= 0 && IsMovement(p); p = FoldableProducer(p)) {
      functions += graph_->nodes[p].post_ops.size();
      if (functions > kMaxPostOps) break;
      chain.push_back(p);
      if (chain.size() > 1 && IsRoundTrip(chain)) folded = chain.size();
    }
    Node& node = graph_->nodes[n];
    for (size_t i = 1; i < folded; ++i) TakeOver(chain[i], &node);
    if (folded > 0) BecomeReshape(&node);
  }

  bool IsMovement(int n) const {
    return IsTranspose(graph_->nodes[n]) || IsReshape(graph_->nodes[n]);
  }

  bool IsRoundTrip(const std::vector<int>& chain) const {
    const TensorId source = graph_->nodes[chain.back()].inputs[0];
    const ElementMap all(graph_->tensor(source).dims);
    ElementMap map = all;
    for (auto n = chain.rbegin(); n != chain.rend(); ++n) {
      const Node& node = graph_->nodes[*n];
      if (!map.Follow(*graph_, node, node.outputs[0])) return false;
    }
    return map == all;
  }

  // The node that makes the input of node n for it alone, and applies no more
  // than functions of that tensor; -1: none such.
  int FoldableProducer(int n) const {
    const TensorId input = graph_->nodes[n].inputs[0];
    const int p = uses_.producer[input];
    if (p < 0 || uses_.is_output[input] || uses_.consumers[input].size() != 1 ||
        removed_[p] || HasOperands(graph_->nodes[p]) ||
        !HasRoomFor(graph_->nodes[p].post_ops.size(),
                    graph_->nodes[n].post_ops) ||
        graph_->nodes[p].integer_path != graph_->nodes[n].integer_path) {
      return -1;
    }
    return p;
  }

  // Merges node p, the producer of node n's input, into n.
  void TakeOver(int p, Node* node) {
    Node& producer = graph_->nodes[p];
    node->inputs[0] = producer.inputs[0];
    node->post_ops.insert(node->post_ops.begin(), producer.post_ops.begin(),
                          producer.post_ops.end());
    removed_[p] = true;
    // The one consumer of that input is node n now.
    auto& consumers = uses_.consumers[producer.inputs[0]];
    std::replace(consumers.begin(), consumers.end(), p,
                 static_cast<int>(node - graph_->nodes.data()));
  }

  absl::Status ComposeTransposes(int n) {
    const int p = FoldableProducer(n);
    if (p < 0 || !IsTranspose(graph_->nodes[p])) return absl::OkStatus();
    Node& node = graph_->nodes[n];
    ASSIGN_OR_RETURN(auto first, PermutationOf(*graph_, graph_->nodes[p]));
    ASSIGN_OR_RETURN(auto second, PermutationOf(*graph_, node));
    const Tensor& source = graph_->tensor(graph_->nodes[p].inputs[0]);
    const Tensor& result = graph_->tensor(node.outputs[0]);
    // A removed RESHAPE may have changed the rank on any side.
    for (size_t rank :
         {second.size(), source.dims.size(), result.dims.size()}) {
      if (rank != first.size()) return absl::OkStatus();
    }
    std::vector<int> both;
    for (int axis : second) both.push_back(first[axis]);
    const TensorId permutation = AddInts(both);
    NodeView view;
    view.inputs = {&graph_->tensor(graph_->nodes[p].inputs[0]),
                   &graph_->tensor(permutation)};
    view.outputs = {&graph_->tensor(node.outputs[0])};
    auto parsed = ParseTranspose(view);
    // Two that each fold into few axes may together not do so: leave them.
    if (absl::IsUnimplemented(parsed.status())) return absl::OkStatus();
    if (!parsed.ok()) return parsed.status();
    TakeOver(p, &node);
    node.inputs[1] = permutation;
    node.attributes = std::move(parsed->attributes);
    return absl::OkStatus();
  }

  void BecomeReshape(Node* node) {
    node->op = FindOpNamed("RESHAPE");
    node->inputs.resize(1);
    node->attributes.reset();
  }

  void FollowReshape(int n) {
    Node& node = graph_->nodes[n];
    const int p = FoldableProducer(n);
    if (p >= 0 && IsReshape(graph_->nodes[p])) TakeOver(p, &node);
    const Tensor& input = graph_->tensor(node.inputs[0]);
    const Tensor& output = graph_->tensor(node.outputs[0]);
    // Axes before the fourth from the end, which are part of the batch, follow
    // from the dims only.
    const bool same = input.dims == output.dims ||
                      (input.shape == output.shape && input.dims.size() < 5 &&
                       output.dims.size() < 5);
    if (!same || node.post_ops.empty()) return;
    ElementwiseAttributes plain;
    plain.source_shape = input.shape;
    node.attributes = plain;
  }

  TensorId AddInts(const std::vector<int>& values) {
    Tensor tensor;
    tensor.name = "permutation";
    tensor.type = DataType::kInt32;
    tensor.dims = {static_cast<int>(values.size())};
    tensor.shape = Shape::FromDims(tensor.dims);
    std::vector<uint8_t> bytes(values.size() * sizeof(int32_t));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    tensor.constant = ConstantData::Own(std::move(bytes));
    return graph_->AddTensor(std::move(tensor));
  }

  Graph* graph_;
  Uses uses_;
  std::vector<bool> removed_;
};

}  // namespace

absl::Status FoldTransposes(Graph* graph) { return Folder(graph).Run(); }

}  // namespace gles_delegate

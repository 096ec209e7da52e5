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

bool IsMovement(const Node& node) {
  return IsTranspose(node) || IsReshape(node);
}

// Whether the elements follow one another after these nodes, the last first,
// as they do before.
bool IsRoundTrip(const Rewriter& r, const std::vector<int>& chain) {
  const TensorId source = r.node(chain.back()).inputs[0];
  const ElementMap all(r.tensor(source).dims);
  ElementMap map = all;
  for (auto n = chain.rbegin(); n != chain.rend(); ++n) {
    if (!map.Follow(r.graph(), r.node(*n), r.node(*n).outputs[0])) return false;
  }
  return map == all;
}

// The node that makes the input of node n for it alone, and applies no more
// than functions of that tensor; -1: none such.
int FoldableMaker(const Rewriter& r, int n) {
  const Node& node = r.node(n);
  const int p = r.MakerFor(node.inputs[0], n);
  return p < 0 || HasOperands(r.node(p)) ||
                 !HasRoomFor(r.node(p).post_ops.size(), node.post_ops) ||
                 r.node(p).integer_path != node.integer_path
             ? -1
             : p;
}

// Node n does what its maker does, too.
void TakeOver(Rewriter& r, int n, int maker) {
  const Node taken = r.Take(maker);
  r.Change(n, [&](Node& node) {
    node.inputs[0] = taken.inputs[0];
    node.post_ops.insert(node.post_ops.begin(), taken.post_ops.begin(),
                         taken.post_ops.end());
  });
}

void BecomeReshape(Rewriter& r, int n) {
  r.Change(n, [](Node& node) {
    node.op = FindOpNamed("RESHAPE");
    node.inputs.resize(1);
    node.attributes.reset();
  });
}

TensorId AddInts(const std::vector<int>& values, Graph* graph) {
  Tensor tensor;
  tensor.name = "permutation";
  tensor.type = DataType::kInt32;
  tensor.dims = {static_cast<int>(values.size())};
  tensor.shape = Shape::FromDims(tensor.dims);
  std::vector<uint8_t> bytes(values.size() * sizeof(int32_t));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  tensor.constant = ConstantData::Own(std::move(bytes));
  return graph->AddTensor(std::move(tensor));
}

absl::Status ComposeTransposes(Rewriter& r, int n) {
  const int p = FoldableMaker(r, n);
  if (p < 0 || !IsTranspose(r.node(p))) return absl::OkStatus();
  ASSIGN_OR_RETURN(auto first, PermutationOf(r.graph(), r.node(p)));
  ASSIGN_OR_RETURN(auto second, PermutationOf(r.graph(), r.node(n)));
  const Tensor& source = r.tensor(r.node(p).inputs[0]);
  const Tensor& result = r.tensor(r.node(n).outputs[0]);
  // A removed RESHAPE may have changed the rank on any side.
  for (size_t rank : {second.size(), source.dims.size(), result.dims.size()}) {
    if (rank != first.size()) return absl::OkStatus();
  }
  std::vector<int> both;
  for (int axis : second) both.push_back(first[axis]);
  const TensorId permutation = AddInts(both, &r.graph());
  NodeView view;
  view.inputs = {&source, &r.tensor(permutation)};
  view.outputs = {&result};
  auto parsed = ParseTranspose(view);
  // Two that each fold into few axes may together not do so: leave them.
  if (absl::IsUnimplemented(parsed.status())) return absl::OkStatus();
  if (!parsed.ok()) return parsed.status();
  TakeOver(r, n, p);
  r.Change(n, [&](Node& node) {
    node.inputs[1] = permutation;
    node.attributes = std::move(parsed->attributes);
  });
  return absl::OkStatus();
}

// Transposes and reshapes after which all elements follow one another as
// before, as between an image of another layout and its rows, are a RESHAPE.
void FoldRoundTrip(Rewriter& r, int n) {
  std::vector<int> chain;  // from node n on upwards
  size_t folded = 0, functions = 0;
  for (int p = n; p >= 0 && IsMovement(r.node(p)); p = FoldableMaker(r, p)) {
    functions += r.node(p).post_ops.size();
    if (functions > kMaxPostOps) break;
    chain.push_back(p);
    if (chain.size() > 1 && IsRoundTrip(r, chain)) folded = chain.size();
  }
  for (size_t i = 1; i < folded; ++i) TakeOver(r, n, chain[i]);
  if (folded > 0) BecomeReshape(r, n);
}

void FollowReshape(Rewriter& r, int n) {
  const int p = FoldableMaker(r, n);
  if (p >= 0 && IsReshape(r.node(p))) TakeOver(r, n, p);
  const Tensor& input = r.tensor(r.node(n).inputs[0]);
  const Tensor& output = r.tensor(r.node(n).outputs[0]);
  // Axes before the fourth from the end, which are part of the batch, follow
  // from the dims only.
  const bool same = input.dims == output.dims ||
                    (input.shape == output.shape && input.dims.size() < 5 &&
                     output.dims.size() < 5);
  if (!same || r.node(n).post_ops.empty()) return;
  ElementwiseAttributes plain;
  plain.source_shape = input.shape;
  r.own(n).attributes = plain;
}

}  // namespace

// Nodes before n are folded already, so chains collapse from the front.
absl::Status FoldTransposes(Rewriter& r, int n) {
  if (IsTranspose(r.node(n))) {
    RETURN_IF_ERROR(ComposeTransposes(r, n));
    if (IsRoundTrip(r, {n})) BecomeReshape(r, n);
  }
  FoldRoundTrip(r, n);
  if (IsReshape(r.node(n))) FollowReshape(r, n);
  return absl::OkStatus();
}

}  // namespace gles_delegate

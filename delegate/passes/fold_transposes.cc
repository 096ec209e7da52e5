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
#include <utility>
#include <vector>

#include "delegate/graph/op.h"
#include "delegate/graph/texels.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/movement/element_map.h"
#include "delegate/ops/movement/transpose.h"
#include "delegate/ops/op_list.h"
#include "delegate/passes/all_passes.h"

namespace gles_delegate {
namespace {

bool IsTranspose(const Node& node) { return node.op->Has(kPermutesAxes); }
bool IsReshape(const Node& node) { return node.op->Has(kKeepsOrder); }

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

void ComposeTransposes(Rewriter& r, int n) {
  const int p = FoldableMaker(r, n);
  if (p < 0 || !IsTranspose(r.node(p))) return;
  const auto& first = r.node(p).Get<TransposeAttributes>().permutation;
  const auto& second = r.node(n).Get<TransposeAttributes>().permutation;
  const std::vector<int>& source = r.tensor(r.node(p).inputs[0]).dims;
  const std::vector<int>& result = r.tensor(r.node(n).outputs[0]).dims;
  // A removed RESHAPE may have changed the rank on any side.
  if (second.size() != first.size() || source.size() != first.size() ||
      result.size() != first.size()) {
    return;
  }
  std::vector<int> both;
  for (int axis : second) both.push_back(first[axis]);
  Tensor permutation = r.tensor(r.node(n).inputs[1]);
  permutation.name = "permutation";
  permutation.type = DataType::kInt32;
  const auto bytes = AsBytes<int>(both);
  permutation.constant = ConstantData::Own({bytes.begin(), bytes.end()});
  const TensorId added = r.AddTensor(std::move(permutation));
  TakeOver(r, n, p);
  r.Change(n, [&](Node& node) {
    node.inputs[1] = added;
    node.attributes = TransposeAttributes::Of(source, std::move(both));
  });
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
void FoldTransposes(Rewriter& r, int n) {
  if (IsTranspose(r.node(n))) {
    ComposeTransposes(r, n);
    if (IsRoundTrip(r, {n})) BecomeReshape(r, n);
  }
  FoldRoundTrip(r, n);
  if (IsReshape(r.node(n))) FollowReshape(r, n);
}

}  // namespace gles_delegate

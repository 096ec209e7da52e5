// Fuses elementwise nodes into the producer of their input, which saves a
// dispatch and a tensor.
//
// Fuses if the producer has one output, only the elementwise node reads it, and
// the node's output has the same shape. The producer moves to the node's place
// in the order, so that operands are computed before. A function of two tensors
// is fused into the later of the two producers if possible. Of a loop, it fuses
// whole steps (Tensor::nodes_of_step).
#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "delegate/graph/op.h"
#include "delegate/ops/conv/convolution.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/movement/remap.h"
#include "delegate/ops/reduction/reduction.h"
#include "delegate/passes/passes.h"

namespace gles_delegate {
namespace {

// The functions of a node on the tensor whose maker may apply them.
struct Candidate {
  TensorId source;
  std::vector<PostOp> ops;
};

// f(a, b) can also be computed on the way to b.
std::vector<Candidate> CandidatesOf(const Rewriter& r, const Node& node) {
  const auto& a = node.Get<ElementwiseAttributes>();
  std::vector<Candidate> candidates = {{node.inputs[a.source], node.post_ops}};
  if (node.post_ops.empty() || node.post_ops[0].operand == kNoTensor) {
    return candidates;
  }
  Candidate swapped{node.post_ops[0].operand, node.post_ops};
  swapped.ops[0].operand = node.inputs[a.source];
  swapped.ops[0].operand_first = !swapped.ops[0].operand_first;
  candidates.push_back(std::move(swapped));
  if (r.MakerOf(candidates[1].source) > r.MakerOf(candidates[0].source)) {
    std::swap(candidates[0], candidates[1]);
  }
  return candidates;
}

// Whether the node that makes c.source for node n alone can apply the
// functions.
bool CanApply(Rewriter& r, int n, const Candidate& c) {
  const int p = r.MakerOf(c.source);
  if (p < 0 ||
      !r.IsReadOnlyBy(c.source, [n](int reader) { return reader == n; })) {
    return false;
  }
  const Node& node = r.node(n);
  const Node& maker = r.node(p);
  const Tensor& between = r.tensor(c.source);
  const Tensor& result = r.tensor(node.outputs[0]);
  // Functions compute in the type of their output.
  if (between.type != result.type || between.is_variable ||
      between.shape != result.shape || maker.outputs.size() != 1 ||
      maker.integer_path != node.integer_path || KeepsState(r.graph(), maker) ||
      absl::c_any_of(
          c.ops, [&](const PostOp& op) { return op.operand == c.source; })) {
    return false;
  }
  const int operands = static_cast<int>(OperandsOf({{{"", c.ops}}}).size());
  if (operands > 0 && !r.CanBind(maker, operands)) {
    r.Decline(n, "no room to bind its operands in ", NameOf(maker));
    return false;
  }
  if (!HasRoomFor(std::max(c.ops.size(), between.nodes_of_step),
                  maker.post_ops)) {
    r.Decline(n, "more than ", kMaxPostOps, " functions of ", NameOf(maker));
    return false;
  }
  return true;
}

// The maker takes the place of node n, since there all operands are computed.
void Apply(Rewriter& r, int n, const Candidate& c) {
  Node fused = r.Take(r.MakerOf(c.source));
  const Node& node = r.node(n);
  AddFunctions(c.ops, &fused.post_ops);
  fused.outputs = node.outputs;
  fused.always_float32 |= node.always_float32;
  r.tensor(fused.outputs[0]).always_float32 |= fused.always_float32;
  r.Replace(n, std::move(fused));
}

// x * LOGISTIC(x), as models write SiLU (swish), becomes one function of x,
// which x's producer can then apply.
bool JoinSilu(Rewriter& r, int n) {
  const Node& node = r.node(n);
  const auto& ops = node.post_ops;
  if (!IsPlainElementwise(r.graph(), node) || ops.size() < 2 ||
      ops[0].function != "logistic" || ops[1].function != "mul" ||
      ops[1].operand !=
          node.inputs[r.AttributesOf<ElementwiseAttributes>(n)->source]) {
    return false;
  }
  r.Change(n, [](Node& silu) {
    silu.post_ops.erase(silu.post_ops.begin());
    silu.post_ops[0] = PostOp{"silu"};
  });
  return true;
}

// The operand as a tensor of this shape; kNoTensor: it is computed, or repeats.
TensorId OperandOfShape(const Shape& shape, TensorId id, Graph* graph) {
  const Tensor& operand = graph->tensor(id);
  if (operand.shape == shape) return id;
  return operand.is_constant() && operand.shape.elements() == shape.elements()
             ? AddConstantAs(shape, id, graph)
             : kNoTensor;
}

// A source with fewer axes whose rows keep their order, as the scores of heads
// that a mask of four axes is added to.
bool IsReshaped(const Tensor& source, const Tensor& output,
                const ElementwiseAttributes& a) {
  return IsComputedFloat(source) && IsComputedFloat(output) &&
         source.shape.c == a.source_shape.c && a.source_shape == output.shape &&
         source.shape.elements() == output.shape.elements();
}

}  // namespace

void FuseElementwise(Rewriter& r, int n) {
  if (!IsPlainElementwise(r.graph(), r.node(n))) return;
  for (const Candidate& c : CandidatesOf(r, r.node(n))) {
    if (!CanApply(r, n, c)) continue;
    Apply(r, n, c);
    if (JoinSilu(r, n)) FuseElementwise(r, n);
    return;
  }
}

// Makes a function whose operand is read in another shape (RealignedFunction of
// delegate/ops/elementwise/elementwise.h) a post-op, so that fuse_elementwise
// can take the node: a constant gets that shape, another operand may have it by
// now. If the source is read in another shape, the node becomes a RESHAPE of it
// with the function as a post-op: one dispatch, not two.
void RealignOperands(Rewriter& r, int n) {
  const auto* a = r.AttributesOf<ElementwiseAttributes>(n);
  if (a == nullptr || a->functions.size() != 1) return;
  Node node = r.node(n);
  const TensorId source = node.inputs[a->source];
  const bool is_aligned = r.shape(source) == a->source_shape;
  if (!is_aligned &&
      (node.integer_path ||
       !IsReshaped(r.tensor(source), r.tensor(node.outputs[0]), *a))) {
    return;
  }
  const RealignedFunction& f = a->functions[0];
  PostOp op = f.function;
  if (op.operand == kNoTensor && is_aligned) return;
  if (op.operand != kNoTensor) {
    op.operand =
        OperandOfShape(f.operand_shape, node.inputs[op.operand], &r.graph());
    if (op.operand == kNoTensor) return;
  }
  node.post_ops.insert(node.post_ops.begin(), std::move(op));
  node.Get<ElementwiseAttributes>().functions.clear();
  if (!is_aligned) {
    node.inputs = {source};
    MakeReshape(node);
  }
  r.Replace(n, std::move(node));
}

// --- fuse_padding, fuse_channel_padding --------------------------------------

// Fuses PAD with zeros into its readers: height and width into convolutions and
// poolings, channels into sums.

namespace {

// A PAD with zeros of no other axes than these.
bool IsZeroPad(const Graph& graph, const Node& node,
               std::initializer_list<int> axes) {
  const auto* a = node.As<RemapAttributes>();
  const Remap zeros;
  if (a == nullptr || a->remaps[0].edge != Remap::Edge::kFill ||
      a->remaps[0].per != zeros.per || a->remaps[0].fill != 0 ||
      a->fill_input >= 0 || !node.post_ops.empty()) {
    return false;
  }
  AxisArray offset = a->remaps[0].offset;
  AxisArray from = ExtentsOf(graph.tensor(node.inputs[0]));
  const AxisArray to = ExtentsOf(graph.tensor(node.outputs[0]));
  for (int axis : axes) {
    offset[axis] = 0;
    from[axis] = to[axis];
  }
  return offset == zeros.offset && from == to;
}

// A pooling that has no padding itself, which would not be part of the window,
// unlike a PAD's zeros. Not on the integer path, on which a mean has a fixed
// count.
bool IsUnpaddedPooling(const Node& node) {
  const auto* a = node.As<PoolAttributes>();
  return a != nullptr && !node.integer_path && !a->IsPadded();
}

// `from` and `to`: of the PAD.
void AddPadding(const Remap& pad, const Shape& from, const Shape& to,
                Node* node) {
  const int top = -pad.offset[kHeightAxis], left = -pad.offset[kWidthAxis];
  const int bottom = to.h - from.h - top, right = to.w - from.w - left;
  SlidingWindow* window = InputWindowOf(node);
  if (auto* pool = node->As<PoolAttributes>()) {
    pool->zeros = true;
    window = pool;
  }
  window->pad_top += top;
  window->pad_bottom += bottom;
  window->pad_left += left;
  window->pad_right += right;
}

// Reads `padded` as data, and nowhere else (as an operand, as a filter).
bool IsWindowOf(const Node& node, TensorId padded) {
  return (InputWindowOf(node) != nullptr || IsUnpaddedPooling(node)) &&
         absl::c_count(node.inputs, padded) == 1 && node.inputs[0] == padded &&
         !IsOperand(padded, node);
}

// A plain x + padded, from either side, of one shape.
bool IsSumOf(const Graph& graph, const Node& node, TensorId padded) {
  if (!IsPlainElementwise(graph, node) || node.inputs.size() != 2 ||
      node.inputs[0] == node.inputs[1] || node.post_ops.empty() ||
      node.post_ops[0].function != "add" ||
      node.post_ops[0].operand == kNoTensor) {
    return false;
  }
  const TensorId other =
      node.inputs[0] == padded ? node.inputs[1] : node.inputs[0];
  const Tensor& x = graph.tensor(other);
  return x.shape == graph.tensor(padded).shape && !x.is_constant();
}

void ReadUnpadded(TensorId padded, TensorId unpadded, Node* node) {
  auto& attributes = *node->As<ElementwiseAttributes>();
  const int at = node->inputs[0] == padded ? 0 : 1;
  PostOp& add = node->post_ops[0];
  attributes.source = 1 - at;
  add.operand = unpadded;
  add.operand_first = at == 0;
  add.operand_as = OperandAs::kZeroExtended;
  node->inputs[at] = unpadded;
}

}  // namespace

// Applies if all readers are CONV_2D, DEPTHWISE_CONV_2D, or poolings without
// padding of their own (SAME's padding does not count as part of the window,
// these zeros do: PoolAttributes::zeros) that are not on the integer path.
void FusePadding(Rewriter& r, int n) {
  const Node& pad = r.node(n);
  if (!IsZeroPad(r.graph(), pad, {kHeightAxis, kWidthAxis})) return;
  const TensorId padded = pad.outputs[0], source = pad.inputs[0];
  if (r.tensor(source).holds_quantized != r.tensor(padded).holds_quantized ||
      r.IsOutput(padded)) {
    return;
  }
  const std::vector<int> readers = r.ReadersOf(padded);
  for (int reader : readers) {
    if (!IsWindowOf(r.node(reader), padded)) {
      return r.Decline(n, NameOf(r.node(reader)), " reads it, too");
    }
  }
  for (int reader : readers) {
    r.Change(reader, [&](Node& node) {
      AddPadding(r.node(n).Get<RemapAttributes>().remaps[0],
                 r.tensor(source).shape, r.tensor(padded).shape, &node);
      node.inputs[0] = source;
    });
  }
  r.RemoveUnread({padded});
}

// x + PAD(y), with fewer channels in y than in x (a shortcut around a widening
// block): the sum reads y, extended by zeros. Applies if only such sums read
// the padded tensor.
void FuseChannelPadding(Rewriter& r, int n) {
  const Node& pad = r.node(n);
  if (!IsZeroPad(r.graph(), pad, {kChannelAxis}) ||
      pad.Get<RemapAttributes>().remaps[0].offset[kChannelAxis] != 0 ||
      r.tensor(pad.inputs[0]).is_constant()) {
    return;
  }
  const TensorId padded = pad.outputs[0], source = pad.inputs[0];
  const std::vector<int> readers = r.ReadersOf(padded);
  if (!r.IsReadOnlyBy(padded, [&](int reader) {
        return IsSumOf(r.graph(), r.node(reader), padded);
      })) {
    return;
  }
  for (int reader : readers) {
    // A sum is listed for its input and for its operand.
    const auto& inputs = r.node(reader).inputs;
    if (absl::c_count(inputs, padded) == 0) continue;
    r.Change(reader, [&](Node& node) { ReadUnpadded(padded, source, &node); });
  }
  r.RemoveUnread({padded});
}

}  // namespace gles_delegate

// Fuses PAD with zeros into its readers: height and width into convolutions and
// poolings, channels into sums.
#include <algorithm>
#include <initializer_list>
#include <vector>

#include "delegate/graph/op.h"
#include "delegate/ops/conv/convolution.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/movement/pad.h"
#include "delegate/ops/pooling/pool_2d.h"
#include "delegate/passes/all_passes.h"

namespace gles_delegate {
namespace {

// A PAD with zeros of no other axes than these.
bool IsZeroPad(const Node& node, std::initializer_list<int> axes) {
  const auto* pad = node.As<PadAttributes>();
  if (pad == nullptr || pad->edge != Remap::Edge::kFill || pad->value != 0 ||
      pad->runtime_value || !node.post_ops.empty()) {
    return false;
  }
  AxisArray before = pad->before, after = pad->after;
  for (int axis : axes) before[axis] = after[axis] = 0;
  return before == AxisArray{} && after == AxisArray{};
}

// A pooling that has no padding itself, which would not be part of the window,
// unlike a PAD's zeros. Not on the integer path, on which a mean has a fixed
// count.
bool IsUnpaddedPooling(const Node& node) {
  const auto* a = node.As<PoolAttributes>();
  return a != nullptr && !node.integer_path && a->pad_h.before == 0 &&
         a->pad_h.after == 0 && a->pad_w.before == 0 && a->pad_w.after == 0;
}

void AddPadding(const PadAttributes& pad, Node* node) {
  if (SlidingWindow* window = InputWindowOf(node)) {
    window->pad_top += pad.before[kHeightAxis];
    window->pad_bottom += pad.after[kHeightAxis];
    window->pad_left += pad.before[kWidthAxis];
    window->pad_right += pad.after[kWidthAxis];
  } else if (auto* a = node->As<PoolAttributes>()) {
    a->pad_h.before += pad.before[kHeightAxis];
    a->pad_h.after += pad.after[kHeightAxis];
    a->pad_w.before += pad.before[kWidthAxis];
    a->pad_w.after += pad.after[kWidthAxis];
    a->zeros = true;
  }
}

// Reads `padded` as data, and nowhere else (as an operand, as a filter).
bool IsWindowOf(const Node& node, TensorId padded) {
  return (InputWindowOf(node) != nullptr || IsUnpaddedPooling(node)) &&
         std::count(node.inputs.begin(), node.inputs.end(), padded) == 1 &&
         node.inputs[0] == padded && !IsOperand(padded, node);
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
  add.operand_zero_extend = true;
  node->inputs[at] = unpadded;
}

}  // namespace

// Applies if all readers are CONV_2D, DEPTHWISE_CONV_2D, or poolings without
// padding of their own (SAME's padding does not count as part of the window,
// these zeros do: PoolAttributes::zeros) that are not on the integer path.
void FusePadding(Rewriter& r, int n) {
  const Node& pad = r.node(n);
  if (!IsZeroPad(pad, {kHeightAxis, kWidthAxis})) return;
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
      AddPadding(r.node(n).Get<PadAttributes>(), &node);
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
  if (!IsZeroPad(pad, {kChannelAxis}) ||
      pad.Get<PadAttributes>().before[kChannelAxis] != 0 ||
      r.tensor(pad.inputs[0]).is_constant()) {
    return;
  }
  const TensorId padded = pad.outputs[0], source = pad.inputs[0];
  const std::vector<int> readers = r.ReadersOf(padded);
  if (r.IsOutput(padded) ||
      !std::all_of(readers.begin(), readers.end(), [&](int reader) {
        return IsSumOf(r.graph(), r.node(reader), padded);
      })) {
    return;
  }
  for (int reader : readers) {
    // A sum is listed for its input and for its operand.
    const auto& inputs = r.node(reader).inputs;
    if (std::count(inputs.begin(), inputs.end(), padded) == 0) continue;
    r.Change(reader, [&](Node& node) { ReadUnpadded(padded, source, &node); });
  }
  r.RemoveUnread({padded});
}

}  // namespace gles_delegate

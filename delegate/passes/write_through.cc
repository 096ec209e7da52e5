// Removes a RESHAPE that lays out the pixels of a CONV_2D as a row of smaller
// pixels, [B,H,W,K*C] as [B,H*W*K,C], if it is the only reader. The convolution
// then writes the row directly, also as part of a concatenation
// (MemoryView::Kind::kRows). If C is not a multiple of four, the convolution
// gets extra outputs with zero weights for the padding of the smaller pixels.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "delegate/ops/all_ops.h"
#include "delegate/ops/conv/conv_tile.h"
#include "delegate/ops/conv/convolution.h"
#include "delegate/passes/all_passes.h"
#include "delegate/plan/storage.h"

namespace gles_delegate {
namespace {

// A convolution and the RESHAPE behind it, which lays each of its pixels as
// `parts` pixels of a row.
struct Head {
  Convolution conv;
  int parts = 1;
  int channels = 1;  // of a pixel in the row

  // The last texel of a part has room for more channels, and another part
  // follows it.
  bool IsPadded() const { return parts > 1 && channels % 4 != 0; }
  int padded_channels() const { return DivideUp(channels, 4) * 4; }
  int outputs() const {
    return IsPadded() ? parts * padded_channels() : conv.dst_shape.c;
  }
};

// Whether the post-ops of `second` can follow those of `first` without storing
// a value in between.
bool CanFollow(const Rewriter& r, const Node& first, const Node& second) {
  const Tensor& between = r.tensor(first.outputs[0]);
  const Tensor& result = r.tensor(second.outputs[0]);
  if (second.post_ops.empty()) return LieAlike(between, result);
  // The stored values are exact: floats, or quantized values within their
  // range.
  const bool loses_nothing =
      !between.is_float_view() ||
      (first.integer_path && second.integer_path && !first.post_ops.empty() &&
       first.post_ops.back().function == "clamp");
  return loses_nothing && IsStoredAlike(between, result) &&
         between.quantized == result.quantized &&
         std::all_of(second.post_ops.begin(), second.post_ops.end(),
                     IsSameEverywhere) &&
         r.CanBind(first, CountOperands(second));
}

// Whether outputs can be added to a constant that has something for each of
// them, along axis `axis` of its dims.
bool CanBePadded(const Tensor& constant, size_t axis, int outputs) {
  const Quantization& q = constant.quantization;
  const bool by_output =
      !q.per_channel() || q.dimension == static_cast<int>(axis);
  // Padding is added in bytes.
  const bool is_byte = DataTypeSize(constant.stored()) == 1;
  const int64_t zero = q.zero_point.empty() ? 0 : q.zero_point[0];
  return constant.is_constant() && constant.sparsity.empty() && by_output &&
         axis < constant.dims.size() && constant.dims[axis] == outputs &&
         (is_byte || zero == 0) &&
         std::all_of(q.zero_point.begin(), q.zero_point.end(),
                     [zero](int64_t z) { return z == zero; });
}

// Whether outputs can be added to all that the convolution computes with.
bool CanBePadded(const Graph& graph, const Node& node, const Head& head) {
  const Convolution& conv = head.conv;
  const int outputs = conv.dst_shape.c;
  if (!conv.constant_weights || conv.filter.groups != 1 ||
      !conv.input_stage.empty() ||
      !CanBePadded(graph.tensor(conv.weights.weights), 0, outputs)) {
    return false;
  }
  const Tensor* const bias = conv.weights.Bias(graph);
  if (bias != nullptr && !CanBePadded(*bias, 0, outputs)) return false;
  return std::all_of(
      node.post_ops.begin(), node.post_ops.end(), [&](const PostOp& op) {
        return IsSameEverywhere(op) ||
               (op.operand_table &&
                CanBePadded(graph.tensor(op.operand), 3, outputs));
      });
}

// Whether the outputs that are added cost less than a dispatch.
bool PayTheirWay(const Head& head) {
  constexpr int64_t kMax = 1 << 16;  // products of a texel and 4x4 weights
  const int64_t added =
      DivideUp(head.outputs(), 4) - head.conv.dst_shape.slices();
  return added * head.conv.pixels() * head.conv.term_texels() <= kMax;
}

// `each` values for each output, with `extra` for those that are added.
template <typename T>
std::vector<T> Padded(absl::Span<const T> values, size_t each, const Head& head,
                      T extra) {
  std::vector<T> padded;
  const size_t part = each * head.channels;
  for (size_t at = 0; at + part <= values.size(); at += part) {
    padded.insert(padded.end(), values.begin() + at,
                  values.begin() + at + part);
    const int added = head.padded_channels() - head.channels;
    padded.insert(padded.end(), each * added, extra);
  }
  return padded;
}

// The constant with zeros for the outputs that are added along `axis`.
TensorId AddPadded(TensorId id, size_t axis, const Head& head, Graph* graph) {
  Tensor padded = graph->tensor(id);
  Quantization& q = padded.quantization;
  const int64_t zero = q.zero_point.empty() ? 0 : q.zero_point[0];
  const size_t element = DataTypeSize(padded.stored());
  const size_t all = element * padded.shape.elements();
  size_t each = element;
  for (size_t a = axis + 1; a < padded.dims.size(); ++a) {
    each *= padded.dims[a];
  }
  padded.constant =
      ConstantData::Own(Padded(padded.constant.bytes().first(all), each, head,
                               static_cast<uint8_t>(element == 1 ? zero : 0)));
  if (q.per_channel()) {
    q.scale = Padded(absl::MakeConstSpan(q.scale), 1, head, 1.0f);
    q.zero_point.assign(q.scale.size(), zero);
  }
  padded.dims[axis] = head.outputs();
  padded.shape = Shape::FromDims(padded.dims);
  padded.tflite_index = -1;
  return graph->AddTensor(std::move(padded));
}

// Gives the convolution the outputs that are added.
void Pad(const Head& head, Graph* graph, Node* node) {
  const auto pad = [&](TensorId id, size_t axis) {
    return AddPadded(id, axis, head, graph);
  };
  const WeightIds& weights = head.conv.weights;
  node->inputs[head.conv.inputs.weights] = pad(weights.weights, 0);
  if (weights.bias != kNoTensor) {
    node->inputs[head.conv.inputs.bias] = pad(weights.bias, 0);
  }
  for (PostOp& op : node->post_ops) {
    if (op.operand_table) op.operand = pad(op.operand, 3);
  }
}

// The row's memory: its own, or a concatenation. nullopt: part of it is
// elsewhere, or other nodes read it.
std::optional<MemoryView> PlaceOf(const Rewriter& r, TensorId row) {
  const Tensor& tensor = r.tensor(row);
  MemoryView view = tensor.view;
  if (view.of == kNoTensor) {
    view.of = row;
  } else if (view.kind != MemoryView::Kind::kBox || r.IsOutput(row) ||
             !r.ReadersOf(row).empty() ||
             r.shape(view.of).c != tensor.shape.c) {
    return std::nullopt;
  }
  view.kind = MemoryView::Kind::kRows;
  return view;
}

// The convolution's result with all its outputs.
Tensor ResultOf(const Rewriter& r, const Head& head) {
  Tensor result = r.tensor(head.conv.dst);
  result.shape.c = head.outputs();
  result.dims = {result.shape.b, result.shape.h, result.shape.w,
                 result.shape.c};
  return result;
}

// nullopt: not a convolution, or one that cannot write the RESHAPE's output.
std::optional<Head> HeadOf(Rewriter& r, int maker, int reshape) {
  const Node& node = r.node(maker);
  const auto conv = Convolution::Of(r.graph(), node);
  if (!conv || conv->kind != Convolution::Kind::kWindow ||
      r.TakerOf(maker) != reshape) {
    return std::nullopt;
  }
  const Shape& from = conv->dst_shape;
  const Shape& to = r.shape(r.node(reshape).outputs[0]);
  if (to.b != from.b || to.h != 1 || to.c == 0 || from.c % to.c != 0 ||
      !CanFollow(r, node, r.node(reshape))) {
    return std::nullopt;
  }
  const Head head = {*conv, from.c / to.c, to.c};
  if (!head.IsPadded()) return head;
  if (!CanBePadded(r.graph(), node, head) || !PayTheirWay(head) ||
      !StorageFor(ResultOf(r, head), r.profile()).ok()) {
    r.Decline(maker, "its rows of ", to.c, " channels would be padded");
    return std::nullopt;
  }
  return head;
}

void WriteRows(Rewriter& r, const Head& head, const Node& reshape,
               const MemoryView& view, int maker) {
  // From here on no node uses the row by its own name.
  Tensor& row = r.tensor(reshape.outputs[0]);
  row.view = MemoryView();
  if (!head.IsPadded() && reshape.post_ops.empty()) {
    r.tensor(head.conv.dst).view = view;
    return;
  }
  // A new tensor, since its values differ from the model's.
  Tensor result = ResultOf(r, head);
  result.quantized = row.quantized;
  result.quantization = row.quantization;
  result.tflite_index = -1;
  result.view = view;
  const TensorId written = r.AddTensor(std::move(result));
  r.Change(maker, [&](Node& node) {
    node.outputs = {written};
    if (head.IsPadded()) Pad(head, &r.graph(), &node);
    AddFunctions(reshape.post_ops, &node.post_ops);
  });
}

}  // namespace

void WriteThrough(Rewriter& r, int n) {
  if (r.node(n).op->plan != &PlanReshape) return;
  const int maker = r.MakerOf(r.node(n).inputs[0]);
  if (maker < 0) return;
  const auto head = HeadOf(r, maker, n);
  const auto view = PlaceOf(r, r.node(n).outputs[0]);
  if (head && view) WriteRows(r, *head, r.Take(n), *view, maker);
}

}  // namespace gles_delegate

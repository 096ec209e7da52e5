// Nodes whose results lie in the memory of what they read, so that they need no
// dispatch, or a smaller one.
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/types/span.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/graph/op.h"
#include "delegate/ops/conv/conv_strategies.h"
#include "delegate/ops/conv/convolution.h"
#include "delegate/ops/image/resize.h"
#include "delegate/ops/movement/gather.h"
#include "delegate/ops/movement/remap.h"
#include "delegate/ops/movement/transpose.h"
#include "delegate/ops/op_list.h"
#include "delegate/ops/reduction/reduction.h"
#include "delegate/passes/passes.h"
#include "delegate/plan/storage.h"

namespace gles_delegate {
namespace {

// Whether node n is the last reader of `id`.
bool IsLastReader(const Rewriter& r, int n, TensorId id) {
  const std::vector<int>& readers = r.ReadersOf(id);
  return !r.IsOutput(id) && absl::c_count(readers, n) == 1 &&
         readers.back() == n;
}

}  // namespace

// REGROUP_SLICES becomes a view of its source (MemoryView::slices): the texels
// stay where they are, and readers count slices and batches their own way. Must
// not fire if the source is a view itself, or if the result is an output of the
// graph.
void ViewSlices(Rewriter& r, int n) {
  const auto* a = r.AttributesOf<RegroupSlicesAttributes>(n);
  if (a == nullptr || !r.node(n).post_ops.empty()) return;
  const TensorId from = r.node(n).inputs[0], to = r.node(n).outputs[0];
  const Tensor& source = r.tensor(from);
  Tensor& result = r.tensor(to);
  if (!OwnsMemory(source) || result.view.of != kNoTensor || r.IsOutput(to) ||
      !LieAlike(source, result)) {
    return r.Decline(n,
                     "its source has no memory of its own, or its result "
                     "needs some");
  }
  result.view.of = from;
  result.view.slices = result.shape.slices();
  result.view.at[kChannelAxis] = 4 * a->first;
  r.Remove(n);
}

// A DYNAMIC_UPDATE_SLICE writes the update into its input's memory.
//
// Makes the output a view of the whole input (Tensor::view), such as the cache
// to which a language model appends. No one may need the input's old values:
// all its other readers come before, and it is neither a constant, a variable
// nor an output of the graph. Updates may follow one another in the same
// memory.
//
// Nodes after such a node find its values under the input's id, too, so this
// comes after passes that move nodes.
void UpdateInPlace(Rewriter& r) {
  const size_t count = r.graph().tensors.size();
  std::vector<bool> is_viewed(count, false), is_updated(count, false);
  for (const Tensor& tensor : r.graph().tensors) {
    if (tensor.view.of != kNoTensor) is_viewed[tensor.view.of] = true;
  }
  for (int n = 0; n < r.size(); ++n) {
    const Node& node = r.node(n);
    if (r.AttributesOf<UpdateSlice>(n) == nullptr || !node.post_ops.empty()) {
      continue;
    }
    const TensorId from = node.inputs[0], to = node.outputs[0];
    const Tensor& source = r.tensor(from);
    Tensor& result = r.tensor(to);
    const bool has_memory = source.view.of == kNoTensor || is_updated[from];
    if (!has_memory || is_viewed[from] || is_viewed[to] ||
        source.is_constant() || source.is_variable ||
        result.view.of != kNoTensor || !LieAlike(source, result) ||
        !(source.shape == result.shape) || !IsLastReader(r, n, from)) {
      r.Decline(n, "its input's values or memory are needed elsewhere");
      continue;
    }
    result.view.of = is_updated[from] ? source.view.of : from;
    is_updated[to] = true;
    r.own(n).Get<UpdateSlice>().in_place = true;
  }
}

// --- concat_in_place ---------------------------------------------------------

// Avoids the copies of concatenations: producers write directly into the
// output.
//
// Makes the inputs of a CONCATENATION views of its output (Tensor::view) and
// removes the node, if all inputs begin at whole texels: on any axis but the
// channels, and on the channels at multiples of four. Inputs that cannot be
// written in place are copied to a view: constants, inputs and outputs of the
// partition, repeated inputs, views, and inputs with another quantization than
// the output.
//
// Post-ops of the node (such as a LOGISTIC of all scores) move to the copies
// and to the producers if these only change dims (RESHAPE). If all producers
// are such nodes, a reader that turns a column into a row or back (SQUEEZE of
// [1,N,1,C]) is removed as well: they write the rows.
//
// No effect if all inputs would have to be copied, or if a post-op's operand
// varies by position. The output then has no producer, so passes that look for
// it must come before.

namespace {

// The same bits mean the same value in both.
bool LiesAlike(const Tensor& part, const Tensor& whole) {
  return part.holds_quantized ? LieAlike(part, whole)
                              : IsStoredAlike(part, whole);
}

bool AreSameEverywhere(const std::vector<PostOp>& ops) {
  return absl::c_all_of(ops, IsSameEverywhere);
}

// A concatenation as it is written in place.
struct Joint {
  Node node;                     // the CONCATENATION
  TensorId whole;                // what the parts lie in
  int axis;                      // of `whole`
  int turned_by = -1;            // node that lays height as width; -1: none
  std::vector<PostOp> post_ops;  // of each part
};

class InPlace {
 public:
  explicit InPlace(Rewriter& r) : r_(r) {}

  // nullopt: the pass does not fire.
  std::optional<Joint> JointOf(int n) const {
    const Node& node = r_.node(n);
    const auto* a = r_.AttributesOf<ConcatenationAttributes>(n);
    if (a == nullptr) return std::nullopt;
    const auto decline = [&](const char* why) {
      r_.Decline(n, why);
      return std::nullopt;
    };
    if (!AreSameEverywhere(node.post_ops)) {
      return decline("its functions depend on the place");
    }
    // A fifth axis is part of the batch, where boxes are not contiguous.
    if (a->axis == kOuterAxis || tensor(node.outputs[0]).dims.size() > 4) {
      return decline("five axes");
    }
    if (a->axis == kChannelAxis && !BeginAtTexels(node)) {
      return decline("a part begins within a texel");
    }
    const Joint joint = {node, node.outputs[0], a->axis, -1, node.post_ops};
    if (std::optional<Joint> turned = Turned(joint)) return turned;
    if (absl::c_none_of(node.inputs, [&](TensorId id) {
          return CanBeView(id, joint) || CanBeMade(id, joint);
        })) {
      return decline("all parts would be copied");
    }
    return joint;
  }

  // Turns the parts into views, with the remaining copies, in place of node n.
  void Place(int n, const Joint& joint);

 private:
  const Tensor& tensor(TensorId id) const { return r_.tensor(id); }

  bool BeginAtTexels(const Node& node) const {
    int begin = 0;
    for (TensorId id : node.inputs) {
      if (begin % 4 != 0) return false;
      begin += tensor(id).shape.c;
    }
    return true;
  }

  // The joint of a column (width 1) whose only reader lays it out as a row, or
  // vice versa, which can be removed if all producers can lay out their part
  // that way.
  std::optional<Joint> Turned(const Joint& joint) const {
    const int n = r_.OnlyReaderOf(joint.whole);
    if (n < 0) return std::nullopt;
    const Node& reader = r_.node(n);
    if (!reader.op->Has(kKeepsOrder) ||
        reader.integer_path != joint.node.integer_path ||
        !AreSameEverywhere(reader.post_ops) ||
        !HasRoomFor(reader.post_ops.size(), joint.post_ops)) {
      return std::nullopt;
    }
    const Shape& from = tensor(joint.whole).shape;
    const Shape& to = tensor(reader.outputs[0]).shape;
    const bool column = joint.axis == kHeightAxis && from.w == 1;
    const bool row = joint.axis == kWidthAxis && from.h == 1;
    if (!(column || row) || !(to == Shape{from.b, from.w, from.h, from.c})) {
      return std::nullopt;
    }
    Joint turned = joint;
    turned.whole = reader.outputs[0];
    turned.axis = column ? kWidthAxis : kHeightAxis;
    turned.turned_by = n;
    AddFunctions(reader.post_ops, &turned.post_ops);
    const bool all = absl::c_all_of(
        joint.node.inputs, [&](TensorId id) { return CanBeMade(id, turned); });
    return all ? std::optional<Joint>(turned) : std::nullopt;
  }

  bool IsFree(TensorId id, const Joint& joint) const {
    return r_.MakerOf(id) >= 0 && !r_.IsOutput(id) && OwnsMemory(tensor(id)) &&
           absl::c_count(joint.node.inputs, id) == 1;
  }

  // Whether the input itself can be a view of the output, regardless of its
  // other readers.
  bool CanBeView(TensorId id, const Joint& joint) const {
    return joint.post_ops.empty() && joint.turned_by < 0 && IsFree(id, joint) &&
           LiesAlike(tensor(id), tensor(joint.whole));
  }

  // Whether the producer can write its part directly, with other post-ops and
  // layout: true of nodes that change a tensor's dims, if this is their only
  // reader.
  bool CanBeMade(TensorId id, const Joint& joint) const {
    if (joint.post_ops.empty() && joint.turned_by < 0) return false;
    if (!IsFree(id, joint) || r_.OnlyReaderOf(id) < 0 ||
        !IsStoredAlike(tensor(id), tensor(joint.whole))) {
      return false;
    }
    // Without post-ops quantized values do not change.
    if (joint.post_ops.empty() && !LiesAlike(tensor(id), tensor(joint.whole))) {
      return false;
    }
    const Node& maker = r_.node(r_.MakerOf(id));
    // A source, an operand, weights and the output, which any device can bind.
    return maker.op->Has(kKeepsOrder) &&
           maker.integer_path == joint.node.integer_path &&
           HasRoomFor(joint.post_ops.size(), maker.post_ops) &&
           OperandsOf({{{"", maker.post_ops}}, {{"", joint.post_ops}}})
                   .size() <= 1;
  }

  // The part of the whole that has the elements of `from`.
  TensorId AddPart(const MemoryView& view, TensorId from, const Joint& joint) {
    const Tensor& source = tensor(from);
    Tensor part = tensor(view.of);
    part.name = source.name;
    part.dims = source.dims;
    part.shape = source.shape;
    if (joint.turned_by >= 0) {
      std::swap(part.shape.h, part.shape.w);
      part.dims = part.shape.dims();
    }
    part.tflite_index = -1;
    part.view = view;
    return r_.AddTensor(std::move(part));
  }

  Node CopyTo(const MemoryView& view, TensorId from, const Joint& joint) {
    Node copy = ReshapeNode(from, AddPart(view, from, joint));
    copy.tflite_index = joint.node.tflite_index;
    copy.integer_path = joint.node.integer_path;
    copy.post_ops = joint.post_ops;
    return copy;
  }

  Rewriter& r_;
};

void InPlace::Place(int n, const Joint& joint) {
  MemoryView view;
  view.of = joint.whole;
  const int from_axis =
      joint.turned_by < 0 ? joint.axis : kHeightAxis + kWidthAxis - joint.axis;
  for (TensorId id : joint.node.inputs) {
    const int extent = ExtentsOf(tensor(id))[from_axis];
    if (CanBeView(id, joint)) {
      r_.tensor(id).view = view;
    } else if (CanBeMade(id, joint)) {
      const TensorId part = AddPart(view, id, joint);
      r_.Change(r_.MakerOf(id), [&](Node& maker) {
        maker.outputs = {part};
        AddFunctions(joint.post_ops, &maker.post_ops);
      });
    } else {
      r_.InsertBefore(n, CopyTo(view, id, joint));
    }
    view.at[joint.axis] += extent;
  }
  r_.Remove(n);
  if (joint.turned_by >= 0) r_.Remove(joint.turned_by);
}

}  // namespace

void ConcatInPlace(Rewriter& r, int n) {
  InPlace in_place(r);
  if (const auto joint = in_place.JointOf(n)) in_place.Place(n, *joint);
}

// --- write_through -----------------------------------------------------------

// Removes a RESHAPE that lays out the pixels of a CONV_2D as a row of smaller
// pixels, [B,H,W,K*C] as [B,H*W*K,C], if it is the only reader. The convolution
// then writes the row directly, also as part of a concatenation
// (MemoryView::Kind::kRows). If C is not a multiple of four, the convolution
// gets extra outputs with zero weights for the padding of the smaller pixels.

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
         absl::c_all_of(second.post_ops, IsSameEverywhere) &&
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
         absl::c_all_of(q.zero_point, [zero](int64_t z) { return z == zero; });
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
  return absl::c_all_of(node.post_ops, [&](const PostOp& op) {
    return IsSameEverywhere(op) ||
           (op.operand_as == OperandAs::kTable &&
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
    if (op.operand_as == OperandAs::kTable) op.operand = pad(op.operand, 3);
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
  result.dims = result.shape.dims();
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

// --- read_through ------------------------------------------------------------

// Removes nodes whose results are read only by convolutions, or only by the
// dispatch that reads back a graph output, if these can read the node's source
// instead (MemoryView::Kind). Saves one dispatch each:
// - DEPTH_TO_SPACE to whole slices: any convolutions, or the readback.
// - RESIZE_BILINEAR of real values: one 1x1 convolution from shared memory,
//   which reads each texel once for all output slices of a work group, or the
//   readback.
// - MAX_POOL_2D of at most 2x2 without post-ops: one convolution with a post-op
//   that has the result as its operand, pixel by pixel.

namespace {

// The node's result as a view of its source; nullopt: shaders cannot read it
// so.
std::optional<MemoryView> ViewOfResult(const Graph& graph, const Node& node) {
  if (!node.post_ops.empty()) return std::nullopt;
  const Tensor& from = graph.tensor(node.inputs[0]);
  const Tensor& to = graph.tensor(node.outputs[0]);
  std::optional<MemoryView> view;
  if (node.As<ResizeAttributes>() != nullptr &&
      node.op->plan == &PlanResizeBilinear) {
    if (from.is_float_view() || to.is_float_view()) return std::nullopt;
    view = BilinearView(node, from.shape, to.shape);
  } else if (const auto* a = node.As<SpaceDepthParams>();
             a != nullptr && node.op->name == "DEPTH_TO_SPACE" &&
             to.shape.c % 4 == 0) {
    view.emplace();
    view->kind = MemoryView::Kind::kDepthToSpace;
    view->block = a->block_size;
  } else {
    view = MaxPoolView(node);
  }
  if (view) view->of = node.inputs[0];
  return view;
}

// The node reads `id` as a convolution's source, and nowhere else.
std::optional<Convolution> ConvolutionOf(TensorId id, const Graph& graph,
                                         const Node& node) {
  const auto conv = Convolution::Of(graph, node);
  const bool is_source = conv && conv->src == id && !IsOperand(id, node) &&
                         absl::c_count(node.inputs, id) == 1;
  return is_source ? conv : std::nullopt;
}

bool CanReadThrough(const Convolution& conv, MemoryView::Kind kind,
                    const Planner& planner) {
  if (kind == MemoryView::Kind::kDepthToSpace) return true;
  return conv.IsPointwise() &&
         ChooseConvStrategy(conv, planner) == &kConvShared;
}

// The first function of the node that takes the operand: an index, or one past
// the last.
size_t FunctionOf(TensorId operand, const Node& node) {
  const auto takes = [&](const PostOp& op) { return op.operand == operand; };
  return absl::c_find_if(node.post_ops, takes) - node.post_ops.begin();
}

// If a convolution's function uses each pixel of the maximum once, four reads
// of the source replace those of the node, its write and one read.
bool CanTakeMaximum(const Tensor& maximum, const PostOp& function,
                    const Convolution& conv) {
  Shape pixels = conv.dst_shape;
  if (function.operand_as == OperandAs::kZeroExtended) {
    pixels.c = maximum.shape.c;
  }
  return maximum.shape == pixels;
}

// Reads the maximum by the function of the node that takes it.
void TakeMaximum(TensorId maximum, Node* node) {
  PostOp& function = node->post_ops[FunctionOf(maximum, *node)];
  function.operand_max_pool = true;
  // Of as many channels as there are it is the same, and functions that differ
  // in nothing else share a program.
  function.operand_as = OperandAs::kZeroExtended;
}

// Whether all that reads the result can read it so.
bool ReadersCanRead(const MemoryView& view, TensorId id,
                    const std::vector<int>& readers, const Planner& planner) {
  const Graph& graph = planner.graph();
  if (view.kind == MemoryView::Kind::kMaxPool) {
    const Node& node = graph.nodes[readers[0]];
    const size_t function = FunctionOf(id, node);
    const auto conv = Convolution::Of(graph, node);
    return readers.size() == 1 && conv && function < node.post_ops.size() &&
           CanTakeMaximum(graph.tensor(id), node.post_ops[function], *conv);
  }
  // To interpolate for each of several readers costs more than a dispatch.
  if (view.kind == MemoryView::Kind::kBilinear && readers.size() != 1) {
    return false;
  }
  return absl::c_all_of(readers, [&](int reader) {
    const auto conv = ConvolutionOf(id, graph, graph.nodes[reader]);
    return conv && CanReadThrough(*conv, view.kind, planner);
  });
}

bool CanBeRead(const MemoryView& view, TensorId id, Rewriter& r) {
  const Tensor& result = r.tensor(id);
  const std::vector<int>& readers = r.ReadersOf(id);
  const Tensor& source = r.tensor(view.of);
  if (result.view.of != kNoTensor || !OwnsMemory(source) ||
      source.type != DataType::kFloat32 || !LieAlike(source, result)) {
    return false;
  }
  // The readback dispatch reads each texel once or twice. If the host unpacks
  // the output, there is no such dispatch.
  if (r.IsOutput(id)) {
    return readers.empty() && view.kind != MemoryView::Kind::kMaxPool &&
           r.choices().host_transfers == 0;
  }
  return !readers.empty() &&
         ReadersCanRead(view, id, readers, Planner(&r.graph(), r.profile()));
}

}  // namespace

void ReadThrough(Rewriter& r, int n) {
  const auto view = ViewOfResult(r.graph(), r.node(n));
  if (!view) return;
  const TensorId id = r.node(n).outputs[0];
  if (!CanBeRead(*view, id, r)) {
    return r.Decline(n, "not all that reads it can read its source");
  }
  r.tensor(id).view = *view;
  r.Remove(n);
  if (view->kind == MemoryView::Kind::kMaxPool) {
    TakeMaximum(id, &r.own(r.ReadersOf(id)[0]));
  }
}

}  // namespace gles_delegate

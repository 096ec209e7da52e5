// Removes reshapes that keep rows whole (the last dimension) beside ops that
// only see rows, so that no dispatch moves values from one place in B, H, W to
// another:
// - a FULLY_CONNECTED reads what a RESHAPE before it reads, and writes what one
//   after it makes;
// - rows between two FULLY_CONNECTED lie along the width, also of rank 2, whose
//   first axis is the batch otherwise;
// - a RESHAPE's functions go to the node before it, and a RESHAPE in front of a
//   SOFTMAX goes behind it, where another one undoes it. So a mask that is
//   added to the scores of heads, written with more axes than they have, is a
//   function of their product; one of each head is reshaped, and one of queries
//   whose heads share keys is repeated, for all layers once.
//
// Must not fire on the integer path, or if a product's rows and results became
// different pixels: its fast shaders need the same. O(nodes).
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "delegate/graph/constant_values.h"
#include "delegate/graph/op.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/image/resize.h"
#include "delegate/ops/matmul/matrix_product.h"
#include "delegate/ops/movement/remap.h"
#include "delegate/ops/op_list.h"
#include "delegate/ops/reduction/rows.h"
#include "delegate/passes/passes.h"

namespace gles_delegate {
namespace {

// A node of real numbers with these attributes.
template <typename Attributes>
bool Is(const Node& node) {
  return !node.integer_path && node.As<Attributes>() != nullptr;
}

bool IsRowProduct(const Node& node) {
  return Is<FullyConnectedAttributes>(node);
}

bool HaveSamePixels(const Shape& a, const Shape& b) {
  return a.b == b.b && a.h == b.h && a.w == b.w;
}

class Sinker {
 public:
  explicit Sinker(Rewriter& r) : r_(r) {}

  void Run() {
    const int count = r_.size();
    for (int n = 0; n < count; ++n) {
      if (r_.is_gone(n) || !KeepsRows(n)) continue;
      GiveFunctions(n);
      if (!JoinProducer(n)) PassSoftmax(n);
    }
    for (int n = 0; n < r_.size(); ++n) LayRowsAlongWidth(n);
    for (int n = 0; n < r_.size(); ++n) ReadSource(n);
    r_.RemoveDead();
  }

 private:
  const Node& node(int n) { return r_.node(n); }
  Tensor& tensor(TensorId id) { return r_.tensor(id); }

  // A reshape of floats whose last dimension stays.
  bool KeepsRows(int n) {
    const Node& r = node(n);
    if (!r.op->Has(kKeepsOrder)) return false;
    const Tensor& from = tensor(r.inputs[0]);
    const Tensor& to = tensor(r.outputs[0]);
    return IsComputedFloat(from) && IsComputedFloat(to) &&
           from.shape.c == to.shape.c &&
           from.always_float32 == to.always_float32;
  }

  // Functions that do the same before the reshape.
  bool SeeRowsAlone(const std::vector<PostOp>& ops) {
    return absl::c_all_of(ops, [&](const PostOp& op) {
      if (op.operand == kNoTensor) return true;
      const Shape& s = tensor(op.operand).shape;
      return s.b == 1 && s.h == 1 && s.w == 1;
    });
  }

  bool HasRoom(const Node& producer, const Node& reshape) {
    const int operands = CountOperands(reshape);
    return (operands == 0 || r_.CanBind(producer, operands)) &&
           HasRoomFor(reshape.post_ops.size(), producer.post_ops);
  }

  // Functions of a matrix product's scores (a mask) go to the product.
  void GiveFunctions(int n) {
    const Node& r = node(n);
    const int p = r_.MakerFor(r.inputs[0], n);
    if (r.post_ops.empty() || p < 0) return;
    const Shape& from = tensor(r.inputs[0]).shape;
    const Shape& to = tensor(r.outputs[0]).shape;
    // Operands are there already.
    const bool fit = absl::c_all_of(r.post_ops, [&](const PostOp& op) {
      if (op.operand == kNoTensor) return true;
      const int maker = r_.MakerOf(op.operand);
      return (maker < 0 || r_.IsBefore(maker, p)) &&
             (IsOfRows(op, from, to) || IsOfMatrices(op, from, to) ||
              IsOfJoinedRows(op, from, to));
    });
    if (!fit || !HasRoom(node(p), r) || !Is<BatchMatMulAttributes>(node(p))) {
      return;
    }
    std::vector<PostOp> functions = r.post_ops;
    const TensorId scores = r.inputs[0];
    for (PostOp& op : functions) {
      if (op.operand == kNoTensor || IsOfRows(op, from, to)) continue;
      op.operand = IsOfJoinedRows(op, from, to)
                       ? Repeated(op.operand, tensor(scores).shape.w)
                       : Regrouped(op.operand, tensor(scores));
    }
    r_.Change(p, [&](Node& producer) {
      AddFunctions(functions, &producer.post_ops);
    });
    r_.Change(n, [](Node& reshape) { reshape.post_ops.clear(); });
  }

  // Rows of one matrix keep their width.
  bool IsOfRows(const PostOp& op, const Shape& from, const Shape& to) {
    const Shape& s = tensor(op.operand).shape;
    return s.b == 1 && s.h == 1 && (s.w == 1 || from.w == to.w);
  }

  // An operand for all matrices, which have other places in B and H.
  bool IsOfMatrices(const PostOp& op, const Shape& from, const Shape& to) {
    const Tensor& operand = tensor(op.operand);
    const Shape& s = operand.shape;
    const bool is_float = operand.is_constant()
                              ? operand.type == DataType::kFloat32
                              : IsComputedFloat(operand);
    return is_float && s.b == to.b && s.h == to.h && s.w == to.w &&
           from.w == to.w && from.b * from.h == to.b * to.h;
  }

  // An operand for all matrices, several of which the product has in one, under
  // one another.
  bool IsOfJoinedRows(const PostOp& op, const Shape& from, const Shape& to) {
    const Tensor& operand = tensor(op.operand);
    const Shape& s = operand.shape;
    return IsComputedFloat(operand) && s.b == 1 && s.h == 1 && s.w == to.w &&
           from.w > to.w && from.w % to.w == 0;
  }

  // The operand with its rows repeated to `width` rows, for all layers of a
  // model once.
  TensorId Repeated(TensorId operand, int width) {
    const auto [found, is_new] =
        repeated_.try_emplace({operand, width}, kNoTensor);
    if (!is_new) return found->second;
    std::vector<int> dims = tensor(operand).dims;
    dims[dims.size() - 2] = width;
    found->second = AddLike(tensor(operand),
                            absl::StrCat(tensor(operand).name, " repeated"),
                            std::move(dims), &r_.graph());
    RemapAttributes a{{Remap()}};
    a.remaps[0].edge = Remap::Edge::kWrap;
    r_.InsertAfter(r_.MakerOf(operand),
                   Node::Of(FindOpNamed("TILE"), {operand}, {found->second},
                            std::move(a)));
    return found->second;
  }

  // The operand with its matrices where those of `scores` are. If it is
  // computed, a RESHAPE behind its producer makes it, for all layers of a model
  // once.
  TensorId Regrouped(TensorId operand, const Tensor& scores) {
    const auto key = std::make_tuple(operand, scores.shape.b, scores.shape.h);
    const auto [found, is_new] = regrouped_.try_emplace(key, kNoTensor);
    if (!is_new) return found->second;
    if (tensor(operand).is_constant()) {
      const Shape& s = scores.shape;
      found->second = AddConstantAs({s.b, s.h, s.w, tensor(operand).shape.c},
                                    operand, &r_.graph());
      return found->second;
    }
    std::vector<int> dims = scores.dims;
    dims.back() = tensor(operand).dims.back();
    found->second =
        AddLike(tensor(operand),
                absl::StrCat(tensor(operand).name, " of ", scores.name),
                std::move(dims), &r_.graph());
    r_.InsertAfter(r_.MakerOf(operand), ReshapeNode(operand, found->second));
    return found->second;
  }

  // Only a product whose rows and results are the same pixels has fast shaders:
  // it must not lose them if it reads `from`, or writes `to`.
  bool StaysFast(const Node& product, TensorId from, TensorId to) {
    return HaveSamePixels(tensor(from).shape, tensor(to).shape) ||
           !HaveSamePixels(tensor(product.inputs[0]).shape,
                           tensor(product.outputs[0]).shape);
  }

  // The product writes what the reshape makes. It takes the reshape's place,
  // since the operands of functions may be computed in between.
  bool JoinProducer(int n) {
    const int p = r_.MakerFor(node(n).inputs[0], n);
    if (p < 0 || !IsRowProduct(node(p)) || !HasRoom(node(p), node(n)) ||
        !SeeRowsAlone(node(p).post_ops) ||
        !StaysFast(node(p), RowsOf(node(p)), node(n).outputs[0])) {
      return false;
    }
    Node joined = r_.Take(p);
    AddFunctions(node(n).post_ops, &joined.post_ops);
    joined.outputs = node(n).outputs;
    joined.always_float32 |= node(n).always_float32;
    r_.Replace(n, std::move(joined));
    return true;
  }

  void PassSoftmax(int n) {
    const Node& r = node(n);
    const int s = r_.OnlyReaderOf(r.outputs[0]);
    if (!r.post_ops.empty() || s < 0 || !Is<SoftmaxAttributes>(node(s))) return;
    const TensorId result = node(s).outputs[0];
    const int after = r_.OnlyReaderOf(result);
    if (after < 0 || !KeepsRows(after) ||
        tensor(node(after).outputs[0]).dims != tensor(r.inputs[0]).dims ||
        !SeeRowsAlone(node(s).post_ops)) {
      return;
    }
    Tensor rows = tensor(result);
    rows.SetDims(tensor(r.inputs[0]).dims);
    const TensorId source = r.inputs[0];
    const TensorId passed = r_.AddTensor(std::move(rows));
    r_.Change(after, [&](Node& reshape) { reshape.inputs[0] = passed; });
    r_.Remove(n);
    r_.Change(s, [&](Node& softmax) {
      softmax.inputs[0] = source;
      softmax.outputs[0] = passed;
    });
  }

  // The rows that a product of rows can read: its input, or what a reshape
  // makes that of.
  TensorId RowsOf(const Node& product) {
    const TensorId input = product.inputs[0];
    const int p = r_.MakerOf(input);
    const bool same =
        p >= 0 && KeepsRows(p) && node(p).post_ops.empty() &&
        tensor(input).shape.c == tensor(product.inputs[1]).dims.back();
    return same ? node(p).inputs[0] : input;
  }

  void ReadSource(int n) {
    if (r_.is_gone(n) || !IsRowProduct(node(n))) return;
    const TensorId rows = RowsOf(node(n));
    if (rows == node(n).inputs[0] ||
        !StaysFast(node(n), rows, node(n).outputs[0])) {
      return;
    }
    r_.Change(n, [&](Node& product) { product.inputs[0] = rows; });
  }

  void LayRowsAlongWidth(int n) {
    if (r_.is_gone(n) || !IsRowProduct(node(n))) return;
    const Node& product = node(n);
    const std::vector<int> dims = tensor(product.outputs[0]).dims;
    const Shape& source = tensor(RowsOf(product)).shape;
    if (dims.size() != 2 || dims[0] == 1 || !SeeRowsAlone(product.post_ops) ||
        source.b != 1 || source.h != 1 || source.w != dims[0]) {
      return;
    }
    std::vector<TensorId> rows;
    if (!MayLie(product.outputs[0], &rows)) return;
    for (TensorId id : rows) {
      const Shape shape = AlongWidth(id);
      tensor(id).dims.insert(tensor(id).dims.begin(), 1);
      tensor(id).shape = shape;
      for (int reader : r_.ReadersOf(id)) {
        auto* a = r_.own(reader).As<ElementwiseAttributes>();
        if (a != nullptr && node(reader).inputs[a->source] == id) {
          a->source_shape = shape;
        }
      }
    }
  }

  // The shape of a tensor of rank 2 whose rows are pixels side by side.
  Shape AlongWidth(TensorId id) {
    const std::vector<int>& dims = tensor(id).dims;
    return Shape::FromDims({1, dims[0], dims[1]});
  }

  // Whether all readers of a tensor of rank 2 compute the same, and as fast,
  // with that shape. Adds it to `rows`, and those that must have it then.
  bool MayLie(TensorId id, std::vector<TensorId>* rows) {
    constexpr size_t kMaxRows = 64;
    rows->push_back(id);
    return rows->size() <= kMaxRows && IsComputedFloat(tensor(id)) &&
           r_.IsReadOnlyBy(id, [&](int reader) {
             return SeesRows(node(reader), id, rows);
           });
  }

  bool SeesRows(const Node& reader, TensorId id, std::vector<TensorId>* rows) {
    const Shape shape = AlongWidth(id);
    const auto& inputs = reader.inputs;
    if (IsOperand(id, reader) || absl::c_count(inputs, id) != 1) return false;
    if (reader.op->Has(kKeepsOrder)) return inputs[0] == id;
    if (IsRowProduct(reader)) {
      const Tensor& to = tensor(reader.outputs[0]);
      return inputs[0] == id &&
             (to.dims.size() != 2 || (SeeRowsAlone(reader.post_ops) &&
                                      MayLie(reader.outputs[0], rows)));
    }
    const auto* a = reader.As<ElementwiseAttributes>();
    if (a == nullptr) return false;
    if (IsPlainElementwise(r_.graph(), reader) && CountOperands(reader) == 0) {
      return MayLie(reader.outputs[0], rows);
    }
    if (inputs[a->source] == id) return a->source_shape == shape;
    return absl::c_any_of(a->functions, [&](const RealignedFunction& f) {
      return f.function.operand != kNoTensor &&
             inputs[f.function.operand] == id && f.operand_shape == shape;
    });
  }

  Rewriter& r_;
  // Of operand, batch and height.
  std::map<std::tuple<TensorId, int, int>, TensorId> regrouped_;
  // Of operand and width.
  std::map<std::pair<TensorId, int>, TensorId> repeated_;
};

}  // namespace

void SinkReshapes(Rewriter& r) { Sinker(r).Run(); }

// --- remove_identity ---------------------------------------------------------

// Removes nodes whose output equals their input: RESHAPE, SQUEEZE and
// EXPAND_DIMS that keep batch, height, width and channels (the GPU has no
// ranks), slices of a whole tensor, PADs by nothing, a CONCATENATION of one
// input, RESIZEs of floats to the same size.
//
// An identity from a graph input to a graph output stays, as a copy.

namespace {

// A slice of the input's shape takes everything; it may still reverse.
bool HasPositiveStrides(const Graph& graph, const Node& node) {
  if (node.inputs.size() < 4 || node.inputs[3] == kNoTensor) return false;
  const auto strides = ConstantInts(graph.tensor(node.inputs[3]));
  return strides.ok() && absl::c_all_of(*strides, [](int s) { return s > 0; });
}

bool IsIdentity(const Graph& graph, const Node& node) {
  if (!node.post_ops.empty() || node.outputs.size() != 1 ||
      node.inputs.empty() || node.inputs[0] == kNoTensor) {
    return false;
  }
  const Tensor& input = graph.tensor(node.inputs[0]);
  const Tensor& output = graph.tensor(node.outputs[0]);
  if (input.shape != output.shape || input.type != output.type ||
      input.holds_quantized != output.holds_quantized || input.is_constant() ||
      input.is_variable) {
    return false;
  }
  if (node.op->Has(kKeepsOrder)) return HaveSameAxes(input, output);
  // The following ops have axes, which mean the same only for equal ranks.
  if (input.dims != output.dims) return false;
  // Each pixel is read at its own position with any alignment. Values with
  // another quantization would have to be rescaled.
  if (node.As<ResizeAttributes>() != nullptr) {
    return !input.is_float_view() && !output.is_float_view();
  }
  if (node.op->Has(kTakesStrides)) return HasPositiveStrides(graph, node);
  return node.op->Has(kKeepsWhatFits) ||
         (node.op->Has(kJoins) && node.inputs.size() == 1);
}

// All that reads one reads the other, of the same values.
void ReadOther(Rewriter& r, TensorId from, TensorId to) {
  r.ReadInstead(from, to);
  r.tensor(from).replaced_by = to;
}

}  // namespace

void RemoveIdentityNodes(Rewriter& r) {
  // Before nodes read tensors of other dims.
  std::vector<int> identities;
  for (int n = 0; n < r.size(); ++n) {
    if (IsIdentity(r.graph(), r.node(n))) identities.push_back(n);
  }
  // An output of the graph keeps its name: what makes the input makes it. Last
  // first, so that chains carry it all the way up.
  for (auto at = identities.rbegin(); at != identities.rend(); ++at) {
    const int n = *at;
    const TensorId from = r.node(n).inputs[0], to = r.node(n).outputs[0];
    const int maker = r.MakerOf(from);
    if (!r.IsOutput(to) || r.IsOutput(from) || maker < 0) continue;
    r.Remove(n);
    r.Change(maker,
             [&](Node& node) { absl::c_replace(node.outputs, from, to); });
    ReadOther(r, from, to);
  }
  for (int n : identities) {
    if (r.is_gone(n)) continue;
    const TensorId from = r.node(n).inputs[0], to = r.node(n).outputs[0];
    if (r.IsOutput(to)) continue;
    r.Remove(n);
    ReadOther(r, to, from);
  }
}

}  // namespace gles_delegate

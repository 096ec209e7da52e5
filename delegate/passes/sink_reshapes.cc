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
//   function of their product; one of each head is reshaped, for all layers
//   once.
//
// Must not fire on the integer path, or if a product's rows and results became
// different pixels: its fast shaders need the same. O(nodes).
#include <algorithm>
#include <any>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/graph/op.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/matmul/batch_matmul.h"
#include "delegate/ops/matmul/fully_connected.h"
#include "delegate/ops/op_list.h"
#include "delegate/ops/reduction/softmax.h"
#include "delegate/passes/all_passes.h"
#include "delegate/passes/fusing.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

// A node of real numbers with these attributes.
template <typename Attributes>
bool Is(const Node& node) {
  return !node.integer_path &&
         std::any_cast<Attributes>(&node.attributes) != nullptr;
}

bool IsRowProduct(const Node& node) {
  return Is<FullyConnectedAttributes>(node);
}

bool HaveSamePixels(const Shape& a, const Shape& b) {
  return a.b == b.b && a.h == b.h && a.w == b.w;
}

class Sinker {
 public:
  Sinker(Graph* graph, const DeviceProfile& profile)
      : graph_(graph),
        max_tensors_(MaxBoundTensors(profile)),
        uses_(*graph),
        removed_(graph->nodes.size(), false) {}

  void Run() {
    const int count = static_cast<int>(graph_->nodes.size());
    for (int n = 0; n < count; ++n) {
      if (!KeepsRows(n)) continue;
      GiveFunctions(n);
      if (!JoinProducer(n)) PassSoftmax(n);
    }
    ChangeNodes();
    removed_.assign(graph_->nodes.size(), false);
    uses_ = Uses(*graph_);
    for (const Node& n : graph_->nodes) LayRowsAlongWidth(n);
    for (Node& n : graph_->nodes) ReadSource(&n);
    RemoveDeadNodes(graph_);
  }

 private:
  Node& node(int n) { return graph_->nodes[n]; }
  Tensor& tensor(TensorId id) { return graph_->tensor(id); }

  // A reshape of floats whose last dimension stays.
  bool KeepsRows(int n) {
    const Node& r = node(n);
    if (removed_[n] || !r.op->Has(kKeepsOrder)) return false;
    const Tensor& from = tensor(r.inputs[0]);
    const Tensor& to = tensor(r.outputs[0]);
    return IsComputedFloat(from) && IsComputedFloat(to) &&
           from.shape.c == to.shape.c &&
           from.always_float32 == to.always_float32;
  }

  // The node that writes a tensor for its one reader n; -1: none such.
  int ProducerFor(TensorId id, int n) {
    const auto& readers = uses_.consumers[id];
    const int p = uses_.producer[id];
    return p < 0 || uses_.is_output[id] || readers.size() != 1 ||
                   readers[0] != n || removed_[p]
               ? -1
               : p;
  }

  // Functions that do the same before the reshape.
  bool SeeRowsAlone(const std::vector<PostOp>& ops) {
    return std::all_of(ops.begin(), ops.end(), [&](const PostOp& op) {
      if (op.operand == kNoTensor) return true;
      const Shape& s = tensor(op.operand).shape;
      return s.b == 1 && s.h == 1 && s.w == 1;
    });
  }

  bool HasRoom(const Node& producer, const Node& reshape) {
    const bool binds = CountOperands(reshape) == 0 ||
                       static_cast<int>(producer.inputs.size()) + 1 +
                               CountOperands(producer) +
                               CountOperands(reshape) <=
                           max_tensors_;
    return binds && HasRoomFor(reshape.post_ops.size(), producer.post_ops);
  }

  // Node `to` reads the tensor in place of node `from`.
  void MoveReader(TensorId id, int from, int to) {
    auto& readers = uses_.consumers[id];
    std::replace(readers.begin(), readers.end(), from, to);
  }

  // Functions of a matrix product's scores (a mask) go to the product.
  void GiveFunctions(int n) {
    Node& r = node(n);
    const int p = ProducerFor(r.inputs[0], n);
    if (r.post_ops.empty() || p < 0) return;
    Node& producer = node(p);
    const Shape& from = tensor(r.inputs[0]).shape;
    const Shape& to = tensor(r.outputs[0]).shape;
    // Operands are there already.
    const bool fit = std::all_of(
        r.post_ops.begin(), r.post_ops.end(), [&](const PostOp& op) {
          return op.operand == kNoTensor ||
                 (uses_.producer[op.operand] < p &&
                  (IsOfRows(op, from, to) || IsOfMatrices(op, from, to)));
        });
    if (!fit || !HasRoom(producer, r) || !Is<BatchMatMulAttributes>(producer)) {
      return;
    }
    for (PostOp& op : r.post_ops) {
      if (op.operand == kNoTensor) continue;
      MoveReader(op.operand, n, p);
      if (!IsOfRows(op, from, to)) {
        op.operand = Regrouped(op.operand, tensor(r.inputs[0]), p);
      }
    }
    producer.post_ops.insert(producer.post_ops.end(), r.post_ops.begin(),
                             r.post_ops.end());
    r.post_ops.clear();
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

  // The operand with its matrices where those of `scores` are, for node p. If
  // it is computed, a RESHAPE behind its producer makes it, for all layers of a
  // model once.
  TensorId Regrouped(TensorId operand, const Tensor& scores, int p) {
    const auto key = std::make_tuple(operand, scores.shape.b, scores.shape.h);
    const auto [found, is_new] = regrouped_.try_emplace(key, kNoTensor);
    if (!is_new) {
      uses_.consumers[found->second].push_back(p);
      return found->second;
    }
    uses_.consumers.push_back({p});
    uses_.is_output.push_back(false);
    uses_.producer.push_back(uses_.producer[operand]);
    if (tensor(operand).is_constant()) {
      const Shape& s = scores.shape;
      found->second = AddConstantAs({s.b, s.h, s.w, tensor(operand).shape.c},
                                    operand, graph_);
      return found->second;
    }
    Tensor t;
    t.name = absl::StrCat(tensor(operand).name, " of ", scores.name);
    t.type = tensor(operand).type;
    t.always_float32 = tensor(operand).always_float32;
    t.dims = scores.dims;
    t.dims.back() = tensor(operand).dims.back();
    t.shape = Shape::FromDims(t.dims);
    Node reshape;
    reshape.op = FindOpNamed("RESHAPE");
    reshape.inputs = {operand};
    found->second = graph_->AddTensor(std::move(t));
    reshape.outputs = {found->second};
    added_.emplace(uses_.producer[operand], std::move(reshape));
    return found->second;
  }

  // Removes nodes, and inserts those of added_.
  void ChangeNodes() {
    std::vector<Node> nodes;
    for (int n = -1; n < static_cast<int>(removed_.size()); ++n) {
      if (n >= 0 && !removed_[n]) nodes.push_back(std::move(node(n)));
      const auto [first, last] = added_.equal_range(n);
      for (auto it = first; it != last; ++it) {
        nodes.push_back(std::move(it->second));
      }
    }
    graph_->nodes = std::move(nodes);
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
    Node& r = node(n);
    const int p = ProducerFor(r.inputs[0], n);
    if (p < 0 || !IsRowProduct(node(p)) || !HasRoom(node(p), r) ||
        !SeeRowsAlone(node(p).post_ops) ||
        !StaysFast(node(p), RowsOf(node(p)), r.outputs[0])) {
      return false;
    }
    Node joined = std::move(node(p));
    joined.post_ops.insert(joined.post_ops.end(), r.post_ops.begin(),
                           r.post_ops.end());
    joined.outputs[0] = r.outputs[0];
    joined.always_float32 |= r.always_float32;
    for (TensorId id : joined.inputs) {
      if (id != kNoTensor) MoveReader(id, p, n);
    }
    for (const PostOp& op : joined.post_ops) {
      if (op.operand != kNoTensor) MoveReader(op.operand, p, n);
    }
    removed_[p] = true;
    node(n) = std::move(joined);
    return true;
  }

  void PassSoftmax(int n) {
    Node& r = node(n);
    const TensorId between = r.outputs[0];
    const auto& readers = uses_.consumers[between];
    if (!r.post_ops.empty() || readers.size() != 1 ||
        uses_.is_output[between] || !Is<SoftmaxAttributes>(node(readers[0]))) {
      return;
    }
    const int s = readers[0];
    Node& softmax = node(s);
    const TensorId result = softmax.outputs[0];
    const auto& after = uses_.consumers[result];
    if (after.size() != 1 || uses_.is_output[result] || !KeepsRows(after[0]) ||
        tensor(node(after[0]).outputs[0]).dims != tensor(r.inputs[0]).dims ||
        !SeeRowsAlone(softmax.post_ops)) {
      return;
    }
    Tensor rows = tensor(result);
    rows.dims = tensor(r.inputs[0]).dims;
    rows.shape = tensor(r.inputs[0]).shape;
    MoveReader(r.inputs[0], n, s);
    softmax.inputs[0] = r.inputs[0];
    softmax.outputs[0] = graph_->AddTensor(std::move(rows));
    node(after[0]).inputs[0] = softmax.outputs[0];
    uses_.producer.push_back(s);
    uses_.consumers.push_back({after[0]});
    uses_.is_output.push_back(false);
    removed_[n] = true;
  }

  // The rows that a product of rows can read: its input, or what a reshape
  // makes that of.
  TensorId RowsOf(const Node& product) {
    const TensorId input = product.inputs[0];
    const int p = uses_.producer[input];
    const bool same =
        p >= 0 && KeepsRows(p) && node(p).post_ops.empty() &&
        tensor(input).shape.c == tensor(product.inputs[1]).dims.back();
    return same ? node(p).inputs[0] : input;
  }

  void ReadSource(Node* product) {
    if (!IsRowProduct(*product)) return;
    const TensorId rows = RowsOf(*product);
    if (StaysFast(*product, rows, product->outputs[0])) {
      product->inputs[0] = rows;
    }
  }

  void LayRowsAlongWidth(const Node& product) {
    if (!IsRowProduct(product)) return;
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
      for (int reader : uses_.consumers[id]) {
        auto* a =
            std::any_cast<ElementwiseAttributes>(&node(reader).attributes);
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
    const auto& readers = uses_.consumers[id];
    rows->push_back(id);
    return rows->size() <= kMaxRows && IsComputedFloat(tensor(id)) &&
           !uses_.is_output[id] &&
           std::all_of(readers.begin(), readers.end(), [&](int reader) {
             return SeesRows(node(reader), id, rows);
           });
  }

  bool SeesRows(const Node& reader, TensorId id, std::vector<TensorId>* rows) {
    const Shape shape = AlongWidth(id);
    const auto& inputs = reader.inputs;
    if (IsOperand(id, reader) ||
        std::count(inputs.begin(), inputs.end(), id) != 1) {
      return false;
    }
    if (reader.op->Has(kKeepsOrder)) return inputs[0] == id;
    if (IsRowProduct(reader)) {
      const Tensor& to = tensor(reader.outputs[0]);
      return inputs[0] == id &&
             (to.dims.size() != 2 || (SeeRowsAlone(reader.post_ops) &&
                                      MayLie(reader.outputs[0], rows)));
    }
    const auto* a = std::any_cast<ElementwiseAttributes>(&reader.attributes);
    if (a == nullptr) return false;
    if (IsPlainElementwise(*graph_, reader) && CountOperands(reader) == 0) {
      return MayLie(reader.outputs[0], rows);
    }
    if (inputs[a->source] == id) return a->source_shape == shape;
    return std::any_of(a->functions.begin(), a->functions.end(),
                       [&](const RealignedFunction& f) {
                         return f.function.operand != kNoTensor &&
                                inputs[f.function.operand] == id &&
                                f.operand_shape == shape;
                       });
  }

  Graph* graph_;
  int max_tensors_;
  Uses uses_;
  std::vector<bool> removed_;
  // Of operand, batch and height.
  std::map<std::tuple<TensorId, int, int>, TensorId> regrouped_;
  std::multimap<int, Node> added_;  // by the node that each follows
};

}  // namespace

void SinkReshapes(Graph* graph, const DeviceProfile& profile) {
  Sinker(graph, profile).Run();
}

}  // namespace gles_delegate

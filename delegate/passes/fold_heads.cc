#include "delegate/passes/fold_heads.h"

#include <algorithm>
#include <any>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "delegate/graph/op.h"
#include "delegate/ops/matmul/batch_matmul.h"
#include "delegate/ops/movement/regroup_slices.h"
#include "delegate/ops/op_list.h"
#include "delegate/passes/attention_heads.h"
#include "delegate/passes/dead_nodes.h"
#include "delegate/passes/fusing.h"

namespace gles_delegate {
namespace {

class HeadFolder {
 public:
  explicit HeadFolder(Graph* graph)
      : graph_(graph), uses_(*graph), removed_(graph->nodes.size(), false) {}

  void Run() {
    std::vector<Node> nodes = std::move(graph_->nodes);
    graph_->nodes.clear();
    nodes_ = &nodes;
    before_.resize(nodes.size());
    after_.resize(nodes.size());
    for (size_t n = 0; n < nodes.size(); ++n) FoldProduct(static_cast<int>(n));
    for (size_t n = 0; n < nodes.size(); ++n) {
      for (Node& node : before_[n]) graph_->nodes.push_back(std::move(node));
      if (!removed_[n]) graph_->nodes.push_back(std::move(nodes[n]));
      for (Node& node : after_[n]) graph_->nodes.push_back(std::move(node));
    }
    RemoveDeadNodes(graph_);
  }

 private:
  Tensor& tensor(TensorId id) { return graph_->tensor(id); }

  // A tensor like `like` with other dims.
  TensorId Add(const Tensor& like, const std::string& what,
               std::vector<int> dims) {
    Tensor t;
    t.name = like.name + what;
    t.type = like.type;
    t.always_float32 = like.always_float32;
    t.shape = Shape::FromDims(dims);
    t.dims = std::move(dims);
    return graph_->AddTensor(std::move(t));
  }

  static Node ReshapeNode(TensorId from, TensorId to) {
    Node node;
    node.op = FindOpNamed("RESHAPE");
    node.inputs = {from};
    node.outputs = {to};
    return node;
  }

  // Functions stay right if the heads of all batches, `count` in all, become
  // the product's batch. An operand of each head would have to repeat for each
  // batch.
  bool CanRegroup(const std::vector<PostOp>& ops, int count) {
    return std::all_of(ops.begin(), ops.end(), [&](const PostOp& op) {
      if (op.operand == kNoTensor) return true;
      const Tensor& t = tensor(op.operand);
      return t.shape.b == 1 &&
             (t.shape.h == 1 || (t.is_constant() && t.shape.h == count));
    });
  }

  // Constant operands of each head lie in its batch.
  void Regroup(std::vector<PostOp>* ops) {
    for (PostOp& op : *ops) {
      if (op.operand == kNoTensor || tensor(op.operand).shape.h == 1) continue;
      const Shape& s = tensor(op.operand).shape;
      op.operand = AddConstantAs({s.h, 1, s.w, s.c}, op.operand, graph_);
    }
  }

  // The factor of these matrices, and the node that makes it.
  TensorId Factor(int n, TensorId id, const std::optional<SplitHeads>& heads,
                  const Matrices& m) {
    const TensorId from = heads ? heads->source : id;
    const bool is_factor = tensor(from).shape == Shape::FromDims(m.dims());
    if (is_factor && (!heads || heads->first == 0)) return from;
    const TensorId factor = Add(tensor(from), " by head", m.dims());
    if (!heads) {
      before_[n].push_back(ReshapeNode(id, factor));
      return factor;
    }
    before_[n].push_back(
        RegroupSlicesNode(heads->source, factor, heads->first));
    return factor;
  }

  void FoldProduct(int n) {
    Node& node = (*nodes_)[n];
    const HeadFinder finder(*graph_, uses_, *nodes_, removed_);
    auto* a = std::any_cast<BatchMatMulAttributes>(&node.attributes);
    if (a == nullptr || node.integer_path || a->x.size() < 3 ||
        a->x.size() != a->y.size() ||
        !std::equal(a->x.begin(), a->x.end() - 2, a->y.begin()) ||
        !IsComputedFloat(tensor(node.inputs[0])) ||
        !IsComputedFloat(tensor(node.inputs[1])) ||
        !IsComputedFloat(tensor(node.outputs[0]))) {
      return;
    }
    Matrices x = Matrices::Of(a->x), y = Matrices::Of(a->y);
    const Matrices product = Matrices::Of(a->product);
    // The heads of one row are in order already.
    if (product.rows == 1) return;
    const auto of_x = finder.SplitOf(node.inputs[0], x);
    const auto of_y = finder.SplitOf(node.inputs[1], y);
    const auto rows = finder.MergedOf(node.outputs[0], product);
    const bool moves_batch = a->x.size() > 3;
    const size_t scales = (of_x ? of_x->scales.size() : 0) +
                          (of_y ? of_y->scales.size() : 0) +
                          (rows ? rows->scales.size() : 0);
    if (!HasRoomFor(scales, node.post_ops)) return;
    if ((!of_x && !of_y && !rows) ||
        (moves_batch && !CanRegroup(node.post_ops, product.count))) {
      return;
    }
    const bool turns_x = of_x && of_x->transposed;
    const bool turns_y = of_y && of_y->transposed;
    if (turns_x) std::swap(x.rows, x.columns);
    if (turns_y) std::swap(y.rows, y.columns);
    node.inputs = {Factor(n, node.inputs[0], of_x, x),
                   Factor(n, node.inputs[1], of_y, y)};
    std::vector<PostOp> factors;
    for (const auto& heads : {of_x, of_y}) {
      if (!heads) continue;
      factors.insert(factors.end(), heads->scales.begin(), heads->scales.end());
    }
    node.post_ops.insert(node.post_ops.begin(), factors.begin(), factors.end());
    if (moves_batch) Regroup(&node.post_ops);
    node.attributes =
        BatchMatMulAttributes{a->adj_x != turns_x, a->adj_y != turns_y,
                              x.dims(), y.dims(), product.dims()};
    LayProduct(n, product, rows, moves_batch);
  }

  void LayProduct(int n, const Matrices& product,
                  const std::optional<MergedHeads>& rows, bool moves_batch) {
    Node& node = (*nodes_)[n];
    const TensorId was = node.outputs[0];
    if (!rows && !moves_batch) return;
    node.outputs[0] = Add(tensor(was), " by head", product.dims());
    if (!rows) {
      after_[n].push_back(ReshapeNode(node.outputs[0], was));
      return;
    }
    node.post_ops.insert(node.post_ops.end(), rows->scales.begin(),
                         rows->scales.end());
    const std::vector<int> dims = {rows->batch, product.rows,
                                   tensor(rows->rows).dims.back()};
    removed_[rows->node] = true;
    if (tensor(rows->rows).dims == dims) {
      after_[n].push_back(RegroupSlicesNode(node.outputs[0], rows->rows, 0));
      return;
    }
    const TensorId merged = Add(tensor(rows->rows), " in rows", dims);
    after_[n].push_back(RegroupSlicesNode(node.outputs[0], merged, 0));
    after_[n].push_back(ReshapeNode(merged, rows->rows));
  }

  Graph* graph_;
  Uses uses_;
  std::vector<bool> removed_;
  std::vector<Node>* nodes_ = nullptr;
  // New nodes around each.
  std::vector<std::vector<Node>> before_, after_;
};

}  // namespace

void FoldHeads(Graph* graph) { HeadFolder(graph).Run(); }

}  // namespace gles_delegate

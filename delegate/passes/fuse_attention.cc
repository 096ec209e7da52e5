// Scores, SOFTMAX and their product with the values become one ATTENTION node
// (ops/matmul/attention.h), if there is a shader for it on the device. An
// ATTENTION of few rows includes a RESHAPE of the result to one row.
//
// Must not fire on the integer path, or if the scores are read elsewhere.
// O(nodes).
#include <algorithm>
#include <any>
#include <optional>
#include <utility>
#include <vector>

#include "delegate/graph/op.h"
#include "delegate/ops/matmul/attention.h"
#include "delegate/ops/matmul/batch_matmul.h"
#include "delegate/ops/matmul/matrix_product.h"
#include "delegate/ops/reduction/softmax.h"
#include "delegate/ops/stages.h"
#include "delegate/passes/all_passes.h"
#include "delegate/passes/fusing.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

class AttentionFuser {
 public:
  AttentionFuser(Graph* graph, const DeviceProfile& profile)
      : graph_(graph),
        profile_(profile),
        uses_(*graph),
        removed_(graph->nodes.size(), false) {}

  void Run() {
    for (size_t n = 0; n < graph_->nodes.size(); ++n) Fuse(static_cast<int>(n));
    RemoveNodes(removed_, graph_);
  }

 private:
  const Shape& ShapeOf(TensorId id) const { return graph_->tensor(id).shape; }

  // The one node that reads what node n computes; -1: none such.
  int ReaderOf(int n) const {
    const TensorId id = graph_->nodes[n].outputs[0];
    const auto& readers = uses_.consumers[id];
    return IsComputedFloat(graph_->tensor(id)) && !uses_.is_output[id] &&
                   readers.size() == 1 &&
                   !graph_->nodes[readers[0]].integer_path
               ? readers[0]
               : -1;
  }

  template <typename T>
  const T* AttributesOf(int n) const {
    return n < 0 ? nullptr : std::any_cast<T>(&graph_->nodes[n].attributes);
  }

  bool AreScores(int n) const {
    const auto* a = AttributesOf<BatchMatMulAttributes>(n);
    const Node& node = graph_->nodes[n];
    if (a == nullptr || node.integer_path || a->adj_x || !a->adj_y ||
        a->x.size() < 3 || a->x.size() != a->y.size()) {
      return false;
    }
    const Matrix q = MatrixOf(a->x, false), k = MatrixOf(a->y, false);
    return q.leading == k.leading &&
           std::all_of(node.inputs.begin(), node.inputs.end(),
                       [&](TensorId id) {
                         return IsComputedFloat(graph_->tensor(id));
                       }) &&
           std::all_of(node.post_ops.begin(), node.post_ops.end(),
                       BroadcastsOperand);
  }

  bool IsSoftmaxOf(int n, const Shape& scores) const {
    const auto* a = AttributesOf<SoftmaxAttributes>(n);
    return a != nullptr && !a->log && a->quantized == nullptr &&
           a->int16 == nullptr && graph_->nodes[n].post_ops.empty() &&
           ShapeOf(graph_->nodes[n].inputs[0]) == scores &&
           ShapeOf(graph_->nodes[n].outputs[0]) == scores;
  }

  // The scores are the first factor, and the values have as many matrices.
  bool IsProductOf(int n, TensorId probabilities,
                   const BatchMatMulAttributes& scores) const {
    const auto* a = AttributesOf<BatchMatMulAttributes>(n);
    if (a == nullptr || a->adj_x || a->x != scores.product ||
        a->y.size() != a->x.size()) {
      return false;
    }
    const Node& node = graph_->nodes[n];
    const Matrix v = MatrixOf(a->y, a->adj_y);
    return node.inputs[0] == probabilities && node.inputs[1] != probabilities &&
           IsComputedFloat(graph_->tensor(node.inputs[1])) &&
           IsComputedFloat(graph_->tensor(node.outputs[0])) &&
           v.leading == MatrixOf(a->x, false).leading && v.columns % 4 == 0 &&
           node.post_ops.empty();
  }

  // A reshape of the product's rows to one pixel.
  bool IsInOneRow(int n) const {
    if (n < 0 || !graph_->nodes[n].op->Has(kKeepsOrder)) return false;
    const Tensor& row = graph_->tensor(graph_->nodes[n].outputs[0]);
    return IsComputedFloat(row) && row.shape.elements() == row.shape.c;
  }

  void Fuse(int n) {
    if (removed_[n] || !AreScores(n)) return;
    const int softmax = ReaderOf(n);
    const Shape& shape = ShapeOf(graph_->nodes[n].outputs[0]);
    if (softmax < 0 || !IsSoftmaxOf(softmax, shape)) return;
    const auto& scores = *AttributesOf<BatchMatMulAttributes>(n);
    const int product = ReaderOf(softmax);
    if (product < 0 ||
        !IsProductOf(product, graph_->nodes[softmax].outputs[0], scores)) {
      return;
    }
    AttentionAttributes a;
    a.scores = scores;
    a.product = *AttributesOf<BatchMatMulAttributes>(product);
    a.beta = AttributesOf<SoftmaxAttributes>(softmax)->beta;
    const std::optional<AttentionWay> way = ChooseAttentionWay(a, profile_);
    if (!way) return;
    a.way = *way;
    Node fused = graph_->nodes[product];
    fused.op = &Attention();
    const std::vector<TensorId>& factors = graph_->nodes[n].inputs;
    fused.inputs = {factors[0], factors[1], graph_->nodes[product].inputs[1]};
    fused.stages = {{kScoreStage, graph_->nodes[n].post_ops}};
    int last = product;
    if (const int row = ReaderOf(product);
        a.way == AttentionWay::kFewRows && IsInOneRow(row)) {
      a.in_one_row = true;
      fused.outputs = graph_->nodes[row].outputs;
      fused.post_ops = graph_->nodes[row].post_ops;
      last = row;
    }
    if (static_cast<int>(fused.inputs.size()) + 1 + CountOperands(fused) >
        MaxBoundTensors(profile_)) {
      return;
    }
    for (int member : {n, softmax, product, last}) {
      fused.always_float32 |= graph_->nodes[member].always_float32;
      removed_[member] = true;
    }
    fused.attributes = std::move(a);
    graph_->nodes[last] = std::move(fused);
    removed_[last] = false;
  }

  Graph* graph_;
  const DeviceProfile& profile_;
  Uses uses_;
  std::vector<bool> removed_;
};

}  // namespace

void FuseAttention(Graph* graph, const DeviceProfile& profile) {
  AttentionFuser(graph, profile).Run();
}

}  // namespace gles_delegate

// Scores, SOFTMAX and their product with the values become one ATTENTION node
// (ops/matmul/attention.h), if there is a shader for it on the device. An
// ATTENTION of few rows includes a RESHAPE of the result to one row.
//
// Must not fire on the integer path, or if the scores are read elsewhere.
// O(nodes).
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "delegate/graph/op.h"
#include "delegate/ops/matmul/attention.h"
#include "delegate/ops/matmul/batch_matmul.h"
#include "delegate/ops/matmul/matrix_product.h"
#include "delegate/ops/reduction/rows.h"
#include "delegate/ops/stages.h"
#include "delegate/passes/all_passes.h"

namespace gles_delegate {
namespace {

// The one node of real values that reads what node n computes; -1: none such.
int RealReaderOf(const Rewriter& r, int n) {
  const TensorId id = r.node(n).outputs[0];
  const int reader = r.OnlyReaderOf(id);
  return reader >= 0 && IsComputedFloat(r.tensor(id)) &&
                 !r.node(reader).integer_path
             ? reader
             : -1;
}

bool AreScores(const Rewriter& r, int n) {
  const auto* a = r.AttributesOf<BatchMatMulAttributes>(n);
  const Node& node = r.node(n);
  if (a == nullptr || node.integer_path || a->adj_x || !a->adj_y ||
      a->x.size() < 3 || a->x.size() != a->y.size()) {
    return false;
  }
  const Matrix q = MatrixOf(a->x, false), k = MatrixOf(a->y, false);
  return q.leading == k.leading &&
         std::all_of(
             node.inputs.begin(), node.inputs.end(),
             [&](TensorId id) { return IsComputedFloat(r.tensor(id)); }) &&
         std::all_of(node.post_ops.begin(), node.post_ops.end(),
                     BroadcastsOperand);
}

bool IsSoftmaxOf(const Rewriter& r, int n, const Shape& scores) {
  const auto* a = r.AttributesOf<SoftmaxAttributes>(n);
  return a != nullptr && !a->log && a->quantized == nullptr &&
         a->int16 == nullptr && r.node(n).post_ops.empty() &&
         r.shape(r.node(n).inputs[0]) == scores &&
         r.shape(r.node(n).outputs[0]) == scores;
}

// The scores are the first factor, and the values have as many matrices.
bool IsProductOf(const Rewriter& r, int n, TensorId probabilities,
                 const BatchMatMulAttributes& scores) {
  const auto* a = r.AttributesOf<BatchMatMulAttributes>(n);
  if (a == nullptr || a->adj_x || a->x != scores.product ||
      a->y.size() != a->x.size()) {
    return false;
  }
  const Node& node = r.node(n);
  const Matrix v = MatrixOf(a->y, a->adj_y);
  return node.inputs[0] == probabilities && node.inputs[1] != probabilities &&
         IsComputedFloat(r.tensor(node.inputs[1])) &&
         IsComputedFloat(r.tensor(node.outputs[0])) &&
         v.leading == MatrixOf(a->x, false).leading && v.columns % 4 == 0 &&
         node.post_ops.empty();
}

// A reshape of the product's rows to one pixel.
bool IsInOneRow(const Rewriter& r, int n) {
  if (n < 0 || !r.node(n).op->Has(kKeepsOrder)) return false;
  const Tensor& row = r.tensor(r.node(n).outputs[0]);
  return IsComputedFloat(row) && row.shape.elements() == row.shape.c;
}

}  // namespace

void FuseAttention(Rewriter& r, int n) {
  if (!AreScores(r, n)) return;
  const int softmax = RealReaderOf(r, n);
  if (softmax < 0 || !IsSoftmaxOf(r, softmax, r.shape(r.node(n).outputs[0]))) {
    return;
  }
  const int product = RealReaderOf(r, softmax);
  AttentionAttributes a;
  a.scores = *r.AttributesOf<BatchMatMulAttributes>(n);
  if (product < 0 ||
      !IsProductOf(r, product, r.node(softmax).outputs[0], a.scores)) {
    return r.Decline(n, "not only a product with values reads its softmax");
  }
  a.product = *r.AttributesOf<BatchMatMulAttributes>(product);
  a.beta = r.AttributesOf<SoftmaxAttributes>(softmax)->beta;
  const std::optional<AttentionWay> way = ChooseAttentionWay(a, r.profile());
  if (!way) return r.Decline(n, "no shader computes this attention here");
  a.way = *way;
  Node fused = r.node(product);
  fused.op = &kAttentionOp;
  const std::vector<TensorId>& factors = r.node(n).inputs;
  fused.inputs = {factors[0], factors[1], r.node(product).inputs[1]};
  fused.stages = {{kScoreStage, r.node(n).post_ops}};
  std::vector<int> others = {n, softmax};
  int last = product;
  if (const int row = RealReaderOf(r, product);
      a.way == AttentionWay::kFewRows && IsInOneRow(r, row)) {
    a.in_one_row = true;
    fused.outputs = r.node(row).outputs;
    fused.post_ops = r.node(row).post_ops;
    fused.always_float32 |= r.node(row).always_float32;
    others.push_back(product);
    last = row;
  }
  fused.attributes = std::move(a);
  r.Fuse(last, others, std::move(fused));
}

}  // namespace gles_delegate

// Fuses a mean over the plane, the 1x1 convolution or matrix product that is
// its only reader, and the next one if it is the only reader of that, into one
// node (ops/conv/squeeze_excite.h). Saves one or two dispatches. A node before
// it that only the mean reads becomes its input stage.
//
// One work group computes it, so it may read at most
// profile.choices.fused_squeeze_texels texels, weights included. Not for 8-bit
// tensors, for a function with an operand between the products, nor for weights
// computed at run time.
#include <array>
#include <utility>
#include <vector>

#include "delegate/ops/all_ops.h"
#include "delegate/ops/conv/conv_tile.h"
#include "delegate/ops/conv/convolution.h"
#include "delegate/ops/conv/squeeze_excite.h"
#include "delegate/ops/pooling/pool_2d.h"
#include "delegate/ops/reduction/reduce.h"
#include "delegate/ops/stages.h"
#include "delegate/passes/all_passes.h"

namespace gles_delegate {
namespace {

bool CoversPlane(const PoolAttributes& pool, const Shape& src) {
  return pool.quantized == nullptr && !pool.zeros && pool.h.size == src.h &&
         pool.w.size == src.w && pool.pad_h.before == 0 &&
         pool.pad_w.before == 0;
}

// True of the mean of each channel over height and width, and nothing else.
bool IsMeanOfPlane(const Graph& graph, const Node& node) {
  const auto* pool = node.As<PoolAttributes>();
  const auto* reduce = node.As<ReduceAttributes>();
  if ((pool == nullptr && reduce == nullptr) || node.integer_path ||
      !node.post_ops.empty()) {
    return false;
  }
  const Tensor& src = graph.tensor(node.inputs[0]);
  const Tensor& dst = graph.tensor(node.outputs[0]);
  if (dst.shape != Shape{src.shape.b, 1, 1, src.shape.c} || !IsReal(src) ||
      src.is_constant() || !IsReal(dst)) {
    return false;
  }
  if (pool != nullptr) {
    return node.op->plan == &PlanAveragePool2d && CoversPlane(*pool, src.shape);
  }
  constexpr std::array<bool, 4> kPlane = {false, true, true, false};
  return ReducerOf(*node.op) == Reducer::kMean &&
         reduce->quantized == nullptr && reduce->folded.empty() &&
         reduce->over == kPlane;
}

// The product, of one pixel a batch, that alone takes the result of node n; -1:
// there is none.
int ProductOf(const Rewriter& r, int n) {
  const int taker = r.TakerOf(n);
  if (taker < 0) return -1;
  const auto conv = Convolution::Of(r.graph(), r.node(taker));
  const bool fits = conv && conv->src == r.node(n).outputs[0] &&
                    conv->IsPointwise() && conv->constant_weights &&
                    !conv->quantized && conv->input_stage.empty() &&
                    conv->dst_shape.h == 1 && conv->dst_shape.w == 1 &&
                    IsReal(r.tensor(conv->dst));
  return fits ? taker : -1;
}

// An elementwise node that mean n alone takes, and whose functions an input
// stage can have; -1: there is none.
int StageOfMean(const Rewriter& r, int n) {
  const int maker = r.MakerOf(r.node(n).inputs[0]);
  return maker >= 0 && r.TakerOf(maker) == n &&
                 SourceOfInputStage(r.graph(), r.node(maker)) != kNoTensor
             ? maker
             : -1;
}

// The inputs of `conv` that hold its weights and its bias.
void TakeWeights(const Graph& graph, const Node& node, int weights, int bias,
                 std::vector<TensorId>* inputs) {
  const auto conv = Convolution::Of(graph, node);
  (*inputs)[weights] = conv->weights.weights;
  (*inputs)[bias] = conv->weights.bias;
}

// Texels of the planes that the mean reads.
int64_t PlaneTexels(const Graph& graph, const Node& node) {
  std::vector<TensorId> planes = {node.inputs[kSqueezeSource]};
  for (const PostOp& op : StageOf(node, kInputStage)) {
    if (op.operand != kNoTensor) planes.push_back(op.operand);
  }
  int64_t texels = 0;
  for (TensorId id : planes) {
    const Shape& s = graph.tensor(id).shape;
    texels += int64_t{s.h} * s.w * s.slices();
  }
  return texels;
}

// Texels of both matrices.
int64_t WeightTexels(const Graph& graph, const Node& node) {
  int64_t texels = 0;
  for (const int input : {kSqueezeWeights, kExciteWeights}) {
    if (node.inputs[input] == kNoTensor) continue;
    const Shape& s = graph.tensor(node.inputs[input]).shape;
    texels += int64_t{DivideUp(s.b, 4)} * s.slices() * 4;
  }
  return texels;
}

}  // namespace

void FuseSqueezeExcite(Rewriter& r, int n) {
  if (!IsMeanOfPlane(r.graph(), r.node(n))) return;
  const int first = ProductOf(r, n);
  if (first < 0) return;
  std::vector<int> others = {n};
  // A product after this one: functions between need no other tensor.
  const int second =
      ReadOnlyTables(r.node(first).post_ops) ? ProductOf(r, first) : -1;
  const int last = second < 0 ? first : second;
  Node fused = r.node(last);
  fused.op = &SqueezeExcite();
  fused.inputs.assign(kSqueezeExciteInputs, kNoTensor);
  fused.stages.clear();
  fused.inputs[kSqueezeSource] = r.node(n).inputs[0];
  TakeWeights(r.graph(), r.node(first), kSqueezeWeights, kSqueezeBias,
              &fused.inputs);
  if (second >= 0) {
    TakeWeights(r.graph(), r.node(second), kExciteWeights, kExciteBias,
                &fused.inputs);
    fused.stages.push_back({kInnerStage, r.node(first).post_ops});
    others.push_back(first);
  }
  if (const int functions = StageOfMean(r, n); functions >= 0) {
    const Node& node = r.node(functions);
    fused.inputs[kSqueezeSource] = SourceOfInputStage(r.graph(), node);
    fused.stages.push_back({kInputStage, node.post_ops});
    others.push_back(functions);
  }
  const int64_t weights = WeightTexels(r.graph(), fused);
  const int64_t max = r.choices().fused_squeeze_texels;
  if (weights > max) {
    return r.Decline(n, "weights of ", weights,
                     " texels past fused_squeeze_texels");
  }
  fused.attributes =
      SqueezeExciteAttributes{weights + PlaneTexels(r.graph(), fused) > max};
  r.Fuse(last, others, std::move(fused));
}

}  // namespace gles_delegate

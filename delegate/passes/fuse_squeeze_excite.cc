// Fuses a mean over the plane, the 1x1 convolution or matrix product that is
// its only reader, and the next one if it is the only reader of that, into one
// node (ops/conv/squeeze_excite.h). Saves one or two dispatches. A node before
// it that only the mean reads becomes its input stage.
//
// One work group computes it, so it may read at most
// profile.choices.fused_squeeze_texels texels, weights included. Not for 8-bit
// tensors, for a function with an operand between the products, nor for weights
// computed at run time.
//
// Run it last: only after fuse_inputs has moved the sum of the scaled tensor
// into the next convolution is the mean the only reader of that sum.
#include <any>
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
#include "delegate/passes/fusing.h"

namespace gles_delegate {
namespace {

bool IsReal(const Tensor& tensor) {
  return tensor.type == DataType::kFloat32 && !tensor.is_float_view() &&
         !tensor.is_variable && !tensor.is_constant();
}

bool CoversPlane(const PoolAttributes& pool, const Shape& src) {
  return pool.quantized == nullptr && !pool.zeros && pool.h.size == src.h &&
         pool.w.size == src.w && pool.pad_h.before == 0 &&
         pool.pad_w.before == 0;
}

// True of the mean of each channel over height and width, and nothing else.
bool IsMeanOfPlane(const Graph& graph, const Node& node) {
  const auto* pool = std::any_cast<PoolAttributes>(&node.attributes);
  const auto* reduce = std::any_cast<ReduceAttributes>(&node.attributes);
  if ((pool == nullptr && reduce == nullptr) || node.integer_path ||
      !node.post_ops.empty()) {
    return false;
  }
  const Tensor& src = graph.tensor(node.inputs[0]);
  const Tensor& dst = graph.tensor(node.outputs[0]);
  if (dst.shape != Shape{src.shape.b, 1, 1, src.shape.c} || !IsReal(src) ||
      !IsReal(dst)) {
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

// The product that alone reads `tensor`, of one pixel a batch; its node, or
// nullptr.
Node* ProductOf(TensorId tensor, const Uses& uses, Graph* graph) {
  Node* const node = OnlyReader(tensor, uses, graph);
  if (node == nullptr || IsOperand(tensor, *node)) return nullptr;
  const auto conv = Convolution::Of(*graph, *node);
  const bool fits = conv && conv->src == tensor && conv->IsPointwise() &&
                    conv->constant_weights && !conv->quantized &&
                    conv->input_stage.empty() && conv->dst_shape.h == 1 &&
                    conv->dst_shape.w == 1 && IsReal(graph->tensor(conv->dst));
  return fits ? node : nullptr;
}

// Whether another product may follow this one: its functions need no other
// tensor.
bool MayBeFirst(const Node& product) {
  return ReadOnlyTables(product.post_ops);
}

// An elementwise node that the mean alone reads, and whose functions an input
// stage can have; its index, or -1.
int StageOfMean(TensorId source, const Uses& uses, Graph* graph) {
  const int producer = uses.producer[source];
  if (producer < 0 || OnlyReader(source, uses, graph) == nullptr) return -1;
  const TensorId of = SourceOfInputStage(*graph, graph->nodes[producer]);
  return of == kNoTensor ? -1 : producer;
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

bool CanPlanSqueezeExcite(const Node& node, Graph* graph,
                          const DeviceProfile& profile) {
  int tensors = 1 + CountOperands(node);  // what is written, and operands
  for (const int input : {kSqueezeSource, kSqueezeWeights, kExciteWeights}) {
    tensors += node.inputs[input] != kNoTensor ? 1 : 0;
  }
  Planner planner(graph, profile);
  return tensors <= MaxBoundTensors(profile) &&
         PlanSqueezeExcite(node, &planner).ok();
}

}  // namespace

void FuseSqueezeExcite(Graph* graph, const DeviceProfile& profile) {
  if (profile.choices.fused_squeeze_texels == 0) return;
  const Uses uses(*graph);
  std::vector<bool> removed(graph->nodes.size(), false);
  for (size_t n = 0; n < graph->nodes.size(); ++n) {
    const Node& mean = graph->nodes[n];
    if (!IsMeanOfPlane(*graph, mean)) continue;
    Node* const first = ProductOf(mean.outputs[0], uses, graph);
    if (first == nullptr) continue;
    std::vector<TensorId> inputs(kSqueezeExciteInputs, kNoTensor);
    std::vector<Stage> stages;
    inputs[kSqueezeSource] = mean.inputs[0];
    TakeWeights(*graph, *first, kSqueezeWeights, kSqueezeBias, &inputs);
    Node* const second = MayBeFirst(*first)
                             ? ProductOf(first->outputs[0], uses, graph)
                             : nullptr;
    if (second != nullptr) {
      TakeWeights(*graph, *second, kExciteWeights, kExciteBias, &inputs);
      stages.push_back({kInnerStage, first->post_ops});
    }
    const int functions = StageOfMean(mean.inputs[0], uses, graph);
    if (functions >= 0) {
      const Node& node = graph->nodes[functions];
      inputs[kSqueezeSource] = SourceOfInputStage(*graph, node);
      stages.push_back({kInputStage, node.post_ops});
    }
    Node* const last = second != nullptr ? second : first;
    Node fused = *last;
    fused.op = &SqueezeExcite();
    fused.inputs = std::move(inputs);
    fused.stages = std::move(stages);
    const int64_t weights = WeightTexels(*graph, fused);
    fused.attributes =
        SqueezeExciteAttributes{weights + PlaneTexels(*graph, fused) >
                                profile.choices.fused_squeeze_texels};
    if (weights > profile.choices.fused_squeeze_texels ||
        !CanPlanSqueezeExcite(fused, graph, profile)) {
      continue;
    }
    removed[n] = true;
    if (functions >= 0) removed[functions] = true;
    if (second != nullptr) removed[first - graph->nodes.data()] = true;
    *last = std::move(fused);
  }
  RemoveNodes(removed, graph);
}

}  // namespace gles_delegate

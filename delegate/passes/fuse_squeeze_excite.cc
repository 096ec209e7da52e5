#include "delegate/passes/fuse_squeeze_excite.h"

#include <any>
#include <array>
#include <utility>
#include <vector>

#include "delegate/ops/conv/conv_tile.h"
#include "delegate/ops/conv/convolution.h"
#include "delegate/ops/conv/squeeze_excite.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/pooling/pool_2d.h"
#include "delegate/ops/reduction/reduce.h"
#include "delegate/passes/dead_nodes.h"
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
  return node.op->plan == &PlanReduce<Reducer::kMean> &&
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

// Whether another product may follow this one: it has no function, or one that
// needs no other tensor.
bool MayBeFirst(const Node& product) {
  return product.post_ops.empty() || (product.post_ops.size() == 1 &&
                                      product.post_ops[0].operand == kNoTensor);
}

// An ADD of two tensors of the mean's source's shape, which the mean alone
// reads; its index, or -1.
int AddOf(TensorId source, const Uses& uses, Graph* graph) {
  const int producer = uses.producer[source];
  if (producer < 0 || OnlyReader(source, uses, graph) == nullptr) return -1;
  const Node& add = graph->nodes[producer];
  if (!IsPlainElementwise(*graph, add) || add.integer_path ||
      add.post_ops.size() != 1 || add.post_ops[0].function != "add" ||
      add.post_ops[0].operand == kNoTensor ||
      add.post_ops[0].operand_zero_extend || add.post_ops[0].operand_table) {
    return -1;
  }
  const auto& attributes =
      std::any_cast<const ElementwiseAttributes&>(add.attributes);
  for (const TensorId id :
       {add.inputs[attributes.source], add.post_ops[0].operand}) {
    if (!IsReal(graph->tensor(id)) ||
        graph->tensor(id).shape != graph->tensor(source).shape) {
      return -1;
    }
  }
  return producer;
}

// The inputs of `conv` that hold its weights and its bias.
void TakeWeights(const Graph& graph, const Node& node, int weights, int bias,
                 std::vector<TensorId>* inputs) {
  const auto conv = Convolution::Of(graph, node);
  (*inputs)[weights] = conv->weights.weights;
  (*inputs)[bias] = conv->weights.bias;
}

// Texels of the plane and of the other plane.
int64_t PlaneTexels(const Graph& graph, const Node& node) {
  int64_t texels = 0;
  for (const int input : {kSqueezeSource, kSqueezeAddend}) {
    if (node.inputs[input] == kNoTensor) continue;
    const Shape& s = graph.tensor(node.inputs[input]).shape;
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
  for (const int input :
       {kSqueezeSource, kSqueezeAddend, kSqueezeWeights, kExciteWeights}) {
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
    inputs[kSqueezeSource] = mean.inputs[0];
    TakeWeights(*graph, *first, kSqueezeWeights, kSqueezeBias, &inputs);
    SqueezeExciteAttributes attributes;
    Node* const second = MayBeFirst(*first)
                             ? ProductOf(first->outputs[0], uses, graph)
                             : nullptr;
    if (second != nullptr) {
      TakeWeights(*graph, *second, kExciteWeights, kExciteBias, &inputs);
      attributes.between = first->post_ops;
    }
    const int add = AddOf(mean.inputs[0], uses, graph);
    if (add >= 0) {
      const Node& sum = graph->nodes[add];
      const auto& elementwise =
          std::any_cast<const ElementwiseAttributes&>(sum.attributes);
      inputs[kSqueezeSource] = sum.inputs[elementwise.source];
      inputs[kSqueezeAddend] = sum.post_ops[0].operand;
    }
    Node* const last = second != nullptr ? second : first;
    Node fused = *last;
    fused.op = &SqueezeExcite();
    fused.inputs = std::move(inputs);
    const int64_t weights = WeightTexels(*graph, fused);
    attributes.adds_bands_first = weights + PlaneTexels(*graph, fused) >
                                  profile.choices.fused_squeeze_texels;
    fused.attributes = attributes;
    if (weights > profile.choices.fused_squeeze_texels ||
        !CanPlanSqueezeExcite(fused, graph, profile)) {
      continue;
    }
    removed[n] = true;
    if (add >= 0) removed[add] = true;
    if (second != nullptr) removed[first - graph->nodes.data()] = true;
    *last = std::move(fused);
  }
  RemoveNodes(removed, graph);
}

}  // namespace gles_delegate

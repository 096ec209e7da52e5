// FULLY_CONNECTED nodes of the same rows become one, with the outputs of all:
// an attention's queries, keys and values. Readers must be REGROUP_SLICES,
// which read their part of the joint result. Must not fire with a batch above
// 1, whose parts are not slices in a row, or if weights are not constant floats
// of one type. Copies the weights. O(nodes).
#include <algorithm>
#include <any>
#include <map>
#include <utility>
#include <vector>

#include "delegate/ops/matmul/fully_connected.h"
#include "delegate/ops/movement/regroup_slices.h"
#include "delegate/passes/all_passes.h"

namespace gles_delegate {
namespace {

TensorId BiasOf(const Node& product) {
  return product.inputs.size() > 2 ? product.inputs[2] : kNoTensor;
}

bool IsFloatConstant(const Tensor& t) {
  return t.is_constant() && t.sparsity.empty() && t.quantization.empty() &&
         (t.type == DataType::kFloat32 || t.type == DataType::kFloat16);
}

class Joiner {
 public:
  explicit Joiner(Graph* graph)
      : graph_(graph), uses_(*graph), removed_(graph->nodes.size(), false) {}

  void Run() {
    std::map<TensorId, std::vector<int>> of_rows;
    for (size_t n = 0; n < graph_->nodes.size(); ++n) {
      if (CanJoin(graph_->nodes[n])) {
        of_rows[graph_->nodes[n].inputs[0]].push_back(static_cast<int>(n));
      }
    }
    for (const auto& [rows, products] : of_rows) JoinAlike(products);
    RemoveNodes(removed_, graph_);
  }

 private:
  Tensor& tensor(TensorId id) { return graph_->tensor(id); }

  bool CanJoin(const Node& node) {
    if (node.integer_path || !node.post_ops.empty() ||
        std::any_cast<FullyConnectedAttributes>(&node.attributes) == nullptr) {
      return false;
    }
    const TensorId id = node.outputs[0];
    const Tensor& result = tensor(id);
    const TensorId bias = BiasOf(node);
    const auto& readers = uses_.consumers[id];
    return result.shape.b == 1 && result.shape.h == 1 &&
           result.shape.c % 4 == 0 && !result.is_float_view() &&
           !uses_.is_output[id] && IsFloatConstant(tensor(node.inputs[1])) &&
           (bias == kNoTensor || IsFloatConstant(tensor(bias))) &&
           std::all_of(readers.begin(), readers.end(), [&](int reader) {
             return std::any_cast<RegroupSlicesAttributes>(
                        &graph_->nodes[reader].attributes) != nullptr;
           });
  }

  // Whether one node can compute both.
  bool AreAlike(const Node& a, const Node& b) {
    const auto bias_type = [&](const Node& node) {
      const TensorId bias = BiasOf(node);
      return bias == kNoTensor ? DataType::kOther : tensor(bias).type;
    };
    return tensor(a.inputs[1]).type == tensor(b.inputs[1]).type &&
           bias_type(a) == bias_type(b) &&
           a.always_float32 == b.always_float32 &&
           tensor(a.outputs[0]).always_float32 ==
               tensor(b.outputs[0]).always_float32;
  }

  void JoinAlike(const std::vector<int>& products) {
    std::vector<int> rest = products;
    while (rest.size() > 1) {
      const Node& first = graph_->nodes[rest[0]];
      const auto end = std::stable_partition(
          rest.begin(), rest.end(),
          [&](int n) { return AreAlike(first, graph_->nodes[n]); });
      const std::vector<int> alike(rest.begin(), end);
      if (alike.size() > 1) Join(alike);
      rest.erase(rest.begin(), end);
    }
  }

  // The constants of all, one after the other along the first axis.
  TensorId Joint(const std::vector<TensorId>& parts) {
    Tensor joint = tensor(parts[0]);
    std::vector<uint8_t> bytes;
    joint.dims[0] = 0;
    for (TensorId id : parts) {
      const Tensor& part = tensor(id);
      const size_t size =
          static_cast<size_t>(part.shape.elements()) * DataTypeSize(part.type);
      const auto from = part.constant.bytes().first(size);
      bytes.insert(bytes.end(), from.begin(), from.end());
      joint.dims[0] += part.dims[0];
    }
    joint.name += " and others";
    joint.shape = Shape::FromDims(joint.dims);
    joint.constant = ConstantData::Own(std::move(bytes));
    joint.constant.SetInOtherSubgraphs(
        tensor(parts[0]).constant.is_in_other_subgraphs());
    joint.tflite_index = -1;
    return graph_->AddTensor(std::move(joint));
  }

  void Join(const std::vector<int>& products) {
    std::vector<TensorId> weights, biases;
    Node& first = graph_->nodes[products[0]];
    Tensor result = tensor(first.outputs[0]);
    result.name += " and others";
    result.dims.back() = 0;
    result.tflite_index = -1;
    for (int n : products) {
      const Node& node = graph_->nodes[n];
      weights.push_back(node.inputs[1]);
      biases.push_back(BiasOf(node));
      result.dims.back() += tensor(node.outputs[0]).shape.c;
    }
    result.shape = Shape::FromDims(result.dims);
    const TensorId joint = graph_->AddTensor(std::move(result));
    int slice = 0;
    for (int n : products) {
      const TensorId id = graph_->nodes[n].outputs[0];
      for (int reader : uses_.consumers[id]) {
        Node& node = graph_->nodes[reader];
        node.inputs[0] = joint;
        std::any_cast<RegroupSlicesAttributes&>(node.attributes).first += slice;
      }
      slice += tensor(id).shape.slices();
      removed_[n] = n != products[0];
    }
    first.inputs[1] = Joint(weights);
    if (biases[0] != kNoTensor) first.inputs[2] = Joint(biases);
    first.outputs[0] = joint;
  }

  Graph* graph_;
  Uses uses_;
  std::vector<bool> removed_;
};

}  // namespace

void JoinProducts(Graph* graph) { Joiner(graph).Run(); }

}  // namespace gles_delegate

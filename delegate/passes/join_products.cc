// FULLY_CONNECTED nodes of the same rows become one, with the outputs of all:
// an attention's queries, keys and values. Readers must be REGROUP_SLICES,
// which read their part of the joint result. Must not fire with a batch above
// 1, whose parts are not slices in a row, or if weights are not constant floats
// of one type. Copies the weights. O(nodes).
#include <algorithm>
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

bool CanJoin(const Rewriter& r, int n) {
  const Node& node = r.node(n);
  if (node.integer_path || !node.post_ops.empty() ||
      r.AttributesOf<FullyConnectedAttributes>(n) == nullptr) {
    return false;
  }
  const TensorId id = node.outputs[0];
  const Tensor& result = r.tensor(id);
  const TensorId bias = BiasOf(node);
  const auto& readers = r.ReadersOf(id);
  return result.shape.b == 1 && result.shape.h == 1 &&
         result.shape.c % 4 == 0 && !result.is_float_view() &&
         !r.IsOutput(id) && IsFloatConstant(r.tensor(node.inputs[1])) &&
         (bias == kNoTensor || IsFloatConstant(r.tensor(bias))) &&
         std::all_of(readers.begin(), readers.end(), [&](int reader) {
           return r.AttributesOf<RegroupSlicesAttributes>(reader) != nullptr;
         });
}

// Whether one node can compute both, of the same rows.
bool AreAlike(const Rewriter& r, const Node& a, const Node& b) {
  const auto bias_type = [&](const Node& node) {
    const TensorId bias = BiasOf(node);
    return bias == kNoTensor ? DataType::kOther : r.tensor(bias).type;
  };
  return a.inputs[0] == b.inputs[0] &&
         r.tensor(a.inputs[1]).type == r.tensor(b.inputs[1]).type &&
         bias_type(a) == bias_type(b) && a.always_float32 == b.always_float32 &&
         r.tensor(a.outputs[0]).always_float32 ==
             r.tensor(b.outputs[0]).always_float32;
}

// The constants of all, one after the other along the first axis.
TensorId JointConstant(const std::vector<TensorId>& parts, Graph* graph) {
  Tensor joint = graph->tensor(parts[0]);
  std::vector<uint8_t> bytes;
  joint.dims[0] = 0;
  for (TensorId id : parts) {
    const Tensor& part = graph->tensor(id);
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
      graph->tensor(parts[0]).constant.is_in_other_subgraphs());
  joint.tflite_index = -1;
  return graph->AddTensor(std::move(joint));
}

void Join(Rewriter& r, const std::vector<int>& products) {
  std::vector<TensorId> weights, biases;
  Node first = r.node(products[0]);
  Tensor result = r.tensor(first.outputs[0]);
  result.name += " and others";
  result.dims.back() = 0;
  result.tflite_index = -1;
  for (int n : products) {
    weights.push_back(r.node(n).inputs[1]);
    biases.push_back(BiasOf(r.node(n)));
    result.dims.back() += r.shape(r.node(n).outputs[0]).c;
  }
  result.shape = Shape::FromDims(result.dims);
  const TensorId joint = r.AddTensor(std::move(result));
  int slice = 0;
  for (int n : products) {
    const TensorId id = r.node(n).outputs[0];
    const std::vector<int> readers = r.ReadersOf(id);
    for (int reader : readers) {
      r.Change(reader, [&](Node& node) {
        node.inputs[0] = joint;
        node.Get<RegroupSlicesAttributes>().first += slice;
      });
    }
    slice += r.shape(id).slices();
    if (n != products[0]) r.Remove(n);
  }
  first.inputs[1] = JointConstant(weights, &r.graph());
  if (biases[0] != kNoTensor)
    first.inputs[2] = JointConstant(biases, &r.graph());
  first.outputs[0] = joint;
  r.Replace(products[0], std::move(first));
}

}  // namespace

void JoinProducts(Rewriter& r, int n) {
  if (!CanJoin(r, n)) return;
  std::vector<int> alike;
  for (int reader : r.ReadersOf(r.node(n).inputs[0])) {
    if (CanJoin(r, reader) && AreAlike(r, r.node(n), r.node(reader))) {
      alike.push_back(reader);
    }
  }
  if (alike.size() > 1) Join(r, alike);
}

}  // namespace gles_delegate

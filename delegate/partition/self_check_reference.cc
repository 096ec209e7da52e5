#include "delegate/partition/self_check_reference.h"

#include <cmath>
#include <utility>

#include "delegate/graph/op.h"
#include "delegate/partition/self_check_ops.h"

namespace gles_delegate {

using Value = Reference::Value;

Reference::Reference(const Graph& graph)
    : graph_(graph),
      producer_(graph.tensors.size(), -1),
      values_(graph.tensors.size()) {
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    for (TensorId id : graph.nodes[i].outputs) {
      producer_[id] = static_cast<int>(i);
    }
  }
}

void Reference::Know(TensorId id, std::vector<float> values) {
  values_[id] = std::make_unique<const std::vector<float>>(std::move(values));
  computed_.clear();
}

const std::vector<float>* Reference::ConstantOf(TensorId id) {
  TensorId constant = id;
  if (!graph_.tensor(id).is_constant()) {
    if (producer_[id] < 0) return nullptr;
    const Node& node = graph_.nodes[producer_[id]];
    if (!node.op->Has(kDequantizes) || !node.post_ops.empty()) return nullptr;
    constant = node.inputs[0];
    if (!graph_.tensor(constant).is_constant()) return nullptr;
  }
  auto values = ConstantFloats(graph_.tensor(constant));
  if (!values.ok()) return nullptr;
  Know(id, *std::move(values));
  return values_[id].get();
}

Value Reference::At(TensorId id, int64_t element) {
  if (id < 0 || id >= static_cast<TensorId>(producer_.size()) ||
      --terms_left_ < 0) {
    return std::nullopt;
  }
  const std::vector<float>* values = values_[id].get();
  if (values == nullptr) values = ConstantOf(id);
  if (values == nullptr) {
    const auto found = computed_.find({id, element});
    if (found != computed_.end()) return found->second;
    const Value value = Expect(id, element);
    computed_[{id, element}] = value;
    return value;
  }
  if (element < 0 || element >= static_cast<int64_t>(values->size())) {
    return std::nullopt;
  }
  const double v = (*values)[element];
  return ReferenceValue{v, std::abs(v)};
}

Value Reference::Expect(TensorId id, int64_t element) {
  constexpr int kMostNodes = 24;  // that passes may have made one of
  if (id < 0 || id >= static_cast<TensorId>(producer_.size()) ||
      producer_[id] < 0 || depth_ >= kMostNodes) {
    return std::nullopt;
  }
  const Node& node = graph_.nodes[producer_[id]];
  if (node.outputs[0] != id || graph_.tensor(id).type != DataType::kFloat32) {
    return std::nullopt;
  }
  ++depth_;
  Value value = ReferenceOps(this, node).Element(element);
  --depth_;
  if (value &&
      !(std::isfinite(value->value) && std::isfinite(value->magnitude)))
    return std::nullopt;
  return value;
}

}  // namespace gles_delegate

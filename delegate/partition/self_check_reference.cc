#include "delegate/partition/self_check_reference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "delegate/graph/constant_values.h"
#include "delegate/graph/op.h"
#include "delegate/partition/self_check_ops.h"

namespace gles_delegate {

using Value = Reference::Value;

Reference::Reference(const Graph& unfused, const Graph& original)
    : unfused_(unfused),
      makers_(unfused.tensors.size()),
      values_(unfused.tensors.size()) {
  for (const Graph* graph : {&original, &unfused}) {
    for (const Node& node : graph->nodes) {
      if (node.integer_path) continue;
      for (TensorId id : node.outputs) makers_[id] = {graph, &node};
      for (TensorId id : node.inputs) {
        if (id != kNoTensor && graph->tensor(id).is_variable) {
          makers_[id] = {graph, &node};  // it writes its state
        }
      }
    }
  }
}

void Reference::Know(TensorId id, ValueAt values) {
  values_[id] = std::move(values);
  detections_.clear();
  Forget();
}

const Tensor* Reference::ConstantOf(TensorId id) {
  const Tensor* constant = &TensorOf(id);
  if (!constant->is_constant()) {
    const auto [graph, node] = makers_[id];
    if (node == nullptr || !node->op->Has(kDequantizes) ||
        !node->post_ops.empty()) {
      return nullptr;
    }
    constant = &graph->tensor(node->inputs[0]);
    if (!constant->is_constant()) return nullptr;
  }
  return CheckConstantFloats(*constant).ok() ? constant : nullptr;
}

Value Reference::At(TensorId id, int64_t element) {
  if (!Holds(id) || --terms_left_ < 0) return std::nullopt;
  double v;
  if (const ValueAt* given = GivenValues(id); given != nullptr) {
    if (element < 0 || element >= TensorOf(id).shape.elements()) {
      return std::nullopt;
    }
    v = (*given)(element);
  } else if (const Tensor* constant = ConstantOf(id); constant != nullptr) {
    // Element by element: a table of words has millions of them.
    if (element < 0 || element >= constant->shape.elements()) {
      return std::nullopt;
    }
    v = ConstantFloat(*constant, element);
  } else {
    const auto found = computed_.find({id, element});
    if (found != computed_.end()) return found->second;
    const Value value = Expect(id, element);
    computed_[{id, element}] = value;
    return value;
  }
  return ReferenceValue{v, std::abs(v)};
}

Value Reference::Expect(TensorId id, int64_t element) {
  constexpr int kMaxNodes = 24;  // that passes may have made one of
  if (!Holds(id) || makers_[id].node == nullptr || depth_ >= kMaxNodes) {
    return std::nullopt;
  }
  const auto [graph, node] = makers_[id];
  ++depth_;
  Value value = ReferenceOps(this, *graph, *node, id).Element(element);
  --depth_;
  return value;
}

Value InFloat(Value v) {
  constexpr double kMax = std::numeric_limits<float>::max();
  if (!v || !(std::abs(v->value) <= kMax && v->magnitude <= kMax)) {
    return std::nullopt;
  }
  v->magnitude += std::numeric_limits<float>::min() / kRelativeError;
  return v;
}

}  // namespace gles_delegate

#include "delegate/partition/self_check_reference.h"

#include <cmath>
#include <limits>

#include "absl/algorithm/container.h"
#include "delegate/graph/builtin_codes.h"
#include "delegate/graph/constant_values.h"
#include "delegate/graph/op.h"
#include "delegate/partition/self_check_ops.h"

namespace gles_delegate {

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
  kept_long_.clear();
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
  return Exactly(v);
}

Value Reference::Expect(TensorId id, int64_t element) {
  constexpr int kMaxNodes = 24;  // that passes may have made one of
  if (!Holds(id) || makers_[id].node == nullptr || depth_ >= kMaxNodes) {
    return std::nullopt;
  }
  const auto [graph, node] = makers_[id];
  ++depth_;
  Value value = NodeReference(this, *graph, *node, id).Element(element);
  --depth_;
  return value;
}

// --- Nodes -------------------------------------------------------------------

namespace {

// `v` as a float32: nullopt beyond its range, and values below the smallest
// normal number may be zero.
Value InFloat(Value v) {
  constexpr double kMax = std::numeric_limits<float>::max();
  if (!v || !(std::abs(v->value) <= kMax && v->magnitude <= kMax)) {
    return std::nullopt;
  }
  v->magnitude += std::numeric_limits<float>::min() / kRelativeError;
  return v;
}

// Integers and bools are compared up to this: values come back as floats, which
// hold these exactly.
constexpr double kMaxWhole = 1 << 24;

// `v`, exact; nothing if it is not an integer, or is past kMaxWhole.
Value InInteger(const Value& v) {
  if (!v || std::abs(v->value) > kMaxWhole ||
      v->value != std::trunc(v->value)) {
    return std::nullopt;
  }
  return Exactly(v->value);
}

}  // namespace

NodeReference::NodeReference(Reference* reference, const Graph& graph,
                             const Node& node, TensorId result)
    : ref_(*reference), graph_(graph), node_(node), result_(result) {
  const auto output = absl::c_find(node.outputs, result);
  if (output != node.outputs.end()) {
    output_ = static_cast<int>(output - node.outputs.begin());
  }
}

Value NodeReference::Element(int64_t element) {
  if (ReadsQuantizedAsNumbers()) return std::nullopt;
  // As the output's type stores it.
  Value v = IsFloat() ? InFloat(Base(element)) : InInteger(Base(element));
  if (output_ != 0) return v;  // post-ops are of output 0
  for (const PostOp& op : node_.post_ops) {
    if (!v) return v;
    v = Apply(op, *v, Where(element));
  }
  return v;
}

Value NodeReference::Base(int64_t element) {
  Value value;
  if (ComputeValues(*this, element, &value) ||
      ComputeStates(*this, element, &value) ||
      ComputeMoved(*this, element, &value)) {
    return value;
  }
  const bool is_copy =
      node_.op->Has(kKeepsOrder) || node_.op->Has(kDequantizes);
  return is_copy ? In(0, element) : std::nullopt;
}

Value NodeReference::Apply(const PostOp& op, const ReferenceValue& x,
                           const Place& p) {
  if (op.operand == kNoTensor) return Applied(op, x, nullptr);
  const Shape& s = graph_.tensor(op.operand).shape;
  const Value y = op.operand_as == OperandAs::kZeroExtended && p.c >= s.c
                      ? ReferenceValue()
                      : ref_.At(op.operand, Broadcast(p, s));
  return y ? Applied(op, x, &*y) : y;
}

Value NodeReference::Applied(const PostOp& op, const ReferenceValue& x,
                             const ReferenceValue* y) const {
  if (op.function == "div" && y != nullptr &&
      (op.operand_first ? OverflowsNearZero(*y, x)
                        : OverflowsNearZero(x, *y))) {
    return std::nullopt;
  }
  return IsFloat() ? InFloat(ApplyFunction(op, x, y))
                   : InInteger(ApplyFunction(op, x, y, /*of_integers=*/true));
}

// TFLite's integer kernels move, compare, average or interpolate the quantized
// values themselves, which have other meanings in a tensor with another
// quantization; and their sums may overflow.
bool NodeReference::ReadsQuantizedAsNumbers() const {
  if (!Output().is_float_view()) return false;
  const int code = node_.op->builtin_code;
  if (code == BuiltinOperator_SUM) return true;
  const bool takes_quantized =
      node_.op->Has(kMovesValues) || code == BuiltinOperator_AVERAGE_POOL_2D ||
      code == BuiltinOperator_MAXIMUM || code == BuiltinOperator_MINIMUM ||
      code == BuiltinOperator_RESIZE_BILINEAR;
  const Quantization& to = Output().quantization;
  return takes_quantized && absl::c_any_of(node_.inputs, [&](TensorId id) {
           if (id == kNoTensor || !graph_.tensor(id).is_float_view()) {
             return false;
           }
           const Quantization& from = graph_.tensor(id).quantization;
           return from.scale != to.scale || from.zero_point != to.zero_point;
         });
}

// TFLite's kernel for quantized quotients does if they are less than a step of
// the output (quant/code_table.cc).
bool NodeReference::OverflowsNearZero(const ReferenceValue& x,
                                      const ReferenceValue& y) const {
  return node_.op->builtin_code == BuiltinOperator_DIV &&
         Output().is_float_view() && !Output().quantization.empty() &&
         std::abs(x.value) < std::abs(y.value) * Output().quantization.scale[0];
}

}  // namespace gles_delegate

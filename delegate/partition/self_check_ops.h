// Helpers of the ops of the self-check's reference. Each op is a function for
// one output element: obviously correct, and independent of all other code.
#ifndef GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_OPS_H_
#define GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_OPS_H_

#include <any>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "delegate/graph/graph.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/movement/transpose.h"
#include "delegate/ops/reduction/reduction.h"
#include "delegate/partition/self_check_reference.h"

namespace gles_delegate {

// --- Places ------------------------------------------------------------------

// The position of an element in a tensor: BHWC.
struct Place {
  int b, h, w, c;
};

inline Place PlaceOf(int64_t element, const Shape& s) {
  Place p;
  p.c = static_cast<int>(element % s.c);
  element /= s.c;
  p.w = static_cast<int>(element % s.w);
  element /= s.w;
  p.h = static_cast<int>(element % s.h);
  p.b = static_cast<int>(element / s.h);
  return p;
}

inline int64_t ElementOf(const Place& p, const Shape& s) {
  return ((int64_t{p.b} * s.h + p.h) * s.w + p.w) * s.c + p.c;
}

// The index of an operand of shape `s` for position `p`, with broadcasting.
inline int64_t Broadcast(const Place& p, const Shape& s) {
  return ElementOf({s.b == 1 ? 0 : p.b, s.h == 1 ? 0 : p.h, s.w == 1 ? 0 : p.w,
                    s.c == 1 ? 0 : p.c},
                   s);
}

inline bool Inside(int at, int extent) { return at >= 0 && at < extent; }

// The input's element that the steps move to `element`.
int64_t ElementBefore(absl::Span<const TransposeStep> steps, int64_t element);

// The axis that elements go along, and how many elements one step takes.
struct Along {
  int64_t extent, inner;
  Along(const Tensor& tensor, const AxisView& view);
};

// --- Values ------------------------------------------------------------------

using Value = Reference::Value;

// One that is moved or chosen, not computed.
inline ReferenceValue Exactly(double v) { return {v, v < 0 ? -v : v}; }

inline ReferenceValue operator+(const ReferenceValue& a,
                                const ReferenceValue& b) {
  return {a.value + b.value, a.magnitude + b.magnitude};
}
inline ReferenceValue operator*(const ReferenceValue& a,
                                const ReferenceValue& b) {
  return {a.value * b.value, a.magnitude * b.magnitude};
}
// nullopt if either is.
inline Value operator+(const Value& a, const Value& b) {
  return a && b ? Value(*a + *b) : std::nullopt;
}
inline Value operator*(const Value& a, const Value& b) {
  return a && b ? Value(*a * *b) : std::nullopt;
}

// The sum of term(i) for i < count, up to the first that is unknown.
template <typename Term>
Value SumOf(int64_t count, const Term& term) {
  Value sum = ReferenceValue();
  for (int64_t i = 0; i < count && sum; ++i) sum = sum + term(i);
  return sum;
}

// `v` with those before it. nullopt: there is none.
ReferenceValue Combined(Reducer reducer, const Value& before,
                        const ReferenceValue& v);
// Of no values. An extreme is the type's, which 16 bits may not hold.
Value OfNone(Reducer reducer);

// Whether two values surely differ, or are surely the same.
bool IsSure(const ReferenceValue& x, const ReferenceValue& y);

// One function of a PostOp on `x`, and on `y` if it has an operand; or that of
// int32 and bools (0 and 1). nullopt: it has no reference.
Value ApplyFunction(const PostOp& op, const ReferenceValue& x,
                    const ReferenceValue* y, bool of_integers = false);

// --- Nodes -------------------------------------------------------------------

// A node, for one element of one of its outputs, or of a state that it writes.
// Made for one call.
class NodeReference {
 public:
  NodeReference(Reference* reference, const Graph& graph, const Node& node,
                TensorId result);

  Value Element(int64_t element);

  const Node& node() const { return node_; }
  // Which output; -1: a state.
  int output() const { return output_; }
  bool IsState(int input) const {
    return output_ < 0 && node_.inputs[input] == result_;
  }
  const Tensor& Output() const { return graph_.tensor(result_); }
  const Tensor& Input(int input) const {
    return graph_.tensor(node_.inputs[input]);
  }
  const Shape& ShapeOf(int input) const { return Input(input).shape; }
  Place Where(int64_t element) const {
    return PlaceOf(element, Output().shape);
  }
  bool IsFloat() const { return Output().type == DataType::kFloat32; }

  Value In(int input, int64_t element) {
    return ref_.At(node_.inputs[input], element);
  }
  // An input of an elementwise op in its aligned shape. Nothing, if planning
  // repeats it.
  Value Aligned(int input, const Place& p, const Shape& shape) {
    if (ShapeOf(input).elements() != shape.elements()) return std::nullopt;
    return In(input, Broadcast(p, shape));
  }
  // The sum and the bias, if the node has one.
  Value WithBias(const Value& sum, size_t bias, int channel) {
    const bool has_bias =
        bias < node_.inputs.size() && node_.inputs[bias] != kNoTensor;
    return sum && has_bias ? sum + In(static_cast<int>(bias), channel) : sum;
  }
  // A function, as the output's type has it.
  Value Applied(const PostOp& op, const ReferenceValue& x,
                const ReferenceValue* y) const;

  // Values of an input that are given, not computed; or nullptr.
  const ValueAt* Given(int input) const {
    return ref_.GivenValues(node_.inputs[input]);
  }
  int64_t terms_left() const { return ref_.terms_left_; }
  // The value that the node has kept under this number, made by default first;
  // `for_long`: one that takes long to find.
  template <typename T>
  T& Kept(int64_t number, bool for_long = false) {
    auto& all = for_long ? ref_.kept_long_ : ref_.kept_;
    std::any& kept = all[{&node_, number}];
    if (!kept.has_value()) kept = T();
    return std::any_cast<T&>(kept);
  }

  // Calls the function that takes the node's attributes. False: none does.
  template <typename... Attributes>
  bool ByAttributes(int64_t element, Value* value,
                    Value (*... compute)(NodeReference&, const Attributes&,
                                         int64_t)) {
    const auto calls = [&](const auto* attributes, auto function) {
      if (attributes == nullptr) return false;
      *value = function(*this, *attributes, element);
      return true;
    };
    return (calls(node_.As<Attributes>(), compute) || ...);
  }

 private:
  bool ReadsQuantizedAsNumbers() const;
  bool OverflowsNearZero(const ReferenceValue& x,
                         const ReferenceValue& y) const;
  Value Base(int64_t element);
  Value Apply(const PostOp& op, const ReferenceValue& x, const Place& p);

  Reference& ref_;
  const Graph& graph_;
  const Node& node_;
  const TensorId result_;
  int output_ = -1;
};

// `count` values of an input from `first` on, `step` apart; nullopt: one is
// unknown.
using Rows = std::vector<ReferenceValue>;
std::optional<Rows> RowOf(NodeReference& n, int input, int64_t first,
                          int64_t count, int64_t step = 1);

// The ops of each file: false if the node is none of them.
bool ComputeValues(NodeReference& n, int64_t element, Value* value);
bool ComputeMoved(NodeReference& n, int64_t element, Value* value);
bool ComputeStates(NodeReference& n, int64_t element, Value* value);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_OPS_H_

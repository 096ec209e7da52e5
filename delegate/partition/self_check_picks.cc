// The ops of the self-check's reference that find positions, and those that
// integers tell where to read or write.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "delegate/ops/all_ops.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/movement/one_hot.h"
#include "delegate/ops/movement/reverse_sequence.h"
#include "delegate/ops/movement/scatter_nd.h"
#include "delegate/ops/reduction/arg_extreme.h"
#include "delegate/partition/self_check_ops.h"

namespace gles_delegate {

using Value = Reference::Value;

namespace {

// Of no values. An extreme is the type's, which 16 bits may not hold.
Value Empty(Reducer reducer) {
  if (reducer == Reducer::kSum) return ReferenceValue{0, 0};
  if (reducer == Reducer::kProduct) return ReferenceValue{1, 1};
  return std::nullopt;
}

ReferenceValue Combined(Reducer reducer, const ReferenceValue& a,
                        const ReferenceValue& b) {
  switch (reducer) {
    case Reducer::kMax:
      return {std::max(a.value, b.value), std::max(a.magnitude, b.magnitude)};
    case Reducer::kMin:
      return {std::min(a.value, b.value), std::max(a.magnitude, b.magnitude)};
    case Reducer::kProduct:
      return {a.value * b.value, a.magnitude * b.magnitude};
    default:
      return {a.value + b.value, a.magnitude + b.magnitude};
  }
}

}  // namespace

Value ReferenceOps::ArgExtreme(const AxisView& view, int64_t element) {
  const Along along(Input(0), view);
  const double sign = node_.op->plan == &PlanArgMin ? -1 : 1;
  const int64_t first = element / along.inner * along.extent * along.inner +
                        element % along.inner;
  std::vector<ReferenceValue> row;
  for (int64_t i = 0; i < along.extent; ++i) {
    const Value x = In(0, first + i * along.inner);
    if (!x) return x;
    row.push_back(*x);
  }
  size_t best = 0;
  for (size_t i = 1; i < row.size(); ++i) {
    if (sign * row[i].value > sign * row[best].value) best = i;
  }
  for (size_t i = 0; i < row.size(); ++i) {
    if (i != best && !IsSure(row[i], row[best])) return std::nullopt;
  }
  return ReferenceValue{static_cast<double>(best), static_cast<double>(best)};
}

Value ReferenceOps::TopK(int64_t element) {
  const int64_t n = ShapeOf(0).c, k = Output().shape.c;
  std::vector<ReferenceValue> row;
  for (int64_t i = 0; i < n; ++i) {
    const Value x = In(0, element / k * n + i);
    if (!x) return x;
    row.push_back(*x);
  }
  std::vector<int> order(row.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return row[a].value > row[b].value; });
  const int64_t place = element % k;
  const ReferenceValue& x = row[order[place]];
  if (output_ == 0) return x;
  for (const int64_t beside : {place - 1, place + 1}) {
    if (beside < 0 || beside >= n) continue;
    if (!IsSure(row[order[beside]], x)) return std::nullopt;
  }
  const double position = order[place];
  return ReferenceValue{position, position};
}

Value ReferenceOps::OneHot(const OneHotAttributes& a, int64_t element) {
  const int64_t inner = element % a.inner;
  element /= a.inner;
  const Value index = In(0, element / a.depth * a.inner + inner);
  if (!index) return index;
  return In(index->value == static_cast<double>(element % a.depth) ? 2 : 3, 0);
}

Value ReferenceOps::Scattered(const Scatter& a, int64_t element) {
  Value result = Empty(a.reducer);
  int count = 0;
  for (int64_t i = 0; i < a.count; ++i) {
    int64_t at = 0;
    bool inside = true;
    for (int d = 0; d < a.depth; ++d) {
      const Value index = In(a.indices_input, i * a.depth + d);
      if (!index) return index;
      inside &= index->value >= 0 && index->value < a.extents[d];
      at = at * a.extents[d] + static_cast<int64_t>(index->value);
    }
    if (!inside || at != element / a.inner) continue;
    const Value x = In(a.updates_input, i * a.inner + element % a.inner);
    if (!x) return x;
    result = count == 0 ? *x : Combined(a.reducer, *result, *x);
    ++count;
  }
  if (a.reducer == Reducer::kProduct) result->magnitude *= 1 + count;
  return result;
}

Value ReferenceOps::ReversedSequence(const ReverseSequenceAttributes& a,
                                     int64_t element) {
  const AxisArray extents = ExtentsOf(Output());
  AxisArray at = AxesOf(element, extents);
  const Value length = In(1, at[a.batch_axis]);
  if (!length) return length;
  const int reversed =
      std::min(static_cast<int>(length->value), extents[a.sequence_axis]);
  int& place = at[a.sequence_axis];
  if (place < reversed) place = reversed - 1 - place;
  return In(0, ElementAt(at, extents));
}

Value ReferenceOps::Picked(int64_t element) {
  const auto plan = node_.op->plan;
  if (plan == &PlanArgMax || plan == &PlanArgMin) {
    return ArgExtreme(*Attributes<ArgExtremeAttributes>(), element);
  }
  if (plan == &PlanTopK) return TopK(element);
  if (const auto* a = Attributes<OneHotAttributes>()) {
    return OneHot(*a, element);
  }
  if (const auto* p = Attributes<DetectionParams>()) {
    return DetectionRow(*p, element);
  }
  if (const auto* a = Attributes<Scatter>()) return Scattered(*a, element);
  if (const auto* a = Attributes<ReverseSequenceAttributes>()) {
    return ReversedSequence(*a, element);
  }
  return std::nullopt;
}

}  // namespace gles_delegate

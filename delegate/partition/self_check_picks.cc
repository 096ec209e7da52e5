// The ops of the self-check's reference that find positions, and those that
// integers tell where to read or write.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "delegate/graph/custom_params.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/movement/gather.h"
#include "delegate/ops/movement/remap.h"
#include "delegate/ops/op_list.h"
#include "delegate/ops/reduction/along_axis.h"
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

// --- Detections --------------------------------------------------------------

using Value = Reference::Value;

namespace {

constexpr double kLeast = -std::numeric_limits<double>::infinity();

struct Box {
  double top, left, bottom, right;

  double area() const { return (bottom - top) * (right - left); }
  double rim() const { return std::abs(bottom - top) + std::abs(right - left); }
  double reach() const {
    return std::max(
        {std::abs(top), std::abs(left), std::abs(bottom), std::abs(right)});
  }
};

// By how far `a` and `b` overlap more than `part` of what they cover; 0: that
// is less than the rounding of their coordinates.
double Overlap(const Box& a, const Box& b, double part, double rounding) {
  const double unsure =
      2 * rounding * std::max(a.reach(), b.reach()) * (a.rim() + b.rim());
  double over = -1;
  if (a.area() > 0 && b.area() > 0) {
    const double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
    const double width = std::min(a.right, b.right) - std::max(a.left, b.left);
    const double common = std::max(height, 0.0) * std::max(width, 0.0);
    over = common - part * (a.area() + b.area() - common);
    // Far from each other, however they are rounded.
    if (common == 0 && std::min(height, width) < -unsure) return -1;
  }
  const bool flat = std::min(std::abs(a.area()), std::abs(b.area())) < unsure;
  return flat || std::abs(over) < unsure ? 0 : over;
}

}  // namespace

// Finds the detections, and above which score they are sure.
std::optional<Reference::Detections> ReferenceOps::Detect(
    const DetectionParams& p) {
  constexpr int kEncodings = 0, kScores = 1, kAnchors = 2;
  const ValueAt* const given = ref_.GivenValues(node_.inputs[kScores]);
  const int anchors = ShapeOf(kScores).w, channels = ShapeOf(kScores).c;
  if (given == nullptr) return std::nullopt;
  // Halves hold the floats that are given, not all quantized values.
  const bool exact =
      !Input(kEncodings).is_float_view() && !Input(kAnchors).is_float_view();
  const double rounding = exact ? 1e-5 : 2e-3;
  using Detection = Reference::Detections::Detection;
  Reference::Detections result;
  std::vector<Box> boxes;
  for (int i = 0; i < anchors; ++i) {
    double e[4], at[4];
    for (int c = 0; c < 4; ++c) {
      const Value x = In(kEncodings, int64_t{i} * ShapeOf(kEncodings).c + c);
      const Value anchor = In(kAnchors, int64_t{i} * 4 + c);
      if (!x || !anchor) return std::nullopt;
      e[c] = x->value / p.scales[c];
      at[c] = anchor->value;
    }
    const double y = e[0] * at[2] + at[0], x = e[1] * at[3] + at[1];
    const double h = 0.5 * std::exp(e[2]) * at[2];
    const double w = 0.5 * std::exp(e[3]) * at[3];
    boxes.push_back({y - h, x - w, y + h, x + w});
  }
  const auto score_of = [&](int anchor, int of_class) {
    return (*given)(int64_t{anchor} * channels + channels - p.classes +
                    of_class);
  };
  // Of equal scores the first comes first.
  const auto select = [&](std::vector<Detection> candidates, size_t most) {
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](auto& a, auto& b) { return a.score > b.score; });
    std::vector<Detection> kept;
    for (const Detection& d : candidates) {
      if (kept.size() == most) break;
      double over = -1;
      for (size_t k = 0; k < kept.size() && over < 0 && p.iou_threshold < 1;
           ++k) {
        over = Overlap(boxes[d.anchor], boxes[kept[k].anchor], p.iou_threshold,
                       rounding);
      }
      if (over == 0) {
        result.sure_above = std::max<double>(result.sure_above, d.score);
        break;
      }
      if (over < 0) kept.push_back(d);
    }
    return kept;
  };
  std::vector<Detection> candidates;
  for (int i = 0; i < anchors && !p.regular; ++i) {
    Detection best = {i, 0, score_of(i, 0)};
    for (int c = 1; c < p.classes; ++c) {
      if (score_of(i, c) > best.score) best = {i, c, score_of(i, c)};
    }
    if (best.score >= p.score_threshold) candidates.push_back(best);
  }
  if (!p.regular) result.kept = select(std::move(candidates), p.max);
  for (int n = 0; n < p.classes && p.regular; ++n) {
    const int c = p.last_class_first ? p.classes - 1 - n : n;
    candidates.clear();
    for (int i = 0; i < anchors; ++i) {
      if (score_of(i, c) >= p.score_threshold) {
        candidates.push_back({i, c, score_of(i, c)});
      }
    }
    const std::vector<Detection> of_class =
        select(candidates, std::min(p.max, p.max_of_class));
    result.kept.insert(result.kept.end(), of_class.begin(), of_class.end());
  }
  std::stable_sort(result.kept.begin(), result.kept.end(),
                   [](auto& a, auto& b) { return a.score > b.score; });
  if (result.kept.size() > static_cast<size_t>(p.max)) {
    result.kept.resize(p.max);
  }
  for (Detection& d : result.kept) {
    const Box& box = boxes[d.anchor];
    d.box = {box.top, box.left, box.bottom, box.right};
    d.reach = box.reach() + box.rim();
  }
  return result;
}

Value ReferenceOps::DetectionRow(const DetectionParams& p, int64_t element) {
  enum { kBoxes, kClasses, kScoresOut, kCount };
  auto& known = ref_.detections_[&node_];
  if (!known) known = Detect(p);
  if (!known) return std::nullopt;
  const auto& kept = known->kept;
  const bool all_sure = known->sure_above == kLeast;
  if (output_ == kCount) {
    const auto count = static_cast<double>(kept.size());
    return all_sure ? Value({count, count}) : std::nullopt;
  }
  const int each = p.regular ? 1 : p.classes_of_each;
  const size_t row = output_ == kBoxes ? element / 4 : element;
  const size_t at = row / each;
  if (at >= kept.size()) {
    return all_sure ? Value(ReferenceValue()) : std::nullopt;
  }
  // The later classes of a detection have an order of their own.
  if (kept[at].score <= known->sure_above || row % each != 0) {
    return std::nullopt;
  }
  const double v = output_ == kBoxes     ? kept[at].box[element % 4]
                   : output_ == kClasses ? kept[at].of_class
                                         : kept[at].score;
  return ReferenceValue{v, output_ == kBoxes ? kept[at].reach : std::abs(v)};
}

}  // namespace gles_delegate

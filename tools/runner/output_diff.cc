#include "tools/runner/output_diff.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

namespace gles_delegate {
namespace {

// 0 for equal infinities, too, whose difference would be a NaN.
double AbsDifference(double a, double b) {
  return a == b ? 0 : std::abs(a - b);
}

}  // namespace

void OutputDiff::Add(absl::Span<const float> reference,
                     absl::Span<const float> actual, int last_dim) {
  if (reference.size() != actual.size()) {
    ++mismatches_;
    return;
  }
  for (size_t i = 0; i < reference.size(); ++i) {
    const double r = reference[i];
    const double a = actual[i];
    ++elements_;
    if (std::isnan(r) || std::isnan(a)) {
      if (std::isnan(r) != std::isnan(a)) ++mismatches_;
      continue;
    }
    const double difference = AbsDifference(r, a);
    max_abs_ = std::max(max_abs_, difference);
    if (std::isfinite(r)) magnitude_ = std::max(magnitude_, std::abs(r));
    sum_abs_ += difference;
    sum_difference_squared_ += difference * difference;
    sum_reference_squared_ += r * r;
    sum_actual_squared_ += a * a;
    sum_product_ += r * a;
  }
  AddArgmax(reference, actual,
            last_dim > 1 ? static_cast<size_t>(last_dim) : reference.size());
}

void OutputDiff::AddArgmax(absl::Span<const float> reference,
                           absl::Span<const float> actual, size_t row) {
  for (size_t start = 0; row > 0 && start + row <= reference.size();
       start += row) {
    const auto r = reference.subspan(start, row);
    const auto a = actual.subspan(start, row);
    ++rows_;
    if (std::max_element(r.begin(), r.end()) - r.begin() ==
        std::max_element(a.begin(), a.end()) - a.begin()) {
      ++rows_agreed_;
    }
  }
}

double OutputDiff::mean_abs() const {
  return elements_ == 0 ? 0 : sum_abs_ / static_cast<double>(elements_);
}

double OutputDiff::max_relative() const {
  return magnitude_ > 0 ? max_abs_ / magnitude_ : max_abs_;
}

double OutputDiff::relative_l2() const {
  const double norm = std::sqrt(sum_difference_squared_);
  return sum_reference_squared_ > 0 ? norm / std::sqrt(sum_reference_squared_)
                                    : norm;
}

double OutputDiff::cosine() const {
  const double norms =
      std::sqrt(sum_reference_squared_) * std::sqrt(sum_actual_squared_);
  // Two zero vectors count as pointing the same way, a zero vector and another
  // one as not.
  if (norms == 0) {
    return sum_reference_squared_ == sum_actual_squared_ ? 1 : 0;
  }
  return sum_product_ / norms;
}

double OutputDiff::argmax_agreement() const {
  return rows_ == 0
             ? 1
             : static_cast<double>(rows_agreed_) / static_cast<double>(rows_);
}

bool OutputDiff::Within(double max_error) const {
  // False where max_relative() is a NaN.
  return mismatches_ == 0 && max_relative() <= max_error;
}

std::vector<int> Top(absl::Span<const float> scores, int count) {
  std::vector<int> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return scores[a] > scores[b]; });
  order.resize(std::min<size_t>(order.size(), count));
  return order;
}

void ClassAgreement::Add(absl::Span<const float> reference,
                         absl::Span<const float> actual) {
  std::vector<int> want = Top(reference, 5);
  std::vector<int> got = Top(actual, 5);
  ++runs;
  if (want.empty() || got.empty()) return;
  if (want[0] == got[0]) ++top_1;
  std::sort(want.begin(), want.end());
  std::sort(got.begin(), got.end());
  if (want == got) ++top_5;
}

std::vector<Box> BoxesOf(absl::Span<const float> edges,
                         absl::Span<const float> labels,
                         absl::Span<const float> scores,
                         absl::Span<const float> count) {
  std::vector<Box> boxes;
  for (size_t i = 0; i < labels.size() && !count.empty(); ++i) {
    if (static_cast<float>(i) + 1 > count[0]) break;
    if (scores[i] < BoxAgreement::kMinScore) continue;
    const auto at = edges.subspan(4 * i, 4);
    boxes.push_back(
        {at[0], at[1], at[2], at[3], static_cast<int>(labels[i]), scores[i]});
  }
  return boxes;
}

float IntersectionOverUnion(const Box& a, const Box& b) {
  const auto area = [](const Box& box) {
    return std::max(0.0f, box.bottom - box.top) *
           std::max(0.0f, box.right - box.left);
  };
  Box both;
  both.top = std::max(a.top, b.top);
  both.left = std::max(a.left, b.left);
  both.bottom = std::min(a.bottom, b.bottom);
  both.right = std::min(a.right, b.right);
  const float shared = area(both);
  const float all = area(a) + area(b) - shared;
  return all > 0 ? shared / all : 0;
}

void BoxAgreement::Add(absl::Span<const Box> reference_boxes,
                       absl::Span<const Box> actual_boxes) {
  std::vector<const Box*> left;
  for (const Box& box : actual_boxes) {
    if (box.score >= kMinScore) left.push_back(&box);
  }
  actual += static_cast<int>(left.size());
  for (const Box& want : reference_boxes) {
    if (want.score < kMinScore) continue;
    ++reference;
    const auto better = [&want](const Box* a, const Box* b) {
      return IntersectionOverUnion(want, *a) < IntersectionOverUnion(want, *b);
    };
    auto same_label = left;
    same_label.erase(
        std::remove_if(same_label.begin(), same_label.end(),
                       [&](const Box* b) { return b->label != want.label; }),
        same_label.end());
    const auto best =
        std::max_element(same_label.begin(), same_label.end(), better);
    if (best == same_label.end()) continue;
    const double iou = IntersectionOverUnion(want, **best);
    if (iou < 0.5) continue;
    ++matched;
    iou_sum += iou;
    min_iou = std::min(min_iou, iou);
    left.erase(std::find(left.begin(), left.end(), *best));
  }
}

bool HasQuantized(const TensorView& tensor) {
  return tensor.quantization().scale != 0 &&
         (tensor.type() == kTfLiteInt8 || tensor.type() == kTfLiteUInt8 ||
          tensor.type() == kTfLiteInt16);
}

template <typename T>
void CodeDiff::AddQuantizedValues(const TensorView& reference,
                                  const TensorView& actual) {
  const auto want = reference.data<T>();
  const auto got = actual.data<T>();
  for (size_t i = 0; i < want.size(); ++i) {
    const int difference =
        std::abs(static_cast<int>(want[i]) - static_cast<int>(got[i]));
    ++elements_;
    if (difference == 0) ++equal_;
    if (difference <= 1) ++within_1_;
    largest_ = std::max(largest_, difference);
  }
}

void CodeDiff::Add(const TensorView& reference, const TensorView& actual) {
  if (reference.type() != actual.type() ||
      reference.bytes().size() != actual.bytes().size()) {
    ++mismatches_;
    return;
  }
  switch (reference.type()) {
    case kTfLiteInt8:
      return AddQuantizedValues<int8_t>(reference, actual);
    case kTfLiteUInt8:
      return AddQuantizedValues<uint8_t>(reference, actual);
    case kTfLiteInt16:
      return AddQuantizedValues<int16_t>(reference, actual);
    default:
      ++mismatches_;
  }
}

}  // namespace gles_delegate

#include "tools/runner/agreement.h"

#include <algorithm>
#include <numeric>

namespace gles_delegate {

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

}  // namespace gles_delegate

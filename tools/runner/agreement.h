// How far two runs of a model agree in the results that people look at: the
// first five classes, and the boxes.
#ifndef GLES_DELEGATE_TOOLS_RUNNER_AGREEMENT_H_
#define GLES_DELEGATE_TOOLS_RUNNER_AGREEMENT_H_

#include <vector>

#include "absl/types/span.h"

namespace gles_delegate {

// The indices of the `count` largest scores, the largest first. Of equal scores
// the one with the lower index comes first.
std::vector<int> Top(absl::Span<const float> scores, int count);

struct ClassAgreement {
  int runs = 0;
  int top_1 = 0;  // runs that name the same class
  int top_5 = 0;  // runs that name the same five, in any order
  void Add(absl::Span<const float> reference, absl::Span<const float> actual);
};

// A box of TFLite_Detection_PostProcess. Its edges are fractions of the
// picture.
struct Box {
  float top = 0, left = 0, bottom = 0, right = 0;
  int label = 0;
  float score = 0;
};
// Area of the intersection over that of the union; 0 where both are empty.
float IntersectionOverUnion(const Box& a, const Box& b);

struct BoxAgreement {
  int reference = 0;  // boxes of a score of `kMinScore` or more
  int actual = 0;
  int matched = 0;     // of one label, and an IoU of 0.5 or more
  double iou_sum = 0;  // of the matched boxes
  double min_iou = 1;
  static constexpr float kMinScore = 0.5f;
  double mean_iou() const { return matched == 0 ? 0 : iou_sum / matched; }
  void Add(absl::Span<const Box> reference, absl::Span<const Box> actual);
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_RUNNER_AGREEMENT_H_

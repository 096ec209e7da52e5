// How far one backend's outputs are from another's.
#ifndef GLES_DELEGATE_TOOLS_RUNNER_OUTPUT_DIFF_H_
#define GLES_DELEGATE_TOOLS_RUNNER_OUTPUT_DIFF_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "tools/common/tflite_host.h"

namespace gles_delegate {

// The difference of one output, gathered over any number of runs. Quantized
// outputs are compared as real numbers.
class OutputDiff {
 public:
  // Adds a run. `last_dim` is the size of the innermost dimension, along which
  // argmax looks (over all elements where it is 1).
  void Add(absl::Span<const float> reference, absl::Span<const float> actual,
           int last_dim);

  double max_abs() const { return max_abs_; }
  double mean_abs() const;
  // The largest magnitude of the reference.
  double magnitude() const { return magnitude_; }
  // max_abs over magnitude: what --max_error limits. The difference itself
  // where the reference is all zero.
  double max_relative() const;
  // Euclidean norm of the difference over that of the reference.
  double relative_l2() const;
  double cosine() const;
  // The fraction of argmax answers that agree, 0 to 1.
  double argmax_agreement() const;
  // Elements that are NaN on one side only, and runs whose sizes differ. One is
  // a failure.
  int64_t mismatches() const { return mismatches_; }
  int64_t elements() const { return elements_; }

  // max_relative() is within `max_error` and nothing is NaN on one side only.
  bool Within(double max_error) const;

 private:
  void AddArgmax(absl::Span<const float> reference,
                 absl::Span<const float> actual, size_t row);

  double max_abs_ = 0;
  double magnitude_ = 0;
  double sum_abs_ = 0;
  double sum_difference_squared_ = 0;
  double sum_reference_squared_ = 0;
  double sum_actual_squared_ = 0;
  double sum_product_ = 0;
  int64_t elements_ = 0;
  int64_t mismatches_ = 0;
  int64_t rows_ = 0;
  int64_t rows_agreed_ = 0;
};

// How far two runs of a model agree in the results that people look at: the
// first five classes, and the boxes.

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
// Those of a score of BoxAgreement::kMinScore or more, by its four outputs.
std::vector<Box> BoxesOf(absl::Span<const float> edges,
                         absl::Span<const float> labels,
                         absl::Span<const float> scores,
                         absl::Span<const float> count);
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

// How far the quantized values of one quantized tensor are from those of
// another.

// True for int8, uint8 and int16 tensors with a scale.
bool HasQuantized(const TensorView& tensor);

// The difference of one quantized tensor, in quantized values, gathered over
// any number of runs.
class CodeDiff {
 public:
  // Adds a run. Tensors of other types or sizes count as mismatches.
  void Add(const TensorView& reference, const TensorView& actual);

  int64_t elements() const { return elements_; }
  // Shares of all elements, 0 to 1 (1 where there are none).
  double equal() const { return Share(equal_); }
  double within_1() const { return Share(within_1_); }
  int largest() const { return largest_; }
  // How many runs could not be compared. One is a failure.
  int64_t mismatches() const { return mismatches_; }

 private:
  template <typename T>
  void AddQuantizedValues(const TensorView& reference,
                          const TensorView& actual);
  double Share(int64_t part) const {
    return elements_ == 0
               ? 1
               : static_cast<double>(part) / static_cast<double>(elements_);
  }

  int64_t elements_ = 0;
  int64_t equal_ = 0;
  int64_t within_1_ = 0;
  int64_t mismatches_ = 0;
  int largest_ = 0;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_RUNNER_OUTPUT_DIFF_H_

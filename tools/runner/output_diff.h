// How far one backend's outputs are from another's.
#ifndef GLES_DELEGATE_TOOLS_RUNNER_OUTPUT_DIFF_H_
#define GLES_DELEGATE_TOOLS_RUNNER_OUTPUT_DIFF_H_

#include <cstdint>

#include "absl/types/span.h"

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

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_RUNNER_OUTPUT_DIFF_H_

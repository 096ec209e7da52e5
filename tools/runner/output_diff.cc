#include "tools/runner/output_diff.h"

#include <algorithm>
#include <cmath>

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

}  // namespace gles_delegate

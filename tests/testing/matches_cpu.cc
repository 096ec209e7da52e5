// MatchesCpu: the bounds that single_op.h derives, and what a failure prints.
#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tests/testing/random.h"
#include "tests/testing/run_model.h"
#include "tests/testing/single_op.h"

namespace gles_delegate::testing {
namespace {

using ::testing::MatcherInterface;
using ::testing::MatchResultListener;

constexpr double kFloatRounding = 0x1p-24;
constexpr double kHalfUlp = 0x1p-10;
constexpr double kHalfSmallest = 0x1p-24;
constexpr double kHalfLargest = 65504;
// Mismatches that are printed in full.
constexpr int kPrinted = 8;

double Bound(double expected, double magnitude, const Accuracy& accuracy,
             Precision precision) {
  if (accuracy.terms == 0) return 0;
  magnitude = std::max(magnitude, std::fabs(expected));
  double bound =
      (4 * std::sqrt(static_cast<double>(accuracy.terms)) + accuracy.ulps) *
          kFloatRounding * magnitude +
      accuracy.absolute + std::numeric_limits<float>::min();
  if (precision == Precision::kFloat16) {
    bound += kHalfUlp * (std::fabs(expected) +
                         (accuracy.half_roundings - 1) * magnitude) +
             kHalfSmallest;
  }
  return bound;
}

bool Matches(float expected, float actual, double bound, Precision precision) {
  if (std::isnan(expected) || std::isnan(actual)) {
    return std::isnan(expected) && std::isnan(actual);
  }
  if (expected == actual) return true;
  if (precision == Precision::kFloat16 && std::fabs(expected) > kHalfLargest) {
    // Half has no such value: the nearest, or infinity.
    return std::fabs(actual) >= kHalfLargest &&
           std::signbit(actual) == std::signbit(expected);
  }
  if (std::isinf(expected) || std::isinf(actual)) return false;
  return std::fabs(static_cast<double>(expected) - actual) <= bound;
}

// "[0,3,1,2]" for element `index` of `shape`.
std::string Position(const Shape& shape, size_t index) {
  std::vector<size_t> position(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    position[d] = index % shape[d];
    index /= shape[d];
  }
  return absl::StrCat("[", absl::StrJoin(position, ","), "]");
}

// Empty where the outputs match, else what a person needs to see.
std::string Difference(const TensorValue& expected, const TensorValue& actual,
                       const std::vector<float>& magnitudes,
                       double least_magnitude, const Accuracy& accuracy,
                       Precision precision) {
  if (expected.name != actual.name || expected.shape != actual.shape) {
    return absl::StrCat("is ", actual.name, " ", ShapeString(actual.shape),
                        " where the CPU has ", expected.name, " ",
                        ShapeString(expected.shape));
  }
  if (expected.values.size() != actual.values.size()) {
    return absl::StrCat("holds ", actual.values.size(),
                        " values where the CPU has ", expected.values.size());
  }
  size_t wrong = 0;
  double worst = 0;
  std::string lines;
  for (size_t i = 0; i < expected.values.size(); ++i) {
    const double magnitude =
        std::max(least_magnitude,
                 i < magnitudes.size() ? std::fabs(magnitudes[i]) : 0.0);
    const float e = expected.values[i];
    const float a = actual.values[i];
    const double bound = Bound(e, magnitude, accuracy, precision);
    if (Matches(e, a, bound, precision)) continue;
    const double error = std::fabs(static_cast<double>(e) - a);
    worst = std::max(worst, error);
    if (++wrong <= kPrinted) {
      absl::StrAppendFormat(&lines,
                            "\n  %s: %.9g, CPU %.9g, off by %.3g, allowed %.3g",
                            Position(expected.shape, i), a, e, error, bound);
    }
  }
  if (wrong == 0) return "";
  return absl::StrFormat("%s %s: %d of %d elements differ, by up to %.3g%s%s",
                         expected.name, ShapeString(expected.shape), wrong,
                         expected.values.size(), worst, lines,
                         wrong > kPrinted ? "\n  ..." : "");
}

class CpuMatcher : public MatcherInterface<const RunResult&> {
 public:
  CpuMatcher(const SingleOpModel& model, Precision precision)
      : model_(AtPrecision(model, precision)), precision_(precision) {}

  void DescribeTo(std::ostream* out) const override {
    *out << "matches TFLite's CPU on " << model_.description << " at "
         << PrecisionName(precision_) << " (GLES_TEST_SEED=" << TestSeed()
         << ")";
  }

  bool MatchAndExplain(const RunResult& actual,
                       MatchResultListener* listener) const override {
    if (!actual.status.ok()) {
      *listener << "which failed";
      return false;
    }
    const RunResult expected = RunModel(model_, 1, nullptr);
    if (!expected.status.ok()) {
      *listener << "and the CPU failed too: " << expected.status.ToString();
      return false;
    }
    if (expected.outputs.size() != actual.outputs.size()) {
      *listener << "which has " << actual.outputs.size()
                << " outputs where the CPU has " << expected.outputs.size();
      return false;
    }
    const RunResult magnitude = RunMagnitude();
    if (!magnitude.status.ok()) {
      *listener << "but its magnitude model failed: "
                << magnitude.status.ToString();
      return false;
    }
    bool equal = true;
    for (size_t i = 0; i < expected.outputs.size(); ++i) {
      const std::vector<float> magnitudes = i < magnitude.outputs.size()
                                                ? magnitude.outputs[i].values
                                                : std::vector<float>();
      const std::string difference =
          Difference(expected.outputs[i], actual.outputs[i], magnitudes,
                     LeastMagnitude(), model_.accuracy, precision_);
      if (difference.empty()) continue;
      equal = false;
      *listener << "\noutput " << i << " " << difference;
    }
    return equal;
  }

 private:
  RunResult RunMagnitude() const {
    if (model_.magnitude_bytes.empty()) return {};
    SingleOpModel absolute = model_;
    absolute.bytes = model_.magnitude_bytes;
    for (std::vector<float>& input : absolute.inputs) {
      for (float& value : input) value = std::fabs(value);
    }
    return RunModel(absolute, 1, nullptr);
  }

  double LeastMagnitude() const {
    double largest = 0;
    if (!model_.accuracy.magnitude_of_inputs) return largest;
    for (const std::vector<float>& input : model_.inputs) {
      for (float value : input) {
        largest = std::max(largest, std::fabs(static_cast<double>(value)));
      }
    }
    return largest;
  }

  const SingleOpModel model_;
  const Precision precision_;
};

}  // namespace

::testing::Matcher<const RunResult&> MatchesCpu(const SingleOpModel& model,
                                                Precision precision) {
  return ::testing::MakeMatcher(new CpuMatcher(model, precision));
}

}  // namespace gles_delegate::testing

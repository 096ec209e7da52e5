#include "tools/op_models/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tools/common/tflite_host.h"

namespace gles_delegate::testing {
namespace {

constexpr double kFloatRounding = 0x1p-24;
constexpr double kHalfUlp = 0x1p-10;
constexpr double kHalfSmallest = 0x1p-24;
constexpr double kHalfLargest = 65504;
constexpr double kHalfMinNormal = 0x1p-14;
// A product of 16 bits and 16 sums, each rounded (single_op.h).
constexpr int kBlockRoundings = 17;
// Of a mediump result, relative to it (GLSL ES 3.10, 4.7.4).
constexpr double kMediumpRounding = 0x1p-10;
// Mismatches that are printed in full.
constexpr int kPrinted = 8;

// What range_ends allows anywhere: a result below the least normal number that
// a driver took for zero.
double Flushed(const Accuracy& accuracy, Precision precision) {
  if (!accuracy.range_ends) return 0;
  return IsHalf(precision) ? kHalfMinNormal : std::numeric_limits<float>::min();
}

double Bound(double expected, double magnitude, const Accuracy& accuracy,
             Precision precision) {
  double bound = Flushed(accuracy, precision);
  if (accuracy.terms > 0) {
    bound +=
        (4 * std::sqrt(static_cast<double>(accuracy.terms)) + accuracy.ulps) *
            kFloatRounding * magnitude +
        accuracy.absolute + std::numeric_limits<float>::min();
  }
  if (precision == Precision::kFloat16Arithmetic) {
    bound += kBlockRoundings * kMediumpRounding * magnitude +
             accuracy.terms * kHalfMinNormal;
  }
  if (IsHalf(precision) && (accuracy.terms > 0 || accuracy.rounds_to_half)) {
    bound += kHalfUlp * (std::fabs(expected) +
                         (accuracy.half_roundings - 1) * magnitude) +
             kHalfSmallest;
  }
  return bound;
}

// float's largest number as infinity (Accuracy::range_ends).
float Clamped(float value, const Accuracy& accuracy) {
  constexpr float kMax = std::numeric_limits<float>::max();
  return accuracy.range_ends && std::fabs(value) == kMax
             ? std::copysign(std::numeric_limits<float>::infinity(), value)
             : value;
}

enum class Match {
  kEqual,    // or as good as: NaN and NaN, the largest half for what is larger
  kNever,    // one is NaN or infinite, the other is not
  kByBound,  // as far as the error is within bounds
};

Match MatchOf(float expected, float actual, const Accuracy& accuracy,
              Precision precision) {
  expected = Clamped(expected, accuracy);
  actual = Clamped(actual, accuracy);
  if (std::isnan(expected) || std::isnan(actual)) {
    return std::isnan(expected) && std::isnan(actual) ? Match::kEqual
                                                      : Match::kNever;
  }
  if (expected == actual) return Match::kEqual;
  if (IsHalf(precision) && std::fabs(expected) > kHalfLargest) {
    // Half has no such value: the nearest, or infinity.
    return std::fabs(actual) >= kHalfLargest &&
                   std::signbit(actual) == std::signbit(expected)
               ? Match::kEqual
               : Match::kNever;
  }
  if (std::isinf(expected) || std::isinf(actual)) return Match::kNever;
  const double error = std::fabs(static_cast<double>(expected) - actual);
  return error <= Flushed(accuracy, precision) ? Match::kEqual
                                               : Match::kByBound;
}

// One unit in the last place of `magnitude`, or of the least normal number.
double Ulp(double magnitude, Precision precision) {
  const bool half = IsHalf(precision);
  const int digits = half ? 10 : 23;
  const int min = half ? -14 : -126;
  const int exponent = magnitude > 0 ? std::ilogb(magnitude) : min;
  return std::ldexp(1.0, std::max(exponent, min) - digits);
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

double LargestFinite(const std::vector<float>& values) {
  double largest = 0;
  for (float value : values) {
    if (std::isfinite(value)) {
      largest = std::max(largest, std::fabs(static_cast<double>(value)));
    }
  }
  return largest;
}

// Compares one output; adds what it finds to `all`.
class OutputComparer {
 public:
  // `other` may be null: another result that is right, element by element.
  OutputComparer(const CpuReference& reference, const TensorValue& expected,
                 const TensorValue* other, const std::vector<float>& magnitudes,
                 Comparison* all)
      : reference_(reference),
        expected_(expected),
        other_(other),
        magnitudes_(magnitudes),
        all_(*all),
        largest_(LargestFinite(expected.values)) {}

  std::string Difference(const TensorValue& actual) {
    if (expected_.name != actual.name || expected_.shape != actual.shape) {
      return absl::StrCat("is ", actual.name, " ", ShapeString(actual.shape),
                          " where the CPU has ", expected_.name, " ",
                          ShapeString(expected_.shape));
    }
    if (expected_.values.size() != actual.values.size()) {
      return absl::StrCat("holds ", actual.values.size(),
                          " values where the CPU has ",
                          expected_.values.size());
    }
    for (size_t i = 0; i < expected_.values.size(); ++i) {
      CompareElement(i, actual);
    }
    if (wrong_ == 0) return "";
    return absl::StrFormat("%s %s: %d of %d elements differ, by up to %.3g%s%s",
                           expected_.name, ShapeString(expected_.shape), wrong_,
                           expected_.values.size(), worst_, lines_,
                           wrong_ > kPrinted ? "\n  ..." : "");
  }

 private:
  void CompareElement(size_t i, const TensorValue& found) {
    const bool ints = i < expected_.ints.size() && i < found.ints.size();
    if (ints && expected_.ints[i] == found.ints[i]) return;
    if (ints) {
      Raise(&worst_, std::fabs(double{1} * expected_.ints[i] - found.ints[i]));
      if (++wrong_ <= kPrinted) {
        absl::StrAppendFormat(&lines_, "\n  %s: %d, CPU %d",
                              Position(expected_.shape, i), found.ints[i],
                              expected_.ints[i]);
      }
      return;
    }
    const float actual = found.values[i];
    const float expected = expected_.values[i];
    const Match match =
        MatchOf(expected, actual, reference_.accuracy, reference_.precision);
    if (match == Match::kEqual) return;
    if (other_ != nullptr && IsRight(i, other_->values[i], actual)) return;
    const double magnitude = MagnitudeOf(i, expected);
    const double bound =
        Bound(expected, magnitude, reference_.accuracy, reference_.precision);
    const double error = std::fabs(static_cast<double>(expected) - actual);
    if (match == Match::kByBound) {
      AddError(error, magnitude, bound);
      if (error <= bound) return;
    }
    Raise(&worst_, error);
    if (++wrong_ <= kPrinted) {
      absl::StrAppendFormat(
          &lines_, "\n  %s: %.9g, CPU %.9g, off by %.3g, allowed %.3g",
          Position(expected_.shape, i), actual, expected, error, bound);
    }
  }

  double MagnitudeOf(size_t i, float expected) const {
    return std::max({reference_.min_magnitude,
                     i < magnitudes_.size() ? std::fabs(magnitudes_[i]) : 0.0,
                     std::fabs(static_cast<double>(expected))});
  }

  bool IsRight(size_t i, float expected, float actual) const {
    const Accuracy& accuracy = reference_.accuracy;
    const Precision precision = reference_.precision;
    const Match match = MatchOf(expected, actual, accuracy, precision);
    return match == Match::kEqual ||
           (match == Match::kByBound &&
            std::fabs(static_cast<double>(expected) - actual) <=
                Bound(expected, MagnitudeOf(i, expected), accuracy, precision));
  }

  void AddError(double error, double magnitude, double bound) {
    if (std::isfinite(magnitude)) {
      Raise(&all_.worst_ulps, error / Ulp(magnitude, reference_.precision));
    }
    if (largest_ > 0) Raise(&all_.worst_relative, error / largest_);
    if (expected_.scale > 0) {
      Raise(&all_.worst_quantized, error / expected_.scale);
    }
    if (bound > 0) Raise(&all_.worst_of_bound, error / bound);
  }

  static void Raise(double* worst, double value) {
    *worst = std::max(*worst, value);
  }

  const CpuReference& reference_;
  const TensorValue& expected_;
  const TensorValue* const other_;
  const std::vector<float>& magnitudes_;
  Comparison& all_;
  const double largest_;
  int64_t wrong_ = 0;
  double worst_ = 0;
  std::string lines_;
};

double LargestInput(const SingleOpModel& model) {
  double largest = 0;
  for (const std::vector<float>& input : model.inputs) {
    largest = std::max(largest, LargestFinite(input));
  }
  return largest;
}

// Sets the rows that TFLite leaves unwritten to zeros.
void ClearUnwritten(const SingleOpModel& model, RunResult* result) {
  if (model.rows_each == 0) return;
  const int found = static_cast<int>(result->outputs.back().values[0]);
  for (TensorValue& output : result->outputs) {
    if (output.shape.size() < 2) continue;  // the count
    const int rows = output.shape[1];
    const size_t size = output.values.size() / rows;
    for (int row = 0; row < rows; ++row) {
      if (row / model.rows_each < found &&
          row % model.rows_each < model.written_rows) {
        continue;
      }
      std::fill_n(output.values.begin() + row * size, size, 0.0f);
    }
  }
}

// An error's code stays; of Ok nothing changes.
absl::Status Annotated(const absl::Status& status, const char* what) {
  return absl::Status(status.code(), absl::StrCat(what, status.message()));
}

}  // namespace

CpuReference MakeCpuReference(const SingleOpModel& model, Precision precision,
                              int invokes) {
  CpuReference reference;
  const SingleOpModel at = AtPrecision(model, precision);
  reference.accuracy = model.accuracy;
  reference.precision = precision;
  reference.expected = RunModel(at, model.stateful ? invokes : 1, nullptr);
  reference.status = Annotated(reference.expected.status, "the CPU failed: ");
  if (!reference.status.ok()) return reference;
  ClearUnwritten(model, &reference.expected);
  if (model.accuracy.either_kernel) {
    // A runtime without XNNPACK has one kernel.
    if (auto xnnpack = CreateXnnpackDelegate(/*num_threads=*/1); xnnpack.ok()) {
      reference.xnnpack =
          RunModel(at, model.stateful ? invokes : 1, xnnpack->get());
    }
  }
  if (model.accuracy.magnitude_of_inputs) {
    reference.min_magnitude = LargestInput(at);
  }
  if (at.magnitude_bytes.empty()) return reference;
  SingleOpModel absolute = at;
  absolute.bytes = at.magnitude_bytes;
  for (std::vector<float>& input : absolute.inputs) {
    for (float& value : input) value = std::fabs(value);
  }
  reference.magnitude = RunModel(absolute, /*invokes=*/1, nullptr);
  reference.status =
      Annotated(reference.magnitude.status, "the magnitude model failed: ");
  return reference;
}

Comparison Compare(const CpuReference& reference, const RunResult& actual) {
  Comparison result;
  const std::vector<TensorValue>& expected = reference.expected.outputs;
  if (expected.size() != actual.outputs.size()) {
    result.difference =
        absl::StrCat("has ", actual.outputs.size(),
                     " outputs where the CPU has ", expected.size());
    return result;
  }
  static const auto& none = *new std::vector<float>;
  for (size_t i = 0; i < expected.size(); ++i) {
    const std::vector<float>& magnitudes =
        i < reference.magnitude.outputs.size()
            ? reference.magnitude.outputs[i].values
            : none;
    const std::vector<TensorValue>& others = reference.xnnpack.outputs;
    OutputComparer comparer(reference, expected[i],
                            i < others.size() ? &others[i] : nullptr,
                            magnitudes, &result);
    const std::string difference = comparer.Difference(actual.outputs[i]);
    if (!difference.empty()) {
      absl::StrAppend(&result.difference, "\noutput ", i, " ", difference);
    }
  }
  return result;
}

}  // namespace gles_delegate::testing

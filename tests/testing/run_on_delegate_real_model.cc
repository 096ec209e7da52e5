// real_model.h. The file's name keeps it out of builds without the delegate
// (tests/CMakeLists.txt).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device.h"
#include "tests/testing/photo.h"
#include "tests/testing/real_model.h"

namespace gles_delegate::testing {
namespace {

constexpr double kFloat32Bound = 2e-5;

using Outputs = std::vector<std::vector<float>>;

// Fills the one input with the photograph and runs.
Outputs RunOnPhoto(Interpreter* interpreter, const RealModel& model) {
  const TensorView input = interpreter->input(0);
  const auto pixels =
      LoadPhoto(SharedFile(absl::StrCat("images/", model.photo)), input.dims(),
                model.low, model.high);
  EXPECT_TRUE(pixels.ok()) << pixels.status();
  if (!pixels.ok()) return {};
  EXPECT_TRUE(input.Write(*pixels).ok());
  const absl::Status invoked = interpreter->Invoke();
  EXPECT_TRUE(invoked.ok()) << invoked;
  Outputs outputs;
  for (int i = 0; i < interpreter->outputs(); ++i) {
    outputs.push_back(interpreter->output(i).AsFloats());
  }
  return outputs;
}

// How much a LOGISTIC at a model's end makes of an error that is relative to
// the largest magnitude of its input: that magnitude times its slope, at most
// 1/4.
double LogisticGain(const std::vector<float>& outputs) {
  double largest = 0;
  for (double p : outputs) {
    if (p <= 0 || p >= 1) continue;
    largest = std::max(largest, std::fabs(std::log(p / (1 - p))));
  }
  return std::max(1.0, largest / 4);
}

struct Error {
  double largest = INFINITY;  // NaN on one side only, sizes that differ
  double rms = INFINITY;
};

// Over the expected's largest magnitude.
Error RelativeError(const std::vector<float>& expected,
                    const std::vector<float>& actual) {
  if (expected.size() != actual.size() || expected.empty()) return {};
  double error = 0, squares = 0, magnitude = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (std::isnan(actual[i]) != std::isnan(expected[i])) return {};
    const double difference = std::fabs(double{actual[i]} - expected[i]);
    error = std::max(error, difference);
    squares += difference * difference;
    magnitude = std::max(magnitude, std::fabs(double{expected[i]}));
  }
  return {error / magnitude, std::sqrt(squares / expected.size()) / magnitude};
}

void ExpectAgrees(const Model& loaded, const RealModel& model,
                  const Outputs& expected, Precision precision) {
  SCOPED_TRACE(PrecisionName(precision));
  const DelegatePtr delegate = MakeDelegate([&](auto& options) {
    options.is_precision_loss_allowed = precision == Precision::kFloat16;
  });
  auto interpreter = Applied(loaded, delegate);
  const nlohmann::json report = ReportOf(delegate);
  EXPECT_EQ(report["nodes_delegated"], report["nodes_total"]) << report["cpu"];
  ASSERT_EQ(report["partitions"], 1) << report["cpu"];
  const double layers = report["partition"][0]["nodes_after_passes"];
  const double plain = precision == Precision::kFloat32
                           ? kFloat32Bound
                           : 4 * std::sqrt(2 * layers) * std::exp2(-10);
  const Outputs actual = RunOnPhoto(interpreter.get(), model);
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    const Error error = RelativeError(expected[i], actual[i]);
    double max = plain;
    if (model.ends_in_logistic) {
      max = std::min(plain * LogisticGain(expected[i]),
                     precision == Precision::kFloat32 ? 1e-4 : 1.0);
    }
    std::printf(
        "%s, %s, output %zu: off by %.2g of its largest, at most %.2g; rms "
        "%.2g, at most %.2g\n",
        model.name, PrecisionName(precision).c_str(), i, error.largest, max,
        error.rms, plain / 4);
    EXPECT_LE(error.largest, max) << "output " << i;
    EXPECT_LE(error.rms, plain / 4) << "output " << i;
  }
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const RealModel& model) {
  return out << model.name << " on " << model.photo;
}

std::string RealModelName(const ::testing::TestParamInfo<RealModel>& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

std::string SharedFile(const std::string& file) {
  const char* shared = std::getenv("GLES_DELEGATE_SHARED_DIR");
  if (shared == nullptr || *shared == '\0') return "";
  const auto path = std::filesystem::path(shared) / file;
  return std::filesystem::exists(path) ? path.string() : "";
}

void ExpectRunsWholeAndAgrees(const RealModel& model) {
  GLES_SKIP_WITHOUT_DEVICE();
  const std::string path =
      SharedFile(absl::StrCat("models/", model.name, ".tflite"));
  if (path.empty()) {
    GTEST_SKIP() << "NO REAL MODEL, NOTHING TESTED: set "
                    "GLES_DELEGATE_SHARED_DIR to a folder that holds models/"
                 << model.name << ".tflite and images/";
  }
  const auto loaded = Model::FromFile(path);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const Outputs expected = RunOnPhoto(InterpreterOrDie(**loaded).get(), model);
  for (Precision precision : kPrecisions) {
    ExpectAgrees(**loaded, model, expected, precision);
  }
}

}  // namespace gles_delegate::testing

// labels: op
// What 16-bit floats cannot hold: normalizations that a model writes out, of
// values whose squares are past their range, and the angles of large positions.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "tests/testing/device_test.h"
#include "tests/testing/single_op.h"
#include "tools/cases/model.h"

namespace gles_delegate::testing {
namespace {

constexpr int kRows = 6, kChannels = 40;

class KeepFloat32Test : public DeviceTest {};

struct Normalization {
  const char* name;
  // The square of {x}: x, or c, less its mean m.
  const char* square;
  bool centered;  // the mean is subtracted before
  bool sum;       // of squares, not their mean
  bool divided;   // by SQRT; else multiplied by RSQRT
};
constexpr Normalization kNormalizations[] = {
    {"RmsByMul", "MUL x x", false, false, false},
    {"RmsBySquare", "SQUARE x", false, false, false},
    {"RmsDivided", "SQUARE x", false, false, true},
    {"LayerByMul", "MUL c c", true, false, false},
    {"LayerBySquare", "SQUARE c", true, false, true},
    {"LayerBySquaredDifference", "SQUARED_DIFFERENCE x m", true, false, false},
    {"L2ByMul", "MUL x x", false, true, false},
    {"L2Divided", "SQUARE x", false, true, true},
};

// Row r has the magnitude 60,000 / 8^r.
std::vector<float> Values() {
  std::vector<float> values;
  for (int r = 0; r < kRows; ++r) {
    for (int c = 0; c < kChannels; ++c) {
      const double part = std::sin(7.0 * r + 3.0 * c);
      values.push_back(static_cast<float>(60000.0 * part / std::pow(8.0, r)));
    }
  }
  return values;
}

SingleOpModel ModelOf(const Normalization& n) {
  const char* x = n.centered ? "c" : "x";
  std::string text = n.square;
  if (n.centered) {
    text = "MEAN x=[1,6,40] i=(2) keep_dims=true -> m ; SUB x m -> c ; " + text;
  } else {
    text.replace(text.find(" x"), 2, " x=[1,6,40]");
  }
  absl::StrAppend(&text, " -> q ; ", n.sum ? "SUM" : "MEAN",
                  " q j=(2) keep_dims=true -> s ; ADD s e=(0.000001) -> t ; ",
                  n.divided ? "SQRT" : "RSQRT", " t -> u ; ",
                  n.divided ? "DIV " : "MUL ", x, " u");
  SingleOpModel model = cases::ModelOf(text);
  model.inputs = {Values()};
  return model;
}

std::vector<double> Expected(const Normalization& n) {
  const std::vector<float> x = Values();
  std::vector<double> y(x.begin(), x.end());
  for (int r = 0; r < kRows; ++r) {
    double* const row = &y[static_cast<size_t>(r) * kChannels];
    double mean = 0, squares = 0;
    for (int c = 0; c < kChannels; ++c) mean += row[c] / kChannels;
    for (int c = 0; c < kChannels; ++c) {
      if (n.centered) row[c] -= mean;
      squares += row[c] * row[c];
    }
    const double root =
        std::sqrt((n.sum ? squares : squares / kChannels) + 1e-6);
    for (int c = 0; c < kChannels; ++c) row[c] /= root;
  }
  return y;
}

TEST_F(KeepFloat32Test, LargeValuesAreNormalizedInSixteenBits) {
  for (const Normalization& n : kNormalizations) {
    const SingleOpModel model = ModelOf(n);
    const std::vector<double> expected = Expected(n);
    double max = 0;
    for (double y : expected) max = std::max(max, std::abs(y));
    // The input, its mean, their difference and the result are each rounded by
    // a store, at worst by 2^-10 of themselves.
    const double tolerance = 4 * max / 1024;
    for (TfLiteGlesStorage storage : kEveryStorage) {
      RunOptions options;
      options.precision = Precision::kFloat16;
      options.storage = storage;
      const RunResult gpu = RunOnDelegate(model, options);
      ASSERT_TRUE(gpu.status.ok()) << n.name << ": " << gpu.status;
      for (size_t i = 0; i < expected.size(); ++i) {
        ASSERT_NEAR(gpu.outputs[0].values[i], expected[i], tolerance)
            << n.name << " at " << i << ", storage " << storage;
      }
    }
  }
}

// A square that something else reads, too, is stored as the others are.
TEST_F(KeepFloat32Test, LeavesSquaresThatOthersRead) {
  SingleOpModel model = cases::ModelOf(
      "SQUARE x=[1,6,40] -> q ; MEAN q i=(2) keep_dims=true % keep=q");
  model.inputs = {std::vector<float>(kRows * kChannels, 3.0f)};
  const RunResult gpu = RunOnDelegate(model, Precision::kFloat16);
  ASSERT_TRUE(gpu.status.ok()) << gpu.status;
  for (const TensorValue& output : gpu.outputs) {
    for (float value : output.values) EXPECT_EQ(value, 9.0f);
  }
}

// Not Precision::kFloat16, which rounds the model's constants, too.
RunResult RunInHalves(const SingleOpModel& model,
                      TfLiteGlesStorage storage = kTfLiteGlesStorageAuto) {
  RunOptions options;
  options.configure = [](auto& o) { o.is_precision_loss_allowed = 1; };
  options.storage = storage;
  RunResult gpu = RunOnDelegate(model, options);
  EXPECT_TRUE(gpu.status.ok()) << gpu.status;
  return gpu;
}

// sin(position * frequency), as rotary embeddings and time steps are computed:
// by a CAST or a float input, a broadcast or a matrix product, a CONCATENATION.
TEST_F(KeepFloat32Test, AnglesOfLargePositions) {
  const std::vector<float> positions = {0,    1,     255,    2049,
                                        8191, 65537, 100003, 131071};
  const std::vector<float> frequencies = {1, 0.31622776f, 0.1f, 0.001f};
  const std::string of = "(1,0.31622776,0.1,0.001)";
  for (const std::string& angle :
       {"CAST x=i32[8,1] in_data_type=INT32 -> c:f32 ; MUL c f=[1,4]" + of,
        "CAST x=i32[8,1] in_data_type=INT32 -> c:f32 ; "
        "FULLY_CONNECTED c f=[4,1]" +
            of + " b=-",
        "MUL x=[8,1] f=[1,4]" + of}) {
    SingleOpModel model =
        cases::ModelOf(angle + " -> a ; CONCATENATION a a axis=1 -> b ; SIN b");
    model.inputs = {positions};
    for (int storage = 0; storage <= kTfLiteGlesStorageBuffer; ++storage) {
      const RunResult gpu =
          RunInHalves(model, static_cast<TfLiteGlesStorage>(storage));
      ASSERT_TRUE(gpu.status.ok());
      for (int i = 0; i < 8 * 8; ++i) {
        // Rounded once in 32 bits, as on the CPU. The error of a sine: half an
        // ulp of the angle (2^-8 from 65,536 on) at most, and a half's
        // rounding.
        const float angle_of = positions[i / 8] * frequencies[i % 4];
        EXPECT_NEAR(gpu.outputs[0].values[i], std::sin(angle_of), 1e-3)
            << angle << " " << positions[i / 8] << ", " << storage;
      }
    }
  }
}

TEST_F(KeepFloat32Test, TheReportSaysHowManyAndWhy) {
  const std::pair<const char*, const char*> kKept[] = {
      // The logarithm of a spectrum's power.
      {"SQUARE x=[1,8] -> a ; ADD a e=(0.000001) -> b ; LOG b",
       R"({"a logarithm near zero":2})"},
      // A softplus.
      {"EXP x=[1,8] -> a ; ADD a e=(1.0) -> b ; LOG b", "{}"},
      // The length of a vector.
      {"SQUARE x=[1,8] -> a ; MUL x x -> b ; SQUARE x -> c ; ADD a b -> d ; "
       "ADD d c -> e ; SQRT e",
       R"({"squares":5})"},
      // Quotients of integers: 3 * (1 / 3) is 1.
      {"CAST x=i32[1,8] in_data_type=INT32 -> a:f32 ; MUL a w=(0.33333334) -> "
       "b ; CAST b out_data_type=INT32 -> i32",
       R"({"integers":1,"numbers that become integers":1})"},
      {"CAST x=i8[1,8] in_data_type=INT8 -> a:f32 ; MUL a w=(0.33333334) -> b "
       "; CAST b out_data_type=INT8 -> i8",
       R"({"numbers that become integers":2})"}};
  for (const auto& [text, kept] : kKept) {
    SingleOpModel model = cases::ModelOf(text);
    model.inputs = {std::vector<float>(8, text[0] == 'C' ? 3.0f : 0.5f)};
    const auto report = nlohmann::json::parse(RunInHalves(model).report);
    EXPECT_EQ(report.at("partition").at(0).at("nodes_in_float32").dump(), kept)
        << text;
  }
}

// A finite constant stays finite: a mask's.
TEST_F(KeepFloat32Test, ConstantsPastTheRangeOfHalvesAreFinite) {
  SingleOpModel model =
      cases::ModelOf("MAXIMUM x=[1,4] m=[1,4](-3.4e38,-1e9,1e9,-inf)");
  model.inputs = {{-INFINITY, -INFINITY, -INFINITY, -INFINITY}};
  const RunResult gpu = RunInHalves(model);
  ASSERT_TRUE(gpu.status.ok());
  EXPECT_EQ(gpu.outputs[0].values,
            (std::vector<float>{-65504, -65504, 65504, -INFINITY}));
}

}  // namespace
}  // namespace gles_delegate::testing

// labels: op llvmpipe softpipe
// Functions of rows as one node: normalizations as exporters write them against
// TFLite's CPU. rows.txt has the graphs.
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "tests/testing/device_test.h"
#include "tests/testing/op_model_maker.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

class FuseRowsModelTest : public DeviceTest {};

// Normalizations as exporters write them.
enum class Norm { kKeras, kTorch, kRms };

int Normalized(OpVariant& v, Norm norm, int x, int rows, int channels) {
  const int axis = v.IntConstant("axis", {1}, {2});
  const int epsilon = v.Constant("epsilon", {}, {1e-3f});
  const int gamma =
      v.Constant("gamma", {channels}, v.random().Gaussian(channels));
  const int beta =
      v.Constant("beta", {channels}, v.random().Gaussian(channels));
  const bool keeps = norm != Norm::kTorch;
  int count = 0;
  const auto mean = [&](int of) {
    schema::ReducerOptionsT options;
    options.keep_dims = keeps;
    return v.Op(Op::MEAN, 1, {of, axis}, options);
  };
  const auto column = [&](int of) {
    if (keeps) return of;
    const int to =
        v.IntConstant(absl::StrCat("column", count++), {3}, {1, rows, 1});
    return v.Op(Op::RESHAPE, 1, {of, to}, schema::ReshapeOptionsT());
  };
  const auto add = [&](int a, int b) {
    return v.Op(Op::ADD, 1, {a, b}, schema::AddOptionsT());
  };
  const auto mul = [&](int a, int b) {
    return v.Op(Op::MUL, 1, {a, b}, schema::MulOptionsT());
  };
  if (norm == Norm::kRms) {
    const int scale = v.Op(Op::RSQRT, 1, {add(mean(mul(x, x)), epsilon)});
    return mul(mul(x, scale), gamma);
  }
  const int average = mean(x);
  const int squares = v.Op(Op::SQUARED_DIFFERENCE, 1, {x, column(average)});
  const int scale = v.Op(Op::RSQRT, 1, {add(mean(squares), epsilon)});
  if (norm == Norm::kTorch) {
    const int shift = v.Op(Op::NEG, 1, {mul(scale, average)});
    return add(mul(add(mul(x, column(scale)), column(shift)), gamma), beta);
  }
  const int weights = mul(scale, gamma);
  const int shift =
      v.Op(Op::SUB, 1, {beta, mul(average, weights)}, schema::SubOptionsT());
  return add(mul(x, weights), shift);
}

TEST_F(FuseRowsModelTest, Normalizations) {
  for (const Norm norm : {Norm::kKeras, Norm::kTorch, Norm::kRms}) {
    for (const int channels : {4, 7, 16, 130}) {
      for (const int rows : {1, 5, 16, 300}) {
        // Means of `channels` terms, of squares of differences.
        Accuracy accuracy{4 * channels};
        accuracy.half_roundings = 12;
        accuracy.absolute = 2e-6f;  // what is close to the mean
        const SingleOpModel model =
            MakeModel("normalization", accuracy, [&](OpVariant& v) {
              const int x = v.Input("x", {1, rows, channels},
                                    v.random().Gaussian(rows * channels));
              return Normalized(v, norm, x, rows, channels);
            });
        EXPECT_THAT(RunOnDelegate(model), MatchesCpu(model))
            << static_cast<int>(norm) << " " << rows << "x" << channels;
      }
    }
  }
}

// On the GPU, too, its reductions are part of one dispatch.
TEST_F(FuseRowsModelTest, ANormalizationReducesItsRowsAtOnce) {
  for (const Norm norm : {Norm::kKeras, Norm::kTorch, Norm::kRms}) {
    const SingleOpModel model =
        MakeModel("normalization", Accuracy{64}, [&](OpVariant& v) {
          const int x = v.Input("x", {1, 5, 16}, v.random().Gaussian(80));
          return Normalized(v, norm, x, 5, 16);
        });
    const std::string report = RunOnDelegate(model).report;
    EXPECT_THAT(report, ::testing::HasSubstr("row_functions"))
        << static_cast<int>(norm);
    EXPECT_THAT(report, ::testing::Not(::testing::HasSubstr("reduce")))
        << static_cast<int>(norm);
  }
}

}  // namespace
}  // namespace gles_delegate::testing

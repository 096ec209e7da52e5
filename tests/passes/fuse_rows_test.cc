// labels: op llvmpipe softpipe
// Functions of rows as one node: normalizations as exporters write them against
// TFLite's CPU. rows.txt has the graphs.
#include "absl/strings/str_cat.h"
#include "delegate/ops/matmul/matrix_product.h"
#include "gmock/gmock.h"
#include "tests/testing/device_test.h"
#include "tests/testing/graph_builder.h"
#include "tests/testing/h200_profile.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/run_pass.h"
#include "tests/testing/scoped_environment.h"
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

// Products of few rows that normalize their rows and have a gate: models
// against TFLite's CPU. rows.txt has the graphs.

// The shader reads both matrices in one loop. Rows of cases have no int4.
TEST(FuseFewRowsTest, NotMatricesStoredInOtherWays) {
  DeviceProfile profile = RoomyH200Profile();
  profile.choices.simd_lanes = 1;
  for (const int bits : {0, 4}) {
    GraphBuilder b;
    const TensorId x = b.Input({1, 1, 32});
    const auto product = [&](const PostOp& op) {
      return b.Node("FULLY_CONNECTED", {x, b.Constant({64, 32})}, {1, 1, 64},
                    FullyConnectedAttributes(), {op});
    };
    const TensorId gate = product({"silu"});
    if (bits != 0) {
      b.graph.tensor(b.graph.nodes.back().inputs[1]).quantization.bits = bits;
    }
    PostOp mul{"mul"};
    mul.operand = gate;
    b.graph.outputs = {product(mul)};
    RunPass("fuse_gates", &b.graph, profile);
    EXPECT_EQ(b.graph.nodes.size(), bits == 0 ? 1u : 2u);
  }
}

class FuseFewRowsModelTest : public DeviceTest {};

struct Case {
  int rows, terms, outputs;
  Weights weights;
  bool scaled;
};

int Multiplied(OpVariant& v, int a, int b) {
  return v.Op(Op::MUL, 1, {a, b}, schema::MulOptionsT());
}

int Normalized(OpVariant& v, int x, int terms, bool scaled) {
  schema::ReducerOptionsT options;
  options.keep_dims = true;
  const int mean =
      v.Op(Op::MEAN, 1, {Multiplied(v, x, x), v.IntConstant("axis", {1}, {2})},
           options);
  const int epsilon = v.Constant("epsilon", {}, {1e-3f});
  const int root = v.Op(
      Op::RSQRT, 1, {v.Op(Op::ADD, 1, {mean, epsilon}, schema::AddOptionsT())});
  const int y = Multiplied(v, x, root);
  return scaled ? Multiplied(
                      v, y,
                      v.Constant("gamma", {terms}, v.random().Gaussian(terms)))
                : y;
}

SingleOpModel ModelOf(const Case& c) {
  // Sums of `terms` of normalized rows, three functions, and a product.
  Accuracy accuracy{4 * c.terms};
  accuracy.half_roundings = 12;
  accuracy.absolute = 2e-5f;
  return MakeModel(
      "gated product", accuracy, /*with_magnitude=*/true, [&](OpVariant& v) {
        const int x = v.Input("x", {1, c.rows, c.terms},
                              v.random().Gaussian(c.rows * c.terms));
        const auto product = [&](const char* name, int rows) {
          schema::FullyConnectedOptionsT options;
          options.keep_num_dims = true;
          const int weights = v.Constant(
              absl::StrCat(name, " weights"), {c.outputs, c.terms},
              v.random().Gaussian(c.outputs * c.terms, 0, 0.25f), c.weights);
          const int bias = v.Constant(absl::StrCat(name, " bias"), {c.outputs},
                                      v.random().Gaussian(c.outputs));
          return v.Op(Op::FULLY_CONNECTED, 5, {rows, weights, bias}, options);
        };
        const int y = Normalized(v, v.Op(Op::ABS, 1, {x}), c.terms, c.scaled);
        const int gate = product("gate", y);
        return Multiplied(v, Multiplied(v, v.Op(Op::LOGISTIC, 1, {gate}), gate),
                          product("up", y));
      });
}

TEST_F(FuseFewRowsModelTest, MatchesTheCpu) {
  const Case cases[] = {{1, 32, 64, Weights::kFloat, true},
                        {1, 30, 10, Weights::kFloat, false},
                        {3, 64, 7, Weights::kHalf, true},
                        {7, 16, 36, Weights::kInt8, true},
                        {1, 160, 64, Weights::kInt8, false}};
  for (const char* lanes : {"1", "4", "32", "8,split_k_target=49152"}) {
    const ScopedEnvironment tuning(
        "GLES_DELEGATE_TUNING",
        absl::StrCat("simd_lanes=1,reduction_lanes=", lanes));
    for (const Case& c : cases) {
      const SingleOpModel model = ModelOf(c);
      for (Precision precision : kPrecisions) {
        RunOptions options;
        options.precision = precision;
        const RunResult result = RunOnDelegate(model, options);
        EXPECT_THAT(result, MatchesCpu(model, precision))
            << c.terms << " terms, " << lanes << " lanes";
        EXPECT_THAT(result.report,
                    ::testing::Not(::testing::HasSubstr("\"row_functions\"")));
      }
    }
  }
}

// Constants folded into weights: models against TFLite's CPU. fold_scales.txt
// has the graphs.

class FoldScalesModelTest : public DeviceTest {};

// MUL and ADD of constants before and after a convolution.
SingleOpModel Scaled(int in, int out, schema::Padding padding) {
  return MakeModel(
      absl::StrCat("scaled convolution ", in, " to ", out,
                   padding == schema::Padding::SAME ? " padded" : ""),
      Accuracy{/*terms=*/9 * in + 4}, /*with_magnitude=*/true,
      [&](OpVariant& v) {
        const Shape shape = {2, 5, 6, in};
        const auto constant = [&](const char* name, int channels) {
          return v.Constant(name, {channels}, v.random().Gaussian(channels));
        };
        int x = v.Input("x", shape, v.random().Gaussian(ElementCount(shape)));
        x = v.Op(Op::ADD, 1, {x, constant("add before", in)},
                 schema::AddOptionsT());
        x = v.Op(Op::MUL, 1, {x, constant("mul before", in)},
                 schema::MulOptionsT());
        schema::Conv2DOptionsT conv;
        conv.padding = padding;
        conv.stride_w = conv.stride_h = 1;
        const int filter = 9 * in * out;
        const int w =
            v.Constant("w", {out, 3, 3, in}, v.random().Gaussian(filter));
        x = v.Op(Op::CONV_2D, 1, {x, w, constant("bias", out)}, conv);
        x = v.Op(Op::MUL, 1, {x, constant("mul after", out)},
                 schema::MulOptionsT());
        return v.Op(Op::ADD, 1, {constant("add after", out), x},
                    schema::AddOptionsT());
      });
}

TEST_F(FoldScalesModelTest, AroundAConvolution) {
  for (const auto padding : {schema::Padding::VALID, schema::Padding::SAME}) {
    for (const SingleOpModel& model :
         {Scaled(3, 5, padding), Scaled(8, 4, padding)}) {
      EXPECT_THAT(RunOnDelegate(model), MatchesCpu(model)) << model.description;
    }
  }
}

}  // namespace

}  // namespace gles_delegate::testing

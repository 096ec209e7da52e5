// labels: op llvmpipe softpipe
// Products of few rows that normalize their rows and have a gate: models
// against TFLite's CPU. rows.txt has the graphs.
#include "absl/strings/str_cat.h"
#include "delegate/ops/matmul/fully_connected.h"
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

}  // namespace
}  // namespace gles_delegate::testing

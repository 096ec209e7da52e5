// labels: op llvmpipe softpipe
// Products of few rows that normalize their rows and have a gate: the pass on
// graphs, when it must not fire, and models against TFLite's CPU.
#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/ops/conv/convolution.h"
#include "delegate/ops/reduction/row_functions.h"
#include "delegate/ops/stages.h"
#include "delegate/passes/all_passes.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/attention_graph.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/scoped_environment.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

// A feed-forward layer of [1,rows,32], without its last product.
class FeedForward : public Attention {
 public:
  explicit FeedForward(int rows) : rows_(rows) {}
  DeviceProfile Profile() const {
    DeviceProfile profile = RoomyH200Profile();
    profile.choices.simd_lanes = 1;
    return profile;
  }
  TensorId Rows32() { return Input({1, rows_, 32}); }
  // As fuse_rows leaves an RMS normalization.
  TensorId Normalized(TensorId x, bool scaled) {
    RowFunctionsAttributes a;
    const auto function = [&a](const char* name, int first, int second) {
      RowStep step;
      step.kind = RowStep::Kind::kFunction;
      step.function = name;
      step.a = first;
      step.b = second;
      a.steps.push_back(step);
    };
    a.steps.emplace_back();  // x
    function("mul", 0, 0);
    RowStep mean;
    mean.kind = RowStep::Kind::kReduce;
    mean.a = 1;
    a.steps.push_back(mean);
    function("add", 2, -1);
    a.steps.back().params[0] = 1e-5f;
    function("rsqrt", 3, -1);
    function("mul", 0, 4);
    std::vector<TensorId> inputs = {x};
    if (scaled) {
      a.steps.emplace_back();
      a.steps.back().index = 1;
      inputs.push_back(Constant({32}));
      function("mul", 5, 6);
    }
    a.results = {static_cast<int>(a.steps.size()) - 1};
    const TensorId y = Node("MEAN", inputs, {1, rows_, 32}, a);
    graph.nodes.back().op = &RowFunctions();
    return y;
  }
  TensorId Product(TensorId x, std::vector<PostOp> ops = {}) {
    const TensorId y = Rows(x, {1, rows_, 64});
    graph.nodes.back().post_ops = std::move(ops);
    return y;
  }
  TensorId Gated(TensorId x, TensorId gate) {
    PostOp mul{"mul"};
    mul.operand = gate;
    return Product(x, {mul});
  }

 private:
  int rows_;
};

TEST(FuseFewRowsTest, ANormalizedGatedProductIsOneNode) {
  for (const bool scaled : {true, false}) {
    FeedForward b(1);
    const TensorId x = b.Rows32();
    const TensorId y = b.Normalized(x, scaled);
    b.graph.outputs = {b.Gated(y, b.Product(y, {{"silu"}}))};
    FuseFewRows(&b.graph, b.Profile());
    ASSERT_THAT(b.Ops(), ElementsAre("FULLY_CONNECTED+FULLY_CONNECTED"));
    const Node& node = b.graph.nodes[0];
    EXPECT_EQ(node.inputs[0], x);
    EXPECT_EQ(node.inputs[kRowScale] != kNoTensor, scaled);
    EXPECT_TRUE(node.post_ops.empty());
    const auto& a =
        std::any_cast<const FullyConnectedAttributes&>(node.attributes);
    EXPECT_TRUE(a.normalizes);
    EXPECT_EQ(a.epsilon, 1e-5f);
    const std::vector<PostOp> gate = StageOf(node, kGateStage);
    ASSERT_EQ(gate.size(), 1u);
    EXPECT_EQ(gate[0].function, "silu");
  }
}

// Without a normalization, the gate's weights take the place of its scale.
TEST(FuseFewRowsTest, AGateNeedsNoNormalization) {
  FeedForward b(1);
  const TensorId x = b.Rows32();
  const TensorId y = b.Product(x, {{"silu"}});
  const TensorId weights = b.graph.nodes.back().inputs[1];
  b.graph.outputs = {b.Gated(x, y)};
  FuseFewRows(&b.graph, b.Profile());
  ASSERT_THAT(b.Ops(), ElementsAre("FULLY_CONNECTED+FULLY_CONNECTED"));
  const auto conv = Convolution::Of(b.graph, b.graph.nodes[0]);
  ASSERT_TRUE(conv);
  EXPECT_FALSE(conv->norm.is_there);
  EXPECT_EQ(conv->norm.scale, kNoTensor);
  EXPECT_EQ(conv->gate.weights.weights, weights);
}

TEST(FuseFewRowsTest, NotManyRows) {
  FeedForward b(16);
  const TensorId y = b.Normalized(b.Rows32(), true);
  b.graph.outputs = {b.Gated(y, b.Product(y, {{"silu"}}))};
  FuseFewRows(&b.graph, b.Profile());
  EXPECT_THAT(b.Ops(), ElementsAre("ROW_FUNCTIONS", "FULLY_CONNECTED",
                                   "FULLY_CONNECTED"));
}

TEST(FuseFewRowsTest, NotOnProcessors) {
  FeedForward b(1);
  const TensorId y = b.Normalized(b.Rows32(), true);
  b.graph.outputs = {b.Product(y)};
  DeviceProfile profile = b.Profile();
  profile.choices.simd_lanes = 8;
  FuseFewRows(&b.graph, profile);
  EXPECT_THAT(b.Ops(), ElementsAre("ROW_FUNCTIONS", "FULLY_CONNECTED"));
}

TEST(FuseFewRowsTest, NotRowsOrGatesThatAreReadElsewhere) {
  FeedForward b(1);
  const TensorId y = b.Normalized(b.Rows32(), true);
  const TensorId gate = b.Product(y, {{"silu"}});
  b.graph.outputs = {b.Gated(y, gate), gate, y};
  FuseFewRows(&b.graph, b.Profile());
  EXPECT_THAT(b.Ops(), ElementsAre("ROW_FUNCTIONS", "FULLY_CONNECTED",
                                   "FULLY_CONNECTED"));
}

// A residual is not a gate, nor are products of other rows.
TEST(FuseFewRowsTest, NotOtherOperands) {
  FeedForward b(1);
  const TensorId x = b.Rows32(), other = b.Rows32();
  const TensorId sum = b.Gated(x, b.Product(x));
  b.graph.nodes.back().post_ops[0].function = "add";
  b.graph.outputs = {sum, b.Gated(x, b.Product(other, {{"silu"}}))};
  FuseFewRows(&b.graph, b.Profile());
  EXPECT_EQ(b.Ops().size(), 4u);
}

// The shader reads both matrices in one loop.
TEST(FuseFewRowsTest, NotMatricesStoredInOtherWays) {
  for (const bool other_bits : {false, true}) {
    FeedForward b(1);
    const TensorId x = b.Rows32();
    const TensorId gate = b.Product(x, {{"silu"}});
    Quantization& q =
        b.graph.tensor(b.graph.nodes.back().inputs[1]).quantization;
    (other_bits ? q.bits : q.block) = 4;
    b.graph.outputs = {b.Gated(x, gate)};
    FuseFewRows(&b.graph, b.Profile());
    EXPECT_EQ(b.Ops().size(), 2u);
  }
}

// --- Whole models ------------------------------------------------------------

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

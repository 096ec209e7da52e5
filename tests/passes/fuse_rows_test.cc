// labels: op llvmpipe softpipe
// Functions of rows as one node: the pass on graphs, when it must not fire,
// and normalizations as exporters write them against TFLite's CPU.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/ops/reduction/reduce.h"
#include "delegate/ops/reduction/row_functions.h"
#include "delegate/passes/passes.h"
#include "tests/testing/attention_graph.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_model_maker.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

// A layer normalization as litert-torch writes it, with means of rank 2.
class Normalization : public Attention {
 public:
  TensorId Mean(TensorId x, const Dims& dims) {
    ReduceAttributes a;
    a.over[3] = true;
    return Node("MEAN", {x, Ints({2})}, dims, a);
  }
  TensorId Of(TensorId a, TensorId b, const char* function) {
    PostOp op{function};
    op.operand = b;
    return Node("MUL", {a, b}, graph.tensor(a).dims, Plain(a, 0), {op});
  }
  // Normalized rows; `variance` is what follows from the squares' mean.
  TensorId Normalized(TensorId x, TensorId* variance) {
    const Dims d = graph.tensor(x).dims;
    const TensorId mean = Mean(x, {d[0], d[1]});
    const TensorId column = Reshape(mean, {d[0], d[1], 1});
    const TensorId squares = Of(x, column, "squared_difference");
    *variance = Mean(squares, {d[0], d[1]});
    graph.nodes.back().post_ops = {{"add", {1e-6f}}, {"rsqrt"}};
    const TensorId scale = Reshape(*variance, {d[0], d[1], 1});
    return Of(Of(x, column, "sub"), scale, "mul");
  }
};

TEST(FuseRowsTest, ANormalizationIsOneNode) {
  Normalization b;
  const TensorId x = b.Input({1, 16, 24});
  TensorId variance;
  b.graph.outputs = {b.Normalized(x, &variance)};
  RunPass("fuse_rows", &b.graph, RoomyH200Profile());
  ASSERT_THAT(b.Ops(), ElementsAre("ROW_FUNCTIONS"));
  EXPECT_EQ(b.graph.nodes[0].inputs, std::vector<TensorId>{x});
}

// The square's other operand is computed after its first: the square stays, and
// what follows from its mean is one node.
TEST(FuseRowsTest, WithoutWhatIsReadLate) {
  Normalization b;
  const TensorId early = b.Relu(b.Input({1, 16, 24}));
  const TensorId late = b.Rows(b.Input({1, 16, 24}), {1, 16, 24});
  const TensorId product = b.Of(early, late, "mul");
  const TensorId mean = b.Mean(product, {1, 16});
  b.graph.nodes.back().post_ops = {{"add", {1e-6f}}, {"rsqrt"}};
  const TensorId column = b.Reshape(mean, {1, 16, 1});
  b.graph.outputs = {b.Of(late, column, "mul")};
  RunPass("fuse_rows", &b.graph, RoomyH200Profile());
  EXPECT_THAT(b.Ops(),
              ElementsAre("RELU", "FULLY_CONNECTED", "MUL", "ROW_FUNCTIONS"));
}

// A number of each row is an output: what needs it alone stays.
TEST(FuseRowsTest, NumbersAreNoResults) {
  Normalization b;
  const TensorId x = b.Input({1, 16, 24});
  TensorId variance;
  const TensorId y = b.Normalized(x, &variance);
  b.graph.outputs = {y, variance};
  RunPass("fuse_rows", &b.graph, RoomyH200Profile());
  for (const Node& node : b.graph.nodes) {
    if (node.op != &RowFunctions()) continue;
    for (TensorId id : node.outputs) EXPECT_NE(id, variance);
  }
  EXPECT_THAT(b.Ops(), ::testing::Contains("MEAN"));
}

// A tensor that is computed later than the row's reduction is not read.
TEST(FuseRowsTest, NotWhatComesLater) {
  Normalization b;
  const TensorId x = b.Input({1, 16, 24});
  const TensorId mean = b.Reshape(b.Mean(x, {1, 16}), {1, 16, 1});
  const TensorId centered = b.Of(x, mean, "sub");
  const TensorId later = b.Rows(centered, {1, 16, 24});
  b.graph.outputs = {b.Of(b.Relu(centered), later, "mul")};
  RunPass("fuse_rows", &b.graph, RoomyH200Profile());
  // Else the result would depend on itself.
  EXPECT_EQ(b.Ops().back(), "MUL");
}

// Rows of as many channels as there are rows: [1,16] is a row of 16 channels,
// and not a number for each of 16 rows.
TEST(FuseRowsTest, NumbersBesideRowsAreColumns) {
  Normalization b;
  const TensorId x = b.Input({1, 16, 16});
  const TensorId mean = b.Mean(x, {1, 16});
  const TensorId centered = b.Of(x, mean, "sub");  // along the channels
  b.graph.outputs = {b.Relu(b.Of(centered, centered, "mul"))};
  RunPass("fuse_rows", &b.graph, RoomyH200Profile());
  EXPECT_EQ(b.Ops().front(), "MEAN");
}

// --- Whole models ------------------------------------------------------------

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

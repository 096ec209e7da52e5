// labels: op llvmpipe softpipe
// Functions of rows as one node: normalizations as exporters write them, and
// products of few rows that normalize them and have a gate, against TFLite's
// CPU. rows.txt has the graphs.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "delegate/ops/matmul/matrix_product.h"
#include "gmock/gmock.h"
#include "tests/testing/device_test.h"
#include "tests/testing/graph_builder.h"
#include "tests/testing/h200_profile.h"
#include "tests/testing/run_pass.h"
#include "tests/testing/scoped_environment.h"
#include "tests/testing/single_op.h"
#include "tools/cases/model.h"

namespace gles_delegate::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class FuseRowsModelTest : public DeviceTest {};

// {x}: [1,rows,channels].
constexpr char kKeras[] =
    "MEAN x={x} i=(2) keep_dims=true -> m ; SQUARED_DIFFERENCE x m -> d ; "
    "MEAN d i keep_dims=true -> v ; ADD v e=[](0.001) -> u ; RSQRT u -> s ; "
    "MUL s g=const:[{c}] -> w ; MUL m w -> p ; SUB b=const:[{c}] p -> q ; "
    "MUL x w -> t ; ADD t q";
constexpr char kTorch[] =
    "MEAN x={x} i=(2) keep_dims=false -> m ; RESHAPE m j=(1,{r},1) -> n ; "
    "SQUARED_DIFFERENCE x n -> d ; MEAN d i keep_dims=false -> v ; "
    "ADD v e=[](0.001) -> u ; RSQRT u -> s ; MUL s m -> p ; NEG p -> q ; "
    "RESHAPE s k=(1,{r},1) -> w ; MUL x w -> t ; RESHAPE q l=(1,{r},1) -> z ; "
    "ADD t z -> y ; MUL y g=const:[{c}] -> f ; ADD f b=const:[{c}]";
constexpr char kRms[] =
    "MUL x={x} x -> d ; MEAN d i=(2) keep_dims=true -> v ; "
    "ADD v e=[](0.001) -> u ; RSQRT u -> s ; MUL x s -> t ; "
    "MUL t g=const:[{c}]";

SingleOpModel Normalization(const char* text, int rows, int channels) {
  SingleOpModel model = cases::ModelOf(absl::StrReplaceAll(
      text, {{"{x}", absl::StrCat("[1,", rows, ",", channels, "]~n(0,1)")},
             {"{r}", absl::StrCat(rows)},
             {"{c}", absl::StrCat(channels)},
             {"const:[{c}]", absl::StrCat("const:[", channels, "]~n(0,1)")}}));
  model.magnitude_bytes.clear();
  // Means of `channels` terms, of squares of differences.
  model.accuracy = Accuracy{4 * channels};
  model.accuracy.half_roundings = 12;
  model.accuracy.absolute = 2e-6f;  // what is close to the mean
  return model;
}

TEST_F(FuseRowsModelTest, Normalizations) {
  for (const char* text : {kKeras, kTorch, kRms}) {
    for (const int channels : {4, 7, 16, 130}) {
      for (const int rows : {1, 5, 16, 300}) {
        const SingleOpModel model = Normalization(text, rows, channels);
        EXPECT_THAT(RunOnDelegate(model), MatchesCpu(model))
            << model.description;
      }
    }
  }
}

// On the GPU, too, its reductions are part of one dispatch.
TEST_F(FuseRowsModelTest, ANormalizationReducesItsRowsAtOnce) {
  for (const char* text : {kKeras, kTorch, kRms}) {
    const std::string report = RunOnDelegate(Normalization(text, 5, 16)).report;
    EXPECT_THAT(report, HasSubstr("row_functions")) << text;
    EXPECT_THAT(report, Not(HasSubstr("reduce"))) << text;
  }
}

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
  const char* weights;
  bool scaled;
};

SingleOpModel ModelOf(const Case& c) {
  SingleOpModel model = cases::ModelOf(absl::StrReplaceAll(
      absl::StrCat(
          "ABS x=[1,{r},{k}]~n(0,1) -> a ; MUL a a -> d ; "
          "MEAN d i=(2) keep_dims=true -> v ; ADD v e=[](0.001) -> u ; "
          "RSQRT u -> s ; MUL a s -> t ; ",
          c.scaled ? "MUL t f=const:[{k}]~n(0,1) -> y ; " : "",
          "FULLY_CONNECTED@5 {y} w={w}[{o},{k}]~n(0,0.25) b=const:[{o}]~n(0,1) "
          "keep_num_dims=true -> g ; LOGISTIC g -> l ; MUL l g -> h ; "
          "FULLY_CONNECTED@5 {y} z={w}[{o},{k}]~n(0,0.25) c=const:[{o}]~n(0,1) "
          "keep_num_dims=true -> p ; MUL h p"),
      {{"{r}", absl::StrCat(c.rows)},
       {"{k}", absl::StrCat(c.terms)},
       {"{o}", absl::StrCat(c.outputs)},
       {"{w}", c.weights},
       {"{y}", c.scaled ? "y" : "t"}}));
  // Sums of `terms` of normalized rows, three functions, and a product.
  model.accuracy = Accuracy{4 * c.terms};
  model.accuracy.half_roundings = 12;
  model.accuracy.absolute = 2e-5f;
  return model;
}

TEST_F(FuseFewRowsModelTest, MatchesTheCpu) {
  const Case cases[] = {{1, 32, 64, "const:", true},
                        {1, 30, 10, "const:", false},
                        {3, 64, 7, "half:", true},
                        {7, 16, 36, "int8:", true},
                        {1, 160, 64, "int8:", false}};
  for (const char* lanes : {"1", "4", "32", "8,split_k_target=49152"}) {
    const ScopedEnvironment tuning(
        "GLES_DELEGATE_TUNING",
        absl::StrCat("simd_lanes=1,reduction_lanes=", lanes));
    for (const Case& c : cases) {
      const SingleOpModel model = ModelOf(c);
      for (Precision precision : kPrecisions) {
        const RunResult result = RunOnDelegate(model, precision);
        EXPECT_THAT(result, MatchesCpu(model, precision))
            << c.terms << " terms, " << lanes << " lanes";
        EXPECT_THAT(result.report, Not(HasSubstr("\"row_functions\"")));
      }
    }
  }
}

}  // namespace
}  // namespace gles_delegate::testing

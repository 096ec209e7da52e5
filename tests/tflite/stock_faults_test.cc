// labels: op llvmpipe softpipe
// What the stock GPU delegate's GL backend computes wrongly, aborts on, or
// accepts and then fails at (LiteRT of August 2026, one-op models), each by
// name. Most is covered on every shape by the op's own test; here it can be
// found. Contexts: delegate_context_test.cc, AnotherContextMayBeCurrentAtInvoke
// and ABorrowedContextsStateIsRestored.
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/testing/device.h"
#include "tests/testing/naive_conv.h"
#include "tests/testing/precision_test.h"
#include "tests/testing/run_graph.h"
#include "tests/testing/single_op.h"
#include "tools/cases/model.h"
#include "tools/op_models/random.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

class StockFaultsTest : public PrecisionTest {};

TEST_P(StockFaultsTest, DepthwiseWithAMultiplierAndManyChannels) {
  for (const auto& [channels, multiplier] :
       {std::pair(2, 2), std::pair(3, 3), std::pair(8, 4)}) {
    const int outputs = channels * multiplier;
    Check(cases::ModelOf(absl::StrCat(
        "DEPTHWISE_CONV_2D x=[1,6,7,", channels, "] w=const:[1,3,3,", outputs,
        "] b=const:[", outputs, "] depth_multiplier=", multiplier)));
  }
}

TEST_P(StockFaultsTest, TheValueOfPadV2) {
  Check(cases::ModelOf(
      "PADV2 x=[1,4,4,5] pads=[4,2](0,0,1,2,2,1,0,0) value=(-2.5)"));
}

TEST_P(StockFaultsTest, PowOfANegativeBase) {
  SingleOpModel model = cases::ModelOf("POW a=[1,1,2,4] b=[1,1,2,4]");
  ASSERT_EQ(model.inputs.size(), 2);
  model.inputs = {{-2, -1.5f, -1, -3, -2, -0.5f, -8, 2},
                  {3, 2, 5, -1, 0, 4, 0.5f, -2}};
  // The eighth root of a negative number alone is none.
  const RunResult expected = RunOnCpu(model);
  ASSERT_TRUE(std::isnan(expected.outputs[0].values[6]));
  ASSERT_FALSE(std::isnan(expected.outputs[0].values[0]));
  Check(model);
}

TEST_P(StockFaultsTest, SubAndDivOfABroadcastLeftOperand) {
  for (const char* op : {"SUB", "DIV"}) {
    for (const char* left :
         {"[1]", "[5]", "[1,1,1,5]", "[1,4,4,1]", "const:[1]", "const:[5]",
          "const:[1,1,1,5]", "const:[1,4,4,1]"}) {
      Check(cases::ModelOf(absl::StrCat(
          op, " a=", left, " b=[1,4,4,5]~(0.5..2,-2..-0.5,0.5..2)")));
    }
  }
}

TEST_P(StockFaultsTest, SubOfAConstantHwcTensor) {
  Check(cases::ModelOf("SUB a=[1,4,4,5] b=const:[4,4,5]"));
}

TEST_P(StockFaultsTest, MeanOverOtherAxesThanHeightAndWidth) {
  for (const char* axes : {"(3)", "(1)", "(2)", "(0)", "(1,2,3)", "(0,3)"}) {
    Check(cases::ModelOf(absl::StrCat("MEAN x=[3,4,5,6]~n(0.5,2) axes=", axes,
                                      " keep_dims=true")));
  }
}

TEST_P(StockFaultsTest, SumOverAnyAxis) {
  for (const char* axes : {"(3)", "(1,2)", "(0)", "(1,2,3)"}) {
    Check(cases::ModelOf(absl::StrCat("SUM x=[3,4,5,6]~n(0.5,2) axes=", axes,
                                      " keep_dims=true")));
  }
}

TEST_P(StockFaultsTest, ResizeToASmallerSize) {
  for (const char* op : {"RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"}) {
    Check(cases::ModelOf(absl::StrCat(op, " x=[1,9,10,5] size=(4,3)")));
  }
}

TEST_P(StockFaultsTest, TransposeByAnyPermutation) {
  for (const char* permutation : {"(0,2,1,3)", "(0,3,1,2)", "(3,2,1,0)"}) {
    Check(cases::ModelOf(
        absl::StrCat("TRANSPOSE x=[1,4,5,6] perm=", permutation)));
  }
}

TEST_P(StockFaultsTest, BatchOtherThanOne) {
  Check(cases::ModelOf("CONV_2D x=[3,6,7,5] w=const:[4,3,3,5] b=const:[4]"));
  Check(cases::ModelOf("AVERAGE_POOL_2D x=[3,6,7,5] filter=2 stride=2"));
  Check(cases::ModelOf("SOFTMAX x=[3,2,2,5] beta=1"));
}

TEST_P(StockFaultsTest, FullyConnectedOfTwoDimensions) {
  for (int batch : {1, 3}) {
    Check(cases::ModelOf(absl::StrCat("FULLY_CONNECTED x=[", batch,
                                      ",17] w=const:[5,17] b=const:[5]")));
  }
}

GLES_AT_EACH_PRECISION(StockFaultsTest);

// No kernel of TFLite 2.9 runs groups, so by the definition.
TEST(StockFaultsGroupsTest, GroupedPointwiseConvolution) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (const auto& [channels, outputs, groups] :
       {std::tuple(8, 8, 2), std::tuple(6, 9, 3), std::tuple(16, 32, 4)}) {
    Random random("groups");
    Conv2dAttributes a;
    a.groups = groups;
    const gles_delegate::Shape in = {1, 4, 5, channels};
    const gles_delegate::Shape window = {outputs, 1, 1, channels / groups};
    const gles_delegate::Shape out = {1, 4, 5, outputs};
    const HostTensor src = {in, random.Gaussian(in.elements())};
    const HostTensor filter = {window, random.Gaussian(window.elements())};
    const std::vector<float> bias = random.Gaussian(outputs);
    Graph graph;
    Node node;
    node.attributes = a;
    node.inputs = {
        AddTensor(&graph, {in.b, in.h, in.w, in.c}),
        AddConstant(&graph, {window.b, 1, 1, window.c}, filter.values),
        AddConstant(&graph, {outputs}, bias)};
    node.outputs = {AddTensor(&graph, {out.b, out.h, out.w, out.c})};
    const auto got = RunGraphOf("CONV_2D", std::move(node), std::move(graph),
                                {src.values}, [](auto&) {});
    ASSERT_TRUE(got.ok()) << got.status();
    const NaiveResult want = NaiveConv({src, filter, bias}, a, out);
    ASSERT_EQ(got->size(), want.values.size());
    for (size_t i = 0; i < got->size(); ++i) {
      // A rounding a product and one an addition, at most.
      ASSERT_NEAR((*got)[i], want.values[i],
                  0x1p-24 * (channels / groups + 2) * want.magnitudes[i]);
    }
  }
}

}  // namespace
}  // namespace gles_delegate::testing

// labels: op llvmpipe softpipe
// DEPTHWISE_CONV_2D against TFLite's own kernel, and what its parser refuses.
#include "delegate/ops/conv/depthwise_conv_2d.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "delegate/graph/builtin_params.h"
#include "tests/testing/device.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_models.h"
#include "tests/testing/parse_node.h"
#include "tests/testing/precision_test.h"
#include "tests/testing/scoped_environment.h"

namespace gles_delegate::testing {
namespace {

class DepthwiseConv2dTest : public PrecisionTest {
 protected:
  void Check(const DepthwiseParams& params) {
    PrecisionTest::Check(DepthwiseConv2d(params));
  }
};

TEST_P(DepthwiseConv2dTest, EveryShape) {
  for (const Shape& shape : StandardShapes()) {
    DepthwiseParams params;
    params.input = shape;
    Check(params);
  }
}

// The stock GPU delegate is wrong where a multiplier meets channels that fill
// no slice.
TEST_P(DepthwiseConv2dTest, EveryMultiplier) {
  for (int channels : StandardChannels()) {
    for (int multiplier : {2, 3, 4, 5, 8}) {
      DepthwiseParams params;
      params.input = {1, 3, 5, channels};
      params.multiplier = multiplier;
      Check(params);
    }
  }
}

// The window's rows as a loop, or its taps: a row of the tuning table may ask
// for it.
TEST_P(DepthwiseConv2dTest, RowsThatAreNotWrittenOut) {
  const ScopedEnvironment tuning(
      "GLES_DELEGATE_TUNING",
      "simd_lanes=1,depthwise_unrolled_taps=5,depthwise_tile_rows=4,"
      "depthwise_tile_pixels=2");
  for (int channels : StandardChannels()) {
    for (int kernel : {1, 3, 5}) {
      for (int stride : {1, 2}) {
        DepthwiseParams params;
        params.input = {1, 9, 7, channels};
        params.kernel_h = 5;
        params.kernel_w = kernel;
        params.stride_h = params.stride_w = stride;
        Check(params);
      }
    }
  }
}

// Texel by texel, with rows written out and in a loop.
TEST_P(DepthwiseConv2dTest, ByColumns) {
  for (const char* tile : {"tile_pixels=1", "tile_pixels=2",
                           "tile_pixels=3,depthwise_unrolled_taps=5"}) {
    SCOPED_TRACE(tile);
    const ScopedEnvironment tuning(
        "GLES_DELEGATE_TUNING",
        absl::StrCat("simd_lanes=1,depthwise_by_columns=1,"
                     "depthwise_tile_rows=1,depthwise_",
                     tile));
    for (int kernel : {2, 3, 5}) {
      for (int stride : {1, 2, 3}) {
        DepthwiseParams params;
        params.input = {1, 9, 11, 5};
        params.kernel_h = params.kernel_w = kernel;
        params.stride_h = params.stride_w = stride;
        Check(params);
      }
    }
  }
}

// As processors take them that run invocations abreast, in strips of rows.
TEST_P(DepthwiseConv2dTest, Strips) {
  const ScopedEnvironment tuning("GLES_DELEGATE_TUNING", "simd_lanes=8");
  for (const auto& [stride, dilation] :
       {std::pair(1, 1), std::pair(2, 1), std::pair(1, 2), std::pair(1, 3)}) {
    for (const auto& [height, width] :
         {std::pair(1, 3), std::pair(2, 2), std::pair(3, 3), std::pair(5, 4)}) {
      SCOPED_TRACE(absl::StrCat("window ", height, "x", width));
      DepthwiseParams params;
      params.input = {2, 41, 14, 9};
      params.kernel_h = height;
      params.kernel_w = width;
      params.stride_h = params.stride_w = stride;
      params.dilation_h = params.dilation_w = dilation;
      Check(params);
    }
  }
}

TEST_P(DepthwiseConv2dTest, StridesAndDilations) {
  for (Padding padding : {Padding::kSame, Padding::kValid}) {
    for (const auto& [stride, dilation] :
         {std::pair(2, 1), std::pair(3, 1), std::pair(1, 2), std::pair(1, 4)}) {
      DepthwiseParams params;
      params.input = {1, 11, 13, 5};
      params.padding = padding;
      params.stride_h = params.stride_w = stride;
      params.dilation_h = params.dilation_w = dilation;
      Check(params);
    }
  }
}

TEST_P(DepthwiseConv2dTest, Windows) {
  for (const auto& [height, width] :
       {std::pair(1, 1), std::pair(5, 5), std::pair(2, 7), std::pair(4, 1)}) {
    DepthwiseParams params;
    params.input = {3, 6, 9, 8};
    params.kernel_h = height;
    params.kernel_w = width;
    Check(params);
  }
}

TEST_P(DepthwiseConv2dTest, ActivationsAndWeights) {
  for (Activation activation : kActivations) {
    DepthwiseParams params;
    params.activation = activation;
    Check(params);
  }
  for (Weights weights : {Weights::kFloat, Weights::kHalf}) {
    DepthwiseParams params;
    params.weights = weights;
    Check(params);
  }
}

TEST_P(DepthwiseConv2dTest, RuntimeWeights) {
  for (Weights weights : {Weights::kFloat, Weights::kRuntime}) {
    for (int channels : {1, 5, 8}) {
      for (int multiplier : {1, 3}) {
        DepthwiseParams params;
        params.input = {3, 5, 9, channels};
        params.multiplier = multiplier;
        params.kernel_w = 2;
        params.weights = weights;
        params.runtime_bias = weights == Weights::kFloat || channels == 5;
        Check(params);
      }
    }
  }
}

TEST(DepthwiseConv2dStorageTest, EveryStorage) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (int multiplier : {1, 2}) {
    DepthwiseParams params;
    params.input = {3, 5, 6, 5};
    params.multiplier = multiplier;
    ExpectMatchesCpu(DepthwiseConv2d(params));
  }
}

GLES_AT_EACH_PRECISION(DepthwiseConv2dTest);

// --- What is refused --------------------------------------------------------

struct DepthwiseNode : FakeNode<DepthwiseConvParams, ParseDepthwiseConv2d> {
  DepthwiseNode() {
    inputs = {FakeTensor({1, 8, 8, 3}), FakeConstant({1, 3, 3, 6}),
              FakeConstant({6})};
    outputs = {FakeTensor({1, 8, 8, 6})};
    params = {kPaddingSame, 1, 1, 2, kActNone, 1, 1};
  }
};

TEST(DepthwiseConv2dParseTest, TakesTheDefault) {
  EXPECT_EQ(DepthwiseNode().Refused(), "");
}

TEST(DepthwiseConv2dParseTest, DerivesTheMultiplier) {
  DepthwiseNode node;
  node.params.depth_multiplier = 7;  // TFLite's kernel ignores it too
  EXPECT_EQ(node.Refused(), "");
}

TEST(DepthwiseConv2dParseTest, RefusesWeightsOfOtherTypes) {
  const DepthwiseNode node;
  EXPECT_EQ(node.RefusedWithInput(1, FakeTensor({1, 3, 3, 6})), "");
  EXPECT_THAT(
      node.RefusedWithInput(1, FakeTensor({1, 3, 3, 6}, DataType::kInt32)),
      HasSubstr("the filter is int32"));
}

TEST(DepthwiseConv2dParseTest, RefusesShapesThatDisagree) {
  const DepthwiseNode node;
  EXPECT_THAT(node.RefusedWithInput(0, FakeTensor({1, 8, 8, 4})),
              HasSubstr("6 outputs, no multiple of the input's 4 channels"));
  EXPECT_THAT(node.RefusedWithInput(1, FakeConstant({2, 3, 3, 6})),
              HasSubstr("filter must be [1,H,W,O]"));
  EXPECT_THAT(node.RefusedWithOutput(0, FakeTensor({1, 7, 8, 6})),
              HasSubstr("output height is 7"));
  EXPECT_THAT(node.RefusedWithOutput(0, FakeTensor({2, 8, 8, 6})),
              HasSubstr("output is 2x8x8x6"));
  EXPECT_THAT(node.RefusedWithInput(2, FakeConstant({3})),
              HasSubstr("the bias has 3 values"));
  EXPECT_THAT(node.RefusedWithInput(0, FakeTensor({8, 8, 3})),
              HasSubstr("must have 4 dimensions"));
}

TEST(DepthwiseConv2dParseTest, RefusesParametersOutOfRange) {
  DepthwiseNode stride;
  stride.params.stride_height = 0;
  EXPECT_THAT(stride.Refused(), HasSubstr("must all be positive"));
  DepthwiseNode activation;
  activation.params.activation = kActSignBit;
  EXPECT_THAT(activation.Refused(), HasSubstr("activation"));
}

}  // namespace
}  // namespace gles_delegate::testing

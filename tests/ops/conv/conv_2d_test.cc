// labels: op llvmpipe softpipe
// CONV_2D against TFLite's own kernel, and what its parser refuses.
#include "delegate/ops/conv/conv_2d.h"

#include <tuple>

#include "delegate/graph/builtin_params.h"
#include "tests/testing/device.h"
#include "tests/testing/fake_node.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_models.h"
#include "tests/testing/parse_node.h"
#include "tests/testing/precision_test.h"

namespace gles_delegate::testing {
namespace {

class Conv2dTest : public PrecisionTest {
 protected:
  // Of 1x1 and of 3x3.
  void CheckBothKernels(ConvParams params) {
    for (int kernel : {1, 3}) {
      params.kernel_h = params.kernel_w = kernel;
      Check(Conv2d(params));
    }
  }
};

TEST_P(Conv2dTest, PointwiseEveryShape) {
  ConvParams params;
  params.kernel_h = params.kernel_w = 1;
  CheckEveryShape(Conv2d, params);
}

TEST_P(Conv2dTest, DirectEveryShape) { CheckEveryShape(Conv2d, ConvParams()); }

TEST_P(Conv2dTest, EveryChannelTail) {
  for (int channels : StandardChannels()) {
    for (int kernel : {1, 2}) {
      ConvParams params;
      params.input = {1, 4, 5, 9 - channels % 5};
      params.out_channels = channels;
      params.kernel_h = params.kernel_w = kernel;
      Check(Conv2d(params));
    }
  }
}

// Every tile remainder: the output's slices and pixels cross the tile's size.
TEST_P(Conv2dTest, EveryTileRemainder) {
  for (int width = 1; width <= 9; ++width) {
    ConvParams params;
    params.input = {1, 3, width, 4};
    params.out_channels = 4 * width;
    CheckBothKernels(params);
  }
}

TEST_P(Conv2dTest, StridesAndDilations) {
  for (Padding padding : {Padding::kSame, Padding::kValid}) {
    for (const auto& [stride, dilation] :
         {std::pair(2, 1), std::pair(3, 1), std::pair(1, 2), std::pair(1, 4)}) {
      ConvParams params;
      params.input = {1, 11, 13, 5};
      params.padding = padding;
      params.stride_h = stride;
      params.stride_w = stride;
      params.dilation_h = params.dilation_w = dilation;
      Check(Conv2d(params));
    }
  }
  ConvParams uneven;
  uneven.input = {3, 11, 13, 5};
  uneven.kernel_h = 2;
  uneven.kernel_w = 5;
  uneven.stride_h = 3;
  uneven.stride_w = 2;
  Check(Conv2d(uneven));
}

// No padding and no reuse of pixels, yet not the pointwise path.
TEST_P(Conv2dTest, PointwiseWithStride) {
  ConvParams params;
  params.input = {1, 7, 10, 8};
  params.kernel_h = params.kernel_w = 1;
  params.stride_h = params.stride_w = 2;
  Check(Conv2d(params));
}

TEST_P(Conv2dTest, Activations) {
  for (Activation activation : kActivations) {
    ConvParams params;
    params.activation = activation;
    CheckBothKernels(params);
  }
}

TEST_P(Conv2dTest, StoredAsFloatOrHalf) {
  for (Weights weights : {Weights::kFloat, Weights::kHalf}) {
    ConvParams params;
    params.weights = weights;
    CheckBothKernels(params);
  }
}

// Filter, bias or both as inputs of the model.
TEST_P(Conv2dTest, RuntimeWeights) {
  for (const auto& [input, kernel, outputs] :
       {std::tuple(Shape{1, 6, 5, 3}, 3, 5),
        std::tuple(Shape{3, 5, 9, 5}, 3, 8),
        std::tuple(Shape{3, 4, 7, 17}, 1, 5),
        std::tuple(Shape{1, 1, 1, 8}, 1, 17),
        std::tuple(Shape{1, 8, 8, 1}, 2, 1)}) {
    for (Weights weights : {Weights::kFloat, Weights::kRuntime}) {
      ConvParams params;
      params.input = input;
      params.kernel_h = params.kernel_w = kernel;
      params.out_channels = outputs;
      params.weights = weights;
      params.activation = Activation::kRelu6;
      params.runtime_bias = weights == Weights::kFloat || kernel == 3;
      Check(Conv2d(params));
    }
  }
}

TEST(Conv2dStorageTest, RuntimeWeightsInEveryStorage) {
  GLES_SKIP_WITHOUT_DEVICE();
  ConvParams params;
  params.input = {3, 5, 6, 5};
  params.out_channels = 9;
  params.weights = Weights::kRuntime;
  params.runtime_bias = true;
  ExpectMatchesCpu(Conv2d(params));
}

TEST(Conv2dStorageTest, EveryStorage) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (int kernel : {1, 3}) {
    ConvParams params;
    params.input = {3, 5, 6, 5};
    params.out_channels = 9;
    params.kernel_h = params.kernel_w = kernel;
    ExpectMatchesCpu(Conv2d(params));
  }
}

GLES_AT_EACH_PRECISION(Conv2dTest);

// --- What is refused --------------------------------------------------------

struct ConvNode {
  Tensor src = FakeTensor({1, 8, 8, 4});
  Tensor filter = FakeConstant({6, 3, 3, 4});
  Tensor bias = FakeConstant({6});
  Tensor dst = FakeTensor({1, 8, 8, 6});
  ::gles_delegate::ConvParams params = {kPaddingSame, 1, 1, kActNone, 1, 1};

  absl::Status Parse() const {
    NodeView view;
    view.builtin_params = &params;
    view.inputs = {&src, &filter, &bias};
    view.outputs = {&dst};
    return Parsed(ParseConv2d, view).status();
  }
};

TEST(Conv2dParseTest, TakesTheDefault) {
  const absl::Status status = ConvNode().Parse();
  EXPECT_TRUE(status.ok()) << status;
}

TEST(Conv2dParseTest, RefusesWeightsOfOtherTypes) {
  ConvNode node;
  node.filter.type = DataType::kInt8;
  EXPECT_THAT(node.Parse().message(), HasSubstr("the filter is int8"));
  ConvNode runtime;
  runtime.filter = FakeTensor({6, 3, 3, 4});
  runtime.filter.type = DataType::kFloat16;
  EXPECT_THAT(runtime.Parse().message(), HasSubstr("the filter is float16"));
  ConvNode bias;
  bias.bias = FakeTensor({6, 1});
  EXPECT_THAT(bias.Parse().message(),
              HasSubstr("the bias is computed at run time and 6x1"));
}

// Sparse weights lie in their own order, even those that leave nothing out.
TEST(Conv2dParseTest, RefusesSparseWeights) {
  ConvNode node;
  node.filter.sparsity.traversal_order = {3, 2, 1, 0};
  node.filter.sparsity.dimensions.resize(4);
  EXPECT_EQ(node.Parse().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(node.Parse().message(), HasSubstr("the filter is sparse"));
  node.filter.sparsity = {};
  EXPECT_TRUE(node.Parse().ok()) << node.Parse();
}

TEST(Conv2dParseTest, RefusesChannelsThatDisagree) {
  ConvNode node;
  node.src = FakeTensor({1, 8, 8, 5});
  EXPECT_THAT(node.Parse().message(),
              HasSubstr("filter has 4 input channels, input has 5"));
}

TEST(Conv2dParseTest, RefusesGroupsThatDoNotDivideTheOutputs) {
  ConvNode node;
  node.src = FakeTensor({1, 8, 8, 16});
  EXPECT_THAT(node.Parse().message(), HasSubstr("6 outputs, which 4 groups"));
}

TEST(Conv2dParseTest, RefusesAWrongOutput) {
  ConvNode node;
  node.dst = FakeTensor({1, 7, 8, 6});
  EXPECT_THAT(node.Parse().message(), HasSubstr("output height is 7"));
  node.dst = FakeTensor({1, 8, 9, 6});
  EXPECT_THAT(node.Parse().message(), HasSubstr("output width is 9"));
  node.dst = FakeTensor({2, 8, 8, 6});
  EXPECT_THAT(node.Parse().message(), HasSubstr("output is 2x8x8x6"));
}

TEST(Conv2dParseTest, RefusesABiasOfAnotherLength) {
  ConvNode node;
  node.bias = FakeConstant({5});
  EXPECT_THAT(node.Parse().message(),
              HasSubstr("the bias has 5 values, the filter has 6 outputs"));
}

TEST(Conv2dParseTest, RefusesOtherRanksAndTypes) {
  ConvNode rank;
  rank.src = FakeTensor({8, 8, 4});
  EXPECT_THAT(rank.Parse().message(), HasSubstr("wants rank 4"));
  ConvNode weights;
  weights.filter = FakeConstant({6, 3, 3, 4}, DataType::kInt8);
  EXPECT_EQ(weights.Parse().code(), absl::StatusCode::kUnimplemented);
  ConvNode data;
  data.src.type = DataType::kInt8;
  EXPECT_EQ(data.Parse().code(), absl::StatusCode::kUnimplemented);
}

TEST(Conv2dParseTest, RefusesTooFewBytes) {
  ConvNode node;
  node.filter.constant = ConstantData::Own(std::vector<uint8_t>(16));
  EXPECT_THAT(node.Parse().message(), HasSubstr("holds 16 bytes"));
}

TEST(Conv2dParseTest, RefusesStrideZeroAndWindowsThatDoNotFit) {
  ConvNode stride;
  stride.params.stride_width = 0;
  EXPECT_THAT(stride.Parse().message(), HasSubstr("must all be positive"));
  ConvNode window;
  window.params.padding = kPaddingValid;
  window.params.dilation_height_factor = 4;
  EXPECT_THAT(window.Parse().message(), HasSubstr("does not fit"));
}

TEST(Conv2dParseTest, RefusesSignBit) {
  ConvNode node;
  node.params.activation = kActSignBit;
  EXPECT_EQ(node.Parse().code(), absl::StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace gles_delegate::testing

// labels: op llvmpipe softpipe oldest_tflite
// TRANSPOSE_CONV and Convolution2DTransposeBias against TFLite's own kernel and
// the custom op's reference, and what their parsers refuse.
#include "delegate/ops/conv/transpose_conv.h"

#include "delegate/graph/builtin_params.h"
#include "tests/testing/device.h"
#include "tests/testing/edit_model.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_models.h"
#include "tests/testing/parse_node.h"
#include "tests/testing/precision_test.h"

namespace gles_delegate::testing {
namespace {

class TransposeConvTest : public PrecisionTest {};

TEST_P(TransposeConvTest, EveryShape) {
  CheckEveryShape(TransposeConv, TransposeConvParams());
}

TEST_P(TransposeConvTest, WindowsAndStrides) {
  for (Padding padding : {Padding::kSame, Padding::kValid}) {
    for (int kernel : {2, 3, 4}) {
      for (int stride : {1, 2, 3}) {
        TransposeConvParams params;
        params.input = {1, 4, 5, 5};
        params.kernel_h = kernel;
        params.kernel_w = 3;
        params.stride_h = params.stride_w = stride;
        params.padding = padding;
        params.bias = kernel == 2;
        Check(TransposeConv(params));
        Check(Convolution2dTransposeBias(params));
      }
    }
  }
}

// Strides that differ, and taps that leave gaps in the output.
TEST_P(TransposeConvTest, UnevenStrides) {
  TransposeConvParams params;
  params.input = {3, 4, 5, 5};
  params.stride_h = 1;
  params.stride_w = 4;
  Check(TransposeConv(params));
  Check(Convolution2dTransposeBias(params));
}

// The sizes that SAME and VALID leave open.
TEST_P(TransposeConvTest, EveryOutputSize) {
  for (Padding padding : {Padding::kSame, Padding::kValid}) {
    for (int extra = 0; extra < 3; ++extra) {
      TransposeConvParams params;
      params.padding = padding;
      params.stride_h = params.stride_w = 3;
      params.kernel_h = params.kernel_w = 4;
      params.extra_h = extra;
      params.extra_w = 2 - extra;
      Check(TransposeConv(params));
    }
  }
}

// Enough outputs for weights that stand in the text, where the device wants
// them: windows that lie side by side, and such as do not.
TEST_P(TransposeConvTest, ManyPixels) {
  for (int stride : {2, 3}) {
    for (int kernel : {2, 3}) {
      for (int channels : {1, 13, 16}) {
        for (int outputs : {1, 6}) {
          TransposeConvParams params;
          params.input = {2, 36, 24, channels};
          params.out_channels = outputs;
          params.kernel_h = params.kernel_w = kernel;
          params.stride_h = params.stride_w = stride;
          Check(Convolution2dTransposeBias(params));
        }
      }
    }
  }
}

TEST_P(TransposeConvTest, HalfWeights) {
  TransposeConvParams params;
  params.weights = Weights::kHalf;
  Check(TransposeConv(params));
  Check(Convolution2dTransposeBias(params));
}

TEST_P(TransposeConvTest, RuntimeWeights) {
  for (Weights weights : {Weights::kFloat, Weights::kRuntime}) {
    for (int channels : {1, 5, 8}) {
      TransposeConvParams params;
      params.input = {3, 4, 5, channels};
      params.out_channels = 9;
      params.weights = weights;
      params.bias = true;
      params.runtime_bias = weights == Weights::kFloat || channels == 5;
      Check(TransposeConv(params));
      Check(Convolution2dTransposeBias(params));
    }
  }
}

TEST(TransposeConvStorageTest, EveryStorage) {
  GLES_SKIP_WITHOUT_DEVICE();
  TransposeConvParams params;
  params.input = {3, 4, 5, 5};
  params.out_channels = 9;
  ExpectMatchesCpu(TransposeConv(params));
  ExpectMatchesCpu(Convolution2dTransposeBias(params));
}

// The runtime decides whether an activation in the parameters of a version
// before 4 is applied: TFLite 2.9 ignores it, 2.12 and later apply it.
TEST(TransposeConvActivationTest, BeforeVersion4FollowsTheRuntime) {
  GLES_SKIP_WITHOUT_DEVICE();
  TransposeConvParams params;
  params.bias = true;
  const SingleOpModel plain = TransposeConv(params);
  for (int version : {1, 2, 3}) {
    SingleOpModel model = plain;
    model.bytes = EditModel(WithVersion(plain.bytes, version),
                            [](schema::ModelT& edited) {
                              edited.subgraphs[0]
                                  ->operators[0]
                                  ->builtin_options.AsTransposeConvOptions()
                                  ->fused_activation_function =
                                  schema::ActivationFunctionType::RELU;
                            });
    EXPECT_THAT(RunOnDelegate(model), MatchesCpu(model)) << version;
  }
}

GLES_AT_EACH_PRECISION(TransposeConvTest);

// --- What is refused --------------------------------------------------------

struct TransposeNode
    : FakeNode<::gles_delegate::TransposeConvParams, ParseTransposeConv> {
  TransposeNode() {
    inputs = {FakeInts({1, 8, 8, 6}), FakeConstant({6, 3, 3, 4}),
              FakeTensor({1, 4, 4, 4}), FakeConstant({6})};
    outputs = {FakeTensor({1, 8, 8, 6})};
    params = {kPaddingSame, 2, 2, kActNone};
  }
};

TEST(TransposeConvParseTest, TakesTheDefault) {
  EXPECT_EQ(TransposeNode().Refused(), "");
}

// Older versions end their parameters before the activation.
TEST(TransposeConvParseTest, ReadsTheActivationFromVersion4On) {
  TransposeNode node;
  node.params.activation = kActRelu;
  NodeView view;
  view.builtin_params = &node.params;
  for (const Tensor& t : node.inputs) view.inputs.push_back(&t);
  view.outputs = {&node.outputs[0]};
  for (int version : {3, 4}) {
    view.version = version;
    const auto parsed = Parsed(ParseTransposeConv, view);
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(parsed->post_ops.size(), version == 4 ? 1 : 0);
  }
}

TEST(TransposeConvParseTest, RefusesARuntimeShapeAndOtherTypes) {
  const TransposeNode node;
  EXPECT_THAT(node.RefusedWithInput(0, FakeRuntimeInts({4})),
              HasSubstr("the output's shape: known only at run time"));
  EXPECT_EQ(node.RefusedWithInput(1, FakeTensor({6, 3, 3, 4})), "");
  EXPECT_THAT(
      node.RefusedWithInput(1, FakeTensor({6, 3, 3, 4}, DataType::kBool)),
      HasSubstr("filter is bool"));
}

TEST(TransposeConvParseTest, RefusesShapesThatDisagree) {
  const TransposeNode node;
  EXPECT_THAT(node.RefusedWithInput(0, FakeInts({1, 8, 7, 6})),
              HasSubstr("the shape given is 1x8x7x6"));
  EXPECT_THAT(node.RefusedWithInput(2, FakeTensor({1, 4, 4, 5})),
              HasSubstr("filter has 4 input channels, input has 5"));
  EXPECT_THAT(node.RefusedWithInput(2, FakeTensor({1, 5, 4, 4})),
              HasSubstr("input height is 5"));
  EXPECT_THAT(node.RefusedWithInput(3, FakeConstant({4})),
              HasSubstr("the bias has 4 values"));
  EXPECT_THAT(node.RefusedWithInput(2, FakeTensor({2, 4, 4, 4})),
              HasSubstr("input has batch 2"));
}

struct CustomNode {
  Tensor src = FakeTensor({1, 4, 4, 4});
  Tensor filter = FakeConstant({6, 2, 2, 4});
  Tensor bias = FakeConstant({6});
  Tensor dst = FakeTensor({1, 8, 8, 6});
  std::vector<int> params = {kPaddingSame, 2, 2};

  std::string Refused() const {
    const auto* bytes = reinterpret_cast<const uint8_t*>(params.data());
    return CustomRefusal(ParseConvolution2dTransposeBias, {src, filter, bias},
                         {dst}, {bytes, bytes + params.size() * sizeof(int)});
  }
};

TEST(Convolution2dTransposeBiasParseTest, TakesTheDefault) {
  EXPECT_EQ(CustomNode().Refused(), "");
}

TEST(Convolution2dTransposeBiasParseTest, RefusesShortParameters) {
  CustomNode node;
  node.params.pop_back();
  EXPECT_THAT(node.Refused(), HasSubstr("carries 8 bytes of parameters"));
}

TEST(Convolution2dTransposeBiasParseTest, RefusesAWrongOutput) {
  CustomNode node;
  node.dst = FakeTensor({1, 8, 9, 6});
  EXPECT_THAT(node.Refused(), HasSubstr("output width is 9"));
}

TEST(Convolution2dTransposeBiasParseTest, RefusesBadParameters) {
  CustomNode stride;
  stride.params[1] = 0;
  EXPECT_THAT(stride.Refused(), HasSubstr("must all be positive"));
  CustomNode padding;
  padding.params[0] = 3;
  EXPECT_THAT(padding.Refused(), HasSubstr("padding 3 is not supported"));
}

}  // namespace
}  // namespace gles_delegate::testing

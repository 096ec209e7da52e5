// labels: op llvmpipe softpipe oldest_tflite
// CONV_3D and CONV_3D_TRANSPOSE against TFLite's own kernels, and what their
// parsers refuse.
#include "delegate/ops/conv/conv_3d.h"

#include "delegate/graph/builtin_params.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_models.h"
#include "tests/testing/parse_node.h"
#include "tools/op_models/shapes.h"

namespace gles_delegate::testing {
namespace {

class Conv3dTest : public DeviceTestWithParam<bool> {
 protected:
  testing::Conv3dParams Case() const {
    testing::Conv3dParams params;
    params.transposed = GetParam();
    return params;
  }
  // TFLite 2.9's kernel of the transpose takes a bias of the wrong size.
  void Check(const testing::Conv3dParams& params) {
    const SingleOpModel model = Conv3d(params);
    if (params.transposed && !model.status.ok()) return;
    ExpectMatchesCpuOnce(model);
  }
};

TEST_P(Conv3dTest, Channels) {
  for (int channels : StandardChannels()) {
    testing::Conv3dParams params = Case();
    params.input = {1, 3, 4, 5, channels};
    Check(params);
    params.input = {1, 3, 4, 5, 5};
    params.out_channels = channels;
    Check(params);
  }
}

// Transposes are refused where axes are padded differently.
TEST_P(Conv3dTest, Windows) {
  for (Padding padding : {Padding::kSame, Padding::kValid}) {
    if (GetParam() && padding == Padding::kSame) continue;  // see Cubes
    testing::Conv3dParams params = Case();
    params.input = {2, 5, 6, 7, 3};
    params.out_channels = 6;
    params.padding = padding;
    for (const Shape& kernel :
         {Shape{1, 1, 1}, Shape{2, 3, 1}, Shape{1, 2, 3}, Shape{3, 1, 2}}) {
      for (const Shape& stride :
           {Shape{1, 1, 1}, Shape{2, 1, 3}, Shape{1, 2, 2}}) {
        params.kernel = kernel;
        params.stride = stride;
        Check(params);
      }
    }
    params.stride = {1, 1, 1};
    params.kernel = {2, 2, 3};
    params.dilation = {2, 3, 2};
    Check(params);
  }
}

TEST_P(Conv3dTest, Cubes) {
  for (int kernel : {1, 2, 3, 4}) {
    for (int stride : {1, 2, 3}) {
      testing::Conv3dParams params = Case();
      params.input = {2, 5, 6, 7, 3};
      params.out_channels = 6;
      params.kernel = {kernel, kernel, kernel};
      params.stride = {stride, stride, stride};
      Check(params);
    }
  }
}

TEST_P(Conv3dTest, PrecisionsAndStorages) {
  testing::Conv3dParams params = Case();
  params.input = {2, 4, 5, 6, 5};
  params.out_channels = 7;
  params.stride = GetParam() ? Shape{2, 2, 2} : Shape{1, 2, 1};
  params.activation = GetParam() ? Activation::kNone : Activation::kRelu6;
  for (Weights weights : {Weights::kFloat, Weights::kHalf}) {
    params.weights = weights;
    const SingleOpModel model = Conv3d(params);
    if (GetParam() && !model.status.ok()) continue;
    ExpectMatchesCpu(model);
  }
}

INSTANTIATE_TEST_SUITE_P(Both, Conv3dTest, ::testing::Bool(),
                         [](const auto& info) {
                           return info.param ? "Transposed" : "Plain";
                         });

TEST(ParseConv3dTest, TransposesOfUnequalPaddings) {
  gles_delegate::Conv3dParams params = {};
  params.padding = kPaddingSame;
  params.stride_width = params.stride_height = params.stride_depth = 1;
  const auto refusal = [&](std::vector<int> kernel) {
    kernel.insert(kernel.end(), {8, 3});
    return Refusal(ParseConv3dTranspose,
                   {FakeInts({1, 4, 5, 6, 8}), FakeConstant(kernel),
                    FakeTensor({1, 4, 5, 6, 3}), FakeConstant({8})},
                   {FakeTensor({1, 4, 5, 6, 8})}, &params);
  };
  EXPECT_EQ(refusal({3, 3, 3}), "");
  EXPECT_THAT(
      refusal({3, 3, 2}),
      HasSubstr("the depth is padded by 1 and 1, the width by 0 and 1"));
  EXPECT_THAT(refusal({3, 1, 3}), HasSubstr("the height by 0 and 0"));
}

TEST(ParseConv3dTest, Refusals) {
  gles_delegate::Conv3dParams params = {};
  params.padding = kPaddingSame;
  params.stride_width = params.stride_height = params.stride_depth = 1;
  const auto refusal = [&](const Tensor& filter, std::vector<int> output,
                           const Tensor& bias) {
    return Refusal(ParseConv3d, {FakeTensor({1, 4, 5, 6, 3}), filter, bias},
                   {FakeTensor(std::move(output))}, &params);
  };
  const Tensor filter = FakeConstant({3, 3, 3, 3, 8});
  const Tensor bias = FakeConstant({8});
  EXPECT_EQ(refusal(filter, {1, 4, 5, 6, 8}, bias), "");
  EXPECT_THAT(refusal(FakeTensor({3, 3, 3, 3, 8}), {1, 4, 5, 6, 8}, bias),
              HasSubstr("must be a constant of the model"));
  EXPECT_THAT(refusal(FakeConstant({3, 3, 3, 4, 8}), {1, 4, 5, 6, 8}, bias),
              HasSubstr("a filter of 4 to 8 channels do not go together"));
  EXPECT_THAT(refusal(FakeConstant({3, 3, 3, 3}), {1, 4, 5, 6, 8}, bias),
              HasSubstr("the filter is 3x3x3x3, wants rank 5"));
  EXPECT_THAT(refusal(filter, {1, 5, 5, 6, 8}, bias), HasSubstr("depth"));
  EXPECT_THAT(refusal(filter, {1, 4, 5, 6, 8}, FakeConstant({7})),
              HasSubstr("the bias has 7 values, the filter has 8 outputs"));
  params.stride_depth = 0;
  EXPECT_THAT(refusal(filter, {1, 4, 5, 6, 8}, bias), HasSubstr("depth"));
}

}  // namespace
}  // namespace gles_delegate::testing

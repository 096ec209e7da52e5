// labels: op quant llvmpipe softpipe
// Models whose convolutions add the MAX_POOL_2D of a tensor before them, of
// floats and of 8-bit codes, where the device profile reads through: against
// TFLite's kernels.
#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/strings/match.h"
#include "tests/testing/device.h"
#include "tests/testing/quantized_nodes.h"
#include "tests/testing/scoped_environment.h"
#include "tools/common/model_builder.h"
#include "tools/op_models/random.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

constexpr char kReadsThrough[] = "split_k_target=49152,read_through=1";

schema::Pool2DOptionsT TwoByTwo() {
  schema::Pool2DOptionsT options;
  options.padding = schema::Padding::SAME;
  options.filter_width = options.filter_height = 2;
  options.stride_w = options.stride_h = 2;
  return options;
}

schema::Conv2DOptionsT Stride(int stride) {
  schema::Conv2DOptionsT options;
  options.padding = schema::Padding::SAME;
  options.stride_w = options.stride_h = stride;
  return options;
}

void ExpectNoPool(const RunResult& gpu) {
  ASSERT_TRUE(gpu.status.ok()) << gpu.status;
  EXPECT_TRUE(absl::StrContains(gpu.report, "\"CONV_2D "));
  EXPECT_FALSE(absl::StrContains(gpu.report, "\"MAX_POOL_2D "));
}

std::vector<float> Positive(int count, Random* random) {
  std::vector<float> values = random->Gaussian(count);
  for (float& v : values) v = std::abs(v);
  return values;
}

// A block of a face detector: the maximum has `more` channels of zeros added.
// All is positive, so that a sum is as large as its terms together.
SingleOpModel FloatBlock(int channels, int more) {
  Random random("block");
  ModelBuilder b;
  SingleOpModel model;
  const ModelBuilder::Shape dims = {1, 9, 6, channels};
  const ModelBuilder::Shape half = {1, 5, 3, channels + more};
  const int x = b.AddInput("x", dims);
  model.inputs.push_back(Positive(9 * 6 * channels, &random));
  const auto convolve = [&](int from, int inputs, int outputs, int stride,
                            const ModelBuilder::Shape& to) {
    const int w = b.AddConstant<float>("w", {outputs, 1, 1, inputs},
                                       Positive(outputs * inputs, &random));
    const int bias =
        b.AddConstant<float>("b", {outputs}, Positive(outputs, &random));
    const int y = b.AddTensor("c", to);
    b.AddOp(Op::CONV_2D, 1, {from, w, bias}, {y}, Stride(stride));
    return y;
  };
  const int source = convolve(x, channels, channels, 1, dims);
  int maximum = b.AddTensor("m", {1, 5, 3, channels});
  b.AddOp(Op::MAX_POOL_2D, 1, {source}, {maximum}, TwoByTwo());
  if (more > 0) {
    const int pads = b.AddConstant<int32_t>(
        "p", {4, 2}, std::vector<int32_t>{0, 0, 0, 0, 0, 0, 0, more});
    const int padded = b.AddTensor("p", half);
    b.AddOp(Op::PAD, 1, {maximum, pads}, {padded}, schema::PadOptionsT());
    maximum = padded;
  }
  const int y = convolve(source, channels, channels + more, 2, half);
  const int sum = b.AddTensor("s", half);
  schema::AddOptionsT add;
  add.fused_activation_function = Act::RELU;
  b.AddOp(Op::ADD, 1, {maximum, y}, {sum}, add);
  b.SetOutputs({sum});
  model.accuracy.terms = 2 * (channels + 2);  // of both convolutions
  model.accuracy.half_roundings = 3;          // of what both and the sum store
  model.bytes = b.Finish();
  return model;
}

TEST(ReadMaximumModelTest, FloatsAreTheCpus) {
  GLES_SKIP_WITHOUT_DEVICE();
  const ScopedEnvironment tuning("GLES_DELEGATE_TUNING", kReadsThrough);
  for (const int more : {0, 5, 8}) {
    const SingleOpModel model = FloatBlock(8, more);
    ExpectMatchesCpu(model);
    ExpectNoPool(RunOnDelegate(model));
  }
}

// The same of quantized values, without channels added.
constexpr char kBlock[] =
    "CONV_2D@3 x=[1,9,6,16] w=const:[16,1,1,16] b=const:[16] -> s ; "
    "MAX_POOL_2D@2 s filter=2 stride=2 -> m ; "
    "CONV_2D@3 s v=const:[16,1,1,16] d=const:[16] stride=2 -> c ; ADD@2 c m";

void ExpectCpuQuantized(TensorType type, int seed, TfLiteGlesStorage storage) {
  ExpectNoPool(ExpectEveryCode(NodesOn(type, kBlock, seed), storage));
}

TEST(ReadMaximumModelTest, QuantizedValuesAreTheCpus) {
  GLES_SKIP_WITHOUT_DEVICE();
  const ScopedEnvironment tuning("GLES_DELEGATE_TUNING", kReadsThrough);
  ExpectCpuQuantized(TensorType::INT8, 1, kTfLiteGlesStorageAuto);
  ExpectCpuQuantized(TensorType::UINT8, 2, kTfLiteGlesStorageAuto);
  ExpectCpuQuantized(TensorType::INT8, 3, kTfLiteGlesStorageTextureArray);
  ExpectCpuQuantized(TensorType::UINT8, 4, kTfLiteGlesStorageTexture2d);
  ExpectCpuQuantized(TensorType::INT8, 5, kTfLiteGlesStorageBuffer);
}

}  // namespace
}  // namespace gles_delegate::testing

// labels: op delegate llvmpipe softpipe
// Which partitions are delegated by default: those that pay for their way to
// the GPU and back.
#include <vector>

#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

// A convolution, an op that the CPU keeps, another convolution, another such
// op, and a slice: nodes 0 to 4.
std::vector<uint8_t> TwoConvolutionsAndASlice(int extent, int channels) {
  ModelBuilder b;
  const std::vector<int> shape = {1, extent, extent, channels};
  int x = b.AddInput("x", shape);
  const auto unary = [&](Op op, auto options, std::vector<int> inputs,
                         const std::vector<int>& to) {
    const int y = b.AddTensor("y", to);
    inputs.insert(inputs.begin(), x);
    b.AddOp(op, 1, inputs, {y}, options);
    x = y;
  };
  const auto conv = [&] {
    const std::vector<float> weights(9 * channels * channels, 0.01f);
    schema::Conv2DOptionsT options;
    options.stride_h = options.stride_w = 1;
    const int w =
        b.AddConstant<float>("w", {channels, 3, 3, channels}, weights);
    const int bias = b.AddConstant<float>("bias", {channels},
                                          std::vector<float>(channels, 0.5f));
    unary(Op::CONV_2D, options, {w, bias}, shape);
  };
  conv();
  unary(Op::NEG, schema::NegOptionsT(), {}, shape);
  conv();
  unary(Op::NEG, schema::NegOptionsT(), {}, shape);
  const int begin =
      b.AddConstant<int32_t>("begin", {4}, std::vector<int32_t>{0, 0, 0, 0});
  const int size =
      b.AddConstant<int32_t>("size", {4}, std::vector<int32_t>{1, 1, 1, 1});
  unary(Op::SLICE, schema::SliceOptionsT(), {begin, size}, {1, 1, 1, 1});
  b.SetOutputs({x});
  return b.Finish();
}

using PartitionWorthTest = DeviceTest;

// By default a partition is delegated if it pays for its way.
TEST_F(PartitionWorthTest, ByDefaultPartitionsThatPayAreDelegated) {
  const auto apply = [](int extent, int channels) {
    const auto model = LoadOrDie(TwoConvolutionsAndASlice(extent, channels));
    const DelegatePtr delegate = MakeDelegate([](auto& options) {
      options.max_delegated_partitions = -1;
      options.exclude_nodes = "1,3";
    });
    const auto interpreter = Applied(*model, delegate);
    ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
    return ReportOf(delegate);
  };
  const nlohmann::json large = apply(24, 48);
  EXPECT_EQ(large["partitions"], 2) << large;
  EXPECT_EQ(large["nodes_delegated"], 2) << large;
  for (const auto& partition : large["partition"]) {
    EXPECT_GT(partition["estimate"]["cpu_us"],
              partition["estimate"]["crossing_us"]);
  }
  EXPECT_THAT(large["cpu"].dump(), HasSubstr("does not pay"));
  const nlohmann::json small = apply(4, 4);
  EXPECT_EQ(small["partitions"], 0) << small;
}

// However small, a model that runs as a whole has no crossings to save.
TEST_F(PartitionWorthTest, AWholeModelIsAlwaysDelegated) {
  const auto model = LoadOrDie(TwoConvolutionsAndASlice(4, 4));
  const DelegatePtr delegate =
      MakeDelegate([](auto& o) { o.max_delegated_partitions = -1; });
  const auto interpreter = Applied(*model, delegate);
  EXPECT_EQ(ReportOf(delegate)["nodes_delegated"], 5);
}

}  // namespace
}  // namespace gles_delegate::testing

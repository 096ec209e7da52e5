// labels: op delegate llvmpipe softpipe
// Arrays, 2-D textures, buffers and texel buffers in one plan, each tensor's
// storage by chance (GLES_DELEGATE_DEBUG=storage_seed), with validation on,
// with and without buffers that stay mapped: against TFLite's CPU.
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"
#include "tests/testing/hidden_extension.h"
#include "tests/testing/scoped_environment.h"
#include "tools/op_models/random.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

// Layers on tensors of as many shapes as there are tensors.
class Network {
 public:
  int Input(const Shape& shape) { return b_.AddInput("x", shape); }

  int Conv(int x, const Shape& in, const Shape& out, int kernel, int stride) {
    schema::Conv2DOptionsT options;
    options.stride_w = options.stride_h = stride;
    options.fused_activation_function = schema::ActivationFunctionType::RELU6;
    return Layer(
        Op::CONV_2D, out,
        {x, Constant({out[3], kernel, kernel, in[3]}, kernel * kernel * in[3]),
         Constant({out[3]}, 1)},
        options);
  }
  int Depthwise(int x, const Shape& shape) {
    schema::DepthwiseConv2DOptionsT options;
    options.stride_w = options.stride_h = options.depth_multiplier = 1;
    options.dilation_w_factor = options.dilation_h_factor = 1;
    return Layer(Op::DEPTHWISE_CONV_2D, shape,
                 {x, Constant({1, 3, 3, shape[3]}, 9), Constant({shape[3]}, 1)},
                 options);
  }
  int MaxPool(int x, const Shape& out) {
    schema::Pool2DOptionsT options;
    options.stride_w = options.stride_h = 2;
    options.filter_width = options.filter_height = 2;
    return Layer(Op::MAX_POOL_2D, out, {x}, options);
  }
  int Concat(int a, int b, const Shape& out) {
    schema::ConcatenationOptionsT options;
    options.axis = 3;
    return Layer(Op::CONCATENATION, out, {a, b}, options);
  }
  int Resize(int x, const Shape& out) {
    const int size = b_.AddConstant<int32_t>(
        Name(), {2}, std::vector<int32_t>{out[1], out[2]});
    return Layer(Op::RESIZE_BILINEAR, out, {x, size},
                 schema::ResizeBilinearOptionsT());
  }
  int Add(int a, int b, const Shape& out) {
    return Layer(Op::ADD, out, {a, b}, schema::AddOptionsT());
  }
  int FullyConnected(int x, int inputs, int outputs) {
    return Layer(
        Op::FULLY_CONNECTED, {1, outputs},
        {x, Constant({outputs, inputs}, inputs), Constant({outputs}, 1)},
        schema::FullyConnectedOptionsT());
  }
  int Softmax(int x, const Shape& shape) {
    schema::SoftmaxOptionsT options;
    options.beta = 1;
    return Layer(Op::SOFTMAX, shape, {x}, options);
  }
  std::vector<uint8_t> Finish(std::vector<int> outputs) {
    b_.SetOutputs(std::move(outputs));
    return b_.Finish();
  }

 private:
  std::string Name() { return absl::StrCat("t", ++count_); }
  int Constant(const Shape& shape, int terms) {
    Random random(absl::StrCat("constant ", count_));
    return b_.AddConstant<float>(
        Name(), shape,
        random.Gaussian(ElementCount(shape), 0,
                        1.0f / std::sqrt(static_cast<float>(terms))));
  }
  template <typename Options>
  int Layer(Op op, const Shape& out, std::vector<int> inputs, Options options) {
    const int y = b_.AddTensor(Name(), out);
    b_.AddOp(op, 1, std::move(inputs), {y}, options);
    return y;
  }

  ModelBuilder b_;
  int count_ = 0;
};

std::vector<uint8_t> ManyShapes() {
  Network n;
  const int x = n.Input({1, 16, 15, 5});
  const int a = n.Conv(x, {1, 16, 15, 5}, {1, 8, 8, 12}, 3, 2);
  const int b = n.Depthwise(a, {1, 8, 8, 12});
  const int c = n.Conv(b, {1, 8, 8, 12}, {1, 8, 8, 20}, 1, 1);
  const int d = n.MaxPool(c, {1, 4, 4, 20});
  const int e = n.Conv(d, {1, 4, 4, 20}, {1, 4, 4, 9}, 3, 1);
  const int f = n.Concat(d, e, {1, 4, 4, 29});
  const int g = n.Resize(f, {1, 8, 8, 29});
  const int h = n.Conv(g, {1, 8, 8, 29}, {1, 8, 8, 20}, 1, 1);
  const int i = n.Add(c, h, {1, 8, 8, 20});
  const int j = n.MaxPool(i, {1, 4, 4, 20});
  const int k = n.FullyConnected(j, 320, 11);
  return n.Finish({n.Softmax(k, {1, 11}), i});
}

class MixedStorageTest : public DeviceTestWithParam<int> {
 protected:
  void Run(bool profiled) {
    const ScopedDebug validate("validate");
    const ScopedDebug seed("storage_seed=" + std::to_string(GetParam()));
    const auto model = LoadOrDie(ManyShapes());
    const DelegatePtr delegate = MakeDelegate(
        [&](auto& options) { options.enable_op_profiling = profiled ? 1 : 0; });
    auto interpreter = Applied(*model, delegate);
    EXPECT_EQ(ReportOf(delegate)["partitions"], 1);
    EXPECT_EQ(ReportOf(delegate)["nodes_delegated"], 12);
    // Each slot is used again by the next Invoke.
    for (int round = 0; round < 3; ++round) {
      ExpectClose(RunOnce(interpreter.get(), round), CpuResult(*model, round));
    }
  }
};

TEST_P(MixedStorageTest, MatchesCpu) { Run(/*profiled=*/false); }

TEST_P(MixedStorageTest, MatchesCpuProfiled) { Run(/*profiled=*/true); }

TEST_P(MixedStorageTest, MatchesCpuWithoutBufferStorage) {
  const HiddenExtension hidden("GL_EXT_buffer_storage");
  Run(/*profiled=*/false);
}

INSTANTIATE_TEST_SUITE_P(Seeds, MixedStorageTest, ::testing::Range(1, 9));

}  // namespace
}  // namespace gles_delegate::testing

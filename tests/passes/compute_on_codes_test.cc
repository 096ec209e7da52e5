// labels: op quant softpipe
// Quantized ops on codes: TFLite's integer kernels' own codes, every one.
#include "delegate/passes/compute_on_codes.h"

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/graph/op.h"
#include "delegate/ops/conv/conv_2d.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/op_list.h"
#include "delegate/passes/fuse_elementwise.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "quant/cpu_kernels.h"
#include "quant/fixed_point.h"
#include "tests/testing/device.h"
#include "tests/testing/run_graph.h"
#include "tests/testing/single_op.h"
#include "tools/common/model_builder.h"

namespace gles_delegate::testing {
namespace {

using ::testing::HasSubstr;
using Dims = ModelBuilder::Shape;

// --- The shader's arithmetic against its specification ----------------------

// What a post-op makes of each x on the device.
std::vector<float> OnDevice(const std::vector<float>& xs, PostOp op) {
  Graph graph;
  const int n = static_cast<int>(xs.size());
  const TensorId x = AddTensor(&graph, {1, 1, n / 4, 4});
  const TensorId y = AddTensor(&graph, {1, 1, n / 4, 4});
  Node node;
  node.inputs = {x};
  node.outputs = {y};
  ElementwiseAttributes attributes;
  attributes.source_shape = graph.tensor(x).shape;
  node.attributes = attributes;
  node.post_ops = {std::move(op)};
  auto run = RunGraphOf("RELU", std::move(node), std::move(graph), {xs},
                        [](DeviceProfile&) {});
  EXPECT_TRUE(run.ok()) << run.status();
  return run.ok() ? *run : std::vector<float>(xs.size());
}

// x * m for each x, by the post-op that the device runs.
std::vector<float> RescaleOnDevice(const std::vector<float>& xs,
                                   quant::Multiplier m, quant::Ties ties) {
  return OnDevice(
      xs,
      {"requantize_all",
       {static_cast<float>(m.value >> 15), static_cast<float>(m.value & 0x7fff),
        static_cast<float>(m.shift), ties == quant::Ties::kUp ? 1.0f : 0.0f}});
}

TEST(RescaleTest, IsMultiplyForSumsAndMultipliersOfEveryMagnitude) {
  GLES_SKIP_WITHOUT_DEVICE();
  std::mt19937 random(7);
  for (int shift : {-31, -24, -17, -13, -8, -3, -1, 0, 1, 3}) {
    for (quant::Ties ties : {quant::Ties::kUp, quant::Ties::kAwayFromZero}) {
      quant::Multiplier m;
      m.value = (1 << 30) + static_cast<int32_t>(random() >> 2);
      m.shift = shift;
      // The least and largest, and halves, where ties are.
      if (shift == -8) m.value = 1 << 30;
      if (shift == -3) m.value = std::numeric_limits<int32_t>::max();
      std::vector<float> xs;
      for (int i = 0; i < 512; ++i) {
        const int bits = 1 + static_cast<int>(random() % (shift > 0 ? 18 : 24));
        const int x = static_cast<int>(random() >> (32 - bits));
        xs.push_back(static_cast<float>(i % 2 == 0 ? x : -x));
      }
      const std::vector<float> got = RescaleOnDevice(xs, m, ties);
      ASSERT_EQ(got.size(), xs.size());
      for (size_t i = 0; i < xs.size(); ++i) {
        ASSERT_EQ(got[i], static_cast<float>(quant::Multiply(
                              static_cast<int32_t>(xs[i]), m, ties)))
            << xs[i] << " by " << m.value << ", " << m.shift;
      }
    }
  }
}

TEST(XnnpackTest, FloatScalesRoundToEvenAsSpecified) {
  GLES_SKIP_WITHOUT_DEVICE();
  std::mt19937 random(11);
  // Powers of two make ties of every odd multiple of a half.
  for (float scale : {0.5f, 0.25f, 1.0f / 128, 0.0078125f * 1.0000001f, 3e-4f,
                      0.01734f, 0.9999999f, 1.5f, 37.25f}) {
    std::vector<float> xs;
    for (int i = 0; i < 512; ++i) {
      const int bits = 1 + static_cast<int>(random() % (scale > 1 ? 16 : 24));
      const int x = static_cast<int>(random() >> (32 - bits));
      xs.push_back(static_cast<float>(i % 2 == 0 ? x : -x));
    }
    const std::vector<float> got =
        OnDevice(xs, {"requantize_float_all", {scale, 0, 0, 0}});
    for (size_t i = 0; i < xs.size(); ++i) {
      ASSERT_EQ(got[i], static_cast<float>(quant::MultiplyAsFloat(
                            static_cast<int32_t>(xs[i]), scale)))
          << xs[i] << " by " << scale;
    }
  }
}

TEST(XnnpackTest, RescalingBy256thsIsAsSpecified) {
  GLES_SKIP_WITHOUT_DEVICE();
  std::vector<float> xs;
  for (int x = -256; x < 256; ++x) xs.push_back(static_cast<float>(x));
  for (float scale : {1.0f / 256, 0.01f, 0.4999f, 0.5f, 1.0f, 1.2f, 127.9f}) {
    const int32_t m = quant::In256ths(scale);
    const std::vector<float> got =
        OnDevice(xs, {"rescale_by_256ths", {static_cast<float>(m), 0, 0, 0}});
    for (size_t i = 0; i < xs.size(); ++i) {
      ASSERT_EQ(got[i], static_cast<float>(quant::MultiplyBy256ths(
                            static_cast<int32_t>(xs[i]), m)))
          << xs[i] << " by " << scale;
    }
  }
}

// --- Ops against TFLite -----------------------------------------------------

template <typename Code>
std::vector<Code> RandomCodes(size_t n, std::mt19937& random) {
  std::vector<Code> codes(n);
  for (Code& c : codes) c = static_cast<Code>(random() >> 24);
  return codes;
}

size_t Elements(const Dims& dims) {
  size_t n = 1;
  for (int d : dims) n *= static_cast<size_t>(d);
  return n;
}

// A model of one op whose activations are of Code, built up by the tests.
template <typename Code>
class CodeModel {
 public:
  static constexpr auto kType = TensorTypeOf<Code>::kValue;
  static constexpr int kLow = std::is_signed<Code>::value ? -128 : 0;

  explicit CodeModel(int seed) : random_(seed) {}

  // Zero points are at either end of the range as often as in between.
  ModelQuantization Draw(float scale) {
    const int ends[] = {kLow, kLow + 255,
                        kLow + static_cast<int>(random_() % 256)};
    std::uniform_real_distribution<float> factor(0.5f, 1.0f);
    return ModelQuantization::PerTensor(scale * factor(random_),
                                        ends[random_() % 3]);
  }
  int Input(const Dims& dims, const ModelQuantization& q) {
    const int id =
        b.AddInput(absl::StrCat("x", model_.inputs.size()), dims, kType, q);
    std::vector<float> values;
    for (Code c : RandomCodes<Code>(Elements(dims), random_)) {
      values.push_back(
          q.scale[0] *
          static_cast<float>(int{c} - static_cast<int>(q.zero_point[0])));
    }
    model_.inputs.push_back(std::move(values));
    return id;
  }
  // Random weights; int8 ones with a scale for each of `channels` of dimension
  // `dimension`, and no zero point.
  int Weights(const Dims& dims, int dimension, bool per_channel) {
    constexpr bool kSigned = std::is_signed<Code>::value;
    weights_ = ModelQuantization();
    const int count = kSigned && per_channel ? dims[dimension] : 1;
    std::uniform_real_distribution<float> scale(0.002f, 0.01f);
    for (int i = 0; i < count; ++i) {
      weights_.scale.push_back(scale(random_));
      weights_.zero_point.push_back(
          kSigned ? 0 : static_cast<int>(1 + random_() % 255));
    }
    weights_.dimension = count > 1 ? dimension : 0;
    return b.AddConstant<Code>(
        "w", dims, RandomCodes<Code>(Elements(dims), random_), weights_);
  }
  // For the weights made last.
  int Bias(int channels, float input_scale) {
    std::vector<int32_t> bias(channels);
    for (int32_t& v : bias) v = static_cast<int32_t>(random_() % 20001) - 10000;
    ModelQuantization q;
    for (float scale : weights_.scale) {
      q.scale.push_back(scale * input_scale);
      q.zero_point.push_back(0);
    }
    return b.AddConstant<int32_t>("b", {channels}, bias, q);
  }
  int Output(const Dims& dims, const ModelQuantization& q) {
    const int id = b.AddTensor("y", dims, kType, q);
    scale_ = q.scale[0];
    b.SetOutputs({id});
    return id;
  }

  // Every code as the CPU's, in every storage and precision; the op's node is
  // on codes.
  void ExpectCodes(const std::string& what) {
    SCOPED_TRACE(absl::StrCat(what, kLow < 0 ? " int8" : " uint8"));
    model_.description = what;
    model_.bytes = b.Finish();
    const RunResult cpu = RunOnCpu(model_);
    ASSERT_TRUE(cpu.status.ok()) << cpu.status;
    for (Precision precision : kPrecisions) {
      for (TfLiteGlesStorage storage :
           {kTfLiteGlesStorageTextureArray, kTfLiteGlesStorageTexture2d,
            kTfLiteGlesStorageBuffer}) {
        RunOptions options;
        options.precision = precision;
        options.storage = storage;
        options.configure = [](TfLiteGlesDelegateOptions& o) {
          o.quantized_compute = kTfLiteGlesQuantizedInteger;
        };
        const RunResult gpu = RunOnDelegate(model_, options);
        ASSERT_TRUE(gpu.status.ok()) << gpu.status;
        ASSERT_THAT(gpu.report, HasSubstr("\"nodes_on_codes\": 1"));
        ExpectEqual(cpu, gpu);
      }
    }
  }

  ModelBuilder b;
  // The inputs so far.
  const SingleOpModel& model() const { return model_; }
  std::mt19937& random() { return random_; }

 private:
  void ExpectEqual(const RunResult& cpu, const RunResult& gpu) const {
    ASSERT_EQ(cpu.outputs.size(), gpu.outputs.size());
    const auto& want = cpu.outputs[0].values;
    const auto& got = gpu.outputs[0].values;
    ASSERT_EQ(want.size(), got.size());
    int different = 0;
    for (size_t i = 0; i < want.size(); ++i) {
      if (std::fabs(want[i] - got[i]) > 0.01f * scale_) ++different;
    }
    EXPECT_EQ(different, 0) << "of " << want.size();
  }

  std::mt19937 random_;
  SingleOpModel model_;
  ModelQuantization weights_;
  float scale_ = 1;
};

struct ConvCase {
  Dims input;  // BHWC
  int outputs;
  int window;
  int stride = 1;
  int dilation = 1;
  schema::Padding padding = schema::Padding::SAME;
  schema::ActivationFunctionType activation =
      schema::ActivationFunctionType::NONE;
  bool per_channel = true;
};

int OutSize(int in, const ConvCase& c) {
  const int window = (c.window - 1) * c.dilation + 1;
  return c.padding == schema::Padding::SAME ? (in + c.stride - 1) / c.stride
                                            : (in - window) / c.stride + 1;
}

template <typename Code>
void ExpectConv(const ConvCase& c, int seed) {
  CodeModel<Code> m(seed);
  const ModelQuantization in = m.Draw(0.05f);
  const int channels = c.input[3];
  const int x = m.Input(c.input, in);
  const int w =
      m.Weights({c.outputs, c.window, c.window, channels}, 0, c.per_channel);
  const int bias = m.Bias(c.outputs, in.scale[0]);
  const float spread =
      0.01f * std::sqrt(static_cast<float>(channels) * c.window * c.window);
  const int y = m.Output(
      {c.input[0], OutSize(c.input[1], c), OutSize(c.input[2], c), c.outputs},
      m.Draw(spread));
  schema::Conv2DOptionsT options;
  options.padding = c.padding;
  options.stride_h = options.stride_w = c.stride;
  options.dilation_h_factor = options.dilation_w_factor = c.dilation;
  options.fused_activation_function = c.activation;
  m.b.AddOp(schema::BuiltinOperator::CONV_2D, 3, {x, w, bias}, {y}, options);
  m.ExpectCodes(absl::StrCat("CONV_2D case ", seed));
}

TEST(OnCodesTest, Conv2d) {
  GLES_SKIP_WITHOUT_DEVICE();
  using Act = schema::ActivationFunctionType;
  const ConvCase cases[] = {
      {{1, 5, 6, 3}, 8, 3},
      {{1, 5, 6, 3}, 5, 3, 2, 1, schema::Padding::VALID, Act::RELU},
      {{3, 4, 9, 4}, 17, 1, 1, 1, schema::Padding::SAME, Act::RELU6},
      {{1, 7, 7, 5},
       4,
       3,
       1,
       2,
       schema::Padding::SAME,
       Act::RELU_N1_TO_1,
       false},
      {{1, 1, 1, 64}, 33, 1},
      {{2, 9, 3, 8}, 1, 2},
      {{1, 12, 40, 16}, 24, 1, 1, 1, schema::Padding::SAME, Act::RELU6, true},
  };
  int seed = 0;
  for (const ConvCase& c : cases) {
    ExpectConv<int8_t>(c, ++seed);
    ExpectConv<uint8_t>(c, seed);
  }
}

template <typename Code>
void ExpectDepthwise(const ConvCase& c, int multiplier, int seed) {
  CodeModel<Code> m(seed);
  const ModelQuantization in = m.Draw(0.05f);
  const int outputs = c.input[3] * multiplier;
  const int x = m.Input(c.input, in);
  const int w = m.Weights({1, c.window, c.window, outputs}, 3, c.per_channel);
  const int bias = m.Bias(outputs, in.scale[0]);
  const int y = m.Output(
      {c.input[0], OutSize(c.input[1], c), OutSize(c.input[2], c), outputs},
      m.Draw(0.01f * static_cast<float>(c.window)));
  schema::DepthwiseConv2DOptionsT options;
  options.padding = c.padding;
  options.stride_h = options.stride_w = c.stride;
  options.dilation_h_factor = options.dilation_w_factor = c.dilation;
  options.depth_multiplier = multiplier;
  options.fused_activation_function = c.activation;
  m.b.AddOp(schema::BuiltinOperator::DEPTHWISE_CONV_2D, 3, {x, w, bias}, {y},
            options);
  m.ExpectCodes(absl::StrCat("DEPTHWISE_CONV_2D case ", seed));
}

TEST(OnCodesTest, DepthwiseConv2d) {
  GLES_SKIP_WITHOUT_DEVICE();
  using Act = schema::ActivationFunctionType;
  int seed = 0;
  for (const auto& [c, multiplier] : std::vector<std::pair<ConvCase, int>>{
           {{{1, 6, 7, 8}, 0, 3}, 1},
           {{{1, 6, 7, 5}, 0, 3, 2, 1, schema::Padding::SAME, Act::RELU6}, 1},
           {{{2, 5, 5, 3}, 0, 3, 1, 2, schema::Padding::SAME, Act::RELU, false},
            1},
           {{{1, 4, 6, 3}, 0, 2, 1, 1, schema::Padding::VALID}, 3},
           {{{1, 8, 8, 17}, 0, 6}, 1}}) {
    ExpectDepthwise<int8_t>(c, multiplier, ++seed);
    ExpectDepthwise<uint8_t>(c, multiplier, seed);
  }
}

template <typename Code>
void ExpectFullyConnected(int rows, int k, int outputs, int seed) {
  CodeModel<Code> m(seed);
  const ModelQuantization in = m.Draw(0.05f);
  const int x = m.Input({rows, k}, in);
  const int w = m.Weights({outputs, k}, 0, /*per_channel=*/false);
  const int bias = m.Bias(outputs, in.scale[0]);
  const int y = m.Output({rows, outputs},
                         m.Draw(0.01f * std::sqrt(static_cast<float>(k))));
  m.b.AddOp(schema::BuiltinOperator::FULLY_CONNECTED, 4, {x, w, bias}, {y},
            schema::FullyConnectedOptionsT());
  m.ExpectCodes(absl::StrCat("FULLY_CONNECTED ", rows, "x", k, "x", outputs));
}

TEST(OnCodesTest, FullyConnected) {
  GLES_SKIP_WITHOUT_DEVICE();
  int seed = 0;
  for (const auto& [rows, k, outputs] : std::vector<std::tuple<int, int, int>>{
           {1, 100, 10}, {3, 17, 5}, {12, 64, 33}}) {
    ExpectFullyConnected<int8_t>(rows, k, outputs, ++seed);
    ExpectFullyConnected<uint8_t>(rows, k, outputs, seed);
  }
}

// What b is to a.
enum class Other { kSameShape, kBroadcast, kConstant, kRow, kScalarConstant };

template <typename Code>
void ExpectFunctionOfTwo(schema::BuiltinOperator op, const Dims& dims,
                         schema::ActivationFunctionType activation, Other other,
                         int seed) {
  CodeModel<Code> m(seed);
  const Dims channels = other == Other::kRow ? Dims{dims[2], dims[3]}
                        : other == Other::kScalarConstant
                            ? Dims{}
                            : Dims{1, 1, 1, dims[3]};
  int a = m.Input(dims, m.Draw(0.05f));
  int b = 0;
  if (other == Other::kConstant || other == Other::kScalarConstant) {
    b = m.b.template AddConstant<Code>(
        "b", channels, RandomCodes<Code>(Elements(channels), m.random()),
        m.Draw(0.02f));
  } else {
    b = m.Input(other == Other::kSameShape ? dims : channels, m.Draw(0.02f));
  }
  if (seed % 3 == 0) std::swap(a, b);
  const int y = m.Output(dims, m.Draw(0.06f));
  const auto add = [&](auto options) {
    options.fused_activation_function = activation;
    m.b.AddOp(op, 2, {a, b}, {y}, options);
  };
  if (op == schema::BuiltinOperator::ADD) {
    add(schema::AddOptionsT());
  } else if (op == schema::BuiltinOperator::SUB) {
    add(schema::SubOptionsT());
  } else {
    add(schema::MulOptionsT());
  }
  m.ExpectCodes(
      absl::StrCat(schema::EnumNameBuiltinOperator(op), " case ", seed));
}

TEST(OnCodesTest, FunctionsOfTwo) {
  GLES_SKIP_WITHOUT_DEVICE();
  using Act = schema::ActivationFunctionType;
  int seed = 0;
  for (auto op : {schema::BuiltinOperator::ADD, schema::BuiltinOperator::SUB,
                  schema::BuiltinOperator::MUL}) {
    for (Act activation : {Act::NONE, Act::RELU6}) {
      for (Other other :
           {Other::kSameShape, Other::kBroadcast, Other::kConstant}) {
        const Dims dims = seed % 2 == 0 ? Dims{1, 16, 16, 8} : Dims{3, 5, 7, 5};
        ExpectFunctionOfTwo<int8_t>(op, dims, activation, other, ++seed);
        ExpectFunctionOfTwo<uint8_t>(op, dims, activation, other, seed);
      }
    }
  }
}

// What is broadcast in another shape than its own, and a constant of one
// element, which float models have in the params.
TEST(OnCodesTest, FunctionsOfTwoInOtherShapes) {
  GLES_SKIP_WITHOUT_DEVICE();
  int seed = 0;
  for (auto op : {schema::BuiltinOperator::ADD, schema::BuiltinOperator::SUB,
                  schema::BuiltinOperator::MUL}) {
    for (Other other : {Other::kRow, Other::kScalarConstant}) {
      ExpectFunctionOfTwo<int8_t>(op, {3, 5, 7, 5},
                                  schema::ActivationFunctionType::NONE, other,
                                  ++seed);
    }
  }
}

template <typename Code>
void ExpectRescaled(schema::BuiltinOperator op, int seed) {
  CodeModel<Code> m(seed);
  const Dims dims = {2, 3, 8, 17};
  const int x = m.Input(dims, m.Draw(0.08f));
  const int y = m.Output(dims, m.Draw(0.06f));
  const bool first_version = op == schema::BuiltinOperator::RELU_N1_TO_1 ||
                             op == schema::BuiltinOperator::HARD_SWISH;
  m.b.AddOp(op, first_version ? 1 : 2, {x}, {y});
  m.ExpectCodes(
      absl::StrCat(schema::EnumNameBuiltinOperator(op), " case ", seed));
}

TEST(OnCodesTest, Rescaling) {
  GLES_SKIP_WITHOUT_DEVICE();
  using Op = schema::BuiltinOperator;
  int seed = 0;
  for (Op op :
       {Op::RELU, Op::RELU6, Op::RELU_N1_TO_1, Op::QUANTIZE, Op::HARD_SWISH}) {
    ExpectRescaled<int8_t>(op, ++seed);
    ExpectRescaled<uint8_t>(op, seed);
  }
}

template <typename Code>
void ExpectTransposeConv(int channels, int outputs, int stride, int seed) {
  CodeModel<Code> m(seed);
  const ModelQuantization in = m.Draw(0.05f);
  const std::vector<int32_t> out = {1, 4 * stride, 3 * stride, outputs};
  const int shape = m.b.template AddConstant<int32_t>("shape", {4}, out);
  const int x = m.Input({1, 4, 3, channels}, in);
  const int w = m.Weights({outputs, 3, 3, channels}, 0, /*per_channel=*/true);
  const int bias = m.Bias(outputs, in.scale[0]);
  const int y =
      m.Output(out, m.Draw(0.02f * std::sqrt(static_cast<float>(channels))));
  schema::TransposeConvOptionsT options;
  options.padding = schema::Padding::SAME;
  options.stride_w = options.stride_h = stride;
  m.b.AddOp(schema::BuiltinOperator::TRANSPOSE_CONV, 3, {shape, w, x, bias},
            {y}, options);
  m.ExpectCodes(absl::StrCat("TRANSPOSE_CONV case ", seed));
}

TEST(OnCodesTest, TransposeConv) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (int seed = 1; seed <= 4; ++seed) {
    ExpectTransposeConv<int8_t>(2 + 3 * seed, 3 * seed, 1 + seed % 2, seed);
    ExpectTransposeConv<uint8_t>(2 + 3 * seed, 3 * seed, 1 + seed % 2, seed);
  }
}

// Pooling with the input's quantization for its output's.
template <typename Code>
void ExpectPool(schema::BuiltinOperator op, int window, int stride, int seed) {
  CodeModel<Code> m(seed);
  const ModelQuantization q = m.Draw(0.05f);
  const Dims dims = {2, 9, 8, 5};
  const int x = m.Input(dims, q);
  schema::Pool2DOptionsT options;
  options.padding =
      seed % 2 == 0 ? schema::Padding::SAME : schema::Padding::VALID;
  options.filter_width = options.filter_height = window;
  options.stride_w = options.stride_h = stride;
  const auto size = [&](int in) {
    return seed % 2 == 0 ? (in + stride - 1) / stride
                         : (in - window) / stride + 1;
  };
  const int y = m.Output({2, size(9), size(8), 5}, q);
  m.b.AddOp(op, 2, {x}, {y}, options);
  m.ExpectCodes(
      absl::StrCat(schema::EnumNameBuiltinOperator(op), " by ", window));
}

TEST(OnCodesTest, Pooling) {
  GLES_SKIP_WITHOUT_DEVICE();
  int seed = 0;
  for (auto op : {schema::BuiltinOperator::AVERAGE_POOL_2D,
                  schema::BuiltinOperator::MAX_POOL_2D}) {
    for (int window : {2, 3, 8}) {
      ExpectPool<int8_t>(op, window, 1 + window % 2, ++seed);
      ExpectPool<uint8_t>(op, window, 1 + window % 2, seed);
    }
  }
}

TEST(OnCodesTest, Moves) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (int seed = 1; seed <= 3; ++seed) {
    CodeModel<int8_t> m(seed);
    const ModelQuantization q = m.Draw(0.05f);
    const int a = m.Input({1, 3, 5, 3}, q);
    const int b = m.Input({1, 3, 5, 6}, q);
    const int y = m.Output({1, 3, 5, 9}, q);
    schema::ConcatenationOptionsT options;
    options.axis = 3;
    m.b.AddOp(schema::BuiltinOperator::CONCATENATION, 2, {a, b}, {y}, options);
    m.ExpectCodes("CONCATENATION");
  }
  for (int seed = 1; seed <= 3; ++seed) {
    CodeModel<uint8_t> m(seed);
    const ModelQuantization q = m.Draw(0.05f);
    const int x = m.Input({1, 3, 5, 3}, q);
    const int paddings = m.b.template AddConstant<int32_t>(
        "p", {4, 2}, std::vector<int32_t>{0, 0, 1, 2, 0, 1, 0, 2});
    const int y = m.Output({1, 6, 6, 5}, q);
    m.b.AddOp(schema::BuiltinOperator::PAD, 2, {x, paddings}, {y},
              schema::PadOptionsT());
    m.ExpectCodes("PAD");
  }
}

// --- Graphs, which passes rewrite
// ---------------------------------------------

// PAD, a convolution, a depthwise one, a residual sum, a branch through a pool
// and a ReLU in floats, a concatenation, a reshape, a matrix product.
template <typename Code>
SingleOpModel Network(int seed) {
  using Op = schema::BuiltinOperator;
  CodeModel<Code> m(seed);
  ModelBuilder& b = m.b;
  constexpr auto kType = TensorTypeOf<Code>::kValue;
  const auto tensor = [&](const char* name, const Dims& dims,
                          const ModelQuantization& q) {
    return b.AddTensor(name, dims, kType, q);
  };
  const ModelQuantization in = m.Draw(0.05f), mid = m.Draw(0.05f),
                          sum_q = m.Draw(0.08f);
  const int x = m.Input({2, 7, 7, 3}, in);
  const int paddings = b.AddConstant<int32_t>(
      "p", {4, 2}, std::vector<int32_t>{0, 0, 1, 0, 0, 1, 0, 0});
  const int padded = tensor("padded", {2, 8, 8, 3}, in);
  b.AddOp(Op::PAD, 1, {x, paddings}, {padded}, schema::PadOptionsT());
  schema::Conv2DOptionsT conv;
  conv.stride_w = conv.stride_h = 1;
  conv.padding = schema::Padding::VALID;
  conv.fused_activation_function = schema::ActivationFunctionType::RELU6;
  const int c = tensor("conv", {2, 6, 6, 8}, mid);
  const int cw = m.Weights({8, 3, 3, 3}, 0, true);
  b.AddOp(Op::CONV_2D, 3, {padded, cw, m.Bias(8, in.scale[0])}, {c}, conv);
  schema::DepthwiseConv2DOptionsT depthwise;
  depthwise.stride_w = depthwise.stride_h = depthwise.depth_multiplier = 1;
  const int d = tensor("depthwise", {2, 6, 6, 8}, mid);
  const int dw = m.Weights({1, 3, 3, 8}, 3, true);
  b.AddOp(Op::DEPTHWISE_CONV_2D, 3, {c, dw, m.Bias(8, mid.scale[0])}, {d},
          depthwise);
  const int sum = tensor("sum", {2, 6, 6, 8}, sum_q);
  b.AddOp(Op::ADD, 2, {c, d}, {sum}, schema::AddOptionsT());
  schema::Pool2DOptionsT pool;
  pool.filter_width = pool.filter_height = 3;
  pool.stride_w = pool.stride_h = 1;
  const int pooled = tensor("pooled", {2, 6, 6, 8}, sum_q);
  b.AddOp(Op::AVERAGE_POOL_2D, 2, {sum}, {pooled}, pool);
  const int most = tensor("most", {2, 6, 6, 8}, sum_q);
  b.AddOp(Op::MAX_POOL_2D, 2, {sum}, {most}, pool);
  const int relu = tensor("relu", {2, 6, 6, 8}, sum_q);
  b.AddOp(Op::RELU, 2, {pooled}, {relu});
  const int joined = tensor("joined", {2, 6, 6, 16}, sum_q);
  schema::ConcatenationOptionsT concat;
  concat.axis = 3;
  b.AddOp(Op::CONCATENATION, 2, {relu, most}, {joined}, concat);
  const int flat = tensor("flat", {2, 576}, sum_q);
  schema::ReshapeOptionsT reshape;
  reshape.new_shape = {2, 576};
  b.AddOp(Op::RESHAPE, 1, {joined}, {flat}, reshape);
  const int fw = m.Weights({5, 576}, 0, /*per_channel=*/false);
  const int y = m.Output({2, 5}, m.Draw(0.6f));
  b.AddOp(Op::FULLY_CONNECTED, 4, {flat, fw, m.Bias(5, sum_q.scale[0])}, {y},
          schema::FullyConnectedOptionsT());
  b.SetOutputs({y, joined, c});
  SingleOpModel model = m.model();
  model.description = absl::StrCat("network ", seed);
  model.bytes = b.Finish();
  return model;
}

void ExpectEveryCode(const SingleOpModel& model, TfLiteGlesStorage storage) {
  RunOptions options;
  options.storage = storage;
  const RunResult cpu = RunOnCpu(model);
  const RunResult gpu = RunOnDelegate(model, options);
  ASSERT_TRUE(cpu.status.ok()) << cpu.status;
  ASSERT_TRUE(gpu.status.ok()) << gpu.status;
  EXPECT_THAT(gpu.report, HasSubstr("\"nodes_on_codes\": 10"));
  ASSERT_EQ(cpu.outputs.size(), gpu.outputs.size());
  for (size_t o = 0; o < cpu.outputs.size(); ++o) {
    EXPECT_EQ(cpu.outputs[o].values, gpu.outputs[o].values)
        << model.description << " " << o;
  }
}

TEST(OnCodesTest, WholeGraphs) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (int seed = 1; seed <= 4; ++seed) {
    for (TfLiteGlesStorage storage :
         {kTfLiteGlesStorageTextureArray, kTfLiteGlesStorageTexture2d,
          kTfLiteGlesStorageBuffer}) {
      ExpectEveryCode(Network<int8_t>(seed), storage);
      ExpectEveryCode(Network<uint8_t>(seed), storage);
    }
  }
}

// --- Which nodes the pass takes ---------------------------------------------

// One convolution as the reader leaves it: int8, one scale for the weights.
struct ConvGraph {
  Graph graph;
  TensorId x, w, bias, y;

  ConvGraph() {
    x = Add("x", {1, 4, 4, 4}, DataType::kInt8, 0.1f, 3);
    w = Add("w", {4, 1, 1, 4}, DataType::kInt8, 0.02f, 0);
    graph.tensor(w).constant = ConstantData::Own(std::vector<uint8_t>(16, 1));
    bias = Add("b", {4}, DataType::kInt32, 0.002f, 0);
    graph.tensor(bias).constant =
        ConstantData::Own(std::vector<uint8_t>(16, 0));
    y = Add("y", {1, 4, 4, 4}, DataType::kInt8, 0.05f, -7);
    graph.inputs = {x};
    graph.outputs = {y};
    Node node;
    node.op = FindOp(3, "");
    node.inputs = {x, w, bias};
    node.outputs = {y};
    node.attributes = Conv2dAttributes();
    node.post_ops = {{"clamp", {0, 6, 0, 0}},
                     {"quantize", {0.05f, -7, -128, 127}}};
    graph.nodes = {node};
  }
  TensorId Add(const char* name, std::vector<int> dims, DataType codes,
               float scale, int zero) {
    Tensor t;
    t.name = name;
    t.dims = std::move(dims);
    t.shape = gles_delegate::Shape::FromDims(t.dims);
    t.codes = codes;
    t.quantization = {{scale}, {zero}, 0};
    return graph.AddTensor(std::move(t));
  }
  int Run() { return ComputeOnCodes(&graph, DeviceProfile()); }
};

TEST(ComputeOnCodesTest, AConvolutionScalesItsSumAndClampsToItsActivation) {
  ConvGraph g;
  ASSERT_EQ(g.Run(), 1);
  const Node& node = g.graph.nodes[0];
  EXPECT_TRUE(node.on_codes);
  EXPECT_TRUE(g.graph.tensor(g.x).holds_codes);
  EXPECT_TRUE(g.graph.tensor(g.y).holds_codes);
  EXPECT_FALSE(g.graph.tensor(g.w).holds_codes);
  EXPECT_EQ(g.graph.tensor(node.inputs[1]).quantization.scale[0], 1);
  ASSERT_EQ(node.post_ops.size(), 2u);
  EXPECT_EQ(node.post_ops[0].function, "requantize_all");
  EXPECT_EQ(node.post_ops[1].function, "clamp");
  EXPECT_EQ(node.post_ops[1].params[0], 0);
  EXPECT_EQ(node.post_ops[1].params[1], 120);  // 6 / 0.05; 127 + 7 is past it
}

TEST(ComputeOnCodesTest, AConvolutionIsScaledAsTheRuntimesKernelDoes) {
  const auto scaling = [](quant::CpuKernels cpu) {
    ConvGraph g;
    EXPECT_EQ(ComputeOnCodes(&g.graph, DeviceProfile(), cpu), 1);
    return g.graph.nodes[0].post_ops[0];
  };
  const PostOp ruy = scaling(quant::CpuKernels::kTflite);
  EXPECT_EQ(ruy.function, "requantize_all");
  EXPECT_EQ(ruy.params[3], 1);  // ties up
  const PostOp reference = scaling(quant::CpuKernels::kReference);
  EXPECT_EQ(reference.function, "requantize_all");
  EXPECT_EQ(reference.params[3], 0);
  const PostOp xnnpack = scaling(quant::CpuKernels::kXnnpack);
  EXPECT_EQ(xnnpack.function, "requantize_float_all");
  EXPECT_EQ(xnnpack.params[0], 0.1f * 0.02f / 0.05f);
}

// A node of `op` that reads g.y, with its function and its simulator.
TensorId AddFunction(ConvGraph* g, int op, PostOp function) {
  const TensorId z = g->Add("z", {1, 4, 4, 4}, DataType::kInt8, 0.07f, 3);
  Node node;
  node.op = FindOp(op, "");
  node.inputs = {g->y};
  node.outputs = {z};
  ElementwiseAttributes attributes;
  attributes.source_shape = g->graph.tensor(g->y).shape;
  node.attributes = attributes;
  node.post_ops = {std::move(function), {"quantize", {0.07f, 3, -128, 127}}};
  g->graph.nodes.push_back(std::move(node));
  g->graph.outputs = {z};
  return z;
}

TEST(ComputeOnCodesTest, AnActivationOnCodesFusesIntoTheConvolutionBeforeIt) {
  constexpr int kHardSwishCode = 117, kLeakyReluCode = 98;
  const auto functions = [](int op, PostOp function) {
    ConvGraph g;
    AddFunction(&g, op, std::move(function));
    EXPECT_EQ(g.Run(), 2);
    FuseElementwise(&g.graph, /*max_tensors=*/4);
    EXPECT_EQ(g.graph.nodes.size(), 1u);
    std::vector<std::string> names;
    for (const PostOp& op : g.graph.nodes[0].post_ops) {
      names.push_back(op.function);
    }
    return names;
  };
  EXPECT_THAT(functions(kHardSwishCode, {"hard_swish"}),
              ::testing::ElementsAre("requantize_all", "clamp", "lookup"));
  EXPECT_THAT(functions(kLeakyReluCode, {"leaky_relu", {0.1f}}),
              ::testing::ElementsAre("requantize_all", "clamp",
                                     "leaky_requantize", "clamp"));
}

TEST(ComputeOnCodesTest, WhatTfliteComputesOtherwiseStaysInTheFloatView) {
  const auto taken = [](auto change) {
    ConvGraph g;
    change(g);
    return g.Run();
  };
  EXPECT_EQ(taken([](ConvGraph&) {}), 1);
  // TFLite ignores the zero point of int8 weights.
  EXPECT_EQ(taken([](ConvGraph& g) {
              g.graph.tensor(g.w).quantization.zero_point[0] = 5;
            }),
            0);
  EXPECT_EQ(taken([](ConvGraph& g) {
              g.graph.tensor(g.w).constant = ConstantData();
            }),
            0);
  EXPECT_EQ(
      taken([](ConvGraph& g) { g.graph.tensor(g.w).codes = DataType::kUint8; }),
      0);
  EXPECT_EQ(taken([](ConvGraph& g) {
              // Scales along the input's channels.
              Quantization& q = g.graph.tensor(g.w).quantization;
              q.scale.assign(4, 0.02f);
              q.zero_point.assign(4, 0);
              q.dimension = 3;
            }),
            0);
  EXPECT_EQ(
      taken([](ConvGraph& g) { g.graph.tensor(g.x).codes = DataType::kInt16; }),
      0);
  EXPECT_EQ(taken([](ConvGraph& g) {
              g.graph.tensor(g.bias).codes = DataType::kOther;
            }),
            0);
  EXPECT_EQ(taken([](ConvGraph& g) {
              g.graph.nodes[0].post_ops[0].function = "tanh";
            }),
            0);
  // Sums that are scaled up by more than 2^6.
  EXPECT_EQ(taken([](ConvGraph& g) {
              g.graph.tensor(g.y).quantization.scale[0] = 1e-5f;
            }),
            0);
  // No simulator: its values are on no codes.
  EXPECT_EQ(taken([](ConvGraph& g) { g.graph.nodes[0].post_ops.pop_back(); }),
            0);
}

}  // namespace
}  // namespace gles_delegate::testing

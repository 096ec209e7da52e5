// labels: op quant llvmpipe softpipe
// Depthwise convolutions of 8-bit codes that are one dispatch with the 1x1
// convolution behind them, with two of them, or with the one before: every code
// is that of TFLite's integer kernels, for scales and zero points of every
// size; and under the roundings of other runtimes it is that of two dispatches.
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/testing/code_chain.h"
#include "tests/testing/device_test.h"
#include "tests/testing/scoped_environment.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

// The mean magnitude of (code - zero point), about.
constexpr double kCodeSize = 74;

struct Window {
  int size = 3;
  int stride = 1;
  int dilation = 1;
};

// Blocks of a 1x1 convolution to `expanded` channels (0: none), a depthwise
// one, a 1x1 one and, where `residual`, an ADD of the block's input.
template <typename Code>
class Blocks : public CodeChain<Code> {
 public:
  using Base = CodeChain<Code>;
  using Base::random;
  Blocks(int seed, std::vector<int> dims) : Base(seed, std::move(dims)) {}

  void Block(int expanded, const Window& window, int outputs, Act act,
             bool residual) {
    const int before = Base::x();
    const float scale = Base::scale();
    if (expanded > 0) Pointwise(expanded, act);
    Depthwise(window, act);
    Pointwise(outputs, Act::NONE);
    if (residual) Add(before, scale);
  }
  // The first convolution of another block.
  void Expand(int channels, Act act) { Pointwise(channels, act); }

 private:
  static constexpr bool kSigned = std::is_signed<Code>::value;

  // A scale of any size, and a zero point anywhere, at the ends in every third
  // tensor.
  ModelQuantization Any() {
    const double exponent =
        std::uniform_real_distribution<double>(-4, 2)(random());
    const int kind = static_cast<int>(random()() % 6);
    const int zero = kind == 0 ? Base::kLow
                     : kind == 1
                         ? Base::kHigh
                         : Base::kLow + static_cast<int>(random()() % 256);
    return ModelQuantization::PerTensor(
        static_cast<float>(std::pow(10.0, exponent)), zero);
  }
  // Weights of `channels` outputs on axis `axis`, whose sums of `terms` terms
  // spread over some 40 to 400 quantized values of `out`.
  int Weights(const std::vector<int>& dims, int channels, int axis, int terms,
              const ModelQuantization& out, std::vector<float>* scales) {
    const double wanted =
        40 *
        std::pow(10.0, std::uniform_real_distribution<double>(0, 1)(random()));
    const double multiplier =
        wanted / (std::sqrt(terms) * kCodeSize * kCodeSize);
    ModelQuantization q;
    q.dimension = axis;
    for (int c = 0; c < (kSigned ? channels : 1); ++c) {
      // Some channels far smaller than the others.
      const double part = c % 5 == 4 ? 1e-4 : 1 - 0.1 * (c % 5);
      q.scale.push_back(
          static_cast<float>(multiplier * part * out.scale[0] / Base::scale()));
      q.zero_point.push_back(kSigned ? 0 : random()() % 256);
    }
    *scales = q.scale;
    return Base::Constant(dims, q);
  }
  int Bias(const std::vector<float>& scales, int channels) {
    ModelQuantization q;
    for (float s : scales) {
      q.scale.push_back(s * Base::scale());
      q.zero_point.push_back(0);
    }
    std::vector<int32_t> values(channels);
    for (int32_t& v : values) {
      v = static_cast<int32_t>(random()() % 40001) - 20000;
    }
    return b_.template AddConstant<int32_t>("b", {channels}, values, q);
  }
  void Depthwise(const Window& window, Act act) {
    const int channels = Base::channels();
    const ModelQuantization out = Any();
    std::vector<float> scales;
    const int w = Weights({1, window.size, window.size, channels}, channels, 3,
                          window.size * window.size, out, &scales);
    const int bias = Bias(scales, channels);
    schema::DepthwiseConv2DOptionsT options;
    options.stride_w = options.stride_h = window.stride;
    options.dilation_w_factor = options.dilation_h_factor = window.dilation;
    options.depth_multiplier = 1;
    options.fused_activation_function = act;
    auto dims = Base::dims();
    for (int axis : {1, 2}) {
      dims[axis] = (dims[axis] + window.stride - 1) / window.stride;
    }
    Base::Next(out, dims, [&](int x, int y) {
      b_.AddOp(Op::DEPTHWISE_CONV_2D, 3, {x, w, bias}, {y}, options);
    });
  }
  void Pointwise(int outputs, Act act) {
    const int channels = Base::channels();
    const ModelQuantization out = Any();
    std::vector<float> scales;
    const int w =
        Weights({outputs, 1, 1, channels}, outputs, 0, channels, out, &scales);
    const int bias = Bias(scales, outputs);
    schema::Conv2DOptionsT options;
    options.stride_w = options.stride_h = 1;
    options.fused_activation_function = act;
    auto dims = Base::dims();
    dims[3] = outputs;
    Base::Next(out, dims, [&](int x, int y) {
      b_.AddOp(Op::CONV_2D, 3, {x, w, bias}, {y}, options);
    });
  }
  void Add(int other, float other_scale) {
    Base::Next(Base::Q(Base::scale() + other_scale), [&](int x, int y) {
      b_.AddOp(Op::ADD, 2, {x, other}, {y}, schema::AddOptionsT());
    });
  }

  using Base::b_;
};

enum class Fusion { kNone, kIntoNext, kWithNext, kPlanes };

// Fuses whatever may be fused that way, on any device.
std::string Tuning(Fusion fusion) {
  constexpr int kAll = 1 << 20;
  return absl::StrCat(
      "split_k_target=", fusion == Fusion::kWithNext ? 48 << 10 : 1,
      ",fused_depthwise_work=",
      fusion == Fusion::kIntoNext || fusion == Fusion::kWithNext ? kAll : 0,
      ",fused_next_texels=", fusion == Fusion::kWithNext ? kAll : 0,
      ",fused_plane_work=", fusion == Fusion::kPlanes ? kAll : 0);
}

RunResult RunWith(const SingleOpModel& model, Fusion fusion,
                  const char* rounding, TfLiteGlesStorage storage) {
  const ScopedEnvironment tuning("GLES_DELEGATE_TUNING", Tuning(fusion));
  RunOptions options;
  options.storage = storage;
  const ScopedDebug kernels(std::string("rounding=") + rounding);
  RunResult result = RunOnDelegate(model, options);
  EXPECT_TRUE(result.status.ok()) << result.status;
  const std::string into_next = "\"DEPTHWISE_CONV_2D+CONV_2D ";
  const std::string with_next = "\"DEPTHWISE_CONV_2D+CONV_2D+CONV_2D ";
  const std::string planes = "\"CONV_2D+DEPTHWISE_CONV_2D ";
  EXPECT_EQ(absl::StrContains(result.report, into_next),
            fusion == Fusion::kIntoNext);
  EXPECT_EQ(absl::StrContains(result.report, with_next),
            fusion == Fusion::kWithNext);
  EXPECT_EQ(absl::StrContains(result.report, planes),
            fusion == Fusion::kPlanes);
  return result;
}

// How many models were compared, and of how many the output is of few quantized
// values, in which an error could hide.
struct Compared {
  int models = 0;
  int narrow = 0;
};

void ExpectSameQuantized(const RunResult& want, const RunResult& got,
                         Compared* compared) {
  ASSERT_EQ(want.outputs.size(), got.outputs.size());
  for (size_t o = 0; o < want.outputs.size(); ++o) {
    const auto& a = want.outputs[o].values;
    const auto& b = got.outputs[o].values;
    ASSERT_EQ(a.size(), b.size());
    int different = 0;
    for (size_t i = 0; i < a.size(); ++i) different += a[i] != b[i];
    EXPECT_EQ(different, 0) << "of " << a.size() << " quantized values";
    ++compared->models;
    compared->narrow += IsNarrow(a);
  }
}

struct Case {
  std::vector<int> dims;
  int expanded;
  Window window;
  int outputs;
  Act act = Act::NONE;
  bool residual = false;
};

std::vector<Case> CasesOf(Fusion fusion) {
  const bool planes = fusion == Fusion::kPlanes;
  const auto expanded = [planes](int channels) {
    return planes ? channels : 0;
  };
  return {{{1, 9, 11, 8}, expanded(24), {}, 8},
          {{1, 8, 8, 9}, expanded(9), {}, 9, Act::RELU6, true},
          {{2, 7, 9, 21}, expanded(5), {3, 2}, 5, Act::RELU},
          {{1, 10, 6, 36}, expanded(70), {5, 1}, 40, Act::NONE},
          {{1, 12, 12, 16}, expanded(33), {3, 1, 2}, 33, Act::RELU_N1_TO_1},
          {{3, 5, 5, 70}, expanded(70), {2, 2}, 61, Act::RELU6}};
}

template <typename Code>
SingleOpModel ModelOf(Fusion fusion, const Case& c, int seed) {
  Blocks<Code> blocks(seed, c.dims);
  blocks.Block(c.expanded, c.window, c.outputs, c.act, c.residual);
  if (fusion == Fusion::kWithNext) {
    // Two activations leave few codes.
    blocks.Expand(2 * c.outputs + 3, c.residual ? c.act : Act::NONE);
  }
  return blocks.Finish(/*all_outputs=*/false);
}

template <typename Code>
void ExpectCpuQuantized(Fusion fusion, int seed, TfLiteGlesStorage storage,
                        Compared* compared) {
  for (const Case& c : CasesOf(fusion)) {
    SCOPED_TRACE(absl::StrCat("seed ", seed, ", ", c.dims[3], " to ", c.outputs,
                              " channels, window ", c.window.size));
    const SingleOpModel model = ModelOf<Code>(fusion, c, seed);
    const RunResult cpu = RunOnCpu(model);
    ASSERT_TRUE(cpu.status.ok()) << cpu.status;
    ExpectSameQuantized(cpu, RunWith(model, fusion, "auto", storage), compared);
  }
}

void ExpectEveryCode(Fusion fusion) {
  Compared compared;
  ExpectCpuQuantized<int8_t>(fusion, 1, kTfLiteGlesStorageAuto, &compared);
  ExpectCpuQuantized<uint8_t>(fusion, 2, kTfLiteGlesStorageAuto, &compared);
  ExpectCpuQuantized<int8_t>(fusion, 3, kTfLiteGlesStorageTextureArray,
                             &compared);
  ExpectCpuQuantized<uint8_t>(fusion, 4, kTfLiteGlesStorageTexture2d,
                              &compared);
  ExpectCpuQuantized<int8_t>(fusion, 5, kTfLiteGlesStorageBuffer, &compared);
  ExpectCpuQuantized<uint8_t>(fusion, 6, kTfLiteGlesStorageBuffer, &compared);
  EXPECT_LE(compared.narrow, compared.models / 3);
}

class QuantizedDepthwiseTest : public DeviceTest {};

TEST_F(QuantizedDepthwiseTest, EveryCodeIsTheCpus) {
  ExpectEveryCode(Fusion::kIntoNext);
}

TEST_F(QuantizedDepthwiseTest, EveryCodeWithTheNextConvolutionIsTheCpus) {
  ExpectEveryCode(Fusion::kWithNext);
}

TEST_F(QuantizedDepthwiseTest, EveryCodeOfPlanesIsTheCpus) {
  ExpectEveryCode(Fusion::kPlanes);
}

// Codes of one dispatch are those of two.
void ExpectSameAsTwo(Fusion fusion) {
  Compared compared;
  int seed = 100;
  for (const char* rounding :
       {"xnnpack", "litert", "tflite_wheel", "reference"}) {
    SCOPED_TRACE(rounding);
    const auto run = [rounding](const SingleOpModel& model, Fusion how) {
      return RunWith(model, how, rounding, kTfLiteGlesStorageAuto);
    };
    for (const Case& c : CasesOf(fusion)) {
      ++seed;
      for (const SingleOpModel& model : {ModelOf<int8_t>(fusion, c, seed),
                                         ModelOf<uint8_t>(fusion, c, seed)}) {
        ExpectSameQuantized(run(model, Fusion::kNone), run(model, fusion),
                            &compared);
      }
    }
  }
  EXPECT_LE(compared.narrow, compared.models / 3);
}

TEST_F(QuantizedDepthwiseTest, OtherRuntimesRoundingsToo) {
  ExpectSameAsTwo(Fusion::kIntoNext);
}

TEST_F(QuantizedDepthwiseTest,
       OtherRuntimesRoundingsWithTheNextConvolutionToo) {
  ExpectSameAsTwo(Fusion::kWithNext);
}

TEST_F(QuantizedDepthwiseTest, OtherRuntimesRoundingsOfPlanesToo) {
  ExpectSameAsTwo(Fusion::kPlanes);
}

}  // namespace
}  // namespace gles_delegate::testing

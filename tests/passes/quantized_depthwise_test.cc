// labels: op quant llvmpipe softpipe
// Depthwise convolutions of 8-bit codes that are one dispatch with the 1x1
// convolution behind them, with two of them, or with the one before: every code
// is that of TFLite's integer kernels, for scales and zero points of every
// size; and under the roundings of other runtimes it is that of two dispatches.
#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/testing/device_test.h"
#include "tests/testing/scoped_environment.h"
#include "tests/testing/single_op.h"
#include "tools/cases/model.h"
#include "tools/conformance/quantized.h"

namespace gles_delegate::testing {
namespace {

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
    compared->narrow += std::set<float>(a.begin(), a.end()).size() <= 15;
  }
}

// Blocks of a 1x1 convolution (of planes alone), a depthwise one, a 1x1 one
// and, where `residual`, an ADD of the block's input.
struct Case {
  const char* x;
  int channels, expanded;
  const char* window;
  int outputs;
  const char* activation = "NONE";
  bool residual = false;
};
constexpr Case kCases[] = {
    {"1,9,11", 8, 24, "3 stride=1", 8},
    {"1,8,8", 9, 9, "3 stride=1", 9, "RELU6", true},
    {"2,7,9", 21, 5, "3 stride=2", 5, "RELU"},
    {"1,10,6", 36, 70, "5 stride=1", 40},
    {"1,12,12", 16, 33, "3 stride=1 dilation=2", 33, "RELU_N1_TO_1"},
    {"3,5,5", 70, 70, "2 stride=2", 61, "RELU6"}};

// The text of a 1x1 convolution from `in` to `out`.
std::string Pointwise(const std::string& x, const std::string& y, int in,
                      int out, const char* activation) {
  return absl::StrCat("CONV_2D@3 ", x, " w_", y, "=const:[", out, ",1,1,", in,
                      "] b_", y, "=const:[", out,
                      "] fused_activation_function=", activation, " -> ", y);
}

SingleOpModel ModelOf(Fusion fusion, const Case& c, TensorType type,
                      int number) {
  const bool planes = fusion == Fusion::kPlanes;
  const int channels = planes ? c.expanded : c.channels;
  const std::string input = absl::StrCat("x=[", c.x, ",", c.channels, "]");
  std::string text;
  if (planes) {
    text = Pointwise(input, "e", c.channels, channels, c.activation) + " ; ";
  }
  const std::string k(c.window, 1);
  absl::StrAppend(&text, "DEPTHWISE_CONV_2D@3 ", planes ? "e" : input,
                  " w=const:[1,", k, ",", k, ",", channels, "] b=const:[",
                  channels, "] depth_multiplier=1", c.window + 1,
                  " fused_activation_function=", c.activation, " -> d ; ",
                  Pointwise("d", "y", channels, c.outputs, "NONE"));
  if (c.residual) absl::StrAppend(&text, " ; ADD@2 x y -> z");
  if (fusion == Fusion::kWithNext) {
    const int next = 2 * c.outputs + 3;
    // Two activations leave few codes.
    absl::StrAppend(&text, " ; ",
                    Pointwise(c.residual ? "z" : "y", "n", c.outputs, next,
                              c.residual ? c.activation : "NONE"));
  }
  return conformance::SummedFrom(cases::ModelOf(text),
                                 {absl::StrCat(text, number), type}, number);
}

void ExpectEveryCode(Fusion fusion) {
  Compared compared;
  const TfLiteGlesStorage storages[] = {
      kTfLiteGlesStorageAuto,         kTfLiteGlesStorageAuto,
      kTfLiteGlesStorageTextureArray, kTfLiteGlesStorageTexture2d,
      kTfLiteGlesStorageBuffer,       kTfLiteGlesStorageBuffer};
  int number = 0;
  for (TfLiteGlesStorage storage : storages) {
    ++number;
    for (const Case& c : kCases) {
      // Weights with a scale each channel, if they may have those.
      const SingleOpModel model = ModelOf(
          fusion, c, number % 2 == 1 ? TensorType::INT8 : TensorType::UINT8,
          3 * number + 2);
      SCOPED_TRACE(model.description);
      const RunResult cpu = RunOnCpu(model);
      ASSERT_TRUE(cpu.status.ok()) << cpu.status;
      ExpectSameQuantized(cpu, RunWith(model, fusion, "auto", storage),
                          &compared);
    }
  }
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
  int number = 100;
  for (const char* rounding :
       {"xnnpack", "litert", "tflite_wheel", "reference"}) {
    SCOPED_TRACE(rounding);
    const auto run = [rounding](const SingleOpModel& model, Fusion how) {
      return RunWith(model, how, rounding, kTfLiteGlesStorageAuto);
    };
    for (const Case& c : kCases) {
      ++number;
      for (TensorType type : {TensorType::INT8, TensorType::UINT8}) {
        const SingleOpModel model = ModelOf(fusion, c, type, 3 * number + 2);
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

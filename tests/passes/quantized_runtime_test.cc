// labels: op quant
// GLES_DELEGATE_DEBUG=rounding: 8-bit MEAN, SUM, LEAKY_RELU and RESIZE_BILINEAR
// as each runtime's kernels compute them, by the specification in quant/, which
// tests/quant/code_means_test.cc holds against quantized values that those
// runtimes gave. The runtime that runs the models here is of one kind alone.
#include <algorithm>
#include <any>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/ops/reduction/reduction.h"
#include "delegate/ops/reduction/rows.h"
#include "quant/cpu_kernels.h"
#include "tests/testing/device.h"
#include "tests/testing/device_test.h"
#include "tests/testing/run_graph.h"
#include "tests/testing/scoped_environment.h"
#include "tests/testing/single_op.h"
#include "tools/common/model_builder.h"
#include "tools/op_models/random.h"
#include "tools/op_models/schema_names.h"
#include "tools/op_models/shapes.h"

namespace gles_delegate::testing {
namespace {

using quant::CpuKernels;
using Dims = ModelBuilder::Shape;

struct Rounding {
  const char* name;
  CpuKernels cpu;
};
constexpr Rounding kRoundings[] = {{"tflite", CpuKernels::kTflite},
                                   {"tflite_arm", CpuKernels::kTfliteArm},
                                   {"tflite_2_14", CpuKernels::kTflite214},
                                   {"tflite_wheel", CpuKernels::kTfliteWheel},
                                   {"litert", CpuKernels::kLitert},
                                   {"xnnpack", CpuKernels::kXnnpack}};

size_t Count(const Dims& dims) {
  size_t n = 1;
  for (int d : dims) n *= static_cast<size_t>(d);
  return n;
}

// One node of int8 or int16 quantized values, `quantized values`, and what it
// is to give in each runtime.
struct Case {
  Case(Dims in_dims, quant::CodeQuantization in_quantized,
       quant::CodeQuantization out_quantized, int seed,
       TensorType of_type = TensorType::INT8)
      : dims(std::move(in_dims)),
        type(of_type),
        in(in_quantized),
        out(out_quantized) {
    std::mt19937 random(seed);
    const int center = static_cast<int>(random() % 128) - 64;
    for (size_t i = 0; i < Count(dims); ++i) {
      const int spread = static_cast<int>(random() % 256) - 128;
      quantized.push_back(
          std::clamp(center + spread / (seed % 2 + 1), -128, 127));
    }
    x = b.AddInput("x", dims, type, Of(in));
  }
  static ModelQuantization Of(const quant::CodeQuantization& q) {
    return ModelQuantization::PerTensor(q.scale, q.zero_point);
  }
  int Ints(const std::vector<int32_t>& values) {
    return b.AddConstant<int32_t>("i", {static_cast<int>(values.size())},
                                  values);
  }
  int Output(const Dims& out_dims) {
    y = b.AddTensor("y", out_dims, type, Of(out));
    return y;
  }
  // The quantized values that the delegate gives.
  std::vector<int> Run(const char* rounding) {
    SingleOpModel model;
    b.SetOutputs({y});
    model.bytes = b.Finish();
    model.inputs.emplace_back();
    for (int code : quantized) {
      model.inputs[0].push_back(in.scale *
                                static_cast<float>(code - in.zero_point));
    }
    RunOptions options;
    const ScopedDebug kernels(std::string("rounding=") + rounding);
    const RunResult result = RunOnDelegate(model, options);
    EXPECT_TRUE(result.status.ok()) << result.status;
    EXPECT_NE(result.report.find("\"nodes_on_integer_path\": 1"),
              std::string::npos);
    std::vector<int> got;
    if (!result.status.ok()) return got;
    for (float value : result.outputs[0].values) {
      got.push_back(static_cast<int>(std::lround(value / out.scale)) +
                    out.zero_point);
    }
    return got;
  }

  Dims dims;
  TensorType type;
  quant::CodeQuantization in, out;
  std::vector<int> quantized;
  ModelBuilder b;
  int x = 0, y = 0;
};

// --- MEAN and SUM over the plane of [2, 5, 7, 21], kept, or over its channels

constexpr int kH = 5, kW = 7, kC = 21;

std::vector<int> Reduced(const Case& c, bool is_sum, bool plane, bool negative,
                         CpuKernels cpu) {
  quant::Reducing r;
  r.in = c.in;
  r.out = c.out;
  r.count = plane ? kH * kW : kC;
  r.over_plane = plane && !negative;
  r.over_plane_by_any_name = plane;
  std::vector<int> want;
  const int outputs = 2 * (plane ? kC : kH * kW);
  for (int o = 0; o < outputs; ++o) {
    int64_t sum = 0;
    for (int i = 0; i < r.count; ++i) {
      const int at = plane ? (o / kC * kH * kW + i) * kC + o % kC : o * kC + i;
      sum += c.quantized[at];
    }
    auto kernel = is_sum ? quant::SumOf(r, cpu) : quant::MeanOf(r, cpu);
    const auto last = quant::MeanOfLastChannels(r, cpu);
    if (!is_sum && plane && last && o % kC >= 16) kernel = last;
    want.push_back(kernel->Code(sum));
  }
  return want;
}

class QuantizedOfRuntimesTest : public DeviceTest {};

TEST_F(QuantizedOfRuntimesTest, MeanAndSum) {
  int differ_from_older = 0;
  for (int seed = 0; seed < 12; ++seed) {
    const bool is_sum = seed % 3 == 2, plane = seed % 2 == 0;
    const bool negative = seed % 4 == 2;
    const quant::CodeQuantization in = {0.02f, 7 * seed - 40};
    // Ratios of small numbers have ties.
    const quant::CodeQuantization out = {
        is_sum ? 0.25f : 0.005f * static_cast<float>(1 + seed % 5),
        30 - 11 * seed};
    Case c({2, kH, kW, kC}, in, seed == 1 ? in : out, seed);
    const std::vector<int32_t> axes = !plane     ? std::vector<int32_t>{3}
                                      : negative ? std::vector<int32_t>{-3, -2}
                                                 : std::vector<int32_t>{1, 2};
    schema::ReducerOptionsT options;
    options.keep_dims = true;
    const int y = c.Output(plane ? Dims{2, 1, 1, kC} : Dims{2, kH, kW, 1});
    c.b.AddOp(is_sum ? Op::SUM : Op::MEAN, 2, {c.x, c.Ints(axes)}, {y},
              options);
    std::vector<int> older;
    for (const Rounding& rounding : kRoundings) {
      if (is_sum && !quant::SumOf({}, rounding.cpu)) continue;  // below
      SCOPED_TRACE(absl::StrCat("seed ", seed, ", ", rounding.name));
      const std::vector<int> want =
          Reduced(c, is_sum, plane, negative, rounding.cpu);
      EXPECT_EQ(c.Run(rounding.name), want);
      if (older.empty()) older = want;
      differ_from_older += want != older;
    }
  }
  EXPECT_GT(differ_from_older, 10);  // else these cases tell nothing apart
}

// --- SUM whose low bits are kept, with the product of sum and scale rounded
// or not

TEST_F(QuantizedOfRuntimesTest, SumOfLowBits) {
  int differ = 0;
  for (int seed = 1; seed <= 12; ++seed) {
    const int channels = 2 + seed % 9;
    const quant::CodeQuantization in = {0.013f * static_cast<float>(seed),
                                        97 - 31 * (seed % 7)};
    // Halves of a code are many.
    const float ratio = seed % 2 == 0 ? 6 : 0.4f;
    const quant::CodeQuantization out = {in.scale * ratio, 5 * seed - 20};
    Case c({1, 48, 32, channels}, in, out, seed);
    schema::ReducerOptionsT options;
    c.b.AddOp(Op::SUM, 2, {c.x, c.Ints({3})}, {c.Output({1, 48, 32})}, options);
    std::vector<int> rounded, fused;
    for (int o = 0; o < 48 * 32; ++o) {
      int sum = 0;
      for (int i = 0; i < channels; ++i) sum += c.quantized[o * channels + i];
      const float scale = in.scale / out.scale;
      const float bias = static_cast<float>(-in.zero_point) * scale *
                         static_cast<float>(channels);
      // Volatile: else compilers for ARM fuse it.
      const volatile float product = static_cast<float>(sum) * scale;
      const auto code = [&](float value) {
        return int{static_cast<int8_t>(std::lround(value) + out.zero_point)};
      };
      rounded.push_back(code(product + bias));
      fused.push_back(code(std::fma(static_cast<float>(sum), scale, bias)));
    }
    SCOPED_TRACE(seed);
    EXPECT_EQ(c.Run("tflite"), rounded);
    EXPECT_EQ(c.Run("tflite_arm"), fused);
    differ += rounded != fused;
  }
  EXPECT_GT(differ, 2);  // else these cases tell nothing apart
}

// --- MEAN and SUM of int16 values

// Of ai-edge-litert 2.3.0, with XNNPACK and without; x86-64, 22 November 2026.
// Code i of the input is i * 7919 % 65536 - 32768, of [1, 6, 6, 7] and of the
// scale 0.002; axes are kept.
struct Int16Recorded {
  Op op;
  std::vector<int32_t> axes;
  float scale;
  std::vector<int> quantized;
};
const std::vector<Int16Recorded>& RecordedInt16Quantized() {
  static const auto& recorded = *new std::vector<Int16Recorded>{
      {Op::MEAN, {1, 2}, 0.0013f, {2463, 643, -3978, -197, -4818, 1764, -57}},
      {Op::MEAN, {3}, 0.002f, {-9011, -390,  -1130, -1871, 6751,  6010,
                               -4093, -4834, -5575, 3047,  2307,  1566,
                               825,   85,    -657,  -1397, -2138, 6484,
                               5743,  -4360, -5101, -5842, 2780,  2040,
                               1299,  558,   -183,  -924,  -1664, -2405,
                               6217,  5476,  -4627, -5368, -6109, 2513}},
      {Op::MEAN, {3}, 0.0031f, {-5814, -251,  -729,  -1207, 4355,  3878,
                                -2641, -3119, -3597, 1966,  1488,  1010,
                                532,   55,    -424,  -902,  -1379, 4183,
                                3705,  -2813, -3291, -3769, 1794,  1316,
                                838,   360,   -118,  -596,  -1074, -1552,
                                4011,  3533,  -2985, -3463, -3941, 1622}},
      {Op::SUM,
       {1, 2},
       0.002f,
       {32767, 15042, -32768, -4614, -32768, 32767, -1330}},
      {Op::SUM, {3}, 0.009f, {-14017, -606,  -1758, -2910, 10501, 9349,
                              -6367,  -7519, -8671, 4740,  3588,  2436,
                              1283,   131,   -1021, -2173, -3326, 10086,
                              8934,   -6782, -7934, -9087, 4325,  3172,
                              2020,   868,   -284,  -1436, -2589, -3741,
                              9670,   8518,  -7198, -8350, -9502, 3909}},
  };
  return recorded;
}

TEST_F(QuantizedOfRuntimesTest, Int16MeanAndSum) {
  for (const Int16Recorded& r : RecordedInt16Quantized()) {
    const quant::CodeQuantization in = {0.002f, 0}, out = {r.scale, 0};
    Case c({1, 6, 6, 7}, in, out, 1, TensorType::INT16);
    for (int i = 0; i < 252; ++i) c.quantized[i] = i * 7919 % 65536 - 32768;
    schema::ReducerOptionsT options;
    options.keep_dims = true;
    const bool plane = r.axes.size() == 2;
    const int y = c.Output(plane ? Dims{1, 1, 1, 7} : Dims{1, 6, 6, 1});
    c.b.AddOp(r.op, 2, {c.x, c.Ints(r.axes)}, {y}, options);
    EXPECT_EQ(c.Run("litert"), r.quantized);
    EXPECT_EQ(c.Run("xnnpack"), r.quantized);
  }
}

// --- LEAKY_RELU

TEST_F(QuantizedOfRuntimesTest, LeakyRelu) {
  int differ = 0;
  // The last two leave factors that XNNPACK does not take.
  for (float alpha : {0.3f, 0.01f, 1.5f, -0.5f, -2.0f, 0.0f, 0.003f}) {
    const quant::CodeQuantization in = {0.03f, -20}, out = {0.0421f, 9};
    Case c({1, 8, 8, 4}, in, out, 3);
    for (int i = 0; i < 256; ++i) c.quantized[i] = i - 128;
    schema::LeakyReluOptionsT options;
    options.alpha = alpha;
    c.b.AddOp(Op::LEAKY_RELU, 2, {c.x}, {c.Output(c.dims)}, options);
    const auto factors = quant::FactorsIn256ths(in.scale, out.scale, alpha);
    EXPECT_EQ(factors.has_value(), std::abs(alpha) >= 0.01f);
    const std::vector<int> built_in = c.Run("litert");
    std::vector<int> want = built_in;
    for (int i = 0; factors && i < 256; ++i) {
      const int less = c.quantized[i] - in.zero_point;
      const int32_t factor = less < 0 ? factors->negative : factors->positive;
      want[i] =
          std::clamp(((less * factor + 128) >> 8) + out.zero_point, -128, 127);
    }
    SCOPED_TRACE(alpha);
    EXPECT_EQ(c.Run("xnnpack"), want);
    differ += want != built_in;
  }
  EXPECT_GT(differ, 1);  // else these cases tell nothing apart
}

// --- RESIZE_BILINEAR

// Of ai-edge-litert 2.3.0 as it comes; x86-64, 22 November 2026. Code i of the
// input is (i * 37 + i * i * 11) % 256 - 128, of [1, 3, 4, 1].
struct ResizeRecorded {
  bool align_corners, half_pixel_centers;
  int h, w;
  std::vector<int> quantized;
};
const std::vector<ResizeRecorded>& RecordedResizes() {
  static const auto& recorded = *new std::vector<ResizeRecorded>{
      {false, false, 7, 9, {-128, -107, -85, -57, -26, 10,  51,  82,  82,
                            -99,  -61,  -23, -14, -15, -11, -2,  5,   5,
                            -70,  -15,  40,  29,  -4,  -32, -55, -72, -72,
                            -13,  26,   65,  51,  18,  -9,  -32, -49, -49,
                            57,   64,   71,  61,  46,  35,  29,  25,  25,
                            104,  90,   76,  69,  64,  65,  70,  74,  74,
                            104,  90,   76,  69,  64,  65,  70,  74,  74}},
      {false, true, 7, 9, {-128, -120, -99, -76, -45, -14, 26,  67,  82,
                           -118, -108, -81, -55, -35, -14, 15,  45,  56,
                           -89,  -73,  -29, 8,   -4,  -15, -18, -20, -21,
                           -60,  -37,  23,  71,  27,  -17, -52, -85, -98,
                           10,   21,   49,  71,  44,  17,  -1,  -18, -24,
                           81,   79,   76,  71,  61,  51,  50,  49,  49,
                           104,  99,   84,  71,  67,  63,  67,  72,  74}},
      {true, false, 7, 9, {-128, -110, -92, -71, -45, -19, 13,  48,  82,
                           -105, -76,  -47, -26, -21, -16, -5,  8,   22,
                           -83,  -43,  -3,  19,  3,   -13, -23, -30, -38,
                           -60,  -9,   42,  64,  27,  -10, -41, -69, -98,
                           -5,   25,   55,  66,  40,  15,  -6,  -23, -41,
                           49,   58,   67,  68,  54,  39,  30,  23,  17,
                           104,  92,   80,  71,  67,  63,  65,  70,  74}},
      {false, true, 2, 3, {-99, -27, 29, 65, 57, 33}},
  };
  return recorded;
}

TEST_F(QuantizedOfRuntimesTest, ResizeBilinear) {
  int differ = 0;
  for (const ResizeRecorded& r : RecordedResizes()) {
    const quant::CodeQuantization q = {0.05f, 3};
    Case c({1, 3, 4, 1}, q, q, 1);
    for (int i = 0; i < 12; ++i) {
      c.quantized[i] = (i * 37 + i * i * 11) % 256 - 128;
    }
    schema::ResizeBilinearOptionsT options;
    options.align_corners = r.align_corners;
    options.half_pixel_centers = r.half_pixel_centers;
    c.b.AddOp(Op::RESIZE_BILINEAR, 3, {c.x, c.Ints({r.h, r.w})},
              {c.Output({1, r.h, r.w, 1})}, options);
    EXPECT_EQ(c.Run("xnnpack"), r.quantized) << r.h << " x " << r.w;
    differ += c.Run("tflite") != r.quantized;
  }
  EXPECT_GT(differ, 1);
}

// Rows and sums of 8-bit tensors that a work group shares, as a GPU plans them.

using Dims = Shape;

// (code - zero point) of each output, from such of the inputs.
std::vector<float> RunShared(Op op, const std::any& attributes,
                             const Dims& dims, const Dims& out_dims,
                             const std::vector<float>& values,
                             int work_group_size) {
  Graph graph;
  Node node;
  node.inputs = {AddTensor(&graph, dims)};
  node.outputs = {AddTensor(&graph, out_dims)};
  node.attributes = attributes;
  node.integer_path = true;
  const auto got = RunGraphOf(schema::EnumNameBuiltinOperator(op), node, graph,
                              {values}, [&](DeviceProfile& profile) {
                                profile.choices.work_group_size =
                                    work_group_size;
                              });
  EXPECT_TRUE(got.ok()) << got.status();
  return got.ok() ? *got : std::vector<float>();
}

void ExpectSharedIsAlone(Op op, const std::any& attributes, const Dims& dims,
                         const Dims& out_dims) {
  Random random("quantized rows");
  std::vector<float> values(ElementCount(dims));
  for (float& value : values) {
    value = static_cast<float>(random.NextInt(-128, 127));
  }
  const auto alone = RunShared(op, attributes, dims, out_dims, values, 16);
  ASSERT_FALSE(alone.empty());
  EXPECT_EQ(alone, RunShared(op, attributes, dims, out_dims, values, 64))
      << schema::EnumNameBuiltinOperator(op);
}

TEST(RowQuantizedTest, RowsSharedByAWorkGroup) {
  GLES_SKIP_WITHOUT_DEVICE();
  SoftmaxOfQuantized quantized;
  quantized.in_scale = 0.01f;
  quantized.out_scale = 1.0f / 256;
  quantized.zero_out = -128;
  for (int d = 0; d < 256; ++d) quantized.exps.push_back(std::exp(-0.01f * d));
  SoftmaxAttributes softmax;
  softmax.quantized = std::make_shared<const SoftmaxOfQuantized>(quantized);
  // More texels than a work group has invocations, and fewer.
  for (int channels : {1001, 99}) {
    const Dims dims = {1, 2, 3, channels};
    softmax.log = false;
    ExpectSharedIsAlone(Op::SOFTMAX, softmax, dims, dims);
    softmax.log = true;
    ExpectSharedIsAlone(Op::LOG_SOFTMAX, softmax, dims, dims);
    ExpectSharedIsAlone(Op::L2_NORMALIZATION,
                        L2NormalizationOfQuantized{0, false}, dims, dims);
  }
}

TEST(RowQuantizedTest, SumsSharedByAWorkGroup) {
  GLES_SKIP_WITHOUT_DEVICE();
  CodeSums sums;
  sums.result = CodeSums::Result::kScaled;
  sums.low = -128;
  ReduceAttributes reduce;
  reduce.quantized = std::make_shared<const CodeSums>(sums);
  reduce.over = {false, true, true, false};
  ExpectSharedIsAlone(Op::SUM, reduce, {1, 40, 50, 5}, {1, 1, 1, 5});
  reduce.over = {false, false, false, true};
  ExpectSharedIsAlone(Op::SUM, reduce, {1, 2, 3, 501}, {1, 2, 3, 1});
}

}  // namespace

}  // namespace gles_delegate::testing

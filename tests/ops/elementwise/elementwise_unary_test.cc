// labels: op llvmpipe softpipe
// Functions of one tensor against TFLite's own kernels.
#include "delegate/ops/elementwise/elementwise_unary.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "delegate/graph/builtin_params.h"
#include "egl/objects.h"
#include "gl_shaders/shader.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/parse_node.h"
#include "tests/testing/special_floats.h"

namespace gles_delegate::testing {
namespace {

using BuiltinOp = Op;

class UnaryTest : public DeviceTestWithParam<UnaryOp> {};

TEST_P(UnaryTest, EveryChannelTail) {
  for (const Shape& shape : StandardShapes()) {
    ExpectMatchesCpuOnce(Unary(GetParam(), shape));
  }
}

TEST_P(UnaryTest, EveryStorageAndPrecision) {
  ExpectMatchesCpu(Unary(GetParam(), {3, 2, 3, 5}));
}

INSTANTIATE_TEST_SUITE_P(Ops, UnaryTest, ::testing::ValuesIn(kUnaryOps),
                         [](const auto& info) {
                           return UnaryOpName(info.param);
                         });

TEST(UnaryRankTest, LowRanks) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (const Shape& shape : std::vector<Shape>{{}, {5}, {3, 5}, {2, 3, 5}}) {
    ExpectMatchesCpuOnce(Unary(UnaryOp::kAbs, shape));
  }
}

// Where functions end: zeros of both signs, ties, integers past 2^23, overflow,
// infinities, and NaN. Subnormal numbers are left out: OpenGL ES lets a driver
// take them for zero (GLSL ES 3.10, 4.7.1), and TFLite's own result depends on
// the thread's floating-point mode.
const std::vector<float> kCorners = {
    0.0f,   -0.0f, 1,     -1,     0.5f,       -0.5f,      2,           -2,
    3,      -3,    1.5f,  -1.5f,  2.5f,       -2.5f,      3.5f,        -3.5f,
    6,      7,     88,    89,     -88,        -104,       -200,        1e10f,
    -1e10f, 1e6f,  3e38f, -3e38f, 1e-30f,     8388607.5f, -8388607.5f, 8388609,
    kInf,   -kInf, 20,    -20,    12345.678f, -54321,     0.49999997f, kNan};

float Flushed(float v) {
  return std::abs(v) < std::numeric_limits<float>::min() ? 0 : v;
}

class UnaryCornersTest : public DeviceTestWithParam<UnaryOp> {};

TEST_P(UnaryCornersTest, AsTflite) {
  const Shape shape = {1, 1, static_cast<int>(kCorners.size()) / 4, 4};
  for (float alpha : {0.1f, 2.0f, -0.5f}) {
    SingleOpModel model = Unary(GetParam(), shape, alpha);
    model.inputs = {kCorners};
    const RunResult ours = RunOnDelegate(model);
    const RunResult cpu = RunOnCpu(model);
    ASSERT_TRUE(ours.status.ok()) << ours.status;
    for (size_t i = 0; i < kCorners.size(); ++i) {
      const float x = kCorners[i];
      const float got = Flushed(ours.outputs[0].values[i]);
      const float want = Flushed(cpu.outputs[0].values[i]);
      // TFLite's kernels do not agree on NaN among themselves: RELU and
      // RELU_N1_TO_1 keep it, RELU6 gives 0. Ours keep it.
      if (std::isnan(want) || std::isnan(x)) {
        EXPECT_TRUE(std::isnan(got)) << model.description << " of " << x;
      } else if (std::isinf(want) || want == 0) {
        EXPECT_EQ(got, want) << model.description << " of " << x;
      } else {
        // elementwise_accuracy_test.cc bounds the error; 8 ULP here.
        EXPECT_NEAR(got, want, std::abs(want) * 0x1p-20)
            << model.description << " of " << x;
      }
    }
    if (GetParam() != UnaryOp::kLeakyRelu) break;
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, UnaryCornersTest, ::testing::ValuesIn(kUnaryOps),
                         [](const auto& info) {
                           return UnaryOpName(info.param);
                         });

TEST(GeluTest, BothForms) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (const Shape& shape : FewShapes()) {
    for (bool approximate : {false, true}) {
      const SingleOpModel model = Gelu(shape, approximate);
      for (Precision precision : kPrecisions) {
        EXPECT_THAT(RunOnDelegate(model, precision),
                    MatchesCpu(model, precision));
      }
    }
  }
}

// The one function that no op of the TFLite beside the tests reaches.
TEST(SignTest, Compiles) {
  GLES_SKIP_WITHOUT_DEVICE();
  gl_shaders::ShaderSpec spec;
  spec.shader = "copy";
  spec.tensors.resize(2);
  spec.tensors[0].name = "src";
  spec.tensors[1].name = "dst";
  spec.tensors[1].write = true;
  spec.post_ops.push_back({"sign", "", false, false, false});
  const auto text = gl_shaders::AssembleShader(spec);
  ASSERT_TRUE(text.ok()) << text.status();
  const absl::Status compiled = TestContext()->Run(
      [&] { return egl::Program::Compile(*text, "sign").status(); });
  EXPECT_TRUE(compiled.ok()) << compiled;
}

// A parser's view of one float32 tensor in, one out.
struct View {
  Tensor input, output;
  NodeView node;

  View(int code, const std::vector<int>& in, const std::vector<int>& out) {
    input.dims = in;
    input.shape = gles_delegate::Shape::FromDims(in);
    output.dims = out;
    output.shape = gles_delegate::Shape::FromDims(out);
    node.builtin_code = code;
    node.inputs = {&input};
    node.outputs = {&output};
  }
};

constexpr int kRelu = 19, kLeakyRelu = 98, kRelu0To1 = 152, kSign = 158;

// Ops that are younger than the TFLite that the tests run beside.
TEST(UnaryParseTest, NewerOps) {
  auto relu =
      Parsed(ParseUnary, View(kRelu0To1, {1, 2, 3, 4}, {1, 2, 3, 4}).node);
  ASSERT_TRUE(relu.ok()) << relu.status();
  EXPECT_EQ(relu->post_ops[0].function, "clamp");
  EXPECT_EQ(relu->post_ops[0].params[1], 1);
  auto sign = Parsed(ParseUnary, View(kSign, {4}, {4}).node);
  ASSERT_TRUE(sign.ok()) << sign.status();
  EXPECT_EQ(sign->post_ops[0].function, "sign");
}

TEST(UnaryParseTest, RefusesAnotherShape) {
  const auto parsed =
      Parsed(ParseUnary, View(kRelu, {1, 2, 3, 4}, {1, 2, 3, 5}).node);
  EXPECT_EQ(parsed.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(
      std::string(parsed.status().message()),
      HasSubstr("output is 1x2x3x5, its inputs and attributes give 1x2x3x4"));
}

TEST(UnaryParseTest, RefusesIntegers) {
  View view(kRelu, {4}, {4});
  view.input.type = DataType::kInt32;
  const auto parsed = Parsed(ParseUnary, view.node);
  EXPECT_EQ(parsed.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(parsed.status().message()), HasSubstr("int32"));
}

TEST(UnaryParseTest, RefusesMissingParameters) {
  const auto parsed = Parsed(ParseUnary, View(kLeakyRelu, {4}, {4}).node);
  EXPECT_THAT(std::string(parsed.status().message()),
              HasSubstr("no parameters"));
}

TEST(UnaryParseTest, RefusesASecondInput) {
  View view(kRelu, {4}, {4});
  view.node.inputs.push_back(&view.output);
  EXPECT_THAT(std::string(Parsed(ParseUnary, view.node).status().message()),
              HasSubstr("has 2 inputs, wants 1"));
}

}  // namespace
}  // namespace gles_delegate::testing

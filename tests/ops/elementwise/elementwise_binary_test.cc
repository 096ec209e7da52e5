// labels: op llvmpipe softpipe
// Functions of two tensors against TFLite's own kernels: every broadcast,
// constants and computed tensors on either side.
// Longer than 300 lines: an op has one test file.
#include "delegate/ops/elementwise/elementwise_binary.h"

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "delegate/graph/builtin_codes.h"
#include "delegate/graph/builtin_params.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/parse_node.h"
#include "tests/testing/special_floats.h"

namespace gles_delegate::testing {
namespace {

using BuiltinOp = Op;

constexpr float kMax = std::numeric_limits<float>::max();

constexpr BinaryOp kOps[] = {BinaryOp::kAdd,     BinaryOp::kSub,
                             BinaryOp::kMul,     BinaryOp::kDiv,
                             BinaryOp::kMaximum, BinaryOp::kMinimum,
                             BinaryOp::kPow,     BinaryOp::kSquaredDifference,
                             BinaryOp::kFloorDiv};

// Pairs of shapes that TFLite broadcasts, beside the plain ones.
const std::vector<std::pair<Shape, Shape>> kBroadcasts = {
    {{3, 2, 3, 5}, {3, 2, 3, 5}},
    {{3, 2, 3, 5}, {3, 1, 1, 5}},
    {{3, 2, 3, 5}, {1, 2, 3, 5}},
    {{3, 2, 3, 5}, {1, 1, 1, 5}},
    {{3, 2, 3, 5}, {3, 2, 3, 1}},
    {{3, 2, 3, 5}, {1, 2, 1, 1}},
    {{3, 2, 3, 5}, {1, 1, 3, 1}},
    {{3, 2, 3, 5}, {1, 1, 1, 1}},
    {{3, 2, 3, 5}, {}},
    {{3, 2, 3, 5}, {1}},
    {{3, 2, 3, 5}, {5}},
    {{3, 2, 3, 5}, {3, 5}},
    {{3, 2, 3, 5}, {2, 3, 5}},
    {{3, 2, 3, 5}, {2, 1, 5}},
    {{3, 2, 3, 5}, {2, 1, 1}},
    {{3, 2, 3, 5}, {3, 1}},
    {{2, 3, 5}, {3, 5}},
    {{2, 3, 5}, {2, 1, 1}},
    {{2, 3, 5}, {5}},
    {{3, 5}, {5}},
    {{3, 5}, {3, 1}},
    {{3, 2, 1, 5}, {1, 1, 4, 1}},
    {{3, 1, 4, 1}, {1, 2, 1, 9}},
    {{1, 4, 1, 1}, {3, 1, 2, 8}},
    {{4, 1}, {2, 1, 9}},
    // The first two of five axes are the batch.
    {{3, 2, 3, 2, 5}, {3, 1, 1, 2, 1}},
    {{3, 2, 3, 2, 5}, {1, 2, 1, 1, 5}},
    {{3, 2, 2, 1, 4}, {2, 1, 1, 1}},
    {{3, 1, 2, 2, 4}, {1, 2, 2, 1, 4}},
};

// Every pair in both orders; constants on neither, either side. SUB, which no
// exchange of operands leaves alone.
TEST(BroadcastTest, EveryPair) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (const auto& [wide, narrow] : kBroadcasts) {
    for (bool swapped : {false, true}) {
      for (Constant constant :
           {Constant::kNone, Constant::kFirst, Constant::kSecond}) {
        BinaryParams params;
        params.op = BinaryOp::kSub;
        params.a = swapped ? narrow : wide;
        params.b = swapped ? wide : narrow;
        params.constant = constant;
        ExpectMatchesCpuOnce(Binary(params));
      }
    }
  }
}

class BinaryTest : public DeviceTestWithParam<BinaryOp> {};

// The scalar form, a realigned constant, a splat on the left.
TEST_P(BinaryTest, SomeBroadcasts) {
  struct {
    Shape a, b;
    Constant constant;
  } const kCases[] = {
      {{1}, {3, 2, 3, 5}, Constant::kFirst},
      {{3, 2, 3, 5}, {}, Constant::kSecond},
      {{3, 2, 3, 5}, {3, 5}, Constant::kSecond},
      {{3, 1, 3, 1}, {1, 2, 1, 5}, Constant::kNone},
  };
  for (const auto& c : kCases) {
    BinaryParams params;
    params.op = GetParam();
    params.a = c.a;
    params.b = c.b;
    params.constant = c.constant;
    ExpectMatchesCpuOnce(Binary(params));
  }
}

TEST_P(BinaryTest, EveryChannelTail) {
  for (const Shape& shape : StandardShapes()) {
    BinaryParams params;
    params.op = GetParam();
    params.a = params.b = shape;
    ExpectMatchesCpuOnce(Binary(params));
  }
}

TEST_P(BinaryTest, EveryStorageAndPrecision) {
  for (const Shape& b : std::vector<Shape>{{3, 2, 3, 5}, {5}, {3, 1}}) {
    BinaryParams params;
    params.op = GetParam();
    params.a = {3, 2, 3, 5};
    params.b = b;
    ExpectMatchesCpu(Binary(params));
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, BinaryTest, ::testing::ValuesIn(kOps),
                         [](const auto& info) {
                           return BinaryOpName(info.param);
                         });

TEST(BinaryActivationTest, Fused) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (BinaryOp op :
       {BinaryOp::kAdd, BinaryOp::kSub, BinaryOp::kMul, BinaryOp::kDiv}) {
    for (Activation activation : kActivations) {
      for (const Shape& b : std::vector<Shape>{{3, 2, 3, 5}, {3, 5}, {1}}) {
        BinaryParams params;
        params.op = op;
        params.a = {3, 2, 3, 5};
        params.b = b;
        params.activation = activation;
        ExpectMatchesCpuOnce(Binary(params));
      }
    }
  }
}

// As TFLite's kernels do.
TEST(BinaryActivationTest, TanhIsIgnored) {
  GLES_SKIP_WITHOUT_DEVICE();
  std::vector<SingleOpModel> models;
  for (BinaryOp op :
       {BinaryOp::kAdd, BinaryOp::kSub, BinaryOp::kMul, BinaryOp::kDiv}) {
    BinaryParams params;
    params.op = op;
    params.activation = Activation::kTanh;
    models.push_back(Binary(params));
  }
  ConvParams conv;
  conv.activation = Activation::kTanh;
  models.push_back(Conv2d(conv));
  DepthwiseParams depthwise;
  depthwise.activation = Activation::kTanh;
  models.push_back(DepthwiseConv2d(depthwise));
  PoolParams pool;
  pool.activation = Activation::kTanh;
  models.push_back(Pool2d(pool));
  for (const SingleOpModel& model : models) {
    EXPECT_THAT(RunOnDelegate(model), MatchesCpu(model)) << model.description;
  }
}

TEST(BinaryFormsTest, TheSameTensorTwice) {
  GLES_SKIP_WITHOUT_DEVICE();
  Accuracy accuracy;
  accuracy.terms = 2;
  const SingleOpModel model =
      MakeModel("ADD of x and x", accuracy, [](OpVariant& v) {
        const int x = v.Input("x", {1, 4, 4, 5}, v.random().Gaussian(80));
        return v.Op(BuiltinOp::ADD, 1, {x, x}, schema::AddOptionsT());
      });
  ExpectMatchesCpu(model);
}

TEST(BinaryFormsTest, FloorDivAndFloorMod) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (const auto& shapes :
       std::vector<std::pair<Shape, Shape>>{{{1, 8, 8, 5}, {1, 8, 8, 5}},
                                            {{1, 8, 8, 5}, {5}},
                                            {{1}, {2, 8, 5}}}) {
    const Shape& a = shapes.first;
    const Shape& b = shapes.second;
    for (BuiltinOp op : {BuiltinOp::FLOOR_DIV, BuiltinOp::FLOOR_MOD}) {
      Accuracy exact;
      exact.terms = 0;
      const SingleOpModel model = MakeModel(
          schema::EnumNameBuiltinOperator(op), exact, [&](OpVariant& v) {
            const int x =
                v.Input("x", a, v.random().Gaussian(ElementCount(a), 0, 1e4));
            const int y =
                v.Input("y", b, v.random().Gaussian(ElementCount(b), 0, 3));
            return v.Op(op, 1, {x, y});
          });
      ExpectMatchesCpuOnce(model);
    }
  }
}

TEST(AddNTest, AnyNumberOfInputs) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (int n : {2, 3, 4, 7}) {
    ExpectMatchesCpuOnce(AddN({3, 2, 3, 5}, n));
  }
}

// The pass that reads the unpadded shortcut of x + PAD(y): fewer slices, fewer
// channels in the last one, a single channel.
TEST(ChannelPaddingTest, IntoASum) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (const auto& channels : std::vector<std::pair<int, int>>{
           {1, 9}, {3, 4}, {4, 8}, {5, 17}, {8, 9}}) {
    const int narrow = channels.first;
    const int wide = channels.second;
    Accuracy accuracy;
    accuracy.terms = 2;
    const std::string name =
        "PAD then ADD " + std::to_string(narrow) + " " + std::to_string(wide);
    const SingleOpModel model =
        MakeModel(name, accuracy, true, [&](OpVariant& v) {
          const Shape x_shape = {2, 3, 4, wide}, y_shape = {2, 3, 4, narrow};
          const int x =
              v.Input("x", x_shape, v.random().Gaussian(ElementCount(x_shape)));
          const int y =
              v.Input("y", y_shape, v.random().Gaussian(ElementCount(y_shape)));
          const int paddings = v.IntConstant(
              "paddings", {4, 2}, {0, 0, 0, 0, 0, 0, 0, wide - narrow});
          const int padded = v.Op(BuiltinOp::PAD, 1, {y, paddings});
          return v.Op(BuiltinOp::ADD, 1, {x, padded}, schema::AddOptionsT());
        });
    ExpectMatchesCpu(model);
  }
}

// All pairs of these, against TFLite.
const std::vector<float> kCorners = {
    0.0f,  -0.0f,  1,      -1,    0.5f,  -0.5f, 2,      -2,    3,      -3,
    1.5f,  -1.5f,  2.5f,   -2.5f, 7,     88,    -104,   1e10f, -1e10f, 8388609,
    3e38f, -3e38f, 1e-30f, kInf,  -kInf, kNan,  0.999f, 1.001f};

SingleOpModel CornerModel(BuiltinOp op) {
  std::vector<float> a, b;
  for (float x : kCorners) {
    for (float y : kCorners) {
      // TFLite's FLOOR_DIV refuses zero at run time; a GPU cannot.
      if (op == BuiltinOp::FLOOR_DIV && y == 0) continue;
      a.push_back(x);
      b.push_back(y);
    }
  }
  const Shape shape = {static_cast<int>(a.size())};
  SingleOpModel model = MakeModel(
      schema::EnumNameBuiltinOperator(op), Accuracy(), [&](OpVariant& v) {
        const std::vector<float> ones(a.size(), 1);
        const int x = v.Input("x", shape, ones);
        const int y = v.Input("y", shape, ones);
        switch (op) {
          case BuiltinOp::ADD:
            return v.Op(op, 1, {x, y}, schema::AddOptionsT());
          case BuiltinOp::SUB:
            return v.Op(op, 1, {x, y}, schema::SubOptionsT());
          case BuiltinOp::MUL:
            return v.Op(op, 1, {x, y}, schema::MulOptionsT());
          case BuiltinOp::DIV:
            return v.Op(op, 1, {x, y}, schema::DivOptionsT());
          default:
            return v.Op(op, 1, {x, y});
        }
      });
  model.inputs = {a, b};
  return model;
}

// TFLite's built-in kernels clamp the results of ADD, SUB, MUL and DIV to
// finite numbers even without an activation; XNNPACK's and ours do not.
// Subnormal results are zero where a driver, or the thread's mode, flushes
// them.
float Plain(float v) {
  if (std::abs(v) == kMax) return std::copysign(kInf, v);
  return std::abs(v) < std::numeric_limits<float>::min() ? 0 : v;
}

class BinaryCornersTest : public DeviceTestWithParam<BuiltinOp> {};

TEST_P(BinaryCornersTest, AsTflite) {
  const SingleOpModel model = CornerModel(GetParam());
  const RunResult ours = RunOnDelegate(model);
  const RunResult cpu = RunOnCpu(model);
  ASSERT_TRUE(ours.status.ok()) << ours.status;
  ASSERT_TRUE(cpu.status.ok()) << cpu.status;
  for (size_t i = 0; i < model.inputs[0].size(); ++i) {
    const std::string at = model.description + " of " +
                           std::to_string(model.inputs[0][i]) + " and " +
                           std::to_string(model.inputs[1][i]);
    const float got = Plain(ours.outputs[0].values[i]);
    const float want = Plain(cpu.outputs[0].values[i]);
    if (std::isnan(want)) {
      EXPECT_TRUE(std::isnan(got)) << at << " gave " << got;
    } else if (std::isinf(want) || want == 0) {
      EXPECT_EQ(got, want) << at;
    } else {
      // Division is within 2.5 ULP (GLSL ES 3.10, 4.7.1), pow within 2: 4 here.
      EXPECT_NEAR(got, want, std::abs(want) * 0x1p-21) << at;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Ops, BinaryCornersTest,
    ::testing::Values(BuiltinOp::ADD, BuiltinOp::SUB, BuiltinOp::MUL,
                      BuiltinOp::DIV, BuiltinOp::MAXIMUM, BuiltinOp::MINIMUM,
                      BuiltinOp::POW, BuiltinOp::SQUARED_DIFFERENCE,
                      BuiltinOp::FLOOR_DIV, BuiltinOp::FLOOR_MOD),
    [](const auto& info) {
      return schema::EnumNameBuiltinOperator(info.param);
    });

// A parser's view of two float32 tensors in, one out.
struct View {
  Tensor a, b, output;
  AddParams params = {};
  NodeView node;

  View(int code, const std::vector<int>& x, const std::vector<int>& y,
       const std::vector<int>& out) {
    Set(&a, x);
    Set(&b, y);
    Set(&output, out);
    node.builtin_code = code;
    node.builtin_params = &params;
    node.inputs = {&a, &b};
    node.outputs = {&output};
  }
  static void Set(Tensor* t, const std::vector<int>& dims) {
    t->dims = dims;
    t->shape = gles_delegate::Shape::FromDims(dims);
  }
};

constexpr int kAddCode = 0;
constexpr int kSubCode = 41;

TEST(BinaryParseTest, RefusesShapesThatDoNotBroadcast) {
  const View view(kAddCode, {1, 2, 3, 4}, {1, 2, 3, 5}, {1, 2, 3, 5});
  const auto parsed = Parsed(ParseBinary, view.node);
  EXPECT_EQ(parsed.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(parsed.status().message()),
              HasSubstr("[1,2,3,4] and [1,2,3,5] do not broadcast"));
}

// TFLite's kernel goes through both by the first one's shape.
TEST(BinaryParseTest, StablehloTakesEqualShapesOfPlainNumbers) {
  for (int code :
       {BuiltinOperator_STABLEHLO_ADD, BuiltinOperator_STABLEHLO_MULTIPLY,
        BuiltinOperator_STABLEHLO_MAXIMUM, BuiltinOperator_STABLEHLO_MINIMUM}) {
    EXPECT_TRUE(ParseBinary(View(code, {2, 4}, {2, 4}, {2, 4}).node).ok());
    const View broadcast(code, {2, 4}, {4}, {2, 4});
    EXPECT_THAT(
        std::string(Parsed(ParseBinary, broadcast.node).status().message()),
        HasSubstr("they must be equal"));
    View quantized(code, {4}, {4}, {4});
    quantized.a.quantized = DataType::kInt8;
    EXPECT_THAT(
        std::string(Parsed(ParseBinary, quantized.node).status().message()),
        HasSubstr("quantized"));
  }
}

TEST(BinaryParseTest, RefusesAWrongOutput) {
  const View view(kAddCode, {1, 2, 3, 4}, {4}, {1, 2, 3, 5});
  const auto parsed = Parsed(ParseBinary, view.node);
  EXPECT_EQ(parsed.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(parsed.status().message()),
              HasSubstr("broadcast to [1,2,3,4]"));
}

TEST(BinaryParseTest, RefusesMixedTypes) {
  View view(kAddCode, {4}, {4}, {4});
  view.b.type = DataType::kInt32;
  EXPECT_EQ(Parsed(ParseBinary, view.node).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(BinaryParseTest, RefusesAnUnknownActivation) {
  View view(kAddCode, {4}, {4}, {4});
  view.params.activation = kActSignBit;
  EXPECT_THAT(std::string(Parsed(ParseBinary, view.node).status().message()),
              HasSubstr("fused activation 5"));
}

TEST(BinaryParseTest, ScalarConstantsAreParameters) {
  View view(kSubCode, {1}, {1, 2, 2, 4}, {1, 2, 2, 4});
  view.a.constant = ConstantData::Own({0, 0, 0, 0x40});  // 2.0f
  const auto parsed = Parsed(ParseBinary, view.node);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  ASSERT_EQ(parsed->post_ops.size(), 1u);
  EXPECT_EQ(parsed->post_ops[0].operand, kNoTensor);
  EXPECT_EQ(parsed->post_ops[0].params[0], 2.0f);
  EXPECT_EQ(parsed->post_ops[0].params[1], 1);  // 2 - x, not x - 2
}

TEST(BinaryParseTest, TheComputedTensorIsTheSource) {
  View view(kSubCode, {1, 2, 2, 4}, {1, 2, 2, 4}, {1, 2, 2, 4});
  view.a.constant = ConstantData::Own(std::vector<uint8_t>(64));
  const auto parsed = Parsed(ParseBinary, view.node);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(std::any_cast<ElementwiseAttributes>(parsed->attributes).source, 1);
  EXPECT_EQ(parsed->post_ops[0].operand, 0);
  EXPECT_TRUE(parsed->post_ops[0].operand_first);
}

TEST(AddNParseTest, RefusesAnotherShape) {
  const View view(106, {1, 2, 2, 4}, {4}, {1, 2, 2, 4});
  EXPECT_THAT(
      std::string(Parsed(ParseAddN, view.node).status().message()),
      HasSubstr("input 1 is 4, input 0 is 1x2x2x4; they must be equal"));
}

}  // namespace
}  // namespace gles_delegate::testing

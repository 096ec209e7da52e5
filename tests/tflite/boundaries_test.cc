// labels: op delegate llvmpipe
// What stands at the edge of real models: images of uint8 without quantization
// parameters, int64 positions, float16 tensors, absent optional inputs; and
// models that hold them from end to end.
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/graph/op.h"
#include "delegate/ops/signature.h"
#include "quant/half.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"
#include "tests/testing/op_models.h"
#include "tools/op_models/op_variant.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

class BoundariesTest : public DeviceTest {};

schema::CastOptionsT CastOptions(TensorType from, TensorType to) {
  schema::CastOptionsT options;
  options.in_data_type = from;
  options.out_data_type = to;
  return options;
}

// --- CAST -------------------------------------------------------------------

// Of int64 past int32, beside TFLite's own kernel, to the last bit.
TEST_F(BoundariesTest, GreatInt64) {
  const std::vector<int64_t> values = {0,
                                       1,
                                       -1,
                                       2147483647,
                                       2147483648,
                                       -2147483649,
                                       4294967296,
                                       1LL << 40,
                                       -(1LL << 41) + 7,
                                       123456789012345,
                                       std::numeric_limits<int64_t>::max(),
                                       std::numeric_limits<int64_t>::min()};
  for (TensorType to :
       {TensorType::FLOAT32, TensorType::INT32, TensorType::BOOL}) {
    ModelBuilder b;
    const Shape shape = {static_cast<int>(values.size())};
    const int x = b.AddInput("x", shape, TensorType::INT64);
    const int y = b.AddTensor("y", shape, to);
    b.AddOp(Op::CAST, 1, {x}, {y}, CastOptions(TensorType::INT64, to));
    b.SetOutputs({y});
    const auto model = LoadOrDie(b.Finish());
    std::vector<uint8_t> bytes[2];
    OnBothProcessors(*model, 1, [&](Interpreter& interpreter, bool on_gpu) {
      ASSERT_TRUE(interpreter.input(0).Write(values).ok());
      const absl::Status invoked = interpreter.Invoke();
      ASSERT_TRUE(invoked.ok()) << invoked;
      const auto out = interpreter.output(0).bytes();
      bytes[on_gpu].assign(out.begin(), out.end());
    });
    EXPECT_EQ(bytes[0], bytes[1]) << schema::EnumNameTensorType(to);
  }
}

TEST_F(BoundariesTest, FloatsToGreatInt64) {
  ModelBuilder b;
  const int x = b.AddInput("x", {6});
  const int y = b.AddTensor("y", {6}, TensorType::INT64);
  b.AddOp(Op::CAST, 1, {x}, {y},
          CastOptions(TensorType::FLOAT32, TensorType::INT64));
  b.SetOutputs({y});
  const auto model = LoadOrDie(b.Finish());
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = Applied(*model, delegate);
  EXPECT_EQ(ReportOf(delegate)["nodes_delegated"], 1);
  const std::vector<float> values = {1e12f, -1e12f, 2.9f, -2.9f, 0, 5e9f};
  ASSERT_TRUE(interpreter->input(0).Write(values).ok());
  ASSERT_TRUE(interpreter->Invoke().ok());
  const auto got = interpreter->output(0).data<int64_t>();
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(got[i], static_cast<int64_t>(values[i]));
  }
}

// --- int64 positions ---------------------------------------------------------

template <typename Options>
SingleOpModel Int64Extreme(Op op, int axis) {
  const Shape shape = {2, 5, 7, 6};
  return MakeModel(
      absl::StrCat(schema::EnumNameBuiltinOperator(op), " to int64 along ",
                   axis),
      Accuracy{/*terms=*/0}, [&](OpVariant& v) {
        const int x =
            v.Input("x", shape, v.random().Gaussian(ElementCount(shape)));
        const int64_t along = axis;
        const int a = v.builder().AddConstant<int64_t>(
            "axis", {}, std::vector<int64_t>{along});
        Options options;
        options.output_type = TensorType::INT64;
        return v.OfType(v.Op(op, 1, {x, a}, options), TensorType::INT64);
      });
}

TEST_F(BoundariesTest, ArgExtremesToInt64) {
  for (int axis : {0, 1, 2, 3, -1}) {
    ExpectMatchesCpuOnce(
        Int64Extreme<schema::ArgMaxOptionsT>(Op::ARG_MAX, axis));
    ExpectMatchesCpuOnce(
        Int64Extreme<schema::ArgMinOptionsT>(Op::ARG_MIN, axis));
  }
}

// --- 8-bit images without quantization ---------------------------------------

TEST_F(BoundariesTest, PlainBytesAreMoved) {
  for (TensorType type : {TensorType::UINT8, TensorType::INT8}) {
    const Shape shape = {1, 4, 6, 3};
    const auto model = [&](const std::string& name, auto op) {
      return MakeModel(
          absl::StrCat(name, " of plain ", schema::EnumNameTensorType(type)),
          Accuracy{/*terms=*/0}, [&](OpVariant& v) {
            std::vector<float> values(ElementCount(shape));
            for (float& x : values) x = v.random().NextInt(0, 127);
            const int x = v.OfType(v.Input("x", shape, values), type);
            return v.OfType(op(v, x), type);
          });
    };
    ExpectMatchesCpuOnce(model("TRANSPOSE", [](OpVariant& v, int x) {
      const int p = v.IntConstant("p", {4}, {0, 2, 1, 3});
      return v.Op(Op::TRANSPOSE, 1, {x, p});
    }));
    ExpectMatchesCpuOnce(model("SLICE", [](OpVariant& v, int x) {
      const int begin = v.IntConstant("b", {4}, {0, 1, 2, 0});
      const int size = v.IntConstant("s", {4}, {1, 2, -1, 3});
      return v.Op(Op::SLICE, 1, {x, begin, size});
    }));
  }
}

// --- float16 -----------------------------------------------------------------

// Moved values keep every bit, subnormal numbers among them.
TEST_F(BoundariesTest, HalvesEnterAndLeave) {
  ModelBuilder b;
  const Shape shape = {1, 2, 3, 5};
  const int x = b.AddInput("x", shape, TensorType::FLOAT16);
  const int y = b.AddTensor("y", shape);
  const int z = b.AddTensor("z", shape);
  b.AddOp(Op::DEQUANTIZE, 3, {x}, {y});
  b.AddOp(Op::NEG, 1, {y}, {z});
  const int moved = b.AddTensor("moved", {6, 5}, TensorType::FLOAT16);
  const int to = b.AddConstant<int32_t>("to", {2}, std::vector<int32_t>{6, 5});
  b.AddOp(Op::RESHAPE, 1, {x, to}, {moved});
  b.SetOutputs({z, moved});
  const auto model = LoadOrDie(b.Finish());
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = Applied(*model, delegate);
  EXPECT_EQ(ReportOf(delegate)["nodes_delegated"], 3);
  std::vector<uint16_t> halves(30);
  for (size_t i = 0; i < halves.size(); ++i) {
    halves[i] = FloatToHalf(0.37f * static_cast<float>(i) - 4);
  }
  halves[3] = 0x0001;  // the least half
  halves[4] = 0x7bff;  // the largest
  ASSERT_TRUE(interpreter->input(0).Write(halves).ok());
  ASSERT_TRUE(interpreter->Invoke().ok());
  const auto got = interpreter->output(0).data<float>();
  for (size_t i = 0; i < halves.size(); ++i) {
    EXPECT_EQ(got[i], -HalfToFloat(halves[i])) << i;
  }
  const auto same = interpreter->output(1).data<uint16_t>();
  EXPECT_EQ(std::vector<uint16_t>(same.begin(), same.end()), halves);
}

// --- Absent optional inputs --------------------------------------------------

TEST_F(BoundariesTest, PadWithoutAValue) {
  const Shape shape = {1, 2, 3, 5};
  for (Op op : {Op::PAD, Op::PADV2}) {
    ExpectMatchesCpuOnce(MakeModel(
        absl::StrCat(schema::EnumNameBuiltinOperator(op), " without a value"),
        Accuracy{/*terms=*/0}, [&](OpVariant& v) {
          const int x =
              v.Input("x", shape, v.random().Gaussian(ElementCount(shape)));
          const int p = v.IntConstant("p", {4, 2}, {0, 0, 1, 2, 0, 1, 2, 0});
          return v.Op(op, 1, {x, p, -1});
        }));
  }
}

TEST(SignatureTest, AbsentInputsBehindTheLastAreNotCounted) {
  const Tensor x = {};
  const auto fits = [](const char* signature, const NodeView& node) {
    OpDefinition op;
    op.signature = signature;
    return CheckSignature(op, node).ok();
  };
  NodeView node;
  node.inputs = {&x, nullptr, nullptr};
  node.outputs = {&x};
  EXPECT_TRUE(fits("a:- -> b:-", node));
  EXPECT_TRUE(fits("a:- c?:- -> b:-", node));
  EXPECT_FALSE(fits("a:- c:- d?:- -> b:-", node));
  node.inputs = {&x, nullptr, &x};
  EXPECT_FALSE(fits("a:- c?:- -> b:-", node));
}

}  // namespace
}  // namespace gles_delegate::testing

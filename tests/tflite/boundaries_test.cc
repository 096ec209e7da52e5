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
#include "delegate/ops/op_list.h"
#include "quant/half.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"
#include "tools/cases/model.h"

namespace gles_delegate::testing {
namespace {

class BoundariesTest : public DeviceTest {};

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
  for (const char* to : {"FLOAT32 -> f32", "INT32 -> i32", "BOOL -> bool"}) {
    const auto model = LoadOrDie(
        cases::ModelOf(
            absl::StrCat("CAST x=i64[12] in_data_type=INT64 out_data_type=",
                         to))
            .bytes);
    std::vector<uint8_t> bytes[2];
    OnBothProcessors(*model, 1, [&](Interpreter& interpreter, bool on_gpu) {
      ASSERT_TRUE(interpreter.input(0).Write(values).ok());
      const absl::Status invoked = interpreter.Invoke();
      ASSERT_TRUE(invoked.ok()) << invoked;
      const auto out = interpreter.output(0).bytes();
      bytes[on_gpu].assign(out.begin(), out.end());
    });
    EXPECT_EQ(bytes[0], bytes[1]) << to;
  }
}

TEST_F(BoundariesTest, FloatsToGreatInt64) {
  const auto model =
      LoadOrDie(cases::ModelOf("CAST x=[6] out_data_type=INT64 -> i64").bytes);
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

// --- float16 -----------------------------------------------------------------

// Moved values keep every bit, subnormal numbers among them.
TEST_F(BoundariesTest, HalvesEnterAndLeave) {
  const auto model = LoadOrDie(
      cases::ModelOf("DEQUANTIZE@3 x=f16[1,2,3,5] -> y:f32 ; NEG y -> f32 ; "
                     "RESHAPE x shape=(6,5) -> f16")
          .bytes);
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

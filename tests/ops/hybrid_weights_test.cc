// labels: op quant llvmpipe
// Hybrid ops with a state: 8-bit weights beside float32 activations. TFLite's
// kernels read the bytes as int8, whatever the type and the zero point say.
// Sums of products are rows of tools/cases.
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "tests/testing/device_test.h"
#include "tests/testing/single_op.h"
#include "tests/testing/stateful.h"
#include "tools/cases/model.h"

namespace gles_delegate::testing {
namespace {

// {w} are weights; a version of 3 has 8-bit ones.
constexpr char kSvdf[] =
    "SVDF{v} x=[1,5]~i-128..128/64 feature={w}[6,5]{d} time={w}[6,4]{d} "
    "bias=const:f32[3](0.5,-1.5,1) state=state:[1,24] rank=2";
constexpr char kLstm[] =
    "LSTM{v} x=[3,5]~i-128..128/64 w={w}[9,5]{d}*4 r={w}[9,5]{d}*4 p=-*3 "
    "b=const:f32[9](0.5,-1.5,1,0.25)*4 projects={w}[5,9]{d} pb=- "
    "h=state:[3,5] c=state:[3,9] norms=-*4 fused_activation_function=TANH";

std::string Sequence() {
  return absl::StrReplaceAll(
      kLstm,
      {{"LSTM{v} x=[3,5]", "UNIDIRECTIONAL_SEQUENCE_LSTM{v} x=[3,3,5]"}});
}

// The model with the same weights, bytes of 1/128, as `type`.
SingleOpModel WithWeights(const std::string& text, const std::string& type) {
  std::vector<float> values;
  for (int v : {13, -77, 101, 5, -127, 64, -31, 88, 120, -9, -50, 41, 2}) {
    values.push_back(type == "u8"    ? static_cast<float>(v & 255)
                     : type == "f32" ? static_cast<float>(v) / 128
                                     : static_cast<float>(v));
  }
  return cases::ModelOf(absl::StrReplaceAll(
      text, {{"{v}", type == "f32" ? "" : "@3"},
             {"{d}", "(" + absl::StrJoin(values, ",") + ")"},
             {"{w}", type == "f32"  ? "const:f32"
                     : type == "u8" ? "const:u8@(0.0078125,128)"
                                    : "const:i8@(0.0078125,0)"}}));
}

std::vector<float> Values(const RunResult& run) {
  EXPECT_TRUE(run.status.ok()) << run.status;
  return run.status.ok() ? run.outputs[0].values : std::vector<float>();
}

class HybridWeightsTest : public DeviceTest {};

// uint8 weights give what the same bytes as int8 give: on the CPU (that is the
// rule) and on the GPU; and the two agree but for the CPU's rounding of
// activations to 8 bits.
TEST_F(HybridWeightsTest, Uint8IsReadAsInt8) {
  for (const std::string& text :
       {std::string(kSvdf), kLstm + std::string(), Sequence()}) {
    SCOPED_TRACE(text);
    const SingleOpModel int8 = WithWeights(text, "i8");
    SingleOpModel uint8 = WithWeights(text, "u8");
    uint8.inputs = int8.inputs;
    RunOptions once;  // as the CPU: states change from run to run
    once.invokes = 1;
    const auto cpu = Values(RunOnCpu(uint8));
    const auto gpu = Values(RunOnDelegate(uint8, once));
    EXPECT_EQ(cpu, Values(RunOnCpu(int8)));
    EXPECT_EQ(gpu, Values(RunOnDelegate(int8, once)));
    ASSERT_EQ(gpu.size(), cpu.size());
    for (size_t i = 0; i < cpu.size(); ++i) {
      EXPECT_NEAR(gpu[i], cpu[i], text == kSvdf ? 0.2f : 0.05f) << i;
    }
  }
}

// Compared with TFLite's float kernel on the same weights, over several steps.
TEST_F(HybridWeightsTest, WeightsOfDynamicRange) {
  for (const std::string& text : {std::string(kLstm), Sequence()}) {
    StatefulPair pair(WithWeights(text, "f32").bytes,
                      WithWeights(text, "i8").bytes);
    for (int i = 0; i < 3; ++i) pair.Step();
  }
}

}  // namespace
}  // namespace gles_delegate::testing

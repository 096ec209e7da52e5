// labels: op quant
// RSQRT of quantized values below the zero point, which TFLite's kernel does
// not take.
#include "absl/strings/str_cat.h"
#include "tests/testing/device.h"
#include "tests/testing/single_op.h"
#include "tools/cases/model.h"

namespace gles_delegate::testing {
namespace {

// docs/supported_ops.md: the greatest code, where the CPU's Invoke fails. Of
// the zero point, too, as on the CPU.
TEST(RootQuantizedTest, OfQuantizedValuesBelowTheZeroPointIsTheGreatest) {
  GLES_SKIP_WITHOUT_DEVICE();
  const auto make = [](const char* quantized) {
    return cases::ModelOf(absl::StrCat("RSQRT@2 x=i8@(0.5,3)[1,1,1,5](",
                                       quantized, ") -> i8@(0.125,-20)"));
  };
  const SingleOpModel model = make("-128,2,3,4,127");
  EXPECT_FALSE(RunOnCpu(model).status.ok());
  const RunResult gpu = RunOnDelegate(model);
  ASSERT_TRUE(gpu.status.ok()) << gpu.status;
  const RunResult right = RunOnCpu(make("3,3,3,4,127"));
  ASSERT_TRUE(right.status.ok()) << right.status;
  EXPECT_EQ(gpu.outputs[0].values, right.outputs[0].values);
  EXPECT_EQ(gpu.outputs[0].values[0], 0.125f * (127 + 20));
}

}  // namespace
}  // namespace gles_delegate::testing

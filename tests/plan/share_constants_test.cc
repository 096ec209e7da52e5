// labels: op llvmpipe
// Weights that several nodes have in common are on the GPU once.
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"
#include "tools/op_models/random.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

class ShareConstantsTest : public DeviceTest {
 protected:
  // A chain of FULLY_CONNECTED, each by the weights of that number. Returns the
  // bytes of constants on the GPU.
  static int ConstantsOf(const std::vector<int>& weights) {
    Random random("share constants");
    const Shape shape = {3, 24};
    ModelBuilder b;
    std::vector<int> matrices;
    for (int i = 0; i < 2; ++i) {
      matrices.push_back(b.AddConstant<float>(
          absl::StrCat("w", i), {24, 24}, random.Gaussian(24 * 24, 0, 0.2f)));
    }
    int x = b.AddInput("x", shape);
    for (int which : weights) {
      const int y = b.AddTensor("y", shape);
      b.AddOp(Op::FULLY_CONNECTED, 1, {x, matrices[which], -1}, {y},
              schema::FullyConnectedOptionsT());
      x = y;
    }
    b.SetOutputs({x});
    const auto model = LoadOrDie(b.Finish());
    const DelegatePtr delegate = MakeDelegate();
    const auto interpreter = Applied(*model, delegate);
    ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
    return ReportOf(delegate)["gpu_bytes"]["constants"];
  }
};

TEST_F(ShareConstantsTest, TheSameWeightsAreUploadedOnce) {
  const int one = ConstantsOf({0});
  EXPECT_GT(one, 0);
  EXPECT_EQ(ConstantsOf({0, 0, 0}), one);
  EXPECT_EQ(ConstantsOf({0, 1, 0, 1}), 2 * one);
}

}  // namespace
}  // namespace gles_delegate::testing

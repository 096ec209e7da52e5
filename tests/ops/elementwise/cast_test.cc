// labels: op llvmpipe softpipe
// CAST out of range; other cases are rows of tools/cases/typed.txt.

#include <cmath>
#include <limits>

#include "tests/testing/device_test.h"
#include "tests/testing/single_op.h"
#include "tests/testing/special_floats.h"
#include "tools/cases/model.h"

namespace gles_delegate::testing {
namespace {

class CastTest : public DeviceTest {};

// Values outside of int32, for which C++ leaves TFLite 2.9's result open: later
// kernels take the nearest, and the greatest for NaN.
TEST_F(CastTest, OutOfRange) {
  SingleOpModel model =
      cases::ModelOf("CAST x=f32[8] out_data_type=INT32 -> i32");
  model.inputs[0] = {2147483648.0f, 1e20f, kInf, NAN, -NAN, -3e9f, -kInf, 7};
  const RunResult result = RunOnDelegate(model);
  ASSERT_TRUE(result.status.ok()) << result.status;
  constexpr int kMax = std::numeric_limits<int>::max();
  constexpr int kMin = std::numeric_limits<int>::min();
  EXPECT_THAT(
      result.outputs[0].ints,
      ::testing::ElementsAre(kMax, kMax, kMax, kMax, kMax, kMin, kMin, 7));
}

}  // namespace
}  // namespace gles_delegate::testing

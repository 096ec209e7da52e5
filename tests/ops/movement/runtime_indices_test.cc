// labels: op llvmpipe softpipe oldest_tflite
// Indices and lengths outside their range, which only a shader sees. TFLite
// fails on them, or reads past the end: results are worked out by hand.
#include <vector>

#include "tests/testing/device_test.h"
#include "tests/testing/single_op.h"
#include "tools/cases/model.h"

namespace gles_delegate::testing {
namespace {

using Values = std::vector<float>;

class RuntimeIndicesTest : public DeviceTest {
 protected:
  static void Expect(const char* text, std::vector<Values> inputs,
                     const Values& expected) {
    SCOPED_TRACE(text);
    SingleOpModel model = cases::ModelOf(text);
    if (!model.status.ok()) return;  // younger than TFLite 2.9
    model.inputs = std::move(inputs);
    const RunResult result = RunOnDelegate(model);
    ASSERT_TRUE(result.status.ok()) << result.status;
    EXPECT_EQ(result.outputs[0].values, expected);
  }
};

TEST_F(RuntimeIndicesTest, AreClamped) {
  Expect("GATHER x=[3,2] indices=i32[5] axis=0",
         {{0, 1, 10, 11, 20, 21}, {-1, 3, 2147483520, -2147483648.0f, 1}},
         {0, 1, 20, 21, 20, 21, 0, 1, 10, 11});
  Expect(
      "GATHER_ND x=[2,3] indices=i32[4,2]",
      {{0, 1, 2, 10, 11, 12}, {-1, 1, 2, 3, 2147483520, -2147483648.0f, 1, 2}},
      {1, 12, 10, 12});
  Expect("REVERSE_SEQUENCE x=[2,3] lengths=i32[2] seq_dim=1",
         {{0, 1, 2, 10, 11, 12}, {7, -2}}, {2, 1, 0, 10, 11, 12});
}

TEST_F(RuntimeIndicesTest, OutsideAddNothing) {
  Expect("SCATTER_ND indices=i32[5,1] updates=[5] shape=(3) -> f32",
         {{-1, 0, 2, 3, 2}, {1, 2, 4, 8, 16}}, {2, 0, 20});
  Expect("UNSORTED_SEGMENT_SUM x=[4,3] ids=i32[4] segments=4 -> t ; NEG t",
         {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {0, 7, 0, 3}},
         {-8, -10, -12, 0, 0, 0, 0, 0, 0, -10, -11, -12});
}

}  // namespace
}  // namespace gles_delegate::testing

// labels: op llvmpipe softpipe
// L2_NORMALIZATION against TFLite's own kernel, and what its parser refuses.
#include "delegate/ops/reduction/l2_normalization.h"

#include <cmath>

#include "delegate/graph/builtin_params.h"
#include "delegate/ops/all_ops.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/parse_node.h"
#include "tests/testing/run_node.h"

namespace gles_delegate::testing {
namespace {

class L2NormalizationTest : public DeviceTest {};

TEST_F(L2NormalizationTest, EveryShape) {
  for (const Shape& shape : StandardShapes()) {
    ExpectMatchesCpuOnce(L2Normalization(shape));
  }
}

TEST_F(L2NormalizationTest, LowerRanks) {
  ExpectMatchesCpuOnce(L2Normalization({7}));
  ExpectMatchesCpuOnce(L2Normalization({3, 1001}));
  ExpectMatchesCpuOnce(L2Normalization({3, 4, 5}));
}

// The norm counts as 1e-6 at least; zeros stay zeros.
TEST_F(L2NormalizationTest, SmallNorms) {
  ExpectMatchesCpuOnce(L2Normalization({2, 3, 5}, 1e-7f));
  ExpectMatchesCpuOnce(L2Normalization({2, 3, 5}, 1e-5f));
  SingleOpModel zeros = L2Normalization({1, 3, 5});
  for (float& x : zeros.inputs[0]) x = 0;
  ExpectMatchesCpuOnce(zeros);
}

// A row with a NaN is NaN.
TEST_F(L2NormalizationTest, NotANumber) {
  SingleOpModel model = L2Normalization({3, 17});
  model.inputs[0][20] = NAN;
  ExpectMatchesCpuOnce(model);
}

TEST_F(L2NormalizationTest, PrecisionsAndStorages) {
  ExpectMatchesCpu(L2Normalization({2, 3, 4, 6}));
}

// As a GPU plans it: a work group shares each pixel.
TEST_F(L2NormalizationTest, PixelsSharedByAWorkGroup) {
  for (const Shape& shape : {Shape{1, 1001}, Shape{2, 3, 37}}) {
    const SingleOpModel model = L2Normalization(shape);
    const NodeRun run = RunNode(
        "L2_NORMALIZATION", ParsedNode{}, {shape}, shape, model.inputs,
        [](DeviceProfile& profile) { profile.choices.work_group_size = 64; });
    EXPECT_THAT(run.result, MatchesCpu(model));
    if (shape.back() > 100) {
      EXPECT_GE(run.dispatches[0].work_group[0], 8);
    }
  }
}

TEST(ParseL2NormalizationTest, Refusals) {
  ActivationParams params = {kActNone};
  const Tensor input = FakeTensor({2, 3});
  EXPECT_EQ(Refusal(ParseL2Normalization, {input}, {input}, &params), "");
  EXPECT_THAT(
      Refusal(ParseL2Normalization, {input}, {FakeTensor({3, 2})}, &params),
      HasSubstr("output is 3x2, its inputs and attributes give 2x3"));
  params.activation = kActRelu;
  EXPECT_THAT(Refusal(ParseL2Normalization, {input}, {input}, &params),
              HasSubstr("has the fused activation 1"));
  EXPECT_THAT(Refusal(ParseL2Normalization, {input}, {input}),
              HasSubstr("no parameters"));
}

}  // namespace
}  // namespace gles_delegate::testing

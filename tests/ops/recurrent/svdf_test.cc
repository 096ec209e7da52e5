// labels: op llvmpipe softpipe
// SVDF against TFLite's own kernel, over several invokes with the state kept,
// and what its parser refuses.
#include "delegate/ops/recurrent/svdf.h"

#include "delegate/graph/builtin_params.h"
#include "gtest/gtest.h"
#include "tests/testing/device.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_models.h"
#include "tests/testing/parse_node.h"
#include "tests/testing/random.h"
#include "tests/testing/stateful.h"

namespace gles_delegate::testing {
namespace {

class SvdfTest : public StatefulTest {};

TEST_P(SvdfTest, EveryTail) {
  for (int n : {1, 3, 4, 5, 8, 17}) {
    SvdfCase c;
    c.batch = n == 5 ? 3 : 1;
    c.memory = n;
    Check(Svdf(c));
    c.memory = 3;
    c.units = n;
    Check(Svdf(c));
    c.units = 2;
    c.rank = n;
    Check(Svdf(c));
  }
}

TEST_P(SvdfTest, BiasActivationAndRuntimeWeights) {
  SvdfCase c;
  c.bias = false;
  Check(Svdf(c));
  c.activation = schema::ActivationFunctionType::RELU;
  Check(Svdf(c));
  c.bias = true;
  c.runtime_weights = true;
  Check(Svdf(c));
}

GLES_AT_EACH_PRECISION(SvdfTest);

TEST(SvdfStorageTest, EveryStorage) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (TfLiteGlesStorage storage : kEveryStorage) {
    SvdfCase c;
    c.batch = 3;
    c.memory = 5;
    ExpectSameStates(Svdf(c), Precision::kFloat32, storage);
    ExpectSameStates(Svdf(c), Precision::kFloat16, storage);
  }
}

// --- What is refused --------------------------------------------------------

struct SvdfNode : FakeNode<SvdfParams, ParseSvdf> {
  SvdfNode() {
    inputs = {FakeTensor({2, 5}), FakeConstant({6, 5}), FakeConstant({6, 4}),
              FakeConstant({3}), FakeTensor({2, 24})};
    inputs[4].is_variable = true;
    outputs = {FakeTensor({2, 3})};
    params = {2, kActNone, false};
  }
};

TEST(SvdfParseTest, RefusesShapesAndStates) {
  EXPECT_EQ(SvdfNode().Refused(), "");
  SvdfNode rank;
  rank.params.rank = 4;
  EXPECT_THAT(rank.Refused(), HasSubstr("rank 4 does not divide the 6"));
  rank.params.rank = 0;
  EXPECT_THAT(rank.Refused(), HasSubstr("rank 0"));
  SvdfNode feature;
  feature.inputs[1] = FakeConstant({6, 7});
  EXPECT_THAT(feature.Refused(), HasSubstr("feature weights 6x7"));
  SvdfNode time;
  time.inputs[2] = FakeConstant({5, 4});
  EXPECT_THAT(time.Refused(), HasSubstr("time weights 5x4"));
  SvdfNode bias;
  bias.inputs[3] = FakeConstant({6});
  EXPECT_THAT(bias.Refused(), HasSubstr("the bias has 6 values"));
  SvdfNode state;
  state.inputs[4].is_variable = false;
  EXPECT_THAT(state.Refused(), HasSubstr("must be a variable tensor of 2x24"));
  SvdfNode memory;
  memory.inputs[4] = FakeTensor({2, 20});
  memory.inputs[4].is_variable = true;
  EXPECT_THAT(memory.Refused(), HasSubstr("it is 2x20"));
  SvdfNode huge;
  huge.inputs[2] = FakeTensor({6, 1 << 30});
  EXPECT_THAT(huge.Refused(),
              HasSubstr("[6,1073741824] has more than 2147483647 elements"));
  SvdfNode output;
  output.outputs[0] = FakeTensor({2, 6});
  EXPECT_THAT(output.Refused(), HasSubstr("output is 2x6"));
  SvdfNode flat;
  flat.inputs[0] = FakeTensor({10});
  EXPECT_THAT(flat.Refused(), HasSubstr("must have 2 dimensions"));
}

}  // namespace
}  // namespace gles_delegate::testing

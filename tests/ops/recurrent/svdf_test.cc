// labels: op llvmpipe softpipe
// SVDF against TFLite's own kernel, over several invokes with the state kept,
// and what its parser refuses.
#include "delegate/ops/recurrent/svdf.h"

#include "delegate/graph/builtin_params.h"
#include "delegate/ops/all_ops.h"
#include "tests/testing/device.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_models.h"
#include "tests/testing/parse_node.h"
#include "tests/testing/stateful.h"

namespace gles_delegate::testing {
namespace {

class SvdfTest : public StatefulTest {};

TEST_P(SvdfTest, EveryTail) {
  ForEachTail(SvdfCase(),
              {&SvdfCase::memory, &SvdfCase::units, &SvdfCase::rank},
              [&](const SvdfCase& c) { Check(Svdf(c)); });
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
              FakeConstant({3}), FakeState({2, 24})};
    outputs = {FakeTensor({2, 3})};
    params = {2, kActNone, false};
  }
};

TEST(SvdfParseTest, RefusesShapesAndStates) {
  SvdfNode node;
  EXPECT_EQ(node.Refused(), "");
  EXPECT_THAT(node.RefusedWithInput(0, FakeTensor({10})),
              HasSubstr("input 0 is 10, wants rank 2"));
  EXPECT_THAT(node.RefusedWithInput(1, FakeConstant({6, 7})),
              HasSubstr("feature weights 6x7"));
  EXPECT_THAT(node.RefusedWithInput(2, FakeConstant({5, 4})),
              HasSubstr("time weights 5x4"));
  EXPECT_THAT(node.RefusedWithInput(2, FakeTensor({6, 1 << 30})),
              HasSubstr("[6,1073741824] has more than 2147483647 elements"));
  EXPECT_THAT(node.RefusedWithInput(3, FakeConstant({6})),
              HasSubstr("the bias has 6 values"));
  EXPECT_THAT(node.RefusedWithInput(4, FakeTensor({2, 24})),
              HasSubstr("must be a variable tensor of 2x24"));
  EXPECT_THAT(node.RefusedWithInput(4, FakeState({2, 20})),
              HasSubstr("it is 2x20"));
  EXPECT_THAT(node.RefusedWithOutput(0, FakeTensor({2, 6})),
              HasSubstr("output is 2x6"));
  node.params.rank = 4;
  EXPECT_THAT(node.Refused(), HasSubstr("rank 4 does not divide the 6"));
  node.params.rank = 0;
  EXPECT_THAT(node.Refused(), HasSubstr("rank 0"));
}

}  // namespace
}  // namespace gles_delegate::testing

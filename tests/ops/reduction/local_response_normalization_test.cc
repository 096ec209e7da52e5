// labels: op llvmpipe softpipe
// LOCAL_RESPONSE_NORMALIZATION against TFLite's own kernel, and what its parser
// refuses.
#include "delegate/ops/reduction/local_response_normalization.h"

#include "delegate/graph/builtin_params.h"
#include "delegate/ops/all_ops.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/parse_node.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

class LocalResponseNormalizationTest : public DeviceTest {};

TEST_F(LocalResponseNormalizationTest, EveryShape) {
  for (const Shape& shape : StandardShapes()) {
    ExpectMatchesCpuOnce(LocalResponseNormalization(shape, 2, 1, 0.5f, 0.75f));
  }
}

TEST_F(LocalResponseNormalizationTest, EveryParameter) {
  for (int channels : {5, 17}) {
    const Shape shape = {2, 3, 4, channels};
    for (int radius : {0, 1, 3, 4, 7, 100}) {
      ExpectMatchesCpuOnce(
          LocalResponseNormalization(shape, radius, 1, 0.25f, 0.75f));
    }
    for (float beta : {0.0f, 0.5f, 1.0f, -0.5f, 2.0f}) {
      ExpectMatchesCpuOnce(
          LocalResponseNormalization(shape, 5, 2, 1e-4f, beta));
    }
  }
}

// A node that follows is fused behind the functions that the op is made of, and
// may read the op's own input.
TEST_F(LocalResponseNormalizationTest, BeforeASum) {
  const Shape shape = {2, 3, 4, 6};
  Accuracy accuracy;
  accuracy.terms = 6;
  accuracy.ulps = 64;
  ExpectMatchesCpuOnce(MakeModel("x - LRN(x)", accuracy, [&](OpVariant& v) {
    // Positive and well apart from its normalization: no cancellation.
    const int x =
        v.Input("x", shape, v.random().Uniform(ElementCount(shape), 2, 3));
    schema::LocalResponseNormalizationOptionsT options;
    options.radius = 2;
    options.bias = 1;
    options.alpha = 0.5f;
    options.beta = 0.75f;
    const int y = v.builder().AddTensor("y", shape);
    v.builder().AddOp(Op::LOCAL_RESPONSE_NORMALIZATION, 1, {x}, {y}, options);
    return v.Op(Op::SUB, 1, {x, y}, schema::SubOptionsT());
  }));
}

TEST_F(LocalResponseNormalizationTest, PrecisionsAndStorages) {
  ExpectMatchesCpu(LocalResponseNormalization({2, 3, 4, 6}, 2, 1, 0.5f, 0.75f));
}

TEST(ParseLocalResponseNormalizationTest, Refusals) {
  LocalResponseNormParams params = {2, 1, 1, 1};
  const Tensor input = FakeTensor({1, 2, 2, 3});
  const auto parse = ParseLocalResponseNormalization;
  EXPECT_EQ(Refusal(parse, {input}, {input}, &params), "");
  EXPECT_THAT(
      Refusal(parse, {input}, {FakeTensor({1, 2, 3, 2})}, &params),
      HasSubstr("output is 1x2x3x2, its inputs and attributes give 1x2x2x3"));
  EXPECT_THAT(
      Refusal(parse, {FakeTensor({2, 3})}, {FakeTensor({2, 3})}, &params),
      HasSubstr("wants rank 4"));
  params.radius = -1;
  EXPECT_THAT(Refusal(parse, {input}, {input}, &params),
              HasSubstr("radius -1 must not be negative"));
}

}  // namespace
}  // namespace gles_delegate::testing

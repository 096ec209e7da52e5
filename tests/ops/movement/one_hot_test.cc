// labels: op llvmpipe softpipe
// ONE_HOT against TFLite's own kernel, and what its parser refuses.
#include "delegate/ops/movement/one_hot.h"

#include "delegate/graph/builtin_params.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/parse_node.h"
#include "tools/op_models/of_type.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

class OneHotTest : public DeviceTest {};

TEST_F(OneHotTest, EveryAxis) {
  for (int depth : {1, 3, 4, 5, 17}) {
    for (int axis : {-1, 0, 1, 2}) {
      ExpectMatchesCpuOnce(OneHot({{3, 4}, depth, axis}));
    }
    for (int axis : {0, 1, 2, 3}) {
      ExpectMatchesCpuOnce(OneHot({{2, 3, 4}, depth, axis}));
    }
    ExpectMatchesCpuOnce(OneHot({{5}, depth, 0}));
    ExpectMatchesCpuOnce(OneHot({{}, depth, -1}));
  }
}

TEST_F(OneHotTest, ConstantsAndRuntimeTensors) {
  for (int axis : {-1, 1}) {
    ExpectMatchesCpuOnce(OneHot({{3, 4}, 7, axis, true, true}));
    ExpectMatchesCpuOnce(OneHot({{3, 4}, 7, axis, false, true}));
  }
}

TEST_F(OneHotTest, IntegersAndBools) {
  // Indices are integers already: OfType changes the values alone.
  for (TensorType type : {TensorType::INT32, TensorType::BOOL}) {
    SingleOpModel model = OneHot({{3, 4}, 7});
    const std::vector<std::vector<float>> inputs = model.inputs;
    model = OfType(model, type);
    model.inputs = inputs;
    ExpectMatchesCpuOnce(model);
  }
}

TEST_F(OneHotTest, PrecisionsAndStorages) {
  ExpectMatchesCpu(OneHot({{3, 4}, 7}));
  ExpectMatchesCpu(OneHot({{3, 4}, 7, 0}));
}

// One value for both: the same tensor.
TEST_F(OneHotTest, OneTensorTwice) {
  ExpectMatchesCpuOnce(MakeModel(
      "ONE_HOT of one value", Accuracy{/*terms=*/0}, [&](OpVariant& v) {
        const int x = v.OfInts(v.Input("x", {3}, {0, 1, 2}));
        const int value = v.Input("value", {}, {7});
        schema::OneHotOptionsT options;
        options.axis = -1;
        return v.Op(Op::ONE_HOT, 1,
                    {x, v.IntConstant("d", {}, {2}), value, value}, options);
      }));
}

TEST(ParseOneHotTest, Refusals) {
  OneHotParams params = {-1};
  const Tensor indices = FakeRuntimeInts({2, 3});
  const Tensor value = FakeTensor({});
  const Tensor output = FakeTensor({2, 3, 5});
  const auto refusal = [&](const Tensor& at, const Tensor& depth,
                           const Tensor& on) {
    return Refusal(ParseOneHot, {at, depth, on, value}, {output}, &params);
  };
  EXPECT_EQ(refusal(indices, FakeInts({5}), value), "");
  EXPECT_THAT(
      refusal(indices, FakeInts({4}), value),
      HasSubstr("output is 2x3x5, its inputs and attributes give 2x3x4"));
  EXPECT_THAT(refusal(indices, FakeRuntimeInts({}), value),
              HasSubstr("the depth: known only at run time"));
  EXPECT_THAT(refusal(indices, FakeInts({5, 5}), value),
              HasSubstr("the depth has 2 elements"));
  EXPECT_THAT(refusal(indices, FakeInts({5}), FakeTensor({2})),
              HasSubstr("value 1 is 2, wants one element"));
  EXPECT_THAT(refusal(FakeTensor({2, 3}), FakeInts({5}), value),
              HasSubstr("the indices are float32; int32 runs here"));
  params.axis = 3;
  EXPECT_THAT(refusal(indices, FakeInts({5}), value),
              HasSubstr("axis 3 is outside an output of rank 3"));
  params.axis = -2;
  EXPECT_THAT(refusal(indices, FakeInts({5}), value),
              HasSubstr("axis -2 is outside"));
}

}  // namespace
}  // namespace gles_delegate::testing

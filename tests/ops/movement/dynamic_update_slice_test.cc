// labels: op llvmpipe softpipe oldest_tflite
// DYNAMIC_UPDATE_SLICE against TFLite's own kernel, and what its parser
// refuses.
#include "delegate/ops/movement/dynamic_update_slice.h"

#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_models.h"
#include "tests/testing/parse_node.h"
#include "tools/op_models/of_type.h"
#include "tools/op_models/shapes.h"

namespace gles_delegate::testing {
namespace {

class DynamicUpdateSliceTest : public DeviceTestWithParam<bool> {
 protected:
  SingleOpModel Case(const Shape& input, const Shape& update,
                     const std::vector<int>& start) {
    return DynamicUpdateSlice(input, update, start, GetParam());
  }
};

TEST_P(DynamicUpdateSliceTest, Channels) {
  for (int channels : StandardChannels()) {
    const Shape shape = {2, 3, 4, channels};
    ExpectMatchesCpuOnce(Case(shape, {1, 2, 2, channels}, {1, 0, 2, 0}));
    ExpectMatchesCpuOnce(Case(shape, {1, 3, 1, 1}, {0, 0, 3, channels / 2}));
  }
  for (int at = 0; at < 9; ++at) {
    ExpectMatchesCpuOnce(Case({2, 13}, {1, 5}, {1, at}));
  }
}

TEST_P(DynamicUpdateSliceTest, Ranks) {
  ExpectMatchesCpuOnce(Case({9}, {4}, {3}));
  ExpectMatchesCpuOnce(Case({9, 5}, {4, 2}, {3, 1}));
  ExpectMatchesCpuOnce(Case({4, 9, 5}, {2, 4, 2}, {1, 3, 1}));
  ExpectMatchesCpuOnce(Case({3, 4, 2, 5, 6}, {2, 2, 1, 3, 5}, {1, 1, 0, 2, 1}));
  ExpectMatchesCpuOnce(Case({3, 4}, {3, 4}, {0, 0}));  // all of it
}

// TFLite moves an update that would reach past an end.
TEST_P(DynamicUpdateSliceTest, StartsAreClamped) {
  ExpectMatchesCpuOnce(Case({2, 5, 6}, {1, 2, 3}, {5, -4, 4}));
  ExpectMatchesCpuOnce(Case({2, 5, 6}, {1, 2, 3}, {-1000000, 1000000, 3}));
}

TEST_P(DynamicUpdateSliceTest, Types) {
  const SingleOpModel model = Case({2, 3, 4, 5}, {1, 2, 2, 3}, {1, 1, 0, 2});
  for (TensorType type :
       {TensorType::INT32, TensorType::INT64, TensorType::BOOL}) {
    const SingleOpModel typed = OfType(model, type);
    // TFLite 2.9 takes no bools.
    if (type == TensorType::BOOL && !RunOnCpu(typed).status.ok()) continue;
    ExpectMatchesCpuOnce(typed);
  }
  ExpectMatchesCpu(model);
}

INSTANTIATE_TEST_SUITE_P(Starts, DynamicUpdateSliceTest, ::testing::Bool(),
                         [](const auto& info) {
                           return info.param ? "AtRunTime" : "Constant";
                         });

TEST(ParseDynamicUpdateSliceTest, Refusals) {
  const auto refusal = [](std::vector<int> update, const Tensor& start,
                          std::vector<int> output) {
    return Refusal(ParseDynamicUpdateSlice,
                   {FakeTensor({3, 5}), FakeTensor(std::move(update)), start},
                   {FakeTensor(std::move(output))});
  };
  EXPECT_EQ(refusal({2, 5}, FakeRuntimeInts({2}), {3, 5}), "");
  EXPECT_THAT(refusal({4, 5}, FakeRuntimeInts({2}), {3, 5}),
              HasSubstr("the update 4x5 does not fit in the input 3x5"));
  EXPECT_THAT(refusal({5}, FakeRuntimeInts({2}), {3, 5}),
              HasSubstr("does not fit"));
  EXPECT_THAT(refusal({2, 5}, FakeRuntimeInts({3}), {3, 5}),
              HasSubstr("there must be one for each axis"));
  EXPECT_THAT(refusal({2, 5}, FakeInts({0, 0}), {3, 4}),
              HasSubstr("output is 3x4"));
}

}  // namespace
}  // namespace gles_delegate::testing

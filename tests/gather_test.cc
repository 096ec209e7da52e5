// labels: op llvmpipe softpipe
// GATHER with constant indices against TFLite's own kernel, and what its parser
// refuses.
#include "delegate/ops/gather.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "delegate/tflite/builtin_params.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/device.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/op_models.h"
#include "tests/testing/parse_node.h"

namespace gles_delegate::testing {
namespace {

using ::testing::HasSubstr;

class GatherTest : public ::testing::Test {
 protected:
  void SetUp() override { GLES_SKIP_WITHOUT_DEVICE(); }
};

void Check(const SingleOpModel& model) {
  EXPECT_THAT(RunOnDelegate(model), MatchesCpu(model));
}

TEST_F(GatherTest, EveryAxis) {
  for (int axis : {0, 1, 2, 3, -1}) {
    Check(Gather({3, 4, 5, 6}, axis, {4}, {2, 0, 1, 2}));
  }
  Check(Gather({1, 2, 3, 17}, 3, {9}, {16, 0, 4, 4, 7, 3, 15, 8, 1}));
}

TEST_F(GatherTest, IndicesOfEveryRank) {
  Check(Gather({3, 4, 5, 6}, 1, {}, {2}));
  Check(Gather({4, 5, 6}, 1, {}, {3}));
  Check(Gather({4, 5, 6}, 0, {2, 2}, {1, 3, 0, 0}));
  Check(Gather({4, 5}, 1, {2, 3}, {4, 3, 2, 1, 0, 0}));
  Check(Gather({7}, 0, {2, 3}, {6, 3, 2, 1, 0, 5}));
}

// More indices than a row of the table holds.
TEST_F(GatherTest, ManyIndices) {
  std::vector<int> indices(2500);
  for (int i = 0; i < 2500; ++i) indices[i] = i * 7 % 11;
  Check(Gather({11, 3}, 0, {2500}, indices));
}

TEST_F(GatherTest, PrecisionsAndStorages) {
  ExpectMatchesCpu(Gather({2, 3, 4, 6}, 2, {3}, {3, 0, 1}));
  ExpectMatchesCpu(Gather({2, 3, 4, 6}, 3, {5}, {5, 0, 2, 1, 4}));
}

TEST(ParseGatherTest, Refusals) {
  GatherParams params = {1, 0};
  const Tensor input = FakeTensor({2, 3});
  const Tensor output = FakeTensor({2, 2});
  EXPECT_EQ(Refusal(ParseGather, {input, FakeInts({2, 0})}, {output}, &params),
            "");
  EXPECT_THAT(
      Refusal(ParseGather, {input, FakeInts({3, 0})}, {output}, &params),
      HasSubstr("index 3 is outside axis 1, which has 3 elements"));
  EXPECT_THAT(
      Refusal(ParseGather, {input, FakeInts({-1, 0})}, {output}, &params),
      HasSubstr("index -1 is outside"));
  EXPECT_THAT(Refusal(ParseGather, {input, FakeInts({0})}, {output}, &params),
              HasSubstr("output is 2x2, its inputs and attributes give 2x1"));
  EXPECT_THAT(
      Refusal(ParseGather, {input, FakeRuntimeInts({2})}, {output}, &params),
      HasSubstr("the indices: known only at run time"));
}

}  // namespace
}  // namespace gles_delegate::testing

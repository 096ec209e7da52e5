// labels: op llvmpipe softpipe oldest_tflite
// SEGMENT_SUM and the UNSORTED_SEGMENT_ ops against TFLite's own kernels, and
// what their parsers refuse.
#include "delegate/ops/movement/segment_sum.h"

#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/parse_node.h"
#include "tools/op_models/schema_names.h"
#include "tools/op_models/shapes.h"

namespace gles_delegate::testing {
namespace {

// The UNSORTED_ ones are younger than TFLite 2.9.
void Check(const SingleOpModel& model) {
  if (!model.status.ok() && model.description[0] == 'U') return;
  ExpectMatchesCpuOnce(model);
}

class SegmentSumTest : public DeviceTest {};

TEST_F(SegmentSumTest, Shapes) {
  for (TensorType type : {TensorType::FLOAT32, TensorType::INT32}) {
    for (int channels : StandardChannels()) {
      Check(SegmentSum({6, channels}, {0, 0, 1, 2, 2, 2}, 0, type));
      Check(SegmentSum({6, channels}, {3, -1, 1, 3, 0, 3}, 5, type));
    }
    for (const Shape& shape :
         {Shape{5}, Shape{5, 3, 4}, Shape{5, 2, 3, 7}, Shape{5, 2, 2, 3, 3}}) {
      Check(SegmentSum(shape, {0, 1, 1, 2, 2}, 0, type));
      Check(SegmentSum(shape, {2, 1, 0, 2, 3}, 4, type));
    }
  }
}

constexpr Op kOthers[] = {Op::UNSORTED_SEGMENT_MAX, Op::UNSORTED_SEGMENT_MIN,
                          Op::UNSORTED_SEGMENT_PROD};

// Segment 2 has no rows, and -1 drops one.
TEST_F(SegmentSumTest, ExtremesAndProducts) {
  for (Op op : kOthers) {
    for (TensorType type : {TensorType::FLOAT32, TensorType::INT32}) {
      for (int channels : StandardChannels()) {
        Check(SegmentSum({6, channels}, {3, -1, 1, 3, 0, 3}, 5, type, op));
      }
      Check(SegmentSum({5, 2, 3, 7}, {2, 1, 0, 2, 3}, 4, type, op));
    }
  }
}

TEST_F(SegmentSumTest, PrecisionsAndStorages) {
  ExpectMatchesCpu(SegmentSum({6, 3, 5}, {0, 0, 1, 2, 2, 2}, 0));
  for (Op op : kOthers) {
    const SingleOpModel model =
        SegmentSum({6, 3, 5}, {1, 0, 1, 2, -1, 2}, 3, TensorType::FLOAT32, op);
    if (!model.status.ok()) return;  // TFLite 2.9
    ExpectMatchesCpu(model);
  }
}

// The shape follows from the number of segments alone. TFLite fails on the
// id 7.
TEST_F(SegmentSumTest, IdsAtRunTime) {
  SingleOpModel model = MakeModel(
      "NEG of UNSORTED_SEGMENT_SUM at run time", Accuracy{/*terms=*/0},
      [](OpVariant& v) {
        const int x =
            v.Input("x", {4, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
        const int ids = v.OfInts(v.Input("ids", {4}, {2, 0, -1, 2}));
        const int count = v.IntConstant("segments", {}, {4});
        return v.Op(Op::NEG, 1,
                    {v.Op(Op::UNSORTED_SEGMENT_SUM, 1, {x, ids, count})});
      });
  if (!model.status.ok()) return;  // TFLite 2.9
  ExpectMatchesCpuOnce(model);
  model.inputs[1] = {0, 7, 0, 3};
  const RunResult result = RunOnDelegate(model);
  ASSERT_TRUE(result.status.ok()) << result.status;
  EXPECT_THAT(
      result.outputs[0].values,
      ::testing::ElementsAre(-8, -10, -12, 0, 0, 0, 0, 0, 0, -10, -11, -12));
}

// The nodes that follow have a known shape, too.
TEST_F(SegmentSumTest, InAChain) {
  ExpectMatchesCpuOnce(
      MakeModel("NEG of SEGMENT_SUM", Accuracy{/*terms=*/0}, [](OpVariant& v) {
        const int x =
            v.Input("x", {4, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
        const int ids = v.IntConstant("ids", {4}, {0, 1, 1, 2});
        return v.Op(Op::NEG, 1, {v.Op(Op::SEGMENT_SUM, 1, {x, ids})});
      }));
}

TEST(ParseSegmentSumTest, Refusals) {
  const auto refusal = [](const Tensor& ids, std::vector<int> output) {
    return Refusal(ParseSegmentSum, {FakeTensor({3, 5}), ids},
                   {FakeTensor(std::move(output))});
  };
  EXPECT_EQ(refusal(FakeInts({0, 0, 1}), {2, 5}), "");
  EXPECT_THAT(refusal(FakeRuntimeInts({3}), {2, 5}),
              HasSubstr("the segments' ids: known only at run time"));
  for (const auto& ids : {FakeInts({0, 2, 2}), FakeInts({1, 1, 2})}) {
    EXPECT_THAT(refusal(ids, {3, 5}),
                HasSubstr("must begin at 0 and rise by 0 or 1"));
  }
  EXPECT_THAT(refusal(FakeInts({0, 1, 0}), {2, 5}), HasSubstr("from 1 to 0"));
  EXPECT_THAT(refusal(FakeInts({0, 1}), {2, 5}),
              HasSubstr("one for each of its rows"));
  EXPECT_THAT(refusal(FakeInts({0, 0, 1}), {3, 5}), HasSubstr("output is 3x5"));
}

TEST(ParseUnsortedSegmentSumTest, Refusals) {
  const auto refusal = [](const Tensor& ids, const Tensor& segments) {
    return Refusal(ParseUnsortedSegments<Reducer::kSum>,
                   {FakeTensor({3, 5}), ids, segments}, {FakeTensor({2, 5})});
  };
  EXPECT_EQ(refusal(FakeInts({1, -1, 1}), FakeInts({2})), "");
  EXPECT_EQ(refusal(FakeRuntimeInts({3}), FakeInts({2})), "");
  EXPECT_THAT(refusal(FakeInts({1, 2, 1}), FakeInts({2})),
              HasSubstr("id 2 is outside of 2 segments"));
  EXPECT_THAT(refusal(FakeInts({1, 0, 1}), FakeRuntimeInts({1})),
              HasSubstr("the number of segments: known only at run time"));
}

}  // namespace
}  // namespace gles_delegate::testing

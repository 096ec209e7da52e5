// labels: op llvmpipe softpipe
// The ops that move values, on int32 and bool tensors, against TFLite's own
// kernels; and which types they refuse.
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/movement/pack.h"
#include "delegate/ops/movement/pad.h"
#include "delegate/ops/movement/split.h"
#include "delegate/ops/movement/transpose.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/parse_node.h"
#include "tools/op_models/of_type.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

class IntegerMovementTest : public DeviceTestWithParam<TensorType> {
 protected:
  void Check(const SingleOpModel& model) {
    const SingleOpModel typed = OfType(model, GetParam());
    EXPECT_THAT(RunOnDelegate(typed), MatchesCpu(typed));
  }
  bool bools() const { return GetParam() == TensorType::BOOL; }
};

PadParams Padding(PadParams::Kind kind, const Shape& shape) {
  PadParams params;
  params.kind = kind;
  params.input = shape;
  params.paddings = {{0, 1}, {1, 2}, {0, 0}, {2, 3}};
  params.value = 2.5f;
  return params;
}

TEST_P(IntegerMovementTest, Shapes) {
  for (int channels : {1, 4, 5}) {
    Check(Reshape({2, 3, 4, channels}, {6, 2, 2, channels}));
    Check(Reshape({2, 3, 4, channels}, {24 * channels}));
    Check(ExpandDims({3, 4, channels}, 1));
    Check(Squeeze({3, 1, 4, channels}, {1}));
    Check(Transpose({2, 3, 4, channels}, {0, 3, 1, 2}));
    Check(Transpose({2, 3, 4, channels}, {1, 0, 2, 3}));
  }
}

TEST_P(IntegerMovementTest, Slices) {
  for (int channels : {3, 9}) {
    const Shape shape = {2, 3, 4, channels};
    Check(Slice(shape, {0, 1, 0, 1}, {2, 2, 4, channels - 1}));
    Check(Slice(shape, {1, 0, 2, 0}, {1, 3, 2, channels}));
    Check(StridedSlice(
        {shape, {1, 2, 3, channels - 1}, {-3, 0, 0, 0}, {-1, -1, -2, -1}}));
    if (GetParam() != TensorType::INT64) {  // TFLite's kernel takes none
      Check(Split(SplitKind::kUnpack, shape, 1, {1, 1, 1}));
    }
    Check(Gather(shape, 2, {3}, {3, 0, 2}));
    Check(Gather(shape, 3, {2, 2}, {2, 0, 1, 1}));
    if (bools()) continue;  // TFLite's kernels take none
    Check(Split(SplitKind::kSplit, {2, 3, 4, 2 * channels}, 3,
                {channels, channels}));
    Check(Split(SplitKind::kSplitV, shape, 3, {1, channels - 1}));
  }
}

TEST_P(IntegerMovementTest, Larger) {
  ConcatenationParams concatenation;
  concatenation.inputs = {{2, 3, 4, 3}, {2, 3, 4, 2}, {2, 3, 4, 5}};
  Check(Concatenation(concatenation));
  concatenation.constant_input = 1;
  Check(Concatenation(concatenation));
  concatenation.inputs = {{2, 3, 4, 5}, {2, 1, 4, 5}};
  concatenation.axis = 1;
  Check(Concatenation(concatenation));
  Check(Tile({2, 3, 4, 5}, {1, 2, 1, 2}));
  Check(BroadcastTo({3, 1, 5}, {2, 3, 4, 5}));
  if (bools()) return;  // TFLite's kernels take none
  for (int axis : {0, 3}) Check(Pack({2, 4, 5}, 3, axis));
  for (auto kind : {PadParams::Kind::kPad, PadParams::Kind::kPadV2,
                    PadParams::Kind::kMirrorSymmetric}) {
    Check(Pad(Padding(kind, {2, 3, 4, 5})));
    Check(Pad(Padding(kind, {2, 3, 4, 8})));
  }
  Check(DepthToSpace({2, 3, 4, 20}, 2));
  Check(DepthToSpace({2, 4, 6, 3}, 2, /*inverse=*/true));
}

// The values are as they were in 16-bit storage too, up to 2^31.
TEST_P(IntegerMovementTest, PrecisionsAndStorages) {
  ExpectMatchesCpu(OfType(Transpose({2, 3, 4, 5}, {0, 3, 1, 2}), GetParam()));
  ExpectMatchesCpu(
      OfType(Slice({2, 3, 4, 9}, {0, 1, 0, 3}, {2, 2, 4, 6}), GetParam()));
  if (bools()) return;
  const std::vector<int> values = {2147483647, -2147483647 - 1, 16777217, -1,
                                   65536};
  for (Precision precision : kPrecisions) {
    const SingleOpModel model = MakeModel(
        "CONCATENATION of great integers", Accuracy{/*terms=*/0},
        [&](OpVariant& v) {
          const int x = v.OfInts(v.Input("x", {3}, {7, 8, 9}));
          schema::ConcatenationOptionsT options;
          return v.OfInts(v.Op(Op::CONCATENATION, 1,
                               {x, v.IntConstant("c", {5}, values)}, options));
        });
    EXPECT_THAT(RunOnDelegate(model, precision), MatchesCpu(model, precision));
  }
}

INSTANTIATE_TEST_SUITE_P(Types, IntegerMovementTest,
                         ::testing::Values(TensorType::INT32, TensorType::INT64,
                                           TensorType::BOOL),
                         [](const auto& info) {
                           return schema::EnumNameTensorType(info.param);
                         });

// RESHAPE of a constant is a constant: the partition hands it over as it is.
TEST(IntegerReshapeTest, OfAConstant) {
  GLES_SKIP_WITHOUT_DEVICE();
  const SingleOpModel model = MakeModel(
      "RESHAPE of constant integers", Accuracy{/*terms=*/0}, [&](OpVariant& v) {
        schema::ReshapeOptionsT options;
        options.new_shape = {3, 2};
        const int x = v.IntConstant("x", {6}, {1, -2, 3, 16777217, 5, 6});
        return v.OfInts(v.Op(Op::RESHAPE, 1, {x}, options));
      });
  EXPECT_THAT(RunOnDelegate(model), MatchesCpu(model));
}

// A pad value that no float holds.
TEST(IntegerPadTest, GreatValue) {
  GLES_SKIP_WITHOUT_DEVICE();
  const SingleOpModel model =
      MakeModel("PADV2 by 16777217", Accuracy{/*terms=*/0}, [&](OpVariant& v) {
        const int x = v.OfInts(v.Input("x", {2, 3}, {1, 2, 3, 4, 5, 6}));
        const int paddings = v.IntConstant("paddings", {2, 2}, {1, 0, 2, 1});
        return v.OfInts(v.Op(Op::PADV2, 1,
                             {x, paddings, v.IntConstant("v", {}, {16777217})},
                             schema::PadV2OptionsT()));
      });
  EXPECT_THAT(RunOnDelegate(model), MatchesCpu(model));
}

TEST(ParseMovementTest, TypesRefused) {
  const Tensor ints = FakeTensor({2, 3}, DataType::kInt32);
  const Tensor bools = FakeTensor({2, 3}, DataType::kBool);
  const Tensor longs = FakeTensor({2, 3}, DataType::kInt64);
  const Tensor order = FakeInts({0, 1});
  EXPECT_EQ(Refusal(ParseTranspose, {ints, order}, {ints}), "");
  EXPECT_EQ(Refusal(ParseTranspose, {bools, order}, {bools}), "");
  EXPECT_THAT(Refusal(ParseTranspose, {longs, order}, {longs}),
              HasSubstr("output 0 is int64, only float32, int32 and bool"));
  EXPECT_THAT(Refusal(ParseTranspose, {bools, order}, {ints}),
              HasSubstr("input 0 is bool, output 0 is int32"));
  EXPECT_THAT(Refusal(ParseTranspose, {ints, order}, {FakeTensor({2, 3})}),
              HasSubstr("input 0 is int32, only float32"));
  const Tensor empty = FakeTensor({0, 3}, DataType::kInt32);
  EXPECT_THAT(Refusal(ParseTranspose, {empty, order}, {empty}),
              HasSubstr("no elements"));
  PackParams pack = {1, 0};
  EXPECT_THAT(Refusal(ParsePack, {bools},
                      {FakeTensor({1, 2, 3}, DataType::kBool)}, &pack),
              HasSubstr("output 0 is bool, only float32 and int32"));
  EXPECT_THAT(Refusal(ParsePad, {bools, FakeInts({0, 0, 0, 0})}, {bools}),
              HasSubstr("output 0 is bool"));
  SplitParams split = {0};
  EXPECT_THAT(Refusal(ParseSplit, {FakeInts({0}), ints}, {}, &split),
              HasSubstr("has no output"));
}

}  // namespace
}  // namespace gles_delegate::testing

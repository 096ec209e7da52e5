// labels: op llvmpipe softpipe
// SLICE and STRIDED_SLICE against TFLite's own kernels, and what their parsers
// refuse.
#include "delegate/ops/movement/slice.h"

#include "delegate/graph/builtin_params.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/parse_node.h"
#include "tests/testing/run_node.h"

namespace gles_delegate::testing {
namespace {

using Ints = std::vector<int>;

class SliceTest : public DeviceTest {};

TEST_F(SliceTest, EveryAxis) {
  for (int channels : StandardChannels()) {
    const Shape shape = {3, 4, 5, channels};
    ExpectMatchesCpuOnce(Slice(shape, {1, 0, 2, 0}, {2, 3, -1, -1}));
    ExpectMatchesCpuOnce(Slice(shape, {0, 1, 0, channels / 2},
                               {-1, -1, 5, channels - channels / 2}));
  }
  ExpectMatchesCpuOnce(Slice({1, 2, 3, 17}, {0, 0, 0, 8}, {1, 2, 3, 5}));
  ExpectMatchesCpuOnce(Slice({1, 2, 3, 17}, {0, 0, 0, 3}, {1, 2, 3, 12}));
}

TEST_F(SliceTest, LowerRanks) {
  ExpectMatchesCpuOnce(Slice({7}, {2}, {4}));
  ExpectMatchesCpuOnce(Slice({3, 7}, {1, 2}, {2, -1}));
  ExpectMatchesCpuOnce(Slice({3, 4, 7}, {1, 2, 0}, {2, 1, 5}));
}

TEST_F(SliceTest, Strides) {
  for (int channels : {1, 5, 8}) {
    const Shape shape = {2, 7, 6, channels};
    const int c = channels;
    ExpectMatchesCpuOnce(
        StridedSlice({shape, {0, 1, 0, 0}, {2, 7, 6, c}, {1, 2, 3, 1}}));
    ExpectMatchesCpuOnce(StridedSlice(
        {shape, {-1, -1, -1, -1}, {-3, -8, -7, -9}, {-1, -2, -1, -1}}));
    ExpectMatchesCpuOnce(StridedSlice(
        {shape, {0, -5, 2, 0}, {100, -1, 100, 100}, {1, 1, 1, 2}}));
  }
}

TEST_F(SliceTest, Masks) {
  const Shape shape = {2, 7, 6, 5};
  // begin and end, upwards and downwards
  ExpectMatchesCpuOnce(StridedSlice(
      {shape, {1, 3, 3, 1}, {1, 3, 3, 3}, {1, 1, 2, 1}, 0b0110, 0b1011}));
  ExpectMatchesCpuOnce(StridedSlice(
      {shape, {1, 3, 3, 1}, {0, 1, 1, 1}, {-1, -1, -2, -1}, 0b1111, 0b1111}));
  // one index of an axis, which goes: the others move in B, H, W, C
  for (int mask : {0b0001, 0b0010, 0b0100, 0b1000, 0b0101, 0b1110}) {
    Strided s = {shape, {1, 2, -1, 3}, {2, 3, 6, 4}, {1, 1, 1, 1}};
    s.shrink_axis_mask = mask;
    ExpectMatchesCpuOnce(StridedSlice(s));
  }
  // fewer entries than axes
  ExpectMatchesCpuOnce(StridedSlice({shape, {1}, {2}, {1}}));
  ExpectMatchesCpuOnce(StridedSlice({shape, {0, 2}, {2, 5}, {1, 2}}));
}

TEST_F(SliceTest, EllipsisAndNewAxes) {
  Strided s = {{3, 4, 5}, {0, 1}, {0, 4}, {1, 1}};
  s.ellipsis_mask = 0b01;
  ExpectMatchesCpuOnce(StridedSlice(s));
  s = {{3, 4, 5}, {1, 0, 2}, {3, 0, 5}, {1, 1, 2}};
  s.ellipsis_mask = 0b010;
  ExpectMatchesCpuOnce(StridedSlice(s));
  for (int mask : {0b0001, 0b0010, 0b0100, 0b1000}) {
    s = {{3, 4, 5}, {1, 0, 1, 2}, {3, 3, 3, 4}, {1, 1, 1, 1}};
    s.new_axis_mask = mask;
    ExpectMatchesCpuOnce(StridedSlice(s));
  }
  s = {{3, 4, 5}, {1, 0, 0}, {2, 0, 0}, {1, 1, 1}};
  s.shrink_axis_mask = 0b001;
  s.new_axis_mask = 0b010;
  s.ellipsis_mask = 0b100;
  ExpectMatchesCpuOnce(StridedSlice(s));
}

TEST_F(SliceTest, PrecisionsAndStorages) {
  ExpectMatchesCpu(Slice({2, 3, 4, 9}, {0, 1, 0, 3}, {2, 2, 4, 6}));
  ExpectMatchesCpu(Slice({2, 3, 4, 9}, {0, 1, 0, 4}, {2, 2, 4, 5}));
}

// The end as a length: version 8, which TFLite 2.9 does not have. Beside the
// slice that its kernel takes with the end counted from the front.
TEST_F(SliceTest, EndAsAnOffset) {
  Strided plain = {{4, 7, 6}, {1, -5, 4}, {3, 6, 0}, {1, 2, -1}};
  const SingleOpModel model = StridedSlice(plain);
  const RunResult cpu = RunOnCpu(model);
  ASSERT_TRUE(cpu.status.ok()) << cpu.status;
  StridedSliceParams params = {};
  params.offset = true;
  const Tensor input = FakeTensor(plain.shape);
  const Tensor begin = FakeInts(plain.begin);
  const Tensor end = FakeInts({2, 4, -4});
  const Tensor strides = FakeInts(plain.strides);
  const Tensor output = FakeTensor(cpu.outputs[0].shape);
  NodeView node;
  node.version = 8;
  node.builtin_params = &params;
  node.inputs = {&input, &begin, &end, &strides};
  node.outputs = {&output};
  auto parsed = ParseStridedSlice(node);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  const NodeRun run =
      RunNode("STRIDED_SLICE", *std::move(parsed), {plain.shape}, output.dims,
              model.inputs, [](DeviceProfile&) {});
  EXPECT_THAT(run.result, MatchesCpu(model));
  // Past the input's end there is nothing, whatever the output's shape says.
  const Tensor too_long = FakeInts({4, 4, -4});
  const Tensor longer = FakeTensor({4, 2, 4});
  node.inputs[2] = &too_long;
  node.outputs = {&longer};
  EXPECT_THAT(ParseStridedSlice(node).status().message(),
              HasSubstr("its inputs and attributes give 3x2x4"));
}

TEST(ParseSliceTest, Refusals) {
  const Tensor input = FakeTensor({2, 5});
  const Tensor output = FakeTensor({2, 3});
  const auto refusal = [&](const Ints& begin, const Ints& size) {
    return Refusal(ParseSlice, {input, FakeInts(begin), FakeInts(size)},
                   {output});
  };
  EXPECT_EQ(refusal({0, 2}, {2, -1}), "");
  EXPECT_THAT(refusal({0, 2}, {2, 2}),
              HasSubstr("output is 2x3, its inputs and attributes give 2x2"));
  EXPECT_THAT(
      refusal({0, 3}, {2, 3}),
      HasSubstr("begin 3 and size 3 leave axis 1, which has 5 elements"));
  EXPECT_THAT(refusal({0, -1}, {2, 3}), HasSubstr("begin -1"));
  EXPECT_THAT(refusal({2}, {3}), HasSubstr("the input's rank is 2"));
  EXPECT_THAT(
      Refusal(ParseSlice, {input, FakeRuntimeInts({2}), FakeInts({2, 3})},
              {output}),
      HasSubstr("the begin: known only at run time"));
}

TEST(ParseStridedSliceTest, Refusals) {
  StridedSliceParams params = {};
  const Tensor input = FakeTensor({2, 5});
  const auto refusal = [&](const Ints& begin, const Ints& end,
                           const Ints& strides,
                           const std::vector<int>& output) {
    return Refusal(ParseStridedSlice,
                   {input, FakeInts(begin), FakeInts(end), FakeInts(strides)},
                   {FakeTensor(output)}, &params);
  };
  EXPECT_EQ(refusal({0, 4}, {2, 0}, {1, -2}, {2, 2}), "");
  EXPECT_THAT(refusal({0, 4}, {2, 0}, {1, -2}, {2, 3}),
              HasSubstr("output is 2x3, its inputs and attributes give 2x2"));
  EXPECT_THAT(refusal({0, 4}, {2, 0}, {1, 0}, {2, 3}),
              HasSubstr("stride of 0"));
  EXPECT_THAT(refusal({0, 0, 0}, {2, 3, 1}, {1, 1, 1}, {2, 3}),
              HasSubstr("slices 3 axes of an input of rank 2"));
  EXPECT_THAT(refusal({0, 0}, {2, 3, 1}, {1, 1}, {2, 3}),
              HasSubstr("must be equal"));
  params.shrink_axis_mask = 2;
  EXPECT_EQ(refusal({0, 4}, {2, 5}, {1, 1}, {2}), "");
  EXPECT_THAT(refusal({0, 5}, {2, 6}, {1, 1}, {2}),
              HasSubstr("index 5 is outside an axis of 5 elements"));
  params.ellipsis_mask = 3;
  EXPECT_THAT(refusal({0, 4}, {2, 5}, {1, 1}, {2}), HasSubstr("two ellipses"));
}

}  // namespace
}  // namespace gles_delegate::testing

// labels: op llvmpipe softpipe
// AVERAGE_POOL_2D and MAX_POOL_2D against TFLite's own kernels, and what their
// parser refuses.
#include "delegate/ops/pooling/pool_2d.h"

#include "absl/strings/str_cat.h"
#include "delegate/graph/builtin_params.h"
#include "tests/testing/device.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/parse_node.h"
#include "tests/testing/precision_test.h"
#include "tests/testing/run_node.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

PoolParams Windows(const Shape& input, int filter_h, int filter_w) {
  PoolParams params;
  params.input = input;
  params.filter_h = filter_h;
  params.filter_w = filter_w;
  return params;
}

// Both kinds of pooling at one precision.
class Pool2dTest : public PrecisionTest {
 protected:
  void Check(PoolParams params, int half_roundings = 1) {
    for (bool max : {false, true}) {
      params.max = max;
      SingleOpModel model = Pool2d(params);
      model.accuracy.half_roundings = half_roundings;
      PrecisionTest::Check(model);
    }
  }
};

TEST_P(Pool2dTest, EveryShape) {
  for (const Shape& shape : StandardShapes()) {
    Check(Windows(shape, 3, 2));
  }
}

TEST_P(Pool2dTest, WindowsStridesAndPadding) {
  for (Padding padding : {Padding::kSame, Padding::kValid}) {
    for (const auto& [filter_h, filter_w, stride_h, stride_w] :
         {std::array<int, 4>{1, 1, 1, 1},
          {2, 2, 2, 2},
          {3, 3, 1, 1},
          {1, 4, 3, 2},
          {5, 2, 2, 3},
          {7, 9, 7, 9}}) {
      PoolParams params = Windows({1, 7, 9, 5}, filter_h, filter_w);
      params.stride_h = stride_h;
      params.stride_w = stride_w;
      params.padding = padding;
      Check(params);
    }
  }
}

// A window past the image on every side: the mean divides by what is inside.
// Windows with such an overlap are pooled width first: the rows' means are
// rounded to half, and the result is.
TEST_P(Pool2dTest, WindowLargerThanTheImage) {
  PoolParams params = Windows({3, 4, 5, 3}, 9, 11);
  params.stride_h = params.stride_w = 1;
  Check(params, /*half_roundings=*/2);
}

TEST_P(Pool2dTest, FusedActivations) {
  for (Activation activation : kActivations) {
    PoolParams params;
    params.input = {1, 7, 9, 5};
    params.activation = activation;
    Check(params);
  }
}

TEST_P(Pool2dTest, GlobalPooling) {
  PoolParams params = Windows({1, 65, 67, 5}, 65, 67);
  params.padding = Padding::kValid;
  Check(params);
}

TEST_P(Pool2dTest, Storages) {
  for (TfLiteGlesStorage storage : kEveryStorage) {
    PoolParams params;
    params.input = {3, 6, 7, 5};
    params.filter_h = 3;
    const SingleOpModel model = Pool2d(params);
    RunOptions options;
    options.precision = GetParam();
    options.storage = storage;
    EXPECT_THAT(RunOnDelegate(model, options), MatchesCpu(model, GetParam()));
  }
}

GLES_AT_EACH_PRECISION(Pool2dTest);

// As a GPU plans it: work groups share windows, width first where they are
// large or overlap.
class SharedPoolTest : public DeviceTestWithParam<bool> {
 protected:
  // Checks the result; gives how many dispatches it took.
  size_t Check(PoolParams params, const PoolAttributes& attributes) {
    params.max = GetParam();
    const SingleOpModel model = Pool2d(params);
    const Shape output = RunOnCpu(model).outputs[0].shape;
    const NodeRun run = RunNode(
        params.max ? "MAX_POOL_2D" : "AVERAGE_POOL_2D",
        ParsedNode{attributes, {}}, {params.input}, output, model.inputs,
        [](DeviceProfile& profile) { profile.choices.work_group_size = 64; });
    EXPECT_THAT(run.result, MatchesCpu(model));
    for (const Dispatch& d : run.dispatches) {
      EXPECT_THAT(d.ToString(), HasSubstr("THREADS="));
      EXPECT_GE(d.work_group[0], 8) << d.ToString();
    }
    return run.dispatches.size();
  }

  // The same for one window that is the whole input.
  size_t CheckWholeInput(const Shape& input) {
    PoolParams params = Windows(input, input[1], input[2]);
    params.padding = Padding::kValid;
    PoolAttributes attributes;
    attributes.h = {params.filter_h, params.stride_h, 1};
    attributes.w = {params.filter_w, params.stride_w, 1};
    return Check(params, attributes);
  }
};

TEST_P(SharedPoolTest, OneDispatchForAMediumWindow) {
  EXPECT_EQ(CheckWholeInput({2, 17, 19, 5}), 1u);
}

TEST_P(SharedPoolTest, WidthFirstForALargeWindow) {
  EXPECT_EQ(CheckWholeInput({1, 97, 101, 3}), 2u);
}

TEST_P(SharedPoolTest, WidthFirstForOverlappingWindows) {
  PoolParams params = Windows({1, 40, 45, 3}, 35, 37);
  params.stride_h = 1;
  params.stride_w = 2;
  PoolAttributes attributes;
  attributes.h = {35, 1, 1};
  attributes.w = {37, 2, 1};
  attributes.pad_h.before = 17;
  attributes.pad_w.before = 18;
  EXPECT_EQ(Check(params, attributes), 2u);
}

INSTANTIATE_TEST_SUITE_P(Kinds, SharedPoolTest, ::testing::Bool(),
                         [](const auto& info) {
                           return info.param ? "Max" : "Average";
                         });

TEST(ParsePool2dTest, Refusals) {
  ::gles_delegate::PoolParams params = {};
  params.padding = kPaddingValid;
  params.stride_width = params.stride_height = 1;
  params.filter_width = params.filter_height = 2;
  const Tensor input = FakeTensor({1, 4, 4, 3});
  const Tensor output = FakeTensor({1, 3, 3, 3});
  EXPECT_EQ(Refusal(ParsePool2d, {input}, {output}, &params), "");
  EXPECT_THAT(
      Refusal(ParsePool2d, {input}, {FakeTensor({1, 2, 3, 3})}, &params),
      HasSubstr("output is 1x2x3x3, its inputs and attributes give 1x3x3x3"));
  EXPECT_THAT(Refusal(ParsePool2d, {FakeTensor({4, 4, 3})}, {output}, &params),
              HasSubstr("rank 4"));
  EXPECT_THAT(
      Refusal(ParsePool2d, {FakeRuntimeInts({1, 4, 4, 3})}, {output}, &params),
      HasSubstr("only float32"));
  EXPECT_THAT(Refusal(ParsePool2d, {input}, {output}, nullptr),
              HasSubstr("no parameters"));
  params.activation = kActSignBit;
  EXPECT_THAT(Refusal(ParsePool2d, {input}, {output}, &params),
              HasSubstr("activation 5"));
  params.activation = kActNone;
  params.filter_width = 5;
  EXPECT_THAT(Refusal(ParsePool2d, {input}, {output}, &params),
              HasSubstr("width: a window of 5 does not fit"));
  params.stride_height = 0;
  EXPECT_THAT(Refusal(ParsePool2d, {input}, {output}, &params),
              HasSubstr("stride 0"));
}

// The zeros of a PAD are in the window, and count; the pass leaves one
// dispatch.
TEST(PaddedPoolTest, ZerosOfAPadCount) {
  GLES_SKIP_WITHOUT_DEVICE();
  struct Case {
    int size, stride;
    std::vector<int> pads;  // top, bottom, left, right
  };
  for (const Case& c : {Case{3, 1, {1, 1, 1, 1}},
                        {2, 2, {0, 1, 1, 0}},
                        {2, 1, {3, 0, 0, 4}},
                        {5, 3, {2, 2, 2, 1}}}) {
    for (Op op : {Op::AVERAGE_POOL_2D, Op::MAX_POOL_2D}) {
      ExpectMatchesCpu(MakeModel(
          absl::StrCat("PAD, ", schema::EnumNameBuiltinOperator(op), " ",
                       c.size, " by ", c.stride),
          Accuracy{/*terms=*/25}, /*with_magnitude=*/true, [&](OpVariant& v) {
            // All below zero, so that a zero is the largest.
            auto values = v.random().Uniform(2 * 7 * 6 * 5, -2.0f, -1.0f);
            const int x = v.Input("x", {2, 7, 6, 5}, std::move(values));
            const int by = v.IntConstant(
                "by", {4, 2},
                {0, 0, c.pads[0], c.pads[1], c.pads[2], c.pads[3], 0, 0});
            const int padded = v.Op(Op::PAD, 1, {x, by}, schema::PadOptionsT());
            schema::Pool2DOptionsT pool;
            pool.padding = schema::Padding::VALID;
            pool.filter_width = pool.filter_height = c.size;
            pool.stride_w = pool.stride_h = c.stride;
            return v.Op(op, 1, {padded}, pool);
          }));
    }
  }
}

}  // namespace
}  // namespace gles_delegate::testing

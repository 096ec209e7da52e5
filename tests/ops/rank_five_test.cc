// labels: op llvmpipe softpipe
// Tensors of five axes and more, against TFLite's kernels. Longer than 300
// lines: each op that names axes has its own cases.
#include <algorithm>
#include <numeric>

#include "delegate/ops/movement/slice.h"
#include "delegate/ops/movement/tile.h"
#include "delegate/ops/movement/transpose.h"
#include "tests/testing/device_test.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/parse_node.h"
#include "tests/testing/run_node.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

using Ints = std::vector<int>;

class RankFiveTest : public DeviceTest {
 protected:
  static void Expect(const SingleOpModel& model) {
    EXPECT_THAT(RunOnDelegate(model), MatchesCpu(model)) << model.description;
  }
};

const Shape kShape = {2, 3, 4, 5, 6};

TEST_F(RankFiveTest, Transpose) {
  Ints permutation = {0, 1, 2, 3, 4};
  do {
    Expect(Transpose({2, 3, 2, 3, 5}, permutation));
  } while (std::next_permutation(permutation.begin(), permutation.end()));
}

// As pixel shuffles and windowed attention have them. TFLite 2.9 stops at five
// axes, so the answer is worked out here.
TEST_F(RankFiveTest, TransposeOfSixAxes) {
  const auto expect = [](const Ints& dims, const Ints& permutation) {
    Ints out_dims, steps(dims.size()), index(dims.size(), 0);
    int size = 1;
    for (size_t i = dims.size(); i-- > 0; size *= dims[i]) steps[i] = size;
    for (int axis : permutation) out_dims.push_back(dims[axis]);
    const auto parsed = [&] {
      NodeView node;
      const Tensor input = FakeTensor(dims), output = FakeTensor(out_dims);
      const Tensor by = FakeInts(permutation);
      node.inputs = {&input, &by};
      node.outputs = {&output};
      return ParseTranspose(node);
    }();
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    std::vector<float> values(size);
    std::iota(values.begin(), values.end(), 1.0f);
    std::vector<float> want;
    for (int n = 0; n < size; ++n) {
      int at = 0;
      for (size_t i = 0; i < dims.size(); ++i) {
        at += index[i] * steps[permutation[i]];
      }
      want.push_back(values[at]);
      for (size_t i = dims.size(); i-- > 0;) {
        if (++index[i] < out_dims[i]) break;
        index[i] = 0;
      }
    }
    const NodeRun run = RunNode("TRANSPOSE", *parsed, {dims}, out_dims,
                                {values}, [](DeviceProfile&) {});
    ASSERT_TRUE(run.result.status.ok()) << run.result.status;
    EXPECT_EQ(run.result.outputs[0].values, want);
  };
  expect({1, 4, 2, 4, 2, 5}, {0, 1, 3, 2, 4, 5});
  expect({2, 3, 4, 2, 2, 3}, {0, 3, 4, 5, 1, 2});
  expect({2, 3, 1, 4, 1, 5}, {4, 5, 2, 3, 0, 1});
  expect({2, 3, 2, 3, 2, 5}, {0, 2, 1, 4, 5, 3});
}

TEST(RankSixTest, TransposeOfTooManyGroupsIsRefused) {
  EXPECT_THAT(
      Refusal(ParseTranspose,
              {FakeTensor({2, 2, 2, 2, 2, 2}), FakeInts({5, 4, 3, 2, 1, 0})},
              {FakeTensor({2, 2, 2, 2, 2, 2})}),
      ::testing::HasSubstr("moves 6 groups of axes"));
}

TEST_F(RankFiveTest, SixAxes) {
  const Shape shape = {2, 3, 2, 3, 2, 5};
  Expect(BroadcastTo({2, 1, 1, 3, 1, 5}, shape));
  Expect(BroadcastTo({1, 3, 2, 1, 2, 1}, shape));
  Expect(BroadcastTo({2, 3, 1, 1, 2, 5}, shape));
  Expect(BroadcastTo({2, 1, 2, 5}, shape));
  Expect(BroadcastTo({3, 2, 1}, shape));
  Expect(BroadcastTo({3, 2, 3, 1, 5}, shape));
  Expect(Transpose(shape, {0, 2, 1, 4, 5, 3}));
  Expect(Transpose(shape, {5, 0, 1, 3, 2, 4}));
  for (int axis : {0, 1, 2, 3, 4, 5}) {
    ConcatenationParams params;
    params.inputs = {shape, shape, shape};
    params.inputs[1][axis] = 4;
    params.axis = axis;
    Expect(Concatenation(params));
  }
}

// Axes before the last three that merge into two, and that do not.
TEST_F(RankFiveTest, RepeatedAndReversedAxes) {
  for (const Ints& by : {Ints{1, 1, 2, 1, 1, 1},
                         {1, 1, 1, 2, 1, 3},
                         {2, 1, 2, 1, 1, 1},
                         {2, 3, 2, 1, 2, 1},
                         {3, 2, 2, 2, 2, 2}}) {
    Expect(Tile({1, 3, 2, 2, 1, 5}, by));
    Expect(Tile({3, 2, 2, 1, 2, 4}, by));
  }
  Expect(Tile({2, 3, 1, 2, 2, 1, 2}, {1, 2, 1, 2, 1, 2, 3}));
  const Shape shape = {2, 3, 2, 3, 2, 5};
  Expect(BroadcastTo({1, 3, 1, 3, 2, 5}, shape));
  Expect(BroadcastTo({2, 1, 2, 3, 1, 1}, shape));
  Expect(BroadcastTo({2, 1, 3, 1, 2, 1, 3}, {2, 3, 3, 2, 2, 2, 3}));
  for (int axis : {0, 1, 2, 3, 4, 5}) Expect(Reverse(shape, axis));
  for (const Ints& axes : {Ints{1, 2}, {1, 2, 3}, {3, 4, 5}}) {
    Expect(MakeModel("REVERSE_V2 of six axes", Accuracy{0}, [&](OpVariant& v) {
      const int x =
          v.Input("x", shape, v.random().Gaussian(ElementCount(shape)));
      const int by =
          v.IntConstant("axes", {static_cast<int>(axes.size())}, axes);
      return v.Op(Op::REVERSE_V2, 1, {x, by}, schema::ReverseV2OptionsT());
    }));
  }
}

// TFLite 2.21 stops at five axes, so the answer is worked out here.
TEST_F(RankFiveTest, SliceOfSixAxes) {
  const auto expect = [](const Ints& dims, const Ints& begin,
                         const Ints& size) {
    NodeView node;
    const Tensor input = FakeTensor(dims), output = FakeTensor(size);
    const Tensor from = FakeInts(begin), sizes = FakeInts(size);
    node.inputs = {&input, &from, &sizes};
    node.outputs = {&output};
    const auto parsed = ParseSlice(node);
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    std::vector<float> values(ElementCount(dims)), want;
    std::iota(values.begin(), values.end(), 1.0f);
    for (size_t n = 0; n < values.size(); ++n) {
      bool inside = true;
      size_t rest = n;
      for (size_t i = dims.size(); i-- > 0; rest /= dims[i]) {
        const int at = static_cast<int>(rest % dims[i]);
        inside = inside && at >= begin[i] && at < begin[i] + size[i];
      }
      if (inside) want.push_back(values[n]);
    }
    const NodeRun run = RunNode("SLICE", *parsed, {dims}, size, {values},
                                [](DeviceProfile&) {});
    ASSERT_TRUE(run.result.status.ok()) << run.result.status;
    EXPECT_EQ(run.result.outputs[0].values, want);
  };
  // Each way to make two of the first three.
  const Shape shape = {2, 3, 2, 3, 2, 5};
  expect(shape, {0, 1, 0, 1, 0, 1}, {2, 2, 2, 1, 2, 3});
  expect(shape, {1, 0, 1, 0, 1, 0}, {1, 3, 1, 3, 1, 5});
  expect(shape, {1, 2, 1, 0, 0, 4}, {1, 1, 1, 2, 2, 1});
  expect({2, 3, 1, 2, 2, 3, 5}, {0, 1, 0, 1, 0, 1, 2}, {1, 2, 1, 1, 2, 2, 2});
  // By a table.
  expect({3, 3, 3, 2, 2, 2}, {0, 1, 1, 0, 0, 0}, {2, 2, 2, 2, 2, 2});
  expect({3, 3, 3, 2, 2, 5}, {0, 1, 1, 1, 0, 1}, {2, 2, 2, 1, 2, 3});
}

TEST_F(RankFiveTest, Slice) {
  Expect(Slice(kShape, {1, 1, 1, 1, 1}, {1, 2, 3, 4, 5}));
  Expect(Slice(kShape, {0, 1, 0, 0, 0}, {2, 1, -1, -1, -1}));
  Expect(Slice(kShape, {1, 0, 0, 0, 4}, {1, -1, -1, -1, 2}));
}

TEST_F(RankFiveTest, StridedSlice) {
  Expect(StridedSlice(
      {kShape, {1, 2, 3, 4, 5}, {-3, -4, -5, -6, -7}, {-1, -1, -1, -1, -1}}));
  Expect(StridedSlice(
      {kShape, {0, 0, 0, 0, 1}, {2, 3, 4, 5, 6}, {1, 2, 1, 2, 2}}));
  Strided shrunk = {kShape, {1, 0, 0, 0, 0}, {2, 3, 4, 5, 6}, {1, 1, 1, 1, 1}};
  shrunk.shrink_axis_mask = 1;  // to rank 4
  Expect(StridedSlice(shrunk));
  Strided grown = {
      {3, 4, 5, 6}, {0, 0, 1, 0, 0}, {0, 3, 4, 5, 6}, {1, 1, 1, 1, 1}};
  grown.new_axis_mask = 1;  // to rank 5
  Expect(StridedSlice(grown));
}

TEST_F(RankFiveTest, PadAndTile) {
  Expect(MakeModel("PAD of rank 5", Accuracy{0}, [](OpVariant& v) {
    const int x = v.Input("x", {2, 1, 2, 3, 5}, v.random().Gaussian(60));
    const int by = v.IntConstant("by", {5, 2}, {1, 0, 0, 2, 1, 1, 0, 1, 2, 1});
    return v.Op(Op::PAD, 1, {x, by}, schema::PadOptionsT());
  }));
  for (const auto mode :
       {schema::MirrorPadMode::REFLECT, schema::MirrorPadMode::SYMMETRIC}) {
    Expect(MakeModel("MIRROR_PAD of rank 5", Accuracy{0}, [&](OpVariant& v) {
      const int x = v.Input("x", {2, 3, 2, 3, 5}, v.random().Gaussian(180));
      const int by =
          v.IntConstant("by", {5, 2}, {1, 1, 2, 0, 1, 1, 0, 2, 3, 1});
      schema::MirrorPadOptionsT options;
      options.mode = mode;
      return v.Op(Op::MIRROR_PAD, 1, {x, by}, options);
    }));
  }
  Expect(Tile({2, 1, 3, 2, 5}, {2, 3, 1, 2, 1}));
  Expect(Tile({1, 2, 1, 2, 3}, {3, 1, 2, 1, 2}));
}

TEST_F(RankFiveTest, BroadcastTo) {
  Expect(BroadcastTo({2, 1, 4, 1, 6}, kShape));
  Expect(BroadcastTo({3, 1, 5, 1}, kShape));
}

TEST_F(RankFiveTest, Joins) {
  for (int axis : {0, 1, 2, 3, 4}) {
    ConcatenationParams params;
    params.inputs = {{2, 3, 2, 3, 5}, {2, 3, 2, 3, 5}, {2, 3, 2, 3, 5}};
    params.inputs[1][axis] = 4;
    params.axis = axis;
    Expect(Concatenation(params));
    Expect(Pack({2, 3, 2, 5}, 3, axis));
  }
}

TEST_F(RankFiveTest, Cuts) {
  for (int axis : {0, 1, 2, 3, 4}) {
    Ints sizes = {1, kShape[axis] - 1};
    Expect(Split(SplitKind::kSplitV, kShape, axis, sizes));
    Expect(Split(SplitKind::kUnpack, kShape, axis, Ints(kShape[axis], 1)));
  }
}

TEST_F(RankFiveTest, JoinsAndCutsOfSixAxes) {
  const Shape shape = {2, 3, 4, 2, 3, 5};
  for (int axis : {0, 1, 2, 3, 4, 5}) {
    Shape input = shape;
    input.erase(input.begin() + axis);
    Expect(Pack(input, shape[axis], axis));
    Expect(Pack(shape, 2, axis));  // of seven
    Expect(Split(SplitKind::kSplitV, shape, axis, {1, shape[axis] - 1}));
    Expect(Split(SplitKind::kUnpack, shape, axis, Ints(shape[axis], 1)));
  }
  Expect(Pack(shape, 3, 6));
  Expect(Split(SplitKind::kSplit, shape, 2, {2, 2}));
  Expect(Split(SplitKind::kUnpack, {2, 3, 1, 2, 2, 1, 5}, 1, {1, 1, 1}));
}

TEST_F(RankFiveTest, Reduce) {
  for (const Ints& axes : {Ints{0},
                           {4},
                           {1, 2},
                           {0, 1, 2},
                           {2, 3, 4},
                           {0, 4},
                           {0, 1, 3, 4},
                           {0, 1, 2, 3, 4}}) {
    for (bool keep : {false, true}) {
      Expect(Reduce(Op::MEAN, kShape, axes, keep));
      Expect(Reduce(Op::REDUCE_MAX, kShape, axes, keep));
    }
  }
}

// A reshape between shapes that lie alike in memory must not be lost where the
// axes are named afterwards.
TEST_F(RankFiveTest, ReshapeThenTranspose) {
  const SingleOpModel model =
      MakeModel("RESHAPE to rank 5, TRANSPOSE", Accuracy{0}, [](OpVariant& v) {
        const int x = v.Input("x", {6, 4, 5, 6}, v.random().Gaussian(720));
        const int shape = v.IntConstant("shape", {5}, {2, 3, 4, 5, 6});
        const int wide =
            v.Op(Op::RESHAPE, 1, {x, shape}, schema::ReshapeOptionsT());
        const int by = v.IntConstant("by", {5}, {1, 0, 3, 2, 4});
        return v.Op(Op::TRANSPOSE, 1, {wide, by}, schema::TransposeOptionsT());
      });
  Expect(model);
}

// By MAXIMUM: TFLite 2.9's ADD aborts on a broadcast of five axes.
TEST_F(RankFiveTest, Elementwise) {
  BinaryParams params;
  params.op = BinaryOp::kMaximum;
  params.a = {2, 3, 2, 3, 5};
  params.b = {3, 5};
  Expect(Binary(params));
  params.b = {1, 1, 2, 1, 1};
  Expect(Binary(params));
}

const Shape kSix = {2, 3, 2, 3, 2, 5};

// Operands that repeat along some axes of the batch alone. TFLite's kernels
// other than ADD, SUB and MUL end the process at six axes, so that theirs gets
// what a BROADCAST_TO has repeated.
SingleOpModel OfSixAxes(Op op, const Shape& part, bool for_cpu) {
  const bool selects = op == Op::SELECT_V2;
  const std::string name = absl::StrCat(schema::EnumNameBuiltinOperator(op),
                                        " of ", ShapeString(part));
  return MakeModel(name, Accuracy{/*terms=*/0}, [&](OpVariant& v) {
    const auto read = [&](const std::string& input, const Shape& shape) {
      Ints values(ElementCount(shape));
      for (int& value : values) value = v.random().NextInt(-3, 3);
      return v.Input(input, shape, {values.begin(), values.end()});
    };
    const auto repeated = [&](int x, const Shape& from) {
      if (!for_cpu || from == kSix) return x;
      const int to = v.builder().AddTensor("repeated", kSix);
      v.builder().AddOp(Op::BROADCAST_TO, 2,
                        {x, v.IntConstant("to", {6}, kSix)}, {to},
                        schema::BroadcastToOptionsT());
      return to;
    };
    const int x = repeated(read("x", part), part);
    const int y = read("y", kSix);
    if (op == Op::LESS) {
      return v.OfBools(v.Op(op, 1, {y, x}, schema::LessOptionsT()));
    }
    if (!selects) return v.Op(op, 1, {x, y}, schema::MaximumMinimumOptionsT());
    const int condition = v.builder().AddTensor("condition", kSix);
    v.builder().AddOp(Op::EQUAL, 1, {y, y}, {v.OfBools(condition)},
                      schema::EqualOptionsT());
    return v.Op(op, 1, {condition, x, y}, schema::SelectV2OptionsT());
  });
}

TEST_F(RankFiveTest, BroadcastsOfSixAxes) {
  const Shape parts[] = {{2, 1, 2, 3, 2, 5}, {1, 3, 1, 3, 1, 5},
                         {2, 1, 1, 1, 2, 1}, {1, 1, 2, 1, 1, 5},
                         {3, 1, 3, 1, 1},    {2, 1, 2, 5},
                         {3, 2, 1}};
  for (const Shape& part : parts) {
    BinaryParams params;
    params.op = BinaryOp::kSub;
    params.a = kSix;
    params.b = part;
    Expect(Binary(params));
    std::swap(params.a, params.b);
    params.constant = Constant::kFirst;
    Expect(Binary(params));
    IntegerBinaryParams ints;
    ints.a = part;
    ints.b = kSix;
    Expect(IntegerBinary(ints));
    for (const Op op : {Op::MAXIMUM, Op::LESS, Op::SELECT_V2}) {
      const SingleOpModel model = OfSixAxes(op, part, /*for_cpu=*/false);
      EXPECT_THAT(RunOnDelegate(model),
                  MatchesCpu(OfSixAxes(op, part, /*for_cpu=*/true)))
          << model.description;
    }
  }
  // Both sides.
  BinaryParams params;
  params.a = {2, 1, 2, 1, 2, 5};
  params.b = {1, 3, 1, 3, 2, 1};
  ExpectMatchesCpu(Binary(params));
}

}  // namespace
}  // namespace gles_delegate::testing

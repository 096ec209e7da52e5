// labels: op llvmpipe softpipe
// MEAN, SUM, REDUCE_MAX, REDUCE_MIN, REDUCE_PROD, REDUCE_ANY and REDUCE_ALL
// against TFLite's own kernels, and what their parsers refuse.
#include "delegate/ops/reduction/reduce.h"

#include "delegate/graph/builtin_params.h"
#include "delegate/ops/all_ops.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/parse_node.h"
#include "tests/testing/run_node.h"
#include "tools/op_models/of_type.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

constexpr Op kReducers[] = {Op::MEAN, Op::SUM, Op::REDUCE_MAX, Op::REDUCE_MIN,
                            Op::REDUCE_PROD};

class ReduceTest : public DeviceTest {};

TEST_F(ReduceTest, EverySetOfAxes) {
  for (int set = 1; set < 16; ++set) {
    std::vector<int> axes;
    for (int axis = 0; axis < 4; ++axis) {
      if (set >> axis & 1) axes.push_back(axis);
    }
    for (bool keep_dims : {false, true}) {
      ExpectMatchesCpuOnce(
          Reduce(kReducers[set % 5], {2, 3, 4, 5}, axes, keep_dims));
      ExpectMatchesCpuOnce(
          Reduce(kReducers[(set + 1) % 5], {2, 3, 4, 5}, axes, keep_dims));
    }
  }
}

TEST_F(ReduceTest, EveryReducerAndChannelTail) {
  for (Op op : kReducers) {
    for (int channels : StandardChannels()) {
      ExpectMatchesCpuOnce(Reduce(op, {2, 3, 4, channels}, {1, 2}, true));
      ExpectMatchesCpuOnce(Reduce(op, {2, 3, 4, channels}, {-1}, false));
    }
  }
}

TEST_F(ReduceTest, LowerRanks) {
  for (Op op : {Op::MEAN, Op::REDUCE_MAX}) {
    ExpectMatchesCpuOnce(Reduce(op, {17}, {0}, true));
    ExpectMatchesCpuOnce(Reduce(op, {3, 17}, {0}, false));
    ExpectMatchesCpuOnce(Reduce(op, {3, 17}, {1}, false));
    ExpectMatchesCpuOnce(Reduce(op, {3, 4, 5}, {1}, false));
    ExpectMatchesCpuOnce(Reduce(op, {3, 4, 5}, {0, -1, 2}, false));
  }
}

// Of a scalar TFLite's kernels look at no axis.
TEST_F(ReduceTest, Scalars) {
  for (Op op : kReducers) {
    for (int axis : {0, -1}) {
      for (bool keep_dims : {false, true}) {
        const SingleOpModel model =
            MakeModel("a scalar", Accuracy{}, [&](OpVariant& v) {
              schema::ReducerOptionsT options;
              options.keep_dims = keep_dims;
              return v.Op(op, 1,
                          {v.Input("x", {}, {2.5f}),
                           v.IntConstant("axes", {1}, {axis})},
                          options);
            });
        ExpectMatchesCpuOnce(OfType(model, TensorType::INT32));
        // TFLite 2.9's MEAN of a float divides by 0.
        const RunResult result = RunOnDelegate(model);
        ASSERT_TRUE(result.status.ok()) << result.status;
        EXPECT_EQ(result.outputs[0].values, std::vector<float>{2.5f});
      }
    }
  }
}

TEST_F(ReduceTest, PrecisionsAndStorages) {
  ExpectMatchesCpu(Reduce(Op::MEAN, {2, 3, 4, 5}, {1, 2}, true));
  ExpectMatchesCpu(Reduce(Op::REDUCE_MAX, {2, 3, 4, 5}, {3}, true));
}

TEST_F(ReduceTest, Bools) {
  for (Op op : {Op::REDUCE_ANY, Op::REDUCE_ALL}) {
    for (int set = 1; set < 16; ++set) {
      std::vector<int> axes;
      for (int axis = 0; axis < 4; ++axis) {
        if (set >> axis & 1) axes.push_back(axis);
      }
      ExpectMatchesCpuOnce(ReduceBools(op, {2, 3, 4, 5}, axes, set % 2 == 0));
    }
    for (int channels : StandardChannels()) {
      ExpectMatchesCpuOnce(ReduceBools(op, {2, 3, 4, channels}, {-1}, false));
      ExpectMatchesCpuOnce(ReduceBools(op, {2, 3, 4, channels}, {1, 2}, true));
    }
    ExpectMatchesCpuOnce(ReduceBools(op, {3, 17}, {0}, false));
    ExpectMatchesCpuOnce(ReduceBools(op, {2, 3, 2, 4, 5}, {3, 4}, true));
    ExpectMatchesCpu(ReduceBools(op, {1, 33, 41, 3}, {1, 2}, false));
    ExpectMatchesCpu(ReduceBools(op, {1, 2, 3, 257}, {3}, true));
  }
}

TEST_F(ReduceTest, Integers) {
  for (Op op :
       {Op::MEAN, Op::SUM, Op::REDUCE_MAX, Op::REDUCE_MIN, Op::REDUCE_PROD}) {
    for (const std::vector<int>& axes :
         {std::vector<int>{0}, {1, 2}, {3}, {0, 1, 2, 3}}) {
      ExpectMatchesCpuOnce(ReduceInts(op, {2, 3, 4, 5}, axes, true));
      ExpectMatchesCpuOnce(ReduceInts(op, {2, 3, 4, 5}, axes, false));
    }
    for (int channels : StandardChannels()) {
      ExpectMatchesCpuOnce(ReduceInts(op, {2, 3, 4, channels}, {-1}, false));
    }
    ExpectMatchesCpuOnce(ReduceInts(op, {2, 3, 2, 4, 5}, {3, 4}, true));
    // Past what one invocation adds up, and what floats hold.
    ExpectMatchesCpu(ReduceInts(op, {1, 33, 41, 3}, {1, 2}, false));
  }
}

// As a GPU plans it: work groups share outputs, width first where that is not
// enough.
TEST_F(ReduceTest, SharedByWorkGroups) {
  const auto run = [](Op op, const Shape& shape, std::array<bool, 4> over) {
    std::vector<int> axes;
    for (int axis = 0; axis < 4; ++axis) {
      if (over[axis]) axes.push_back(axis);
    }
    const SingleOpModel model = Reduce(op, shape, axes, /*keep_dims=*/true);
    ReduceAttributes attributes;
    attributes.over = over;
    const NodeRun node_run = RunNode(
        schema::EnumNameBuiltinOperator(op), ParsedNode{attributes, {}},
        {shape}, RunOnCpu(model).outputs[0].shape, model.inputs,
        [](DeviceProfile& profile) { profile.choices.work_group_size = 64; });
    EXPECT_THAT(node_run.result, MatchesCpu(model));
    for (const Dispatch& d : node_run.dispatches) {
      EXPECT_GE(d.work_group[0], 8) << d.ToString();
    }
    return node_run.dispatches.size();
  };
  for (Op op : kReducers) {
    EXPECT_EQ(run(op, {1, 9, 13, 7}, {false, true, true, false}), 1u);
    EXPECT_EQ(run(op, {2, 1, 3, 257}, {false, false, false, true}), 1u);
    EXPECT_EQ(run(op, {3, 5, 9, 7}, {true, true, true, true}), 1u);
  }
  EXPECT_EQ(run(Op::MEAN, {1, 95, 101, 3}, {false, true, true, false}), 2u);
  EXPECT_EQ(run(Op::REDUCE_MAX, {1, 95, 101, 3}, {false, true, true, true}),
            2u);
  EXPECT_EQ(run(Op::SUM, {2, 95, 101, 6}, {true, true, true, true}), 2u);
}

TEST(ParseReduceTest, BoolsAlone) {
  ReducerParams params = {false};
  const Tensor bools = FakeTensor({2, 3}, DataType::kBool);
  const Tensor out = FakeTensor({2}, DataType::kBool);
  const std::vector<Tensor> inputs = {bools, FakeInts({1})};
  NodeView any;
  any.builtin_code = static_cast<int>(Op::REDUCE_ANY);
  any.builtin_params = &params;
  EXPECT_EQ(RefusalOf(ParseReduce, any, inputs, {out}), "");
  EXPECT_THAT(RefusalOf(ParseReduce, any, inputs, {FakeTensor({2})}),
              HasSubstr("output 0 is float32[2], only bool"));
  EXPECT_THAT(
      RefusalOf(ParseReduce, any, {FakeTensor({2, 3}), FakeInts({1})}, {out}),
      HasSubstr("input 0 is float32[2,3], only bool"));
  EXPECT_THAT(Refusal(ParseReduce, inputs, {out}, &params), HasSubstr("bool"));
}

TEST(ParseReduceTest, Refusals) {
  ReducerParams params = {false};
  const Tensor input = FakeTensor({2, 3, 4});
  EXPECT_EQ(Refusal(ParseReduce, {input, FakeInts({-1})}, {FakeTensor({2, 3})},
                    &params),
            "");
  EXPECT_THAT(Refusal(ParseReduce, {input, FakeInts({0})}, {FakeTensor({2, 3})},
                      &params),
              HasSubstr("output is 2x3, its inputs and attributes give 3x4"));
  EXPECT_THAT(Refusal(ParseReduce, {input, FakeInts({3})}, {FakeTensor({2, 3})},
                      &params),
              HasSubstr("axis 3 is outside"));
  EXPECT_THAT(Refusal(ParseReduce, {input, FakeRuntimeInts({1})},
                      {FakeTensor({2, 3})}, &params),
              HasSubstr("the axes: known only at run time"));
  params.keep_dims = true;
  EXPECT_THAT(Refusal(ParseReduce, {input, FakeInts({2})}, {FakeTensor({2, 3})},
                      &params),
              HasSubstr("give 2x3x1"));
}

}  // namespace
}  // namespace gles_delegate::testing

// labels: op llvmpipe softpipe
// ARG_MAX and ARG_MIN against TFLite's own kernels, and what their parser
// refuses.
#include "delegate/ops/reduction/arg_extreme.h"

#include <cstring>

#include "delegate/ops/all_ops.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/parse_node.h"
#include "tests/testing/run_graph.h"
#include "tests/testing/special_floats.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

class ArgExtremeTest : public DeviceTestWithParam<Op> {};

TEST_P(ArgExtremeTest, EveryAxisEveryShape) {
  for (const Shape& shape : StandardShapes()) {
    for (int axis = 0; axis < 4; ++axis) {
      ExpectMatchesCpuOnce(ArgExtreme(GetParam(), shape, axis));
    }
  }
}

TEST_P(ArgExtremeTest, OtherRanks) {
  ExpectMatchesCpuOnce(ArgExtreme(GetParam(), {7}, 0));
  for (int axis : {0, 1, -1}) {
    ExpectMatchesCpuOnce(ArgExtreme(GetParam(), {3, 6}, axis));
  }
  for (int axis : {0, 1, -1}) {
    ExpectMatchesCpuOnce(ArgExtreme(GetParam(), {3, 4, 5}, axis));
  }
  for (int axis = 0; axis < 5; ++axis) {
    ExpectMatchesCpuOnce(ArgExtreme(GetParam(), {2, 3, 4, 2, 5}, axis));
  }
}

TEST_P(ArgExtremeTest, Integers) {
  for (int max : {4, 2147483646}) {
    for (int axis : {1, 2}) {
      ExpectMatchesCpuOnce(
          ArgExtreme(GetParam(), {3, 4, 5}, axis, TensorType::INT32, max));
    }
  }
}

TEST_P(ArgExtremeTest, SpecialValues) {
  SingleOpModel model = ArgExtreme(GetParam(), {7, 4}, 1);
  model.inputs[0] = {0.0f,   -0.0f, 0.0f,    -0.0f,  // equal: the first
                     -0.0f,  0.0f,  -0.0f,   0.0f,   //
                     1,      kInf,  kInf,    -kInf,  //
                     -kInf,  -kInf, -1,      1,      //
                     1,      NAN,   2,       0,      // NaN, but not in front
                     -3e38f, 3e38f, NAN,     kInf,   //
                     1e-40f, 0,     -1e-40f, 0};     // denormals are 0
  ExpectMatchesCpuOnce(model);
}

// A number always replaces a NaN, as in TFLite's newest kernel. 2.9's keeps a
// NaN in front, whatever follows, so it is no oracle here: it gives 0 for each
// of these lines.
TEST_P(ArgExtremeTest, ANumberReplacesANanInFront) {
  const bool max = GetParam() == Op::ARG_MAX;
  SingleOpModel model = ArgExtreme(GetParam(), {6, 4}, 1);
  model.inputs[0] = {NAN, 7,    NAN,   NAN,  //
                     NAN, NAN,  5,     6,    //
                     NAN, NAN,  -kInf, NAN,  //
                     NAN, kInf, NAN,   NAN,  //
                     NAN, NAN,  NAN,   NAN,  // none: the first
                     NAN, 1,    NAN,   3};
  const std::vector<int32_t> want = {1, max ? 3 : 2, 2, 1, 0, max ? 3 : 1};
  for (TfLiteGlesStorage storage :
       {kTfLiteGlesStorageTextureArray, kTfLiteGlesStorageBuffer}) {
    RunOptions options;
    options.storage = storage;
    const RunResult got = RunOnDelegate(model, options);
    ASSERT_TRUE(got.status.ok()) << got.status;
    EXPECT_EQ(got.outputs[0].ints, want);
  }
}

TEST_P(ArgExtremeTest, PrecisionsAndStorages) {
  ExpectMatchesCpu(ArgExtreme(GetParam(), {2, 3, 4, 6}, 1));
  ExpectMatchesCpu(ArgExtreme(GetParam(), {2, 3, 4, 6}, 3));
}

// As a GPU plans it: a work group shares each line.
TEST_P(ArgExtremeTest, LinesSharedByAWorkGroup) {
  const std::vector<std::pair<Shape, int>> cases = {
      {{1, 1, 1, 1001}, 3}, {{2, 1, 300, 5}, 2}, {{1, 77, 2, 3}, 1}};
  for (const auto& [shape, axis] : cases) {
    const SingleOpModel model = ArgExtreme(GetParam(), shape, axis);
    Graph graph;
    Node node;
    node.inputs = {AddTensor(&graph, shape)};
    Shape dims = shape;
    dims.erase(dims.begin() + axis);
    node.outputs = {AddTensor(&graph, dims)};
    graph.tensor(node.outputs[0]).type = DataType::kInt32;
    node.attributes = ArgExtremeAttributes{axis, std::nullopt};
    const auto got = RunGraphOf(
        schema::EnumNameBuiltinOperator(GetParam()), node, graph, model.inputs,
        [](DeviceProfile& profile) { profile.choices.work_group_size = 64; });
    ASSERT_TRUE(got.ok()) << got.status();
    const std::vector<int32_t> want = RunOnCpu(model).outputs[0].ints;
    ASSERT_EQ(got->size(), want.size());
    for (size_t i = 0; i < want.size(); ++i) {
      int32_t position;  // the graph's output is of integers
      std::memcpy(&position, &(*got)[i], sizeof(position));
      EXPECT_EQ(position, want[i]) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, ArgExtremeTest,
                         ::testing::Values(Op::ARG_MAX, Op::ARG_MIN),
                         [](const auto& info) {
                           return schema::EnumNameBuiltinOperator(info.param);
                         });

TEST(ParseArgExtremeTest, Refusals) {
  const Tensor input = FakeTensor({2, 3});
  const Tensor output = FakeRuntimeInts({2});
  const auto refusal = [&](const Tensor& x, const Tensor& axis,
                           const Tensor& y) {
    return Refusal(ParseArgExtreme, {x, axis}, {y});
  };
  EXPECT_EQ(refusal(input, FakeInts({1}), output), "");
  EXPECT_EQ(refusal(input, FakeInts({-1}), output), "");
  EXPECT_THAT(refusal(input, FakeInts({0}), output),
              HasSubstr("output is 2, its inputs and attributes give 3"));
  EXPECT_THAT(refusal(input, FakeInts({2}), output),
              HasSubstr("axis 2 is outside a tensor of rank 2"));
  EXPECT_THAT(refusal(input, FakeInts({0, 1}), output),
              HasSubstr("the axis has 2 elements"));
  EXPECT_THAT(refusal(input, FakeRuntimeInts({}), output),
              HasSubstr("the axis: known only at run time"));
  Tensor longs = output;
  longs.type = DataType::kInt64;
  EXPECT_THAT(refusal(input, FakeInts({1}), longs),
              HasSubstr("output 0 is int64[2], only int32"));
  Tensor bools = input;
  bools.type = DataType::kBool;
  EXPECT_THAT(refusal(bools, FakeInts({1}), output),
              HasSubstr("only float32 and int32 run here"));
  const Tensor scalar = FakeTensor({});
  EXPECT_THAT(refusal(scalar, FakeInts({0}), FakeRuntimeInts({})),
              HasSubstr("outside a tensor of rank 0"));
}

}  // namespace
}  // namespace gles_delegate::testing

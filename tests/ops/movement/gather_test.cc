// labels: op llvmpipe softpipe
// GATHER by constant and runtime indices against TFLite's own kernel, and what
// its parser refuses.
#include "delegate/ops/movement/gather.h"

#include "absl/strings/str_cat.h"
#include "delegate/graph/builtin_params.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/parse_node.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

class GatherTest : public DeviceTest {};

TEST_F(GatherTest, EveryAxis) {
  for (int axis : {0, 1, 2, 3, -1}) {
    ExpectMatchesCpuOnce(Gather({3, 4, 5, 6}, axis, {4}, {2, 0, 1, 2}));
  }
  ExpectMatchesCpuOnce(
      Gather({1, 2, 3, 17}, 3, {9}, {16, 0, 4, 4, 7, 3, 15, 8, 1}));
}

TEST_F(GatherTest, IndicesOfEveryRank) {
  ExpectMatchesCpuOnce(Gather({3, 4, 5, 6}, 1, {}, {2}));
  ExpectMatchesCpuOnce(Gather({4, 5, 6}, 1, {}, {3}));
  ExpectMatchesCpuOnce(Gather({4, 5, 6}, 0, {2, 2}, {1, 3, 0, 0}));
  ExpectMatchesCpuOnce(Gather({4, 5}, 1, {2, 3}, {4, 3, 2, 1, 0, 0}));
  ExpectMatchesCpuOnce(Gather({7}, 0, {2, 3}, {6, 3, 2, 1, 0, 5}));
}

// More indices than a row of the table holds.
TEST_F(GatherTest, ManyIndices) {
  std::vector<int> indices(2500);
  for (int i = 0; i < 2500; ++i) indices[i] = i * 7 % 11;
  ExpectMatchesCpuOnce(Gather({11, 3}, 0, {2500}, indices));
}

struct Batched {
  Shape input;
  int axis = 0;
  Shape indices;
  int batch_dims = 0;
  bool runtime = true;
  TensorType type = TensorType::FLOAT32;
};

SingleOpModel Model(const Batched& c) {
  return MakeModel(
      absl::StrCat("GATHER ", ShapeString(c.input), " on ", c.axis, " by ",
                   ShapeString(c.indices), " batch_dims ", c.batch_dims,
                   c.runtime ? " at run time" : "", " of ",
                   schema::EnumNameTensorType(c.type)),
      Accuracy{/*terms=*/0}, [&](OpVariant& v) {
        std::vector<float> values =
            v.random().Uniform(ElementCount(c.input), -100, 100);
        if (c.type != TensorType::FLOAT32) {
          for (float& value : values) value = std::round(value);
        }
        const int x = v.OfType(v.Input("x", c.input, values), c.type);
        const int rank = static_cast<int>(c.input.size());
        const int max = c.input[c.axis < 0 ? c.axis + rank : c.axis] - 1;
        std::vector<int32_t> indices(ElementCount(c.indices));
        for (int32_t& i : indices) i = v.random().NextInt(0, max);
        const int by = c.runtime
                           ? v.OfInts(v.Input("indices", c.indices,
                                              {indices.begin(), indices.end()}))
                           : v.IntConstant("indices", c.indices, indices);
        schema::GatherOptionsT options;
        options.axis = c.axis;
        options.batch_dims = c.batch_dims;
        return v.OfType(
            v.Op(Op::GATHER, c.batch_dims == 0 ? 1 : 5, {x, by}, options),
            c.type);
      });
}

TEST_F(GatherTest, RuntimeIndices) {
  for (int channels : StandardChannels()) {
    for (int axis : {0, 1, 2, 3, -1}) {
      ExpectMatchesCpuOnce(Model({{3, 4, 5, channels}, axis, {4}}));
    }
  }
  for (const Shape& indices : {Shape{}, Shape{1}, Shape{7}, Shape{2, 3}}) {
    ExpectMatchesCpuOnce(Model({{9}, 0, indices}));
    ExpectMatchesCpuOnce(Model({{9, 8}, 0, indices}));
    ExpectMatchesCpuOnce(Model({{9, 5}, -1, indices}));
    ExpectMatchesCpuOnce(Model({{4, 9, 5}, 1, indices}));
  }
  ExpectMatchesCpuOnce(Model({{3000, 8}, 0, {3, 70}}));  // an embedding
}

TEST_F(GatherTest, BatchDims) {
  for (bool runtime : {true, false}) {
    for (int channels : {1, 5, 8}) {
      ExpectMatchesCpuOnce(Model({{3, 4, 5, channels}, 1, {3, 2}, 1, runtime}));
      ExpectMatchesCpuOnce(Model({{3, 4, 5, channels}, 2, {3, 2}, 1, runtime}));
      ExpectMatchesCpuOnce(
          Model({{3, 4, 5, channels}, 3, {3, 4, 2}, 2, runtime}));
      ExpectMatchesCpuOnce(Model({{3, 4, 5, channels}, 2, {3, 4}, 2, runtime}));
      ExpectMatchesCpuOnce(Model({{3, 4, channels}, 2, {3, 6}, -1, runtime}));
    }
  }
}

TEST_F(GatherTest, IntegersAndBools) {
  for (auto type : {TensorType::INT32, TensorType::BOOL}) {
    ExpectMatchesCpuOnce(Model({{3, 4, 5}, 1, {2, 2}, 0, true, type}));
    ExpectMatchesCpuOnce(Model({{3, 4, 5}, 2, {3, 2}, 1, true, type}));
  }
}

// TFLite fails on indices below 0, and reads past the end on great ones.
TEST_F(GatherTest, RuntimeIndicesAreClamped) {
  SingleOpModel model = Model({{3, 2}, 0, {5}});
  model.inputs[0] = {0, 1, 10, 11, 20, 21};
  model.inputs[1] = {-1, 3, 2147483520, -2147483648.0f, 1};
  const RunResult result = RunOnDelegate(model);
  ASSERT_TRUE(result.status.ok()) << result.status;
  EXPECT_THAT(result.outputs[0].values,
              ::testing::ElementsAre(0, 1, 20, 21, 20, 21, 0, 1, 10, 11));
}

// Integers gather themselves.
TEST_F(GatherTest, OneTensorTwice) {
  ExpectMatchesCpuOnce(MakeModel(
      "GATHER of a tensor by itself", Accuracy{/*terms=*/0}, [&](OpVariant& v) {
        const int x = v.OfInts(v.Input("x", {5}, {4, 2, 0, 1, 3}));
        return v.OfInts(v.Op(Op::GATHER, 1, {x, x}, schema::GatherOptionsT()));
      }));
}

TEST_F(GatherTest, PrecisionsAndStorages) {
  ExpectMatchesCpu(Gather({2, 3, 4, 6}, 2, {3}, {3, 0, 1}));
  ExpectMatchesCpu(Gather({2, 3, 4, 6}, 3, {5}, {5, 0, 2, 1, 4}));
  ExpectMatchesCpu(Model({{2, 3, 4, 6}, 1, {2, 2}}));
  ExpectMatchesCpu(Model({{2, 3, 4, 6}, 3, {2, 5}, 1}));
}

TEST(ParseGatherTest, Refusals) {
  GatherParams params = {1, 0};
  const Tensor input = FakeTensor({2, 3});
  const Tensor output = FakeTensor({2, 2});
  EXPECT_EQ(Refusal(ParseGather, {input, FakeInts({2, 0})}, {output}, &params),
            "");
  EXPECT_THAT(
      Refusal(ParseGather, {input, FakeInts({3, 0})}, {output}, &params),
      HasSubstr("index 3 is outside an axis of 3 elements"));
  EXPECT_THAT(
      Refusal(ParseGather, {input, FakeInts({-1, 0})}, {output}, &params),
      HasSubstr("index -1 is outside"));
  EXPECT_THAT(Refusal(ParseGather, {input, FakeInts({0})}, {output}, &params),
              HasSubstr("output is 2x2, its inputs and attributes give 2x1"));
  EXPECT_EQ(
      Refusal(ParseGather, {input, FakeRuntimeInts({2})}, {output}, &params),
      "");
  Tensor longs = FakeRuntimeInts({2});
  longs.type = DataType::kInt64;
  EXPECT_THAT(Refusal(ParseGather, {input, longs}, {output}, &params),
              HasSubstr("the indices are int64; int32 runs here"));
  params.axis = 2;
  EXPECT_THAT(
      Refusal(ParseGather, {input, FakeInts({2, 0})}, {output}, &params),
      HasSubstr("axis 2 is outside a tensor of rank 2"));
}

TEST(ParseGatherTest, MoreElementsThanAreCounted) {
  GatherParams params = {1, 0};
  EXPECT_THAT(
      Refusal(ParseGather, {FakeTensor({65536, 65536}), FakeRuntimeInts({2})},
              {FakeTensor({65536, 2})}, &params),
      HasSubstr("[65536,65536] has more than 2147483647 elements"));
}

TEST(ParseGatherTest, BatchRefusals) {
  GatherParams params = {1, 1};
  const Tensor input = FakeTensor({2, 3});
  const Tensor output = FakeTensor({2, 4});
  const auto refusal = [&](const Tensor& indices) {
    NodeView node;
    node.version = 5;
    node.builtin_params = &params;
    return RefusalOf(ParseGather, node, {input, indices}, {output});
  };
  EXPECT_EQ(refusal(FakeRuntimeInts({2, 4})), "");
  EXPECT_THAT(refusal(FakeRuntimeInts({3, 4})),
              HasSubstr("the first 1 axes of 2x3 and 3x4 must be equal"));
  params.batch_dims = 2;
  EXPECT_THAT(refusal(FakeRuntimeInts({2, 4})), HasSubstr("batch_dims is 2"));
  params.batch_dims = -3;
  EXPECT_THAT(refusal(FakeRuntimeInts({2, 4})), HasSubstr("batch_dims is -3"));
}

}  // namespace
}  // namespace gles_delegate::testing

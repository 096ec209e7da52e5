// labels: op llvmpipe softpipe
// TOPK_V2 against TFLite's own kernel, and what its parser refuses.

#include <cstring>

#include "delegate/ops/all_ops.h"
#include "delegate/ops/op_list.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/parse_node.h"
#include "tests/testing/run_graph.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

class TopKTest : public DeviceTest {};

TEST_F(TopKTest, EveryShape) {
  for (const Shape& shape : StandardShapes()) {
    for (int k : {1, 3, shape.back()}) {
      if (k <= shape.back()) ExpectMatchesCpuOnce(TopK(shape, k));
    }
  }
}

TEST_F(TopKTest, OtherRanks) {
  ExpectMatchesCpuOnce(TopK({9}, 4));
  ExpectMatchesCpuOnce(TopK({3, 9}, 5));
  ExpectMatchesCpuOnce(TopK({3, 4, 9}, 9));
  ExpectMatchesCpuOnce(TopK({2, 1, 3, 4, 9}, 6));
  ExpectMatchesCpuOnce(TopK({2, 1001}, 64));
}

TEST_F(TopKTest, Integers) {
  ExpectMatchesCpuOnce(TopK({3, 9}, 5, TensorType::INT32));
  ExpectMatchesCpuOnce(TopK({3, 17}, 17, TensorType::INT32, 2147483646));
}

// One output keeps its input's quantized values, the other has none.
TEST_F(TopKTest, Codes) {
  ExpectMatchesCpuOnce(TopK({3, 17}, 6, TensorType::INT8, 20,
                            ModelQuantization::PerTensor(0.25f, -3)));
}

TEST_F(TopKTest, SpecialValues) {
  SingleOpModel model = TopK({2, 6}, 6);
  model.inputs[0] = {0.0f,  -0.0f, INFINITY, -INFINITY, 3e38f, -3e38f,
                     -0.0f, 0.0f,  1e-38f,   1,         -1,    0};
  ExpectMatchesCpuOnce(model);
}

TEST_F(TopKTest, PrecisionsAndStorages) {
  ExpectMatchesCpu(TopK({2, 3, 9}, 5));
}

// As a GPU plans it: a work group shares each row.
TEST_F(TopKTest, RowsSharedByAWorkGroup) {
  for (const Shape& shape : {Shape{1, 1001}, Shape{2, 3, 37}}) {
    const SingleOpModel model = TopK(shape, 7);
    const RunResult cpu = RunOnCpu(model);
    for (int output : {0, 1}) {
      Graph graph;
      Node node;
      Shape dims = shape;
      dims.back() = 7;
      node.inputs = {AddTensor(&graph, shape)};
      node.outputs = {AddTensor(&graph, dims), AddTensor(&graph, dims)};
      graph.tensor(node.outputs[1]).type = DataType::kInt32;
      node.op = FindOpNamed("TOPK_V2");
      graph.inputs = node.inputs;
      graph.outputs = {node.outputs[output]};
      graph.nodes = {node};
      const auto got = RunGraph(
          graph, model.inputs,
          [](DeviceProfile& profile) { profile.choices.work_group_size = 64; });
      ASSERT_TRUE(got.ok()) << got.status();
      const TensorValue& want = cpu.outputs[output];
      ASSERT_EQ(got->size(), want.values.size());
      EXPECT_EQ(
          std::memcmp(got->data(),
                      output == 0 ? static_cast<const void*>(want.values.data())
                                  : static_cast<const void*>(want.ints.data()),
                      got->size() * sizeof(float)),
          0);
    }
  }
}

TEST(ParseTopKTest, Refusals) {
  const Tensor input = FakeTensor({2, 9});
  const Tensor values = FakeTensor({2, 4});
  const Tensor positions = FakeRuntimeInts({2, 4});
  const auto refusal = [&](const Tensor& k) {
    return Refusal(ParseTopK, {input, k}, {values, positions});
  };
  EXPECT_EQ(refusal(FakeInts({4})), "");
  EXPECT_THAT(refusal(FakeInts({5})),
              HasSubstr("output is 2x4, its inputs and attributes give 2x5"));
  EXPECT_THAT(refusal(FakeInts({10})),
              HasSubstr("k is 10, rows have 9 elements"));
  EXPECT_THAT(refusal(FakeInts({0})), HasSubstr("k is 0"));
  EXPECT_THAT(refusal(FakeRuntimeInts({})),
              HasSubstr("k: known only at run time"));
  EXPECT_THAT(Refusal(ParseTopK, {FakeTensor({2, 99}), FakeInts({65})},
                      {FakeTensor({2, 65}), FakeRuntimeInts({2, 65})}),
              HasSubstr("k is 65, at most 64"));
  EXPECT_THAT(
      Refusal(ParseTopK, {input, FakeInts({4})}, {values, FakeTensor({2, 4})}),
      HasSubstr("output 1 is float32[2,4], only int32"));
  EXPECT_THAT(
      Refusal(ParseTopK, {input, FakeInts({4})}, {positions, positions}),
      HasSubstr("must be of one type"));
  EXPECT_THAT(Refusal(ParseTopK, {FakeTensor({}), FakeInts({1})},
                      {FakeTensor({}), FakeRuntimeInts({})}),
              HasSubstr("the input is a scalar"));
}

}  // namespace
}  // namespace gles_delegate::testing

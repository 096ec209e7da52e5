// labels: op llvmpipe softpipe
// Small tensors that are computed from constants: which nodes are folded, their
// values, and a model with a mask as exporters write it.
#include <vector>

#include "delegate/graph/constant_values.h"
#include "delegate/partition/plan_partition.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/device_test.h"
#include "tests/testing/graph_builder.h"
#include "tests/testing/matchers.h"
#include "tests/testing/single_op.h"
#include "tools/cases/model.h"

namespace gles_delegate::testing {
namespace {

class Builder : public GraphBuilder {
 public:
  TensorId Floats(const std::vector<float>& values) {
    const TensorId id = Constant({static_cast<int>(values.size())});
    const auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
    graph.tensor(id).constant =
        ConstantData::Own({bytes, bytes + values.size() * sizeof(float)});
    return id;
  }
  // Adds it to an input, the graph's output.
  void Read(TensorId id) {
    graph.outputs = {Add(Input(graph.tensor(id).dims), id)};
  }
};

TEST(FoldComputedTest, ChainOfConstants) {
  Builder b;
  const TensorId sum =
      b.Add(b.Relu(b.Floats({-1, 2, 9})), b.Floats({10, 20, 30}));
  const TensorId rows = b.Node("RESHAPE", {sum}, {3, 1});
  const TensorId product = b.Mul(rows, rows);
  b.Read(product);
  ASSERT_TRUE(FoldComputed(&b.graph).ok());
  EXPECT_THAT(b.Ops(), ElementsAre("ADD"));
  const Tensor& folded = b.graph.tensor(product);
  const auto values = ConstantFloats(folded);
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_THAT(*values, ElementsAre(100, 484, 1296));
  // The start-up cache must not keep it by its place alone.
  EXPECT_EQ(folded.tflite_index, -1);
}

TEST(FoldComputedTest, NotWhatDependsOnInputsOrIsAnOutput) {
  Builder b;
  const TensorId x = b.Relu(b.Input({3}));
  const TensorId y = b.Relu(b.Floats({1, 2, 3}));
  b.graph.outputs = {b.Add(x, b.Floats({1, 2, 3})), y};
  ASSERT_TRUE(FoldComputed(&b.graph).ok());
  EXPECT_THAT(b.Ops(), ElementsAre("RELU", "RELU", "ADD"));
}

TEST(FoldComputedTest, NotLargeTensorsOrUnknownValues) {
  Builder large;
  large.Read(large.Relu(large.Constant({1 << 15})));
  ASSERT_TRUE(FoldComputed(&large.graph).ok());
  EXPECT_THAT(large.Ops(), ElementsAre("RELU", "ADD"));
  Builder infinite;
  const TensorId zero = infinite.Floats({1, 0});
  infinite.Read(infinite.Node("LOG", {zero}, {2}, infinite.Plain(zero, 0),
                              {{"log", {}}}));
  ASSERT_TRUE(FoldComputed(&infinite.graph).ok());
  EXPECT_THAT(infinite.Ops(), ElementsAre("LOG", "ADD"));
}

TEST(FoldComputedTest, PassesAnErrorOn) {
  Builder b;
  b.Read(b.Node("RESHAPE", {b.Floats({1, 2, 3})}, {2, 2}));
  EXPECT_FALSE(FoldComputed(&b.graph).ok());
}

class FoldComputedModelTest : public DeviceTest {};

// A mask from positions: integers, bools and floats.
TEST_F(FoldComputedModelTest, Mask) {
  const SingleOpModel model = cases::ModelOf(
      "GREATER columns=(0,1,2,3,4,5) rows=[4,1](0,1,2,3) -> later:bool ; "
      "SELECT_V2 later hidden=const:f32[](-100) seen=const:f32[](0) -> "
      "mask:f32 ; "
      "ADD x=[1,4,6]~n(0,1) mask -> f32");
  const RunResult result = RunOnDelegate(model);
  EXPECT_THAT(result, MatchesCpu(model));
  EXPECT_THAT(result.report,
              ::testing::HasSubstr("\"nodes_after_passes\": 1,"));
}

}  // namespace
}  // namespace gles_delegate::testing

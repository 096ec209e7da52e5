// labels: op llvmpipe softpipe sanitize
// Which nodes of constants are folded, and which are not: constants in another
// form, small tensors that are computed, and a model with a mask as exporters
// write it.
#include <string>
#include <vector>

#include "delegate/graph/constant_values.h"
#include "delegate/partition/plan_partition.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/device_test.h"
#include "tests/testing/graph_builder.h"
#include "tests/testing/single_op.h"
#include "tools/cases/model.h"

namespace gles_delegate::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

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

// --- Constants in another form -----------------------------------------------

TEST(FoldConstantsTest, HalfThroughDequantizeIsShared) {
  Builder b;
  const TensorId half = b.Tensor({2});
  b.graph.tensor(half).type = DataType::kFloat16;
  b.graph.tensor(half).constant =
      ConstantData::Own({0x00, 0x3c, 0x00, 0xc0});  // 1, -2
  const TensorId out = b.Node("DEQUANTIZE", {half}, {2});
  b.graph.outputs = {b.Add(b.Input({2}), out)};
  ASSERT_TRUE(FoldConstants(&b.graph).ok());
  EXPECT_THAT(b.Ops(), ElementsAre("ADD"));
  const Tensor& t = b.graph.tensor(out);
  EXPECT_EQ(t.type, DataType::kFloat16);
  EXPECT_EQ(t.constant.bytes().data(),
            b.graph.tensor(half).constant.bytes().data());
  EXPECT_THAT(*ConstantFloats(t), ElementsAre(1, -2));
}

TEST(FoldConstantsTest, Int8ThroughDequantizeBecomesFloat) {
  Builder b;
  const TensorId quantized = b.Tensor({2, 2});
  Tensor& t = b.graph.tensor(quantized);
  t.type = DataType::kInt8;
  t.constant = ConstantData::Own({1, 2, 3, 0xff});
  t.quantization.scale = {0.5f, 2.0f};
  t.quantization.zero_point = {0, 1};
  t.quantization.dimension = 0;
  const TensorId out = b.Node("DEQUANTIZE", {quantized}, {2, 2});
  ASSERT_TRUE(FoldConstants(&b.graph).ok());
  EXPECT_EQ(b.graph.tensor(out).type, DataType::kFloat32);
  EXPECT_THAT(*ConstantFloats(b.graph.tensor(out)),
              ElementsAre(0.5f, 1, 4, -4));
}

TEST(FoldConstantsTest, ChainsOfReshapes) {
  Builder b;
  const TensorId c = b.Constant({2, 6});
  const TensorId x = b.Node("RESHAPE", {c}, {3, 4});
  const TensorId y = b.Node("EXPAND_DIMS", {x}, {1, 3, 4});
  const TensorId z = b.Node("SQUEEZE", {y}, {3, 4});
  ASSERT_TRUE(FoldConstants(&b.graph).ok());
  EXPECT_TRUE(b.graph.nodes.empty());
  EXPECT_TRUE(b.graph.tensor(z).is_constant());
}

TEST(FoldConstantsTest, LeavesWhatIsComputed) {
  Builder b;
  b.graph.outputs = {b.Node("RESHAPE", {b.Input({2, 6})}, {3, 4})};
  ASSERT_TRUE(FoldConstants(&b.graph).ok());
  EXPECT_THAT(b.Ops(), ElementsAre("RESHAPE"));
}

TEST(FoldConstantsTest, RefusesAnotherNumberOfElements) {
  Builder b;
  b.Node("RESHAPE", {b.Constant({2, 6})}, {3, 5});
  const absl::Status status = FoldConstants(&b.graph);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("cannot become"));
}

// --- Small tensors of constants alone ----------------------------------------

TEST(FoldConstantsTest, ChainOfConstants) {
  Builder b;
  const TensorId sum =
      b.Add(b.Relu(b.Floats({-1, 2, 9})), b.Floats({10, 20, 30}));
  const TensorId rows = b.Node("RESHAPE", {sum}, {3, 1});
  const TensorId product = b.Mul(rows, rows);
  b.Read(product);
  ASSERT_TRUE(FoldConstants(&b.graph).ok());
  EXPECT_THAT(b.Ops(), ElementsAre("ADD"));
  const Tensor& folded = b.graph.tensor(product);
  const auto values = ConstantFloats(folded);
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_THAT(*values, ElementsAre(100, 484, 1296));
  // The start-up cache must not keep it by its place alone.
  EXPECT_EQ(folded.tflite_index, -1);
}

TEST(FoldConstantsTest, NotWhatDependsOnInputsOrIsAnOutput) {
  Builder b;
  const TensorId x = b.Relu(b.Input({3}));
  const TensorId y = b.Relu(b.Floats({1, 2, 3}));
  b.graph.outputs = {b.Add(x, b.Floats({1, 2, 3})), y};
  ASSERT_TRUE(FoldConstants(&b.graph).ok());
  EXPECT_THAT(b.Ops(), ElementsAre("RELU", "RELU", "ADD"));
}

TEST(FoldConstantsTest, NotLargeTensorsOrUnknownValues) {
  Builder large;
  large.Read(large.Relu(large.Constant({1 << 15})));
  ASSERT_TRUE(FoldConstants(&large.graph).ok());
  EXPECT_THAT(large.Ops(), ElementsAre("RELU", "ADD"));
  Builder infinite;
  const TensorId zero = infinite.Floats({1, 0});
  infinite.Read(infinite.Node("LOG", {zero}, {2}, infinite.Plain(zero, 0),
                              {{"log", {}}}));
  ASSERT_TRUE(FoldConstants(&infinite.graph).ok());
  EXPECT_THAT(infinite.Ops(), ElementsAre("LOG", "ADD"));
}

TEST(FoldConstantsTest, PassesAnErrorOn) {
  Builder b;
  b.Read(b.Node("RESHAPE", {b.Floats({1, 2, 3})}, {2, 2}));
  EXPECT_FALSE(FoldConstants(&b.graph).ok());
}

class FoldConstantsModelTest : public DeviceTest {};

// A mask from positions: integers, bools and floats.
TEST_F(FoldConstantsModelTest, Mask) {
  const SingleOpModel model = cases::ModelOf(
      "GREATER columns=(0,1,2,3,4,5) rows=[4,1](0,1,2,3) -> later:bool ; "
      "SELECT_V2 later hidden=const:f32[](-100) seen=const:f32[](0) -> "
      "mask:f32 ; "
      "ADD x=[1,4,6]~n(0,1) mask -> f32");
  const RunResult result = RunOnDelegate(model);
  EXPECT_THAT(result, MatchesCpu(model));
  EXPECT_THAT(result.report, HasSubstr("\"nodes_after_passes\": 1,"));
}

}  // namespace
}  // namespace gles_delegate::testing

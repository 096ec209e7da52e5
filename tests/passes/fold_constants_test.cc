// labels: unit sanitize
// Which nodes of constants are folded, and which are not.
#include <string>

#include "delegate/graph/constant_values.h"
#include "delegate/graph/op.h"
#include "delegate/passes/passes.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/graph_builder.h"

namespace gles_delegate {
namespace {

using ::testing::ElementsAre;
using testing::GraphBuilder;
using ::testing::HasSubstr;

TEST(FoldConstantsTest, HalfThroughDequantizeIsShared) {
  GraphBuilder b;
  const TensorId half = b.Tensor({2});
  b.graph.tensor(half).type = DataType::kFloat16;
  b.graph.tensor(half).constant =
      ConstantData::Own({0x00, 0x3c, 0x00, 0xc0});  // 1, -2
  const TensorId out = b.Node("DEQUANTIZE", {half}, {2});
  b.graph.outputs = {b.Add(b.Input({2}), out)};
  testing::RunPass("fold_constants", &b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("ADD"));
  const Tensor& t = b.graph.tensor(out);
  EXPECT_EQ(t.type, DataType::kFloat16);
  EXPECT_EQ(t.constant.bytes().data(),
            b.graph.tensor(half).constant.bytes().data());
  EXPECT_THAT(*ConstantFloats(t), ElementsAre(1, -2));
}

TEST(FoldConstantsTest, Int8ThroughDequantizeBecomesFloat) {
  GraphBuilder b;
  const TensorId quantized = b.Tensor({2, 2});
  Tensor& t = b.graph.tensor(quantized);
  t.type = DataType::kInt8;
  t.constant = ConstantData::Own({1, 2, 3, 0xff});
  t.quantization.scale = {0.5f, 2.0f};
  t.quantization.zero_point = {0, 1};
  t.quantization.dimension = 0;
  const TensorId out = b.Node("DEQUANTIZE", {quantized}, {2, 2});
  testing::RunPass("fold_constants", &b.graph);
  EXPECT_EQ(b.graph.tensor(out).type, DataType::kFloat32);
  EXPECT_THAT(*ConstantFloats(b.graph.tensor(out)),
              ElementsAre(0.5f, 1, 4, -4));
}

TEST(FoldConstantsTest, ChainsOfReshapes) {
  GraphBuilder b;
  const TensorId c = b.Constant({2, 6});
  const TensorId x = b.Node("RESHAPE", {c}, {3, 4});
  const TensorId y = b.Node("EXPAND_DIMS", {x}, {1, 3, 4});
  const TensorId z = b.Node("SQUEEZE", {y}, {3, 4});
  testing::RunPass("fold_constants", &b.graph);
  EXPECT_TRUE(b.graph.nodes.empty());
  EXPECT_TRUE(b.graph.tensor(z).is_constant());
}

TEST(FoldConstantsTest, LeavesWhatIsComputed) {
  GraphBuilder b;
  b.graph.outputs = {b.Node("RESHAPE", {b.Input({2, 6})}, {3, 4})};
  testing::RunPass("fold_constants", &b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("RESHAPE"));
}

TEST(FoldConstantsTest, RefusesAnotherNumberOfElements) {
  GraphBuilder b;
  b.Node("RESHAPE", {b.Constant({2, 6})}, {3, 5});
  const absl::Status status =
      gles_delegate::RunPass("fold_constants", {DeviceProfile()}, &b.graph);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("cannot become"));
}

}  // namespace
}  // namespace gles_delegate

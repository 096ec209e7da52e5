// labels: op llvmpipe
// DEQUANTIZE of constants: folded, not run.
#include "delegate/ops/elementwise/dequantize.h"

#include <string>
#include <vector>

#include "delegate/ops/all_ops.h"
#include "tests/testing/device.h"
#include "tests/testing/op_models.h"
#include "tests/testing/parse_node.h"
#include "tools/common/model_builder.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate {
namespace {

using ::testing::HasSubstr;
using testing::MatchesCpu;
using testing::RunOnDelegate;
using testing::SingleOpModel;

// TFLite takes a scale of 0; nothing that reads such a constant is delegated.
TEST(DequantizeTest, AConstantWithoutScaleStaysOnTheCpu) {
  GLES_SKIP_WITHOUT_DEVICE();
  using testing::Op;
  using testing::TensorType;
  for (const bool product : {false, true}) {
    SCOPED_TRACE(product);
    ModelBuilder b;
    const int x = b.AddInput("x", {2, 3});
    const int w = b.AddConstant<int8_t>(
        "w", {2, 3}, std::vector<int8_t>{1, -2, 3, 4, -5, 6});
    const int y = b.AddTensor("y", {2, product ? 2 : 3});
    if (product) {
      b.AddOp(Op::FULLY_CONNECTED, 3, {x, w, -1}, {y},
              schema::FullyConnectedOptionsT());
    } else {
      const int floats = b.AddTensor("floats", {2, 3});
      b.AddOp(Op::DEQUANTIZE, 2, {w}, {floats});
      b.AddOp(Op::ADD, 1, {x, floats}, {y}, schema::AddOptionsT());
    }
    b.SetOutputs({y});
    SingleOpModel model;
    model.bytes = b.Finish();
    model.inputs = {{1, 2, 3, 4, 5, 6}};
    testing::RunOptions options;
    options.expect_delegated = false;
    const testing::RunResult got = RunOnDelegate(model, options);
    EXPECT_THAT(got, MatchesCpu(model));
    EXPECT_THAT(got.report, HasSubstr("has no scale"));
  }
}

TEST(DequantizeParseTest, RefusesComputedInputsWithoutFloatView) {
  Tensor in, out;
  in.dims = out.dims = {4};
  in.type = DataType::kFloat16;
  NodeView node;
  node.inputs = {&in};
  node.outputs = {&out};
  const auto parsed = testing::Parsed(ParseDequantize, node);
  EXPECT_EQ(parsed.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(parsed.status().message()),
              HasSubstr("float16[4], only float32 runs here"));
}

TEST(DequantizeParseTest, RefusesAnotherShape) {
  Tensor in, out;
  in.dims = {4};
  out.dims = {5};
  in.constant = ConstantData::Own({1, 2, 3, 4});
  NodeView node;
  node.inputs = {&in};
  node.outputs = {&out};
  EXPECT_EQ(testing::Parsed(ParseDequantize, node).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace gles_delegate

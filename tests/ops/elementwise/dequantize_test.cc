// labels: op llvmpipe
// DEQUANTIZE of constants: folded, not run.
#include "delegate/ops/elementwise/dequantize.h"

#include <string>

#include "tests/testing/device.h"
#include "tests/testing/op_models.h"

namespace gles_delegate {
namespace {

using ::testing::HasSubstr;
using testing::MatchesCpu;
using testing::RunOnDelegate;
using testing::SingleOpModel;

TEST(DequantizeTest, HalfConstants) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (const testing::Shape& shape : testing::FewShapes()) {
    testing::ExpectMatchesCpu(testing::DequantizeHalfThenAdd(shape));
  }
}

TEST(DequantizeParseTest, RefusesComputedInputsWithoutFloatView) {
  Tensor in, out;
  in.dims = out.dims = {4};
  in.type = DataType::kFloat16;
  NodeView node;
  node.inputs = {&in};
  node.outputs = {&out};
  const auto parsed = ParseDequantize(node);
  EXPECT_EQ(parsed.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(parsed.status().message()),
              HasSubstr("float16, only float32 runs here"));
}

TEST(DequantizeParseTest, RefusesAnotherShape) {
  Tensor in, out;
  in.dims = {4};
  out.dims = {5};
  in.constant = ConstantData::Own({1, 2, 3, 4});
  NodeView node;
  node.inputs = {&in};
  node.outputs = {&out};
  EXPECT_EQ(ParseDequantize(node).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace gles_delegate

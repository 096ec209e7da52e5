// labels: unit
// Quantized values that comparisons refuse; other cases are rows of
// tools/cases/typed.txt.
#include "delegate/ops/elementwise/comparison.h"

#include "delegate/ops/all_ops.h"
#include "tests/testing/matchers.h"
#include "tests/testing/parse_node.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

constexpr auto Message = BinaryRefusal<ParseComparison>;

TEST(ParseComparisonTest, Refusals) {
  const Tensor floats = FakeTensor({2, 3});
  const Tensor bools = FakeTensor({2, 3}, DataType::kBool);
  Tensor quantized = floats;
  quantized.quantized = DataType::kInt8;
  quantized.quantization = {{0.5f}, {3}, 0};
  Tensor others = quantized;
  EXPECT_EQ(Message(Op::LESS, quantized, others, bools), "");
  // Codes of 8 bits are rescaled in integers, those of 16 are not.
  others.quantization.scale = {0.25f};
  EXPECT_EQ(Message(Op::LESS, quantized, others, bools), "");
  quantized.quantized = others.quantized = DataType::kInt16;
  EXPECT_THAT(Message(Op::LESS, quantized, others, bools),
              HasSubstr("whose quantizations differ"));
}

}  // namespace
}  // namespace gles_delegate::testing

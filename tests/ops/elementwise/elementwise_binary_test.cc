// labels: op llvmpipe softpipe
// How functions of two tensors are parsed; cases are rows of
// tools/cases/elementwise.txt.
#include <string>
#include <vector>

#include "delegate/graph/builtin_codes.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/all_ops.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/parse_node.h"

namespace gles_delegate::testing {
namespace {

// A parser's view of two float32 tensors in, one out.
struct View {
  Tensor a, b, output;
  AddParams params = {};
  NodeView node;

  View(int code, const std::vector<int>& x, const std::vector<int>& y,
       const std::vector<int>& out) {
    Set(&a, x);
    Set(&b, y);
    Set(&output, out);
    node.builtin_code = code;
    node.builtin_params = &params;
    node.inputs = {&a, &b};
    node.outputs = {&output};
  }
  static void Set(Tensor* t, const std::vector<int>& dims) {
    t->dims = dims;
    t->shape = gles_delegate::Shape::FromDims(dims);
  }
};

constexpr int kSubCode = 41;

TEST(BinaryParseTest, ScalarConstantsAreParameters) {
  View view(kSubCode, {1}, {1, 2, 2, 4}, {1, 2, 2, 4});
  view.a.constant = ConstantData::Own({0, 0, 0, 0x40});  // 2.0f
  const auto parsed = Parsed(ParseBinary, view.node);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  ASSERT_EQ(parsed->post_ops.size(), 1u);
  EXPECT_EQ(parsed->post_ops[0].operand, kNoTensor);
  EXPECT_EQ(parsed->post_ops[0].params[0], 2.0f);
  EXPECT_EQ(parsed->post_ops[0].params[1], 1);  // 2 - x, not x - 2
}

TEST(BinaryParseTest, TheComputedTensorIsTheSource) {
  View view(kSubCode, {1, 2, 2, 4}, {1, 2, 2, 4}, {1, 2, 2, 4});
  view.a.constant = ConstantData::Own(std::vector<uint8_t>(64));
  const auto parsed = Parsed(ParseBinary, view.node);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(std::any_cast<ElementwiseAttributes>(parsed->attributes).source, 1);
  EXPECT_EQ(parsed->post_ops[0].operand, 0);
  EXPECT_TRUE(parsed->post_ops[0].operand_first);
}

}  // namespace
}  // namespace gles_delegate::testing

// labels: unit sanitize
// What CONV_2D's parser refuses that no model of tools/cases says.
#include "delegate/ops/conv/conv_2d.h"

#include "delegate/graph/builtin_params.h"
#include "delegate/ops/all_ops.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/fake_node.h"
#include "tests/testing/parse_node.h"

namespace gles_delegate::testing {
namespace {

using ::testing::HasSubstr;

struct ConvNode {
  Tensor src = FakeTensor({1, 8, 8, 4});
  Tensor filter = FakeConstant({6, 3, 3, 4});
  Tensor bias = FakeConstant({6});
  Tensor dst = FakeTensor({1, 8, 8, 6});
  ::gles_delegate::ConvParams params = {kPaddingSame, 1, 1, kActNone, 1, 1};

  absl::Status Parse() const {
    NodeView view;
    view.builtin_params = &params;
    view.inputs = {&src, &filter, &bias};
    view.outputs = {&dst};
    return Parsed(ParseConv2d, view).status();
  }
};

// Sparse weights lie in their own order, even those that leave nothing out.
TEST(Conv2dParseTest, RefusesSparseWeights) {
  ConvNode node;
  node.filter.sparsity.traversal_order = {3, 2, 1, 0};
  node.filter.sparsity.dimensions.resize(4);
  EXPECT_EQ(node.Parse().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(node.Parse().message(), HasSubstr("the filter is sparse"));
  node.filter.sparsity = {};
  EXPECT_TRUE(node.Parse().ok()) << node.Parse();
}

TEST(Conv2dParseTest, RefusesTooFewBytes) {
  ConvNode node;
  node.filter.constant = ConstantData::Own(std::vector<uint8_t>(16));
  EXPECT_THAT(node.Parse().message(), HasSubstr("holds 16 bytes"));
}

}  // namespace
}  // namespace gles_delegate::testing

// labels: unit sanitize
// The rules of Convolution's properties, each at its boundary.
#include "delegate/ops/conv/convolution.h"

#include <vector>

#include "delegate/graph/builtin_params.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/conv/conv_2d.h"
#include "delegate/ops/op_list.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/fake_node.h"
#include "tests/testing/graph_builder.h"
#include "tests/testing/parse_node.h"

namespace gles_delegate::testing {
namespace {

// One node, changed by the test.
struct OneNode {
  const char* op = "CONV_2D";
  std::vector<int> input = {1, 8, 8, 8};
  std::vector<int> filter = {8, 1, 1, 8};
  std::vector<int> output = {1, 8, 8, 8};
  std::any attributes = Conv2dAttributes();
  bool runtime_weights = false;
  bool has_bias = true;
  bool runtime_bias = false;
  bool integer_path = false;

  Convolution Made() const {
    GraphBuilder b;
    const auto add = [&](const std::vector<int>& dims, bool runtime) {
      return runtime ? b.Input(dims) : b.Constant(dims);
    };
    std::vector<TensorId> inputs = {b.Input(input),
                                    add(filter, runtime_weights)};
    if (has_bias) inputs.push_back(add({filter[0]}, runtime_bias));
    b.Node(op, inputs, output, attributes);
    b.graph.nodes[0].integer_path = integer_path;
    const auto conv = Convolution::Of(b.graph, b.graph.nodes[0]);
    EXPECT_TRUE(conv.has_value());
    return conv.value_or(Convolution());
  }
};

Conv2dAttributes Windowed(int stride, int pad = 0, int dilation = 1) {
  Conv2dAttributes a;
  a.stride_h = a.stride_w = stride;
  a.pad_top = a.pad_left = a.pad_bottom = a.pad_right = pad;
  a.dilation_h = a.dilation_w = dilation;
  return a;
}

TEST(ConvolutionTest, Pointwise) {
  EXPECT_TRUE(OneNode().Made().IsPointwise());
  OneNode strided;
  strided.attributes = Windowed(2);
  strided.output = {1, 4, 4, 8};
  EXPECT_FALSE(strided.Made().IsPointwise());
  OneNode window;
  window.filter = {8, 3, 3, 8};
  window.attributes = Windowed(1, 1);
  EXPECT_FALSE(window.Made().IsPointwise());
  OneNode grouped;
  Conv2dAttributes groups;
  groups.groups = 2;
  grouped.filter = {8, 1, 1, 4};
  grouped.attributes = groups;
  EXPECT_FALSE(grouped.Made().IsPointwise());
  OneNode dilated;  // one tap
  dilated.attributes = Windowed(1, 0, 3);
  EXPECT_TRUE(dilated.Made().IsPointwise());
}

// A PAD that was fused behind the input alone leaves the padding in front at
// zero, and the output's shape tells. On one edge each: height and width do.
TEST(ConvolutionTest, PaddedIsNotPointwise) {
  using Pad = int Conv2dAttributes::*;
  const struct {
    Pad pad;
    std::vector<int> output;
  } edges[] = {{&Conv2dAttributes::pad_top, {1, 9, 8, 8}},
               {&Conv2dAttributes::pad_bottom, {1, 9, 8, 8}},
               {&Conv2dAttributes::pad_left, {1, 8, 9, 8}},
               {&Conv2dAttributes::pad_right, {1, 8, 9, 8}}};
  for (const auto& [pad, output] : edges) {
    Conv2dAttributes a;
    a.*pad = 1;
    OneNode padded;
    padded.attributes = a;
    padded.output = output;
    padded.runtime_weights = true;
    EXPECT_FALSE(padded.Made().IsPointwise())
        << ::testing::PrintToString(output);
  }
}

// A strided 1x1 window over one pixel takes no step: its rows are pixels, but
// it is not called pointwise.
TEST(ConvolutionTest, RowsThatArePixels) {
  OneNode strided;
  strided.input = strided.output = {16, 1, 1, 8};
  strided.attributes = Windowed(2);
  EXPECT_TRUE(strided.Made().RowsArePixels());
  EXPECT_TRUE(strided.Made().IsWholeInput());
  EXPECT_FALSE(strided.Made().IsPointwise());
}

TEST(ConvolutionTest, ConstantWeights) {
  OneNode node;
  EXPECT_TRUE(node.Made().constant_weights);
  node.runtime_bias = true;
  EXPECT_FALSE(node.Made().constant_weights);
  EXPECT_FALSE(node.Made().CanTakeInputStage());
  node = OneNode();
  node.runtime_weights = true;
  EXPECT_FALSE(node.Made().constant_weights);
  node = OneNode();
  node.has_bias = false;
  EXPECT_TRUE(node.Made().constant_weights);
  EXPECT_TRUE(node.Made().CanTakeInputStage());
}

TEST(ConvolutionTest, InIntegers) {
  OneNode node;
  EXPECT_FALSE(node.Made().quantized);
  node.integer_path = true;
  EXPECT_TRUE(node.Made().quantized);
  EXPECT_FALSE(node.Made().CanTakeInputStage());
}

TEST(ConvolutionTest, FewPixels) {
  OneNode node;
  node.input = node.output = {1, 1, 7, 8};
  EXPECT_FALSE(node.Made().HasManyPixels());
  EXPECT_FALSE(node.Made().IsTiled());
  EXPECT_FALSE(node.Made().CanTakeInputStage());
  node.input = node.output = {1, 1, 8, 8};
  EXPECT_TRUE(node.Made().HasManyPixels());
  EXPECT_TRUE(node.Made().IsTiled());
  EXPECT_TRUE(node.Made().CanTakeInputStage());
}

TEST(ConvolutionTest, WholeInput) {
  OneNode node;
  node.filter = {8, 8, 8, 8};
  node.output = {1, 1, 1, 8};
  EXPECT_TRUE(node.Made().IsWholeInput());
  EXPECT_FALSE(node.Made().RowsArePixels());
  node.filter = {8, 8, 7, 8};
  EXPECT_FALSE(node.Made().IsWholeInput());
}

TEST(ConvolutionTest, ReadsOutside) {
  OneNode node;
  EXPECT_FALSE(node.Made().ReadsOutside());
  node.filter = {8, 3, 3, 8};
  node.attributes = Windowed(1, 1);
  EXPECT_TRUE(node.Made().ReadsOutside());
  node.attributes = Windowed(1);
  node.output = {1, 6, 6, 8};
  EXPECT_FALSE(node.Made().ReadsOutside());
  node.output = {1, 6, 7, 8};  // zeros behind the last column
  EXPECT_TRUE(node.Made().ReadsOutside());
}

// Weights are OHWI, or 1HWO of a depthwise convolution.
TEST(ConvolutionTest, ChannelsOfWeights) {
  OneNode node;
  Conv2dAttributes groups;
  groups.groups = 2;
  node.attributes = groups;
  node.filter = {6, 1, 2, 4};
  node.output = {1, 8, 7, 6};
  const Convolution grouped = node.Made();
  EXPECT_EQ(grouped.input_channels(), 8);
  EXPECT_EQ(grouped.OutputOf(3 * 8 + 5), 3);
  EXPECT_EQ(grouped.InputOf(3 * 8 + 5), 4 + 1);  // the second group's second

  OneNode depthwise;
  DepthwiseConv2dAttributes a;
  a.multiplier = 2;
  depthwise.op = "DEPTHWISE_CONV_2D";
  depthwise.attributes = a;
  depthwise.filter = {1, 3, 3, 16};
  depthwise.output = {1, 6, 6, 16};
  const Convolution multiplied = depthwise.Made();
  EXPECT_EQ(multiplied.OutputOf(2 * 16 + 7), 7);
  EXPECT_EQ(multiplied.InputOf(2 * 16 + 7), 3);
  EXPECT_FALSE(multiplied.IsPointwise());
  EXPECT_FALSE(multiplied.IsTiled());
}

// Rows of a matrix product are pixels: several whole pixels, or elements.
TEST(ConvolutionTest, RowsOfMatrices) {
  OneNode node;
  node.op = "FULLY_CONNECTED";
  node.attributes = std::any();
  node.input = {1, 8, 8, 8};
  node.filter = {5, 8};
  node.output = {1, 8, 8, 5};
  EXPECT_TRUE(node.Made().IsPointwise());
  EXPECT_EQ(node.Made().input_channels(), 8);
  node.filter = {5, 32};
  node.output = {16, 5};
  EXPECT_FALSE(node.Made().RowsArePixels());
  EXPECT_TRUE(node.Made().RowsAreWholePixels());
  EXPECT_EQ(node.Made().filter.taps, 4);
  EXPECT_EQ(node.Made().input_channels(), 0);
  node.filter = {5, 4};
  node.output = {128, 5};
  EXPECT_FALSE(node.Made().RowsAreWholePixels());
  EXPECT_EQ(node.Made().filter.terms(), 4);
}

TEST(ConvolutionTest, InputsOfATransposedOne) {
  GraphBuilder b;
  TransposeConvAttributes a;
  a.inputs = {2, 1, 3};
  a.stride_h = a.stride_w = 2;
  const TensorId x = b.Input({1, 4, 4, 8});
  const TensorId weights = b.Constant({6, 2, 2, 8});
  b.Node("TRANSPOSE_CONV", {b.Ints({1, 8, 8, 6}), weights, x}, {1, 8, 8, 6}, a);
  const auto conv = Convolution::Of(b.graph, b.graph.nodes[0]);
  ASSERT_TRUE(conv.has_value());
  EXPECT_EQ(conv->src, x);
  EXPECT_EQ(conv->weights.weights, weights);
  EXPECT_EQ(conv->weights.bias, kNoTensor);
  EXPECT_TRUE(conv->constant_weights);
  EXPECT_EQ(conv->filter.outputs, 6);
  EXPECT_EQ(conv->input_channels(), 0);
  EXPECT_EQ(InputWindowOf(&b.graph.nodes[0]), nullptr);
}

TEST(ConvolutionTest, OtherNodesAreNone) {
  GraphBuilder b;
  const TensorId x = b.Input({1, 4, 4, 8});
  b.Relu(x);
  b.Add(x, x);
  for (const Node& node : b.graph.nodes) {
    EXPECT_FALSE(Convolution::Of(b.graph, node).has_value());
  }
}

// What CONV_2D's parser refuses that no model of tools/cases says.

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

// SAME and VALID against TFLite's formulas written out by hand.

void ExpectPadding(int padding, int in, const Window& window, int before,
                   int after, int out) {
  SCOPED_TRACE(::testing::Message()
               << "padding " << padding << " in " << in << " size "
               << window.size << " stride " << window.stride << " dilation "
               << window.dilation);
  const auto got = ComputePadding(padding, in, window, "width");
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(got->before, before);
  EXPECT_EQ(got->after, after);
  EXPECT_EQ(got->out, out);
}

TEST(PaddingTest, Same) {
  ExpectPadding(kPaddingSame, 224, {3, 2, 1}, 0, 1, 112);
  ExpectPadding(kPaddingSame, 7, {3, 1, 1}, 1, 1, 7);
  ExpectPadding(kPaddingSame, 7, {3, 2, 1}, 1, 1, 4);
  ExpectPadding(kPaddingSame, 33, {3, 1, 4}, 4, 4, 33);
  ExpectPadding(kPaddingSame, 8, {2, 1, 1}, 0, 1, 8);
  // Windows that leave gaps need no padding.
  ExpectPadding(kPaddingSame, 5, {1, 3, 1}, 0, 0, 2);
}

TEST(PaddingTest, Valid) {
  ExpectPadding(kPaddingValid, 7, {3, 1, 1}, 0, 0, 5);
  ExpectPadding(kPaddingValid, 7, {3, 2, 1}, 0, 0, 3);
  ExpectPadding(kPaddingValid, 8, {3, 2, 1}, 0, 0, 3);
  ExpectPadding(kPaddingValid, 5, {3, 1, 2}, 0, 0, 1);
}

TEST(PaddingTest, RefusesWindowsThatDoNotFit) {
  const auto got = ComputePadding(kPaddingValid, 4, {3, 1, 2}, "height");
  EXPECT_EQ(got.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(got.status().message(),
              HasSubstr("height: a window of 5 does not fit an input of 4"));
  // C++ division would make one window of this.
  EXPECT_FALSE(ComputePadding(kPaddingValid, 2, {5, 4, 1}, "height").ok());
}

TEST(PaddingTest, RefusesSizesBelowOne) {
  for (const Window& window :
       {Window{0, 1, 1}, Window{3, 0, 1}, Window{3, 1, 0}}) {
    const auto got = ComputePadding(kPaddingSame, 4, window, "height");
    EXPECT_EQ(got.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(got.status().message(), HasSubstr("must all be positive"));
  }
}

TEST(PaddingTest, RefusesOtherPaddings) {
  EXPECT_EQ(
      ComputePadding(kPaddingUnknown, 4, {3, 1, 1}, "width").status().code(),
      absl::StatusCode::kUnimplemented);
}

TEST(PaddingTest, ExtentMustAgree) {
  const AxisPadding padding = {0, 0, 5};
  EXPECT_TRUE(CheckExtent(padding, 5, "width").ok());
  EXPECT_THAT(CheckExtent(padding, 6, "width").message(),
              HasSubstr("output width is 6"));
}

}  // namespace

}  // namespace gles_delegate::testing

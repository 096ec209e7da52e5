// labels: op llvmpipe
// Parameters are read at any version, as TFLite's kernels read them: its
// resolver for tests of single ops, and converters with mistakes in their
// version tables, say 1 of an op that uses what a later version brought.
#include <cstring>

#include "delegate/graph/builtin_params.h"
#include "delegate/ops/op_list.h"
#include "delegate/tflite/runtime.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/parse_node.h"

namespace gles_delegate::testing {
namespace {

// --- Fields that runtimes newer than 2.5 appended ----------------------------

TEST(HasFieldTest, TheVersionOrTheRuntimeBringsAField) {
  NodeView node;
  node.version = 3;
  EXPECT_FALSE(node.HasField(4, 13));
  node.version = 4;
  EXPECT_TRUE(node.HasField(4, 13));
  node.version = 1;
  node.params_minor = 12;
  EXPECT_FALSE(node.HasField(4, 13));
  node.params_minor = 13;
  EXPECT_TRUE(node.HasField(4, 13));
}

TEST(HasFieldTest, ActivationOfTransposeConv) {
  const ::gles_delegate::TransposeConvParams params = {kPaddingSame, 2, 2,
                                                       kActRelu};
  const Tensor shape = FakeInts({1, 8, 8, 6});
  const Tensor filter = FakeConstant({6, 3, 3, 4});
  const Tensor x = FakeTensor({1, 4, 4, 4});
  const Tensor y = FakeTensor({1, 8, 8, 6});
  NodeView node;
  node.builtin_params = &params;
  node.inputs = {&shape, &filter, &x};
  node.outputs = {&y};
  for (int minor : {0, 11, 12, 14}) {
    node.params_minor = minor;
    const auto parsed = ParseTransposeConv(node);
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(parsed->post_ops.size(), minor >= 12 ? 1u : 0u) << minor;
  }
  node.params_minor = 0;
  node.version = 4;
  EXPECT_EQ(ParseTransposeConv(node)->post_ops.size(), 1u);
}

// Fields that are not filled in are zeros, which mean 1.
TEST(HasFieldTest, DilationsThatAreAbsentAreOne) {
  ::gles_delegate::ConvParams conv = {};
  conv.padding = kPaddingSame;
  conv.stride_width = conv.stride_height = 1;
  EXPECT_EQ(Refusal(ParseConv2d,
                    {FakeTensor({1, 8, 8, 3}), FakeConstant({4, 3, 3, 3}),
                     FakeConstant({4})},
                    {FakeTensor({1, 8, 8, 4})}, &conv),
            "");
  ::gles_delegate::DepthwiseConvParams depthwise = {};
  depthwise.padding = kPaddingSame;
  depthwise.stride_width = depthwise.stride_height = 1;
  depthwise.depth_multiplier = 1;
  EXPECT_EQ(Refusal(ParseDepthwiseConv2d,
                    {FakeTensor({1, 8, 8, 3}), FakeConstant({1, 3, 3, 3}),
                     FakeConstant({3})},
                    {FakeTensor({1, 8, 8, 3})}, &depthwise),
            "");
}

TEST(HasFieldTest, OffsetOfStridedSlice) {
  StridedSliceParams params = {};
  params.offset = true;
  const Tensor input = FakeTensor({6});
  const Tensor begin = FakeInts({1});
  const Tensor end = FakeInts({3});
  const Tensor strides = FakeInts({1});
  NodeView node;
  node.builtin_params = &params;
  node.inputs = {&input, &begin, &end, &strides};
  for (bool newer : {false, true}) {
    node.params_minor = newer ? 14 : 13;
    const Tensor output = FakeTensor({newer ? 3 : 2});
    node.outputs = {&output};
    EXPECT_TRUE(ParseStridedSlice(node).ok()) << newer;
  }
}

TEST(HasFieldTest, DiagonalWeightsOfALstm) {
  SequenceLstmParams params = {};
  params.diagonal_recurrent_tensors = true;
  NodeView node;
  node.builtin_params = &params;
  node.params_minor = 14;
  EXPECT_THAT(ParseSequenceLstm(node).status().message(),
              HasSubstr("diagonal recurrent weights"));
}

// A subgraph as TFLite lays one out: its context, then what comes behind.
struct FakeSubgraph {
  int state = 0;
  TfLiteContext context = {};
  const void* behind = nullptr;
};

TfLiteStatus AFunctionOfThisProgram(TfLiteContext*, TfLiteIntArray**) {
  return kTfLiteOk;
}

TEST(RuntimeAgeTest, AFunctionOfTheRuntimeBehindTheContextIsNewer) {
  FakeSubgraph graph;
  graph.context.impl_ = &graph;
  graph.context.GetExecutionPlan = AFunctionOfThisProgram;
  EXPECT_FALSE(IsRuntimeOf214(graph.context));  // nothing
  const auto data = std::make_unique<int>();
  graph.behind = data.get();
  EXPECT_FALSE(IsRuntimeOf214(graph.context));  // 2.13: another member
  auto* function = AFunctionOfThisProgram;
  std::memcpy(&graph.behind, &function, sizeof(graph.behind));
  EXPECT_TRUE(IsRuntimeOf214(graph.context));
  auto* elsewhere = std::malloc;  // of libc
  std::memcpy(&graph.behind, &elsewhere, sizeof(graph.behind));
  EXPECT_FALSE(IsRuntimeOf214(graph.context));
}

TEST(RuntimeAgeTest, AContextOfItsOwnIsNotReadPastItsEnd) {
  const auto context = std::make_unique<TfLiteContext>();
  *context = {};
  context->GetExecutionPlan = AFunctionOfThisProgram;
  EXPECT_FALSE(IsRuntimeOf214(*context));
}

}  // namespace
}  // namespace gles_delegate::testing

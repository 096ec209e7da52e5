// labels: op llvmpipe softpipe
// SOFTMAX and LOG_SOFTMAX against TFLite's own kernels, and what their parsers
// refuse.
#include "delegate/ops/reduction/softmax.h"

#include "delegate/graph/builtin_params.h"
#include "delegate/ops/all_ops.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/parse_node.h"
#include "tests/testing/run_node.h"

namespace gles_delegate::testing {
namespace {

class SoftmaxTest : public DeviceTest {};

TEST_F(SoftmaxTest, EveryShape) {
  for (const Shape& shape : StandardShapes()) {
    for (const SingleOpModel& model : {Softmax(shape), LogSoftmax(shape)}) {
      ExpectMatchesCpuOnce(model);
    }
  }
}

TEST_F(SoftmaxTest, RanksAndBetas) {
  for (const Shape& shape : {Shape{17}, {3, 5}, {2, 3, 7}, {1, 1001}}) {
    for (float beta : {1.0f, 0.25f, 3.0f}) {
      ExpectMatchesCpuOnce(Softmax(shape, beta));
    }
  }
}

// exp(x) alone would overflow, or underflow in every term.
TEST_F(SoftmaxTest, LargeMagnitudes) {
  for (float offset : {-500.0f, 90.0f, 1e4f}) {
    for (SingleOpModel model :
         {Softmax({1, 2, 2, 5}), LogSoftmax({1, 2, 2, 5})}) {
      for (float& value : model.inputs[0]) value += offset;
      ExpectMatchesCpuOnce(model);
    }
  }
}

TEST_F(SoftmaxTest, PrecisionsAndStorages) {
  ExpectMatchesCpu(Softmax({3, 2, 3, 5}));
  ExpectMatchesCpu(LogSoftmax({3, 2, 3, 5}));
}

// As a GPU plans it: a work group shares each row.
TEST_F(SoftmaxTest, RowsSharedByAWorkGroup) {
  const std::vector<std::pair<Shape, bool>> cases = {
      {{1, 1001}, false},
      {{2, 3, 37}, false},
      {{1, 2, 2, 130}, true},
      {{1, 20000}, true},
      // Rows share a group, and
      // the last one is not full.
      {{1, 1030, 70}, false},
      {{2, 133, 600}, true}};
  for (const auto& [shape, log] : cases) {
    const SingleOpModel model = log ? LogSoftmax(shape) : Softmax(shape);
    const NodeRun run =
        RunNode(log ? "LOG_SOFTMAX" : "SOFTMAX",
                ParsedNode{SoftmaxAttributes{1.0f, log}, {}}, {shape}, shape,
                model.inputs, [](DeviceProfile& profile) {
                  profile.choices.work_group_size = 64;
                  profile.choices.simd_lanes = 1;
                });
    EXPECT_THAT(run.result, MatchesCpu(model));
    if (shape.back() > 100) {
      ASSERT_EQ(run.dispatches.size(), 1u);
      EXPECT_GE(run.dispatches[0].work_group[1], 8);
    }
  }
}

TEST(ParseSoftmaxTest, Refusals) {
  SoftmaxParams params = {1};
  const Tensor input = FakeTensor({2, 3});
  EXPECT_EQ(Refusal(ParseSoftmax, {input}, {input}, &params), "");
  EXPECT_EQ(Refusal(ParseLogSoftmax, {input}, {input}), "");
  EXPECT_THAT(Refusal(ParseSoftmax, {input}, {FakeTensor({3, 2})}, &params),
              HasSubstr("output is 3x2, its inputs and attributes give 2x3"));
  EXPECT_THAT(Refusal(ParseSoftmax, {input}, {input}),
              HasSubstr("no parameters"));
  EXPECT_THAT(Refusal(ParseLogSoftmax, {FakeRuntimeInts({2, 3})}, {input}),
              HasSubstr("only float32"));
  EXPECT_THAT(Refusal(ParseLogSoftmax, {input, input}, {input}),
              HasSubstr("has 2 inputs"));
}

}  // namespace
}  // namespace gles_delegate::testing

// labels: op llvmpipe softpipe
// REVERSE_SEQUENCE against TFLite's own kernel, and what its parser refuses.
#include "delegate/ops/movement/reverse_sequence.h"

#include "delegate/graph/builtin_params.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_models.h"
#include "tests/testing/parse_node.h"
#include "tools/op_models/of_type.h"

namespace gles_delegate::testing {
namespace {

class ReverseSequenceTest : public DeviceTest {};

TEST_F(ReverseSequenceTest, EveryShape) {
  for (const Shape& shape : StandardShapes()) {
    ExpectMatchesCpuOnce(ReverseSequence(shape, 1, 0));
    ExpectMatchesCpuOnce(ReverseSequence(shape, 3, 2));
  }
}

TEST_F(ReverseSequenceTest, EveryPairOfAxes) {
  for (const Shape& shape : FewShapes()) {
    for (int sequence = 0; sequence < 4; ++sequence) {
      for (int batch = 0; batch < 4; ++batch) {
        if (sequence == batch) continue;
        ExpectMatchesCpuOnce(ReverseSequence(shape, sequence, batch));
      }
    }
  }
}

TEST_F(ReverseSequenceTest, LowerRanks) {
  ExpectMatchesCpuOnce(ReverseSequence({3, 6}, 0, 1));
  ExpectMatchesCpuOnce(ReverseSequence({3, 6}, 1, 0));
  ExpectMatchesCpuOnce(ReverseSequence({5, 4, 9}, 1, 0));
  ExpectMatchesCpuOnce(ReverseSequence({5, 4, 9}, 0, 2));
}

TEST_F(ReverseSequenceTest, RuntimeLengths) {
  for (const Shape& shape : FewShapes()) {
    ExpectMatchesCpuOnce(
        ReverseSequence(shape, 1, 0, /*runtime_lengths=*/true));
    ExpectMatchesCpuOnce(
        ReverseSequence(shape, 2, 3, /*runtime_lengths=*/true));
  }
}

// TFLite fails on a length past the axis where it is the first one.
TEST_F(ReverseSequenceTest, RuntimeLengthsAreClamped) {
  SingleOpModel model = ReverseSequence({2, 3}, 1, 0, /*runtime_lengths=*/true);
  model.inputs[0] = {0, 1, 2, 10, 11, 12};
  model.inputs[1] = {7, -2};
  const RunResult result = RunOnDelegate(model);
  ASSERT_TRUE(result.status.ok()) << result.status;
  EXPECT_THAT(result.outputs[0].values, ElementsAre(2, 1, 0, 10, 11, 12));
}

TEST_F(ReverseSequenceTest, Integers) {
  ExpectMatchesCpu(OfType(ReverseSequence({3, 4, 5}, 1, 0), TensorType::INT32));
  ExpectMatchesCpu(OfType(ReverseSequence({3, 4, 5}, 2, 1), TensorType::INT32));
}

TEST_F(ReverseSequenceTest, PrecisionsAndStorages) {
  ExpectMatchesCpu(ReverseSequence({3, 4, 5, 6}, 1, 0));
  ExpectMatchesCpu(ReverseSequence({3, 4, 5, 6}, 3, 2, true));
}

// --- What is refused --------------------------------------------------------

struct SequenceNode : FakeNode<ReverseSequenceParams, ParseReverseSequence> {
  SequenceNode() {
    inputs = {FakeTensor({2, 5, 4}), FakeInts({3, 5})};
    outputs = {FakeTensor({2, 5, 4})};
    params = {1, 0};
  }
};

TEST(ReverseSequenceParseTest, RefusesAxes) {
  SequenceNode node;
  EXPECT_EQ(node.Refused(), "");
  for (const auto& [sequence, batch] :
       {std::pair(1, 1), std::pair(-1, 0), std::pair(1, -3), std::pair(3, 0),
        std::pair(1, 3)}) {
    node.params = {sequence, batch};
    EXPECT_THAT(node.Refused(), HasSubstr("must be two axes of a tensor"));
  }
}

TEST(ReverseSequenceParseTest, RefusesTensors) {
  const SequenceNode node;
  EXPECT_EQ(node.RefusedWithInput(1, FakeRuntimeInts({2})), "");
  EXPECT_THAT(node.RefusedWithInput(1, FakeInts({3, 6})),
              HasSubstr("length 6 is past an axis of 5 elements"));
  EXPECT_THAT(node.RefusedWithInput(1, FakeInts({3, 5, 1})),
              HasSubstr("the lengths are 3, must be 2 as axis 0 of 2x5x4"));
  EXPECT_THAT(node.RefusedWithInput(1, FakeTensor({2})),
              HasSubstr("the indices are float32"));
  EXPECT_THAT(node.RefusedWithOutput(0, FakeTensor({2, 4, 4})),
              HasSubstr("output is 2x4x4"));
  EXPECT_THAT(node.RefusedWithInput(0, FakeTensor({2, 1, 1, 5, 4})),
              HasSubstr("more than the 4 axes"));
  Tensor quantized = node.inputs[0];
  quantized.quantized = DataType::kInt8;
  EXPECT_THAT(node.RefusedWithInput(0, quantized), HasSubstr("input is int8"));
}

}  // namespace
}  // namespace gles_delegate::testing

// labels: op llvmpipe softpipe
// STRIDED_SLICE of version 8, which TFLite 2.9 does not have; other cases are
// rows of tools/cases/movement.txt.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/all_ops.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/movement/concatenation.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/parse_node.h"
#include "tests/testing/run_node.h"
#include "tests/testing/single_op.h"
#include "tools/cases/model.h"

namespace gles_delegate::testing {
namespace {

class SliceTest : public DeviceTest {};

// The end as a length: version 8, which TFLite 2.9 does not have. Beside the
// slice that its kernel takes with the end counted from the front.
TEST_F(SliceTest, EndAsAnOffset) {
  const SingleOpModel model = cases::ModelOf(
      "STRIDED_SLICE x=[4,7,6] begin=(1,-5,4) end=(3,6,0) strides=(1,2,-1)");
  const RunResult cpu = RunOnCpu(model);
  ASSERT_TRUE(cpu.status.ok()) << cpu.status;
  StridedSliceParams params = {};
  params.offset = true;
  const Tensor input = FakeTensor({4, 7, 6});
  const Tensor begin = FakeInts({1, -5, 4});
  const Tensor end = FakeInts({2, 4, -4});
  const Tensor strides = FakeInts({1, 2, -1});
  const Tensor output = FakeTensor(cpu.outputs[0].shape);
  NodeView node;
  node.version = 8;
  node.builtin_params = &params;
  node.inputs = {&input, &begin, &end, &strides};
  node.outputs = {&output};
  auto parsed = Parsed(ParseStridedSlice, node);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  const NodeRun run = RunNode("STRIDED_SLICE", *std::move(parsed), {{4, 7, 6}},
                              output.dims, model.inputs, [](DeviceProfile&) {});
  EXPECT_THAT(run.result, MatchesCpu(model));
  // Past the input's end there is nothing, whatever the output's shape says.
  const Tensor too_long = FakeInts({4, 4, -4});
  const Tensor longer = FakeTensor({4, 2, 4});
  node.inputs[2] = &too_long;
  node.outputs = {&longer};
  EXPECT_THAT(Parsed(ParseStridedSlice, node).status().message(),
              HasSubstr("its inputs and attributes give 3x2x4"));
}

// --- CONCATENATION -----------------------------------------------------------

// CONCATENATION with a fused activation; other cases are rows of
// tools/cases/movement.txt.

class ConcatenationTest : public DeviceTest {};

// TFLite's own kernel refuses one, though its format has it: each dispatch of
// the several must apply it.
TEST_F(ConcatenationTest, FusedActivation) {
  for (int axis : {1, 3}) {
    const SingleOpModel model =
        cases::ModelOf(absl::StrCat("CONCATENATION x=[1,3,4,5]*2 axis=", axis));
    TensorValue expected = RunOnCpu(model).outputs[0];
    for (float& v : expected.values) v = std::min(std::max(v, 0.0f), 6.0f);
    const NodeRun run = RunNode(
        "CONCATENATION",
        ParsedNode{ConcatenationAttributes{axis}, *FusedActivation(kActRelu6)},
        {{1, 3, 4, 5}, {1, 3, 4, 5}}, expected.shape, model.inputs,
        [](DeviceProfile&) {});
    ASSERT_TRUE(run.result.status.ok()) << run.result.status;
    EXPECT_EQ(run.result.outputs[0].values, expected.values);
  }
}

}  // namespace

}  // namespace gles_delegate::testing

// labels: op llvmpipe softpipe
// CONCATENATION with a fused activation; other cases are rows of
// tools/cases/movement.txt.
#include "delegate/ops/movement/concatenation.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/checks.h"
#include "tests/testing/device_test.h"
#include "tests/testing/run_node.h"
#include "tools/cases/model.h"

namespace gles_delegate::testing {
namespace {

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

// labels: op llvmpipe softpipe
// Functions of one tensor if the runtime's kernel gives something else, and
// parameters that no file has; other cases are rows of
// tools/cases/elementwise.txt.

#include <cmath>
#include <string>

#include "delegate/ops/all_ops.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/oldest_tflite.h"
#include "tests/testing/parse_node.h"
#include "tests/testing/single_op.h"
#include "tools/cases/model.h"

namespace gles_delegate::testing {
namespace {

// TFLite's RELU6 and SIGN give 0. Ours keep a NaN, as its other functions do.
TEST(UnaryNanTest, IsKept) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (const char* text : {"RELU6 x=[4]", "SIGN x=[4]"}) {
    SingleOpModel model = cases::ModelOf(text);
    if (!model.status.ok() && OnOldestTflite()) continue;
    model.inputs = {{NAN, 1, -1, 0}};
    const RunResult result = RunOnDelegate(model);
    ASSERT_TRUE(result.status.ok()) << result.status;
    EXPECT_TRUE(std::isnan(result.outputs[0].values[0])) << text;
  }
}

TEST(UnaryParseTest, RefusesMissingParameters) {
  const Tensor x = FakeTensor({4});
  NodeView node;
  node.builtin_code = static_cast<int>(Op::LEAKY_RELU);
  node.inputs = {&x};
  node.outputs = {&x};
  EXPECT_THAT(std::string(Parsed(ParseUnary, node).status().message()),
              HasSubstr("no parameters"));
}

}  // namespace
}  // namespace gles_delegate::testing

// labels: op llvmpipe softpipe
// AVERAGE_POOL_2D and MAX_POOL_2D as a GPU plans them, against TFLite's own
// kernels: work groups share windows, width first where they are large or
// overlap.
#include "delegate/ops/pooling/pool_2d.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/testing/device_test.h"
#include "tests/testing/run_node.h"
#include "tests/testing/single_op.h"
#include "tools/cases/model.h"

namespace gles_delegate::testing {
namespace {

using ::testing::HasSubstr;

class SharedPoolTest : public DeviceTestWithParam<bool> {
 protected:
  // Checks the result of what `options` and `attributes` say; gives how many
  // dispatches it took.
  size_t Check(const Shape& input, const PoolAttributes& attributes,
               const std::string& options) {
    const char* op = GetParam() ? "MAX_POOL_2D" : "AVERAGE_POOL_2D";
    const SingleOpModel model = cases::ModelOf(
        absl::StrCat(op, " x=[", absl::StrJoin(input, ","), "] filter=(",
                     attributes.h.size, ",", attributes.w.size, ") ", options));
    const Shape output = RunOnCpu(model).outputs[0].shape;
    const NodeRun run = RunNode(
        op, ParsedNode{attributes, {}}, {input}, output, model.inputs,
        [](DeviceProfile& profile) { profile.choices.work_group_size = 64; });
    EXPECT_THAT(run.result, MatchesCpu(model));
    for (const Dispatch& d : run.dispatches) {
      EXPECT_THAT(d.ToString(), HasSubstr("THREADS="));
      EXPECT_GE(d.work_group[0], 8) << d.ToString();
    }
    return run.dispatches.size();
  }

  // The same for one window that is the whole input.
  size_t CheckWholeInput(const Shape& input) {
    PoolAttributes attributes;
    attributes.h = {input[1], 2, 1};
    attributes.w = {input[2], 2, 1};
    return Check(input, attributes, "stride=2 padding=VALID");
  }
};

TEST_P(SharedPoolTest, OneDispatchForAMediumWindow) {
  EXPECT_EQ(CheckWholeInput({2, 17, 19, 5}), 1u);
}

TEST_P(SharedPoolTest, WidthFirstForALargeWindow) {
  EXPECT_EQ(CheckWholeInput({1, 97, 101, 3}), 2u);
}

TEST_P(SharedPoolTest, WidthFirstForOverlappingWindows) {
  PoolAttributes attributes;
  attributes.h = {35, 1, 1};
  attributes.w = {37, 2, 1};
  attributes.pad_h.before = 17;
  attributes.pad_w.before = 18;
  EXPECT_EQ(Check({1, 40, 45, 3}, attributes, "stride=(1,2)"), 2u);
}

INSTANTIATE_TEST_SUITE_P(Kinds, SharedPoolTest, ::testing::Bool(),
                         [](const auto& info) {
                           return info.param ? "Max" : "Average";
                         });

}  // namespace
}  // namespace gles_delegate::testing

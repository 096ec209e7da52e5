// One node planned for a device profile of the test's choosing, and run on the
// test device: for paths that the device's own profile does not take.
#ifndef GLES_DELEGATE_TESTS_TESTING_RUN_NODE_H_
#define GLES_DELEGATE_TESTS_TESTING_RUN_NODE_H_

#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "delegate/graph/op.h"
#include "delegate/plan/planner.h"
#include "tests/testing/single_op.h"

namespace gles_delegate::testing {

struct NodeRun {
  RunResult result;  // one output, "output"
  std::vector<Dispatch> dispatches;
};

// `op` (a builtin's name) on `inputs`, with what its parser would give.
// `adjust` changes the device's profile before planning. float32.
NodeRun RunNode(absl::string_view op, ParsedNode parsed,
                const std::vector<Shape>& input_shapes,
                const Shape& output_shape,
                const std::vector<std::vector<float>>& inputs,
                absl::FunctionRef<void(DeviceProfile&)> adjust);

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_RUN_NODE_H_

// A graph run on the test device under a profile of the test's choosing: for
// constants and tile sizes that no model or device at hand brings.
#ifndef GLES_DELEGATE_TESTS_TESTING_RUN_GRAPH_H_
#define GLES_DELEGATE_TESTS_TESTING_RUN_GRAPH_H_

#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/planner.h"

namespace gles_delegate::testing {

// As graphs have it; testing::Shape is a list of extents.
using BhwcShape = gles_delegate::Shape;

// A tensor computed at run time.
TensorId AddTensor(Graph* graph, std::vector<int> dims);
// A float32 constant.
TensorId AddConstant(Graph* graph, std::vector<int> dims,
                     const std::vector<float>& values);

// No choice made, on a device with room for any dispatch.
DeviceProfile RoomyProfile();

// Runs dispatches that were planned for `graph` under `profile`, and fills
// `output` with its one output. float32. Main thread, with a test device.
absl::Status RunDispatches(const Graph& graph, std::vector<Dispatch> dispatches,
                           const DeviceProfile& profile,
                           const std::vector<std::vector<float>>& inputs,
                           absl::Span<float> output);

// Plans, builds and runs the graph, and returns its one output. `adjust`
// changes the device's profile before planning. float32. Main thread, with a
// test device.
absl::StatusOr<std::vector<float>> RunGraph(
    Graph graph, const std::vector<std::vector<float>>& inputs,
    absl::FunctionRef<void(DeviceProfile&)> adjust);

// The graph of one node, whose inputs and outputs are in `graph` already, run
// the same way. `op` is a builtin's or custom op's name.
absl::StatusOr<std::vector<float>> RunGraphOf(
    absl::string_view op, Node node, Graph graph,
    const std::vector<std::vector<float>>& inputs,
    absl::FunctionRef<void(DeviceProfile&)> adjust);

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_RUN_GRAPH_H_

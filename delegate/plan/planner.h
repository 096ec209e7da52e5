// Converts nodes to dispatches, checked against the device's limits.
#ifndef GLES_DELEGATE_DELEGATE_PLAN_PLANNER_H_
#define GLES_DELEGATE_DELEGATE_PLAN_PLANNER_H_

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/dispatch.h"
#include "delegate/plan/storage.h"

namespace gles_delegate {

// Collects the dispatches of a graph, node by node. The reader checks a node by
// planning a graph of that node only.
class Planner {
 public:
  Planner(Graph* graph, const DeviceProfile& profile)
      : graph_(graph), profile_(profile) {}

  const Graph& graph() const { return *graph_; }
  const Tensor& tensor(TensorId id) const { return graph_->tensor(id); }
  const DeviceProfile& profile() const { return profile_; }

  // Whether a convolution between `src` and `dst`, both stored in 16 bits,
  // multiplies in 16 bits (DeviceChoices::half_arithmetic).
  bool MultipliesHalves(TensorId src, TensorId dst) const;

  // Adds a tensor between two dispatches of a node. Floats are stored in 32 or
  // 16 bits as for other tensors. `type`: kFloat32 or kInt32.
  TensorId AddTemporary(absl::string_view name, const Shape& shape,
                        DataType type = DataType::kFloat32);
  // The same for TFLite's dims, which carry more than a shape for rank 5.
  TensorId AddTemporaryOf(absl::string_view name, std::vector<int> dims,
                          DataType type);
  // Floats in 32 bits, in whatever other tensors have theirs.
  TensorId AddFloat32Temporary(absl::string_view name, const Shape& shape) {
    const TensorId id = AddTemporary(name, shape);
    graph_->tensor(id).always_float32 = true;
    return id;
  }
  // Adds a constant tensor with `values` in BHWC order.
  TensorId AddConstantTensor(absl::string_view name, const Shape& shape,
                             std::vector<float> values);

  // An integer constant in another shape with equally many elements; shares its
  // bytes.
  TensorId AddConstantView(const Tensor& constant, const Shape& shape);

  // Adds a dispatch of the current node. Finish() completes it, and PlanNode()
  // checks it; an empty grid is an error.
  void Add(Dispatch dispatch);

  // Number of dispatches with literal weights, each of which needs a separate
  // program.
  int literal_dispatches() const { return literal_dispatches_; }

  const std::vector<Dispatch>& dispatches() const { return dispatches_; }
  std::vector<Dispatch> TakeDispatches() { return std::move(dispatches_); }

  // For PlanNode: new temporaries get the storage of this node's outputs.
  void Begin(const Node& node) {
    always_float32_ = node.always_float32 || node.integer_path;
  }
  // For PlanNode: sets node and label of the dispatches from `first` on, and
  // chooses work groups that are zero. Adds the node's post-ops to each
  // dispatch whose first write is the node's outputs[0]: together they write
  // each texel of it once.
  void Finish(size_t first, const Node& node, const std::string& label);

 private:
  Graph* graph_;
  DeviceProfile profile_;
  std::vector<Dispatch> dispatches_;
  int literal_dispatches_ = 0;
  bool always_float32_ = false;
};

// Number of tensors and packed constants that a dispatch may bind on this
// device with any storage, outputs included. At most 12.
int MaxBoundTensors(const DeviceProfile& profile);

// Plans every node of the graph, in order, and checks each dispatch against the
// device's limits (tensor sizes, bindings, work groups). The first refusal
// names the node, its shapes and the rule.
absl::StatusOr<std::vector<Dispatch>> PlanGraph(Graph* graph,
                                                const DeviceProfile& profile);

// One node's plan, appended to `planner`; used by PlanGraph.
absl::Status PlanNode(const Node& node, Planner* planner);

// A work group of about the desired size within the grid and the limits,
// filling x first (neighbouring texels), then y, then z. With simd_lanes the
// grid is ignored: fewer different groups mean fewer programs.
std::array<int, 3> ChooseWorkGroup(const std::array<int, 3>& grid,
                                   const DeviceProfile& profile);
// A grid for which ChooseWorkGroup() is independent of a dispatch's size, so
// that its program is, too.
inline constexpr std::array<int, 3> kAnyGrid = {1 << 10, 1 << 10, 1 << 10};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PLAN_PLANNER_H_

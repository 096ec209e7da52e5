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
  const Shape& shape(TensorId id) const { return tensor(id).shape; }
  const DeviceProfile& profile() const { return profile_; }
  const DeviceChoices& choices() const { return profile_.choices; }

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
                             const std::vector<float>& values);

  // An integer constant in another shape with equally many elements; shares its
  // bytes.
  TensorId AddConstantView(const Tensor& constant, const Shape& shape);

  // Adds a dispatch of the current node, with its index and label, and a work
  // group if it has none. It gets the node's post-ops if its first write is the
  // node's outputs[0]: together such dispatches write each texel of that once.
  // kResourceExhausted: the device cannot hold or run it. kInternal: its grid
  // is empty.
  absl::Status Add(Dispatch dispatch);

  // Number of dispatches with literal weights, each of which needs a separate
  // program.
  int literal_dispatches() const { return literal_dispatches_; }

  const std::vector<Dispatch>& dispatches() const { return dispatches_; }
  std::vector<Dispatch> TakeDispatches() { return std::move(dispatches_); }

  // For PlanNode: makes this the current node. New temporaries get the storage
  // of its outputs.
  void Begin(const Node& node);

 private:
  Graph* graph_;
  DeviceProfile profile_;
  std::vector<Dispatch> dispatches_;
  int literal_dispatches_ = 0;
  const Node none_ = {};
  const Node* node_ = &none_;  // the current one
  std::string label_;          // of its dispatches
  bool begins_node_ = false;   // it has none yet
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

// From nodes to dispatches, each held against the limits of the device.
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
// planning a graph of that node alone.
class Planner {
 public:
  Planner(Graph* graph, const DeviceProfile& profile)
      : graph_(graph), profile_(profile) {}

  const Graph& graph() const { return *graph_; }
  const Tensor& tensor(TensorId id) const { return graph_->tensor(id); }
  const DeviceProfile& profile() const { return profile_; }

  // Whether a convolution from `src` to `dst`, both stored in 16 bits, is to
  // multiply in 16 bits (DeviceChoices::half_arithmetic).
  bool MultipliesHalves(TensorId src, TensorId dst) const;

  // A tensor that lives between two dispatches of one node. Its floats are
  // stored in 32 or 16 bits, as other tensors are. `type`: kFloat32 or kInt32.
  TensorId AddTemporary(absl::string_view name, const Shape& shape,
                        DataType type = DataType::kFloat32);
  // Likewise, of TFLite's dims, which say more than a shape where the rank
  // is 5.
  TensorId AddTemporaryOf(absl::string_view name, std::vector<int> dims,
                          DataType type);
  // A tensor of constant values, in BHWC order.
  TensorId AddConstantTensor(absl::string_view name, const Shape& shape,
                             std::vector<float> values);

  // An integer constant under another shape of as many elements. Both have the
  // same bytes.
  TensorId AddConstantView(const Tensor& constant, const Shape& shape);

  // Adds a dispatch of the node that is being planned. Finish() completes it,
  // and PlanNode() checks it; an empty grid is an error.
  void Add(Dispatch dispatch);

  // How many dispatches hold weights as literals. Each of them is a program of
  // its own, which takes time to compile.
  int literal_dispatches() const { return literal_dispatches_; }

  const std::vector<Dispatch>& dispatches() const { return dispatches_; }
  std::vector<Dispatch> TakeDispatches() { return std::move(dispatches_); }

  // For PlanNode: temporaries that are made from now on are stored as this
  // node's outputs are.
  void Begin(const Node& node) { always_float32_ = node.always_float32; }
  // For PlanNode: fills in the node and the label of the dispatches from
  // `first` on, and chooses work groups that are zeros. Each dispatch whose
  // first write is the node's outputs[0] gets the node's post-ops: the
  // dispatches of a node write each texel of that output once.
  void Finish(size_t first, const Node& node, const std::string& label);

 private:
  Graph* graph_;
  DeviceProfile profile_;
  std::vector<Dispatch> dispatches_;
  int literal_dispatches_ = 0;
  bool always_float32_ = false;
};

// How many tensors and packed constants a dispatch may bind on this device,
// whatever their storage is. The tensor that is written counts. At most 12.
int MaxBoundTensors(const DeviceProfile& profile);

// Plans every node of the graph, in order, then checks each dispatch against
// the device's limits (tensor sizes, bindings, work groups). The first refusal
// is returned: it names the node, its shapes and the rule.
absl::StatusOr<std::vector<Dispatch>> PlanGraph(Graph* graph,
                                                const DeviceProfile& profile);

// One node's plan, appended to `planner`; used by PlanGraph.
absl::Status PlanNode(const Node& node, Planner* planner);

// A work group of about the wanted size that fits the grid and the limits: x
// first (neighbouring texels), then y, then z. With simd_lanes it fits them and
// not the grid: few groups make few programs.
std::array<int, 3> ChooseWorkGroup(const std::array<int, 3>& grid,
                                   const DeviceProfile& profile);
// A grid for which ChooseWorkGroup() gives one work group whatever the sizes of
// a dispatch are, so that its program does not depend on them.
inline constexpr std::array<int, 3> kAnyGrid = {1 << 10, 1 << 10, 1 << 10};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PLAN_PLANNER_H_

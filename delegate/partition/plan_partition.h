// Plans a partition as read: folds constants, runs the passes, then the
// planner. Dumps the results to files if asked.
#ifndef GLES_DELEGATE_DELEGATE_PARTITION_PLAN_PARTITION_H_
#define GLES_DELEGATE_DELEGATE_PARTITION_PLAN_PARTITION_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/planner.h"
#include "egl/context.h"

namespace gles_delegate {

// --- Nodes of constants alone ------------------------------------------------

// They are computed before anything is planned. Values that follow from shapes
// are constants by then (delegate/tflite/propagate_shapes.cc).

// Folds a node that unpacks, relabels or transposes a constant: DEQUANTIZE,
// DENSIFY, RESHAPE, SQUEEZE, EXPAND_DIMS, TRANSPOSE. True: the node's output is
// now a constant of `graph`, and the node has nothing left to run. False:
// another op, or the input is not constant. Relabelled and 16-bit constants
// share the input's bytes (DEQUANTIZE of float16 leaves its output float16);
// 8-bit constants become float32. kInvalidArgument: a malformed constant, such
// as a sparsity that does not fit its shape.
absl::StatusOr<bool> FoldConstantNode(Graph* graph, const Node& node);

// Folds all such nodes, and computes small tensors that depend on constants
// alone, such as the masks and positions of exported transformers, by the
// reference of the self-check. Removes nodes whose outputs become constants.
// Leaves a node if an output is the graph's, large, quantized, infinite or NaN,
// if the reference does not know the op, or if a value is too close to a step
// to be sure of. O(nodes + elements folded), which are bounded. Errors are
// those of FoldConstantNode().
absl::Status FoldConstants(Graph* graph);

// --- Dumps: docs/debugging.md ------------------------------------------------

// Writes a partition's graph before the passes and after each pass that changed
// it, and its plan: as text and as Graphviz, as
// <directory>/partition_<partition>_<step>_<what>.txt and .dot. Steps number
// the pairs of files from 0, also when a partition is planned again. Threads:
// one at a time.
class PlanDump {
 public:
  // Writes nothing.
  PlanDump() = default;
  // `directory` is created if it does not exist; its parent must exist. Empty:
  // writes nothing.
  PlanDump(std::string directory, int partition);
  // Uses the directory in GLES_DELEGATE_DEBUG=plan=DIRECTORY; if
  // it is not set, writes nothing. Numbers partitions from 0 in the order of
  // calls in the process.
  static PlanDump FromEnvironment();

  // Writes the graph if its text differs from the last one.
  void AddGraph(absl::string_view what, const Graph& graph);
  // For PassContext::notes. AddPlan() writes those that there are by then, as
  // <step>_declined.txt.
  std::vector<std::string>* notes() { return is_on() ? &notes_ : nullptr; }
  void AddPlan(const Graph& graph, absl::Span<const Dispatch> dispatches);

  // Whether anything is written.
  bool is_on() const { return !directory_.empty(); }

  // The first error, after which nothing more is written; Ok: everything was
  // written.
  const absl::Status& status() const { return status_; }
  // Returns and clears the warning about status(), if any.
  std::string TakeWarning();

 private:
  bool active() const { return !directory_.empty() && status_.ok(); }
  // Of the next step's files, without their extension.
  std::string NextPath(absl::string_view what);
  void Write(absl::string_view what, absl::string_view text,
             absl::string_view dot);
  void WriteFile(const std::string& path, absl::string_view content);

  std::string directory_;
  int partition_ = 0;
  int step_ = 0;
  std::string last_graph_;  // The text of the last graph.
  std::vector<std::string> notes_;
  absl::Status status_;
  bool told_ = false;
};

// --- The plan ----------------------------------------------------------------

struct PlannedPartition {
  Graph graph;  // after the passes
  // After the passes that change tensors' contents, before those that fuse: the
  // tensors of both graphs have the same contents.
  Graph unfused;
  std::vector<Dispatch> dispatches;
  // Why it was planned without the passes; Ok: it was planned with them.
  absl::Status passes_dropped;
};

class StageTimer;  // delegate/runtime/executor.h

// Nodes that were accepted always run: if the graph cannot be planned after the
// passes, it is planned without them, and `passes_dropped` says why. `timer`
// and `dump` may be null.
absl::StatusOr<PlannedPartition> PlanPartition(const Graph& graph,
                                               const DeviceProfile& profile,
                                               StageTimer* timer,
                                               PlanDump* dump = nullptr);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PARTITION_PLAN_PARTITION_H_

// Dumps the results of planning a partition to files: docs/debugging.md.
#ifndef GLES_DELEGATE_DELEGATE_PARTITION_PLAN_DUMP_H_
#define GLES_DELEGATE_DELEGATE_PARTITION_PLAN_DUMP_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/dispatch.h"

namespace gles_delegate {

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

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PARTITION_PLAN_DUMP_H_

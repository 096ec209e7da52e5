// Files that show what planning made of a partition: docs/debugging.md.
#ifndef GLES_DELEGATE_DELEGATE_PARTITION_PLAN_DUMP_H_
#define GLES_DELEGATE_DELEGATE_PARTITION_PLAN_DUMP_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/dispatch.h"

namespace gles_delegate {

// Writes a partition's graph before the passes and after each pass that changed
// the graph, and the partition's plan: each as text and in Graphviz's language,
// as <directory>/partition_<partition>_<step>_<what>.txt and .dot. Steps count
// the pairs of files from 0; a partition that is planned again goes on
// counting. Threads: one at a time.
class PlanDump {
 public:
  // Writes nothing.
  PlanDump() = default;
  // `directory` is made where it does not exist; the folder above it must
  // exist. An empty `directory`: writes nothing.
  PlanDump(std::string directory, int partition);
  // Into the folder that the environment's GLES_DELEGATE_DUMP_PLAN names; where
  // that is not set, writes nothing. Partitions are numbered from 0 in the
  // order of these calls of the process.
  static PlanDump FromEnvironment();

  // Writes the graph, where its text differs from that of the last graph.
  void AddGraph(absl::string_view what, const Graph& graph);
  void AddPlan(const Graph& graph, absl::Span<const Dispatch> dispatches);

  // Whether anything is written.
  bool is_on() const { return !directory_.empty(); }

  // The first file that could not be written, and why; nothing is written after
  // it. OkStatus: everything was written.
  const absl::Status& status() const { return status_; }
  // What to tell the user of status(); empty where there is nothing to tell, or
  // where this was asked before.
  std::string TakeWarning();

 private:
  bool active() const { return !directory_.empty() && status_.ok(); }
  void Write(absl::string_view what, absl::string_view text,
             absl::string_view dot);
  void WriteFile(const std::string& path, absl::string_view content);

  std::string directory_;
  int partition_ = 0;
  int step_ = 0;
  std::string last_graph_;  // The text of the last graph that was seen.
  absl::Status status_;
  bool told_ = false;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PARTITION_PLAN_DUMP_H_

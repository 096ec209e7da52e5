// The state of each interpreter to which a delegate was applied.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_INTERPRETER_REPORTS_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_INTERPRETER_REPORTS_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "delegate/partition/partition_report.h"
#include "delegate/runtime/stage_times.h"
#include "delegate/tflite/refusals.h"

namespace gles_delegate {

// The result of the last application to a subgraph. TFLite applies a delegate
// to each subgraph of a model (branches of IF, bodies of WHILE) in turn.
struct SubgraphReport {
  const void* subgraph = nullptr;  // tells subgraphs apart; never followed
  int nodes_total = 0;
  // At the time of application; PartitionReport::on_cpu has partitions that
  // moved to the CPU later.
  int nodes_delegated = 0;
  int partitions_chosen = 0;
  // The inputs and outputs of these partitions, by TFLite's tensor index.
  std::vector<int> border;
  // The subgraphs that its delegated composites stand for, and those that its
  // composites on the CPU call; never followed.
  std::vector<const void*> inlined, called;
  // As IsInlined() says when the delegate is applied to it.
  bool is_inlined = false;
  // Nodes of other subgraphs call it, each time across the border.
  bool is_called = false;
  std::vector<Refusal> refusals;
  StageTimes stages;  // before the partitions' stages
  // Partitions with a kernel, which shares the report.
  std::vector<std::shared_ptr<PartitionReport>> partitions;
  // Partitions given back to the CPU because building them failed.
  std::vector<std::shared_ptr<PartitionReport>> handed_back;

  // True if all of its kernels are gone: the interpreter was deleted (its
  // address may be reused), or TFLite undid the delegation.
  bool IsGone() const;
  // False for a subgraph that is inlined elsewhere and was never called.
  bool IsUsed() const;
};

struct InterpreterReport {
  const void* interpreter = nullptr;  // tells them apart; never followed
  std::vector<SubgraphReport> subgraphs;
  absl::Status applied;  // the result of the last application

  // True if none of its kernels is left. An interpreter without delegated nodes
  // cannot be told from a deleted one.
  bool IsGone() const;
};

// The interpreters of one delegate, in order of application. The last one stays
// until the delegate is applied to another; others stay until they are gone.
// Threads: as the delegate's.
class InterpreterReports {
 public:
  // Adds an entry for the interpreter's subgraph, which becomes the last.
  // `interpreter`: nullptr if the runtime does not identify it; each subgraph
  // then counts as an interpreter.
  void Begin(const void* interpreter, const void* subgraph);
  // The entry that Begin() made.
  SubgraphReport& now() { return list_.back().subgraphs[current_]; }
  const SubgraphReport& now() const { return list_.back().subgraphs[current_]; }
  // `applied`: the result. `was_read`: whether the model's nodes are known. If
  // the delegate was applied again and nothing was left to do, restores the
  // previous entry.
  void Finish(const absl::Status& applied, bool was_read);

  // Whether now() is the first subgraph of the interpreter.
  bool IsFirst() const { return current_ == 0; }
  // Whether the subgraph is the decomposition of delegated composites alone, so
  // that nothing calls it.
  bool IsInlined(const void* subgraph) const;
  // Whether the tensor, by TFLite's index, is an input or output of any
  // partition.
  bool IsOnBorder(int tensor) const;
  // Drops entries that are gone, except the last.
  void ForgetGone();
  // Never empty: before Begin() there is one without an interpreter.
  const std::vector<InterpreterReport>& list() const { return list_; }

 private:
  std::vector<InterpreterReport> list_ = {
      {nullptr, std::vector<SubgraphReport>(1), absl::OkStatus()}};
  size_t current_ = 0;       // the subgraph of now() in the last interpreter
  SubgraphReport previous_;  // its entry before that
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_INTERPRETER_REPORTS_H_

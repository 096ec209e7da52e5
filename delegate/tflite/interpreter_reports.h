// What became of each interpreter that a delegate was applied to.
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

// What became of one subgraph the last time that the delegate was applied to
// it. TFLite applies a delegate to each subgraph of a model, one after the
// other (the branches of IF, the bodies of WHILE).
struct SubgraphReport {
  const void* subgraph = nullptr;  // tells subgraphs apart; never followed
  int nodes_total = 0;
  // When the delegate was applied; PartitionReport::on_cpu tells of partitions
  // that went to the CPU after that.
  int nodes_delegated = 0;
  int partitions_chosen = 0;
  // The inputs and outputs of these partitions, by TFLite's tensor index.
  std::vector<int> border;
  std::vector<Refusal> refusals;
  StageTimes stages;  // before the partitions' stages
  // Of the partitions that have a kernel, which shares the report.
  std::vector<std::shared_ptr<PartitionReport>> partitions;
  // Of the partitions that were given back to the CPU: prefer_faster found it
  // faster, or they could not be built.
  std::vector<std::shared_ptr<PartitionReport>> handed_back;

  // True where it had kernels, and all of them are gone: their interpreter was
  // deleted (another may be where that one was), or TFLite undid the
  // delegation.
  bool IsGone() const;
};

struct InterpreterReport {
  const void* interpreter = nullptr;  // tells them apart; never followed
  std::vector<SubgraphReport> subgraphs;
  absl::Status applied;  // what the last application to it came to

  // True where no kernel of it is left. An interpreter of which nothing is
  // delegated cannot be told from a deleted one.
  bool IsGone() const;
};

// The interpreters of one delegate, in the order in which it was applied to
// them. The last one stays until the delegate is applied to another; the others
// stay while they are not gone. Threads: as the delegate's.
class InterpreterReports {
 public:
  // A new entry for the subgraph of the interpreter, which becomes the last.
  // `interpreter` is nullptr where the runtime does not tell: each subgraph is
  // then taken for an interpreter.
  void Begin(const void* interpreter, const void* subgraph);
  // The entry that Begin() made.
  SubgraphReport& now() { return list_.back().subgraphs[current_]; }
  const SubgraphReport& now() const { return list_.back().subgraphs[current_]; }
  // `applied`: what it came to. `was_read`: whether the model's nodes are
  // known. Where the delegate was applied again and nothing was left to do, the
  // entry of before holds.
  void Finish(const absl::Status& applied, bool was_read);

  // Whether the tensor, by TFLite's index, is an input or output of a
  // partition of any of them.
  bool IsOnBorder(int tensor) const;
  // Drops those that are gone but for the last.
  void ForgetGone();
  // Never empty: before Begin() one without an interpreter.
  const std::vector<InterpreterReport>& list() const { return list_; }

 private:
  std::vector<InterpreterReport> list_ = {
      {nullptr, std::vector<SubgraphReport>(1), absl::OkStatus()}};
  size_t current_ = 0;       // the subgraph of now() in the last interpreter
  SubgraphReport previous_;  // what its entry was before that
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_INTERPRETER_REPORTS_H_

// What the delegate did, as TfLiteGlesDelegateReport() gives it.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_REPORT_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_REPORT_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "delegate/partition/partition_report.h"
#include "delegate/runtime/stage_times.h"
#include "delegate/tflite/gpu.h"
#include "delegate/tflite/options.h"
#include "delegate/tflite/refusals.h"
#include "delegate/tflite/runtime.h"
#include "quant/cpu_kernels.h"

namespace gles_delegate {

// What became of one subgraph the last time that the delegate was applied to
// it. TFLite applies a delegate to each subgraph of a model, one after the
// other (the branches of IF, the bodies of WHILE).
struct SubgraphReport {
  // Tell interpreters and subgraphs apart; never followed.
  const void* interpreter = nullptr;
  const void* subgraph = nullptr;
  int nodes_total = 0;
  int nodes_delegated = 0;
  int partitions_chosen = 0;
  // The inputs and outputs of these partitions, by TFLite's tensor index.
  std::vector<int> border;
  std::vector<Refusal> refusals;
  StageTimes stages;  // before the partitions' stages
  // Of the partitions that have a kernel, which shares the report.
  std::vector<std::shared_ptr<PartitionReport>> partitions;
  // Of the partitions that prefer_faster gave back to the CPU.
  std::vector<std::shared_ptr<PartitionReport>> handed_back;

  // True where all of its kernels are gone: their interpreter was deleted
  // (another may be where that one was), or TFLite undid the delegation.
  bool IsGone() const;
};

// What a report is made of. The references must outlive the call.
struct ReportParts {
  const Options& options;
  const Gpu* gpu;  // nullptr: there is no context yet
  const Runtime& runtime;
  quant::CpuKernels cpu_kernels;
  const absl::Status& applied;  // what the last application came to
  const std::vector<SubgraphReport>& subgraphs;
};

// A JSON object. Bytes of names that are no UTF-8 are replaced.
std::string ReportText(const ReportParts& parts);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_REPORT_H_

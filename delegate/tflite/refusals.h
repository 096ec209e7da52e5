// The reasons why nodes stay on the CPU, for the report and warnings.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_REFUSALS_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_REFUSALS_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "delegate/tflite/reader.h"

namespace gles_delegate {

// Nodes that stay on the CPU for the same reason.
struct Refusal {
  std::string op;  // "CONV_2D", or "the partition at CONV_2D"
  std::string reason;
  std::string tensors;     // of the first of the nodes
  std::vector<int> nodes;  // TFLite's indices, in execution order
};

// Refused nodes, grouped by op and reason.
std::vector<Refusal> GroupRefusals(const CheckedModel& model);

// The refusal of `nodes`, a partition of accepted nodes.
Refusal RefusalOfPartition(const CheckedModel& model,
                           const std::vector<int>& nodes, std::string reason);

// A line for each reason: "CONV_2D, ADD stay on the CPU (nodes 3, 4): ...",
// with up to eight ops and nodes, and the tensors of the first node.
std::vector<std::string> WarningsOf(absl::Span<const Refusal> refusals);

// Refuses nodes that fold to constants which CPU nodes read: the CPU computes
// them once, and GPU nodes still fold them.
void KeepUnusedConstantsOnCpu(CheckedModel* model);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_REFUSALS_H_

// Why nodes of a model stay on the CPU, as the report and the warnings say it.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_REFUSALS_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_REFUSALS_H_

#include <string>
#include <vector>

#include "delegate/tflite/reader.h"

namespace gles_delegate {

// Nodes that stay on the CPU for one reason.
struct Refusal {
  std::string op;  // "CONV_2D", or "the partition at CONV_2D"
  std::string reason;
  std::string tensors;     // of the first of the nodes
  std::vector<int> nodes;  // TFLite's indices, in execution order
};

// The nodes that the check refused, grouped by op and reason.
std::vector<Refusal> GroupRefusals(const CheckedModel& model);

// The refusal of `nodes`, a partition whose nodes the check accepted.
Refusal RefusalOfPartition(const CheckedModel& model,
                           const std::vector<int>& nodes, std::string reason);

// "WARNING: CONV_2D stays on the CPU (nodes 3, 4): ...", of at most eight node
// indices.
std::string WarningOf(const Refusal& refusal);

// Refuses the nodes that fold to constants which a node on the CPU reads: the
// CPU computes such a constant once, and the GPU's nodes fold it, too.
void KeepUnusedConstantsOnCpu(CheckedModel* model);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_REFUSALS_H_

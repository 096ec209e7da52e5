// The part of GlesSimpleDelegate that builds the partitions that are chosen,
// before any node is replaced: docs/decisions/0003-failure-to-apply.md.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/hash_tables.h"
#include "base/status_macros.h"
#include "delegate/tflite/gles_simple_delegate.h"

namespace gles_delegate {

namespace {

absl::Status CheckOutputs(const ModelPartition& partition) {
  const std::vector<int>& outputs = partition.outputs;
  if (std::find(outputs.begin(), outputs.end(), kTfLiteOptionalTensor) ==
      outputs.end()) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      "the model has an output that is no tensor (-1), which the runtime "
      "counts among this partition's");
}

}  // namespace

void GlesSimpleDelegate::RefuseAbsentOutputs(
    std::vector<ModelPartition>* partitions) {
  const auto refused = [this](const ModelPartition& p) {
    const absl::Status status = CheckOutputs(p);
    if (!status.ok()) Refuse(p, std::string(status.message()));
    return !status.ok();
  };
  partitions->erase(
      std::remove_if(partitions->begin(), partitions->end(), refused),
      partitions->end());
}

absl::StatusOr<std::vector<ModelPartition>> GlesSimpleDelegate::BuildPartitions(
    TfLiteContext* context, std::vector<ModelPartition> partitions) {
  RefuseAbsentOutputs(&partitions);
  std::vector<ModelPartition> built;
  for (ModelPartition& p : partitions) {
    const absl::Status status = Build(context, p);
    if (status.ok()) {
      built.push_back(std::move(p));
      continue;
    }
    // A limit of the device is not a failure.
    if (!options_.fallback_to_cpu && !absl::IsOutOfRange(status)) return status;
    Refuse(p, std::string(status.message()));
  }
  Count(built);
  return built;
}

absl::Status GlesSimpleDelegate::Build(TfLiteContext* context,
                                       const ModelPartition& partition) {
  ASSIGN_OR_RETURN(auto kernel, TakeKernel(context, partition));
  absl::Status built = kernel->PrepareOnGpu(context);
  if (built.ok()) {
    made_.push_back(std::move(kernel));
  } else {
    HandBack(*kernel, std::string(built.message()));
  }
  return built;
}

void GlesSimpleDelegate::Count(const std::vector<ModelPartition>& partitions) {
  now().partitions_chosen = static_cast<int>(partitions.size());
  now().nodes_delegated = 0;
  now().border.clear();
  for (const ModelPartition& p : partitions) {
    now().nodes_delegated += static_cast<int>(p.nodes.size());
    for (const auto* list : {&p.inputs, &p.outputs}) {
      now().border.insert(now().border.end(), list->begin(), list->end());
    }
  }
}

void GlesSimpleDelegate::NoteDecompositions(TfLiteContext* context) {
  HashSet<int> delegated;
  for (const auto& partition : now().partitions) {
    delegated.insert(partition->nodes.begin(), partition->nodes.end());
  }
  for (const CheckedNode& node : model_->nodes) {
    const bool is_delegated = delegated.contains(node.index);
    const std::vector<TfLiteContext*> subgraphs =
        SubgraphsBelow(nodes_.decompositions, {context, node.index});
    for (const TfLiteContext* subgraph : subgraphs) {
      (is_delegated ? now().inlined : now().called).push_back(subgraph->impl_);
    }
  }
}

void GlesSimpleDelegate::HandBack(const GlesKernel& kernel, std::string why) {
  kernel.report()->on_cpu = std::move(why);
  now().handed_back.push_back(kernel.report());
}

}  // namespace gles_delegate

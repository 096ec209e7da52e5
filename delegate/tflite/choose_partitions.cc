// The part of GlesSimpleDelegate that chooses which partitions to delegate.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/format.h"
#include "base/hash_tables.h"
#include "delegate/tflite/gles_simple_delegate.h"
#include "delegate/tflite/partition_worth.h"
#include "delegate/tflite/refusals.h"

namespace gles_delegate {
namespace {

constexpr char kDelegateAll[] =
    "max_delegated_partitions=0 delegates it all the same";

std::string CountOf(const ModelPartition& partition) {
  return absl::StrCat("it has ", partition.nodes.size(),
                      partition.nodes.size() == 1 ? " node" : " nodes");
}

}  // namespace

void GlesSimpleDelegate::Refuse(const ModelPartition& partition,
                                std::string reason) {
  now().refusals.push_back(
      RefusalOfPartition(*model_, partition.nodes, std::move(reason)));
}

void GlesSimpleDelegate::RefuseSome(
    std::vector<ModelPartition>* partitions,
    absl::FunctionRef<std::string(const ModelPartition&)> why) {
  std::vector<ModelPartition> kept;
  for (ModelPartition& partition : *partitions) {
    std::string reason = why(partition);
    if (reason.empty()) {
      kept.push_back(std::move(partition));
    } else {
      Refuse(partition, std::move(reason));
    }
  }
  *partitions = std::move(kept);
}

void GlesSimpleDelegate::RefuseWithoutWork(
    TfLiteContext* context, std::vector<ModelPartition>* partitions) {
  RefuseSome(partitions, [&](const ModelPartition& partition) {
    bool is_idle = true, has_shapes = false;
    for (int index : partition.nodes) {
      const CheckedNode& node = model_->nodes[model_->position_of.at(index)];
      is_idle &= node.folded;
      has_shapes |= node.follows_from_shapes;
    }
    return is_idle && has_shapes && !ReadsConstantsAlone(*context, partition)
               ? "all that it computes is known once tensors are "
                 "allocated: there is nothing to run"
               : std::string();
  });
}

void GlesSimpleDelegate::RefuseLoops(TfLiteContext* context) {
  for (CheckedNode& node : model_->nodes) {
    const auto loop = nodes_.shapes.loops.find({context, node.index});
    if (loop == nodes_.shapes.loops.end() || !node.support.ok()) continue;
    ModelPartition alone;
    alone.nodes = {node.index};
    const PartitionWorth worth = WorthOf(*model_, alone);
    const size_t steps = loop->second.steps.size();
    if (worth.PaysAsLoop(steps)) continue;
    node.support = absl::UnimplementedError(Formatted(
        "its %d steps do not pay: the CPU takes about %.0f us for them, and "
        "the GPU at least %.0f us; %s",
        steps, worth.cpu_us, PartitionWorth::GpuUsOfSteps(steps),
        kDelegateAll));
    node.nodes.clear();
    loop->second = {node.support, {}, {}};
  }
}

void GlesSimpleDelegate::RefuseWhatDoesNotPay(
    std::vector<ModelPartition>* partitions) {
  // Of a model that runs as a whole, the user has decided. A subgraph that
  // others call is not one: each call crosses the border.
  const auto is_whole = [this](const ModelPartition& partition) {
    const HashSet<int> own(partition.nodes.begin(), partition.nodes.end());
    return std::all_of(model_->nodes.begin(), model_->nodes.end(),
                       [&](const CheckedNode& node) {
                         return node.folded || own.contains(node.index);
                       });
  };
  RefuseSome(partitions, [&](const ModelPartition& partition) {
    const PartitionWorth worth = WorthOf(*model_, partition);
    const bool is_called = now().is_called && !now().is_inlined;
    if (worth.pays() || (!is_called && is_whole(partition))) {
      return std::string();
    }
    return absl::StrCat(
        CountOf(partition),
        is_called ? " and does not pay at each call: " : " and does not pay: ",
        worth.ToString(), "; ", kDelegateAll);
  });
}

void GlesSimpleDelegate::RefuseSurplus(
    std::vector<ModelPartition>* partitions) {
  std::stable_sort(partitions->begin(), partitions->end(),
                   [](const auto& a, const auto& b) {
                     return a.nodes.size() > b.nodes.size();
                   });
  if (options_.max_delegated_partitions <= 0) return;
  const size_t limit =
      std::min<size_t>(options_.max_delegated_partitions, partitions->size());
  for (size_t i = limit; i < partitions->size(); ++i) {
    Refuse((*partitions)[i],
           absl::StrCat(CountOf((*partitions)[i]),
                        " and is past max_delegated_partitions=",
                        options_.max_delegated_partitions));
  }
  partitions->resize(limit);
}

std::vector<ModelPartition> GlesSimpleDelegate::ChoosePartitions(
    TfLiteContext* context, std::vector<ModelPartition> partitions) {
  if (memory_plan_is_old_) {
    for (const ModelPartition& p : partitions) {
      Refuse(p,
             "an input was resized after AllocateTensors, and TFLite keeps the "
             "memory plan of before where a delegate is applied then; call "
             "AllocateTensors again first");
    }
    return {};
  }
  RefuseWithoutWork(context, &partitions);
  RefuseAbsentOutputs(&partitions);
  RefuseSurplus(&partitions);
  if (options_.max_delegated_partitions < 0) RefuseWhatDoesNotPay(&partitions);
  if (options_.session.memory_limit_bytes > 0 && !now().is_inlined) {
    partitions.erase(std::remove_if(partitions.begin(), partitions.end(),
                                    [&](const ModelPartition& p) {
                                      return !FitsInMemory(context, p);
                                    }),
                     partitions.end());
  }
  return partitions;
}

bool GlesSimpleDelegate::FitsInMemory(TfLiteContext* context,
                                      const ModelPartition& partition) {
  auto kernel = TakeKernel(context, partition);
  if (!kernel.ok()) return true;  // Build() fails with the same error
  const absl::Status reserved = (*kernel)->ReserveMemory();
  if (absl::IsResourceExhausted(reserved)) {
    Refuse(partition, std::string(reserved.message()));
    return false;
  }
  made_.push_back(*std::move(kernel));
  return true;
}

}  // namespace gles_delegate

// The part of GlesSimpleDelegate that chooses which partitions to delegate, and
// builds them before any node is replaced.
#include <algorithm>
#include <any>
#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/format.h"
#include "base/status_macros.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/tflite/gles_simple_delegate.h"

namespace gles_delegate {

// --- What a partition gains --------------------------------------------------

namespace {

// One or two cores of a board or small server, with XNNPACK: the speed of its
// kernels in large layers, and of memory. The GPU's own time is left out:
// anyone who applies the delegate wants it used wherever it can gain.
constexpr double kCpuOperationsPerUs = 20e3;
constexpr double kCpuBytesPerUs = 8e3;
// Copies through a mapped buffer; and the time of an empty inference on the
// fastest measured driver (upload, submit, fence, readback).
constexpr double kCrossingBytesPerUs = 4e3;
constexpr double kWaitUs = 80;
// A dispatch that waits for the one before it, on a desktop's GPU. A loop's
// step has at least one.
constexpr double kStepUs = 5;
// The most steps that are small beside the rest of a start: on llvmpipe those
// of an LSTM with 18 nodes take 0.2 s of 0.8 s.
constexpr size_t kFewSteps = 256;

int64_t HostBytesOf(const Tensor& t) {
  const auto bytes = static_cast<int64_t>(DataTypeSize(t.stored()));
  return t.shape.elements() * bytes;
}

// Products of weights and their operands: each output takes its channel's
// weights. A product of two computed matrices reads rows of the first.
int64_t OperationsOf(const Graph& graph, const Node& node) {
  const Shape& output = graph.tensor(node.outputs[0]).shape;
  int64_t operations = output.elements();
  if (std::any_cast<ElementwiseAttributes>(&node.attributes) != nullptr ||
      node.op->Has(kMovesValues) || node.inputs.size() < 2) {
    return operations;
  }
  for (TensorId id : node.inputs) {
    if (id == kNoTensor || !graph.tensor(id).is_constant()) continue;
    const int64_t of_channel =
        graph.tensor(id).shape.elements() / std::max(1, output.c);
    operations += 2 * output.elements() * of_channel;
  }
  const TensorId second = node.inputs[1];
  if (second != kNoTensor && !graph.tensor(second).is_constant() &&
      node.inputs[0] != kNoTensor) {
    operations += 2 * output.elements() * graph.tensor(node.inputs[0]).shape.c;
  }
  return operations;
}

// Estimates from arithmetic and bytes whether a partition is worth its
// transfers to the GPU and back.
struct PartitionWorth : WorthReport {
  int64_t operations = 0;  // multiplications and additions
  int64_t node_bytes = 0;  // read and written by its nodes
  int64_t crossing_bytes = 0;
};

PartitionWorth WorthOfNodes(const CheckedModel& model,
                            const ModelPartition& partition) {
  PartitionWorth worth;
  const Graph& graph = model.graph;
  for (int index : partition.nodes) {
    const CheckedNode& checked = model.node(index);
    if (checked.folded) continue;
    for (const Node& node : checked.nodes) {
      worth.operations += OperationsOf(graph, node);
      for (TensorId id : TensorsOf(node)) {
        worth.node_bytes += HostBytesOf(graph.tensor(id));
      }
    }
  }
  for (int id : TensorsOf(partition)) {
    if (graph.tensor(id).is_constant()) continue;
    worth.crossing_bytes += HostBytesOf(graph.tensor(id));
  }
  worth.cpu_us = static_cast<double>(worth.operations) / kCpuOperationsPerUs +
                 static_cast<double>(worth.node_bytes) / kCpuBytesPerUs;
  worth.crossing_us =
      kWaitUs + static_cast<double>(worth.crossing_bytes) / kCrossingBytesPerUs;
  return worth;
}

constexpr char kDelegateAll[] =
    "max_delegated_partitions=0 delegates it all the same";

std::string CountOf(const ModelPartition& partition) {
  return absl::StrCat("it has ", partition.nodes.size(),
                      partition.nodes.size() == 1 ? " node" : " nodes");
}

// Such partitions cannot be replaced, see ModelPartition::outputs.
std::string WhyNoOutputs(const ModelPartition& partition) {
  const std::vector<int>& outputs = partition.outputs;
  return !absl::c_linear_search(outputs, kTfLiteOptionalTensor)
             ? ""
             : "the model has an output that is no tensor (-1), which the "
               "runtime counts among this partition's";
}

}  // namespace

void GlesSimpleDelegate::Refuse(const ModelPartition& partition,
                                std::string reason) {
  const CheckedNode& first = model_->node(partition.nodes[0]);
  now().refusals.push_back({absl::StrCat("the partition at ", first.op),
                            std::move(reason), first.tensors, partition.nodes});
}

void GlesSimpleDelegate::RefuseSome(
    std::vector<ModelPartition>* partitions,
    absl::FunctionRef<std::string(const ModelPartition&)> why) {
  const auto is_refused = [&](const ModelPartition& partition) {
    const std::string reason = why(partition);
    if (!reason.empty()) Refuse(partition, reason);
    return !reason.empty();
  };
  partitions->erase(
      std::remove_if(partitions->begin(), partitions->end(), is_refused),
      partitions->end());
}

void GlesSimpleDelegate::RefuseLoops(TfLiteContext* context) {
  for (CheckedNode& node : model_->nodes) {
    const auto loop = nodes_.shapes.steps.find({context, node.index});
    if (loop == nodes_.shapes.steps.end() || !node.support.ok()) continue;
    // Of a loop that is replaced by the nodes of all its steps, few are no
    // worse than leaving it to the runtime, as the nodes before and after the
    // loop then stay together. A composite has one.
    const size_t steps = loop->second.graphs.size();
    if (steps <= kFewSteps) continue;
    ModelPartition alone;
    alone.nodes = {node.index};
    const PartitionWorth worth = WorthOfNodes(*model_, alone);
    const double gpu_us = kStepUs * static_cast<double>(steps);
    if (worth.cpu_us > gpu_us) continue;
    node.support = absl::UnimplementedError(Formatted(
        "its %d steps do not pay: the CPU takes about %.0f us for them, and "
        "the GPU at least %.0f us; %s",
        steps, worth.cpu_us, gpu_us, kDelegateAll));
    node.nodes.clear();
    loop->second = {node.support, {}, {}};
  }
}

std::string GlesSimpleDelegate::WhyIdle(const TfLiteContext& context,
                                        const ModelPartition& partition) const {
  bool is_idle = true, has_shapes = false;
  for (int index : partition.nodes) {
    const CheckedNode& node = model_->node(index);
    is_idle &= node.folded;
    has_shapes |= node.follows_from_shapes;
  }
  return is_idle && has_shapes && !ReadsConstantsAlone(context, partition)
             ? "all that it computes is known once tensors are allocated: "
               "there is nothing to run"
             : "";
}

std::string GlesSimpleDelegate::WhyNoGain(const ModelPartition& partition) {
  // Of a model that runs as a whole, the user has decided. A subgraph that
  // others call is not one: each call crosses the border.
  const HashSet<int> own(partition.nodes.begin(), partition.nodes.end());
  const bool is_whole =
      absl::c_all_of(model_->nodes, [&](const CheckedNode& node) {
        return node.folded || own.contains(node.index);
      });
  const PartitionWorth worth = WorthOfNodes(*model_, partition);
  const bool is_called = now().is_called && !now().is_inlined;
  const bool pays = worth.cpu_us > worth.crossing_us;
  if (pays || (!is_called && is_whole)) return "";
  return Formatted(
      "%s and does not pay%s: the CPU takes about %.0f us for it (%d "
      "operations, %d bytes), and crossing to the GPU and back about %.0f us "
      "(%d bytes); %s",
      CountOf(partition), is_called ? " at each call" : "", worth.cpu_us,
      worth.operations, worth.node_bytes, worth.crossing_us,
      worth.crossing_bytes, kDelegateAll);
}

absl::StatusOr<std::unique_ptr<GlesKernel>> GlesSimpleDelegate::TakeKernel(
    TfLiteContext* context, const ModelPartition& partition) {
  const auto made = absl::c_find_if(made_, [&](const auto& kernel) {
    return kernel->partition() == partition;
  });
  if (made != made_.end()) {
    std::unique_ptr<GlesKernel> kernel = std::move(*made);
    made_.erase(made);
    return kernel;
  }
  if (!model_) {
    return FailedPrecondition(
        "a partition was made while the delegate was not being applied");
  }
  auto report = std::make_shared<PartitionReport>();
  report->nodes = partition.nodes;
  report->worth = WorthOfNodes(*model_, partition);
  KernelSetup setup;
  setup.session = {gpu_,
                   profile_,
                   options_.session,
                   partition.nodes,
                   /*builds_late=*/now().is_inlined,
                   std::move(report)};
  setup.read = options_.read;
  setup.nodes = nodes_;
  setup.partition = partition;
  setup.fallback_to_cpu = options_.fallback_to_cpu;
  setup.objects = objects_;
  setup.runtime_buffers = runtime_buffers_;
  if (options_.keeps_caches) setup.caches = caches_;
  setup.worker = worker_;
  setup.delegate = this;
  auto kernel = std::make_unique<GlesKernel>(std::move(setup));
  RETURN_IF_ERROR(kernel->Read(*context, *model_));
  return kernel;
}

std::string GlesSimpleDelegate::WhyNoMemory(TfLiteContext* context,
                                            const ModelPartition& partition) {
  auto kernel = TakeKernel(context, partition);
  if (!kernel.ok()) return "";  // building fails with the same error
  const absl::Status reserved = (*kernel)->ReserveMemory();
  if (absl::IsResourceExhausted(reserved)) {
    return std::string(reserved.message());
  }
  made_.push_back(*std::move(kernel));
  return "";
}

std::vector<ModelPartition> GlesSimpleDelegate::ChoosePartitions(
    TfLiteContext* context, std::vector<ModelPartition> partitions) {
  const auto refuse = [&](const auto& why) { RefuseSome(&partitions, why); };
  if (memory_plan_is_old_) {
    refuse([](const ModelPartition&) {
      return "an input was resized after AllocateTensors, and TFLite keeps the "
             "memory plan of before where a delegate is applied then; call "
             "AllocateTensors again first";
    });
  }
  refuse([&](const ModelPartition& p) { return WhyIdle(*context, p); });
  refuse(WhyNoOutputs);
  absl::c_stable_sort(partitions, [](const auto& a, const auto& b) {
    return a.nodes.size() > b.nodes.size();
  });
  const int limit = options_.max_delegated_partitions;
  int count = 0;
  refuse([&](const ModelPartition& p) {
    return limit <= 0 || ++count <= limit
               ? ""
               : absl::StrCat(CountOf(p),
                              " and is past max_delegated_partitions=", limit);
  });
  if (limit < 0) refuse([this](const auto& p) { return WhyNoGain(p); });
  if (options_.session.memory_limit_bytes > 0 && !now().is_inlined) {
    refuse([&](const ModelPartition& p) { return WhyNoMemory(context, p); });
  }
  return partitions;
}

// docs/decisions/0003-failure-to-apply.md.
absl::StatusOr<std::vector<ModelPartition>> GlesSimpleDelegate::BuildPartitions(
    TfLiteContext* context, std::vector<ModelPartition> partitions) {
  RefuseSome(&partitions, WhyNoOutputs);
  std::vector<ModelPartition> built;
  for (ModelPartition& p : partitions) {
    auto kernel = TakeKernel(context, p);
    absl::Status status = kernel.status();
    if (kernel.ok()) {
      status = (*kernel)->PrepareOnGpu(context);
      if (!status.ok()) {
        (*kernel)->report()->on_cpu = std::string(status.message());
        now().handed_back.push_back((*kernel)->report());
      }
    }
    if (!status.ok()) {
      // A limit of the device is not a failure.
      if (!options_.fallback_to_cpu && !absl::IsOutOfRange(status)) {
        return status;
      }
      Refuse(p, std::string(status.message()));
      continue;
    }
    made_.push_back(*std::move(kernel));
    built.push_back(std::move(p));
  }
  now().partitions_chosen = static_cast<int>(built.size());
  now().nodes_delegated = 0;
  now().border.clear();
  for (const ModelPartition& p : built) {
    now().nodes_delegated += static_cast<int>(p.nodes.size());
    absl::c_copy(TensorsOf(p), std::back_inserter(now().border));
  }
  return built;
}

void GlesSimpleDelegate::NoteDecompositions(TfLiteContext* context) {
  HashSet<int> delegated;
  for (const auto& partition : now().partitions) {
    delegated.insert(partition->nodes.begin(), partition->nodes.end());
  }
  for (const CheckedNode& node : model_->nodes) {
    const bool is_delegated = delegated.contains(node.index);
    auto& list = is_delegated ? now().inlined : now().called;
    const Decompositions& all = nodes_.decompositions;
    for (const NodeKey& key : CompositesBelow(all, {context, node.index})) {
      for (const TfLiteContext* subgraph : all.at(key).subgraphs()) {
        list.push_back(subgraph->impl_);
      }
    }
  }
}

}  // namespace gles_delegate

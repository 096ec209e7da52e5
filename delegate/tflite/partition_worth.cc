#include "delegate/tflite/partition_worth.h"

#include <algorithm>
#include <any>

#include "base/format.h"
#include "delegate/ops/elementwise/elementwise.h"

namespace gles_delegate {
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

int64_t BytesOf(const Tensor& t) {
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

}  // namespace

std::string PartitionWorth::ToString() const {
  return Formatted(
      "the CPU takes about %.0f us for it (%d operations, %d bytes), and "
      "crossing to the GPU and back about %.0f us (%d bytes)",
      cpu_us, operations, node_bytes, crossing_us, crossing_bytes);
}

double PartitionWorth::GpuUsOfSteps(size_t steps) {
  return kStepUs * static_cast<double>(steps);
}

bool PartitionWorth::PaysAsLoop(size_t steps) const {
  return steps <= kFewSteps || cpu_us > GpuUsOfSteps(steps);
}

PartitionWorth WorthOf(const CheckedModel& model,
                       const ModelPartition& partition) {
  PartitionWorth worth;
  const Graph& graph = model.graph;
  for (int index : partition.nodes) {
    const CheckedNode& checked = model.nodes[model.position_of.at(index)];
    if (checked.folded) continue;
    for (const Node& node : checked.nodes) {
      worth.operations += OperationsOf(graph, node);
      for (const auto* list : {&node.inputs, &node.outputs}) {
        for (TensorId id : *list) {
          if (id != kNoTensor) worth.node_bytes += BytesOf(graph.tensor(id));
        }
      }
    }
  }
  for (const auto* list : {&partition.inputs, &partition.outputs}) {
    for (int id : *list) {
      if (id < 0 || graph.tensor(id).is_constant()) continue;
      worth.crossing_bytes += BytesOf(graph.tensor(id));
    }
  }
  worth.cpu_us = static_cast<double>(worth.operations) / kCpuOperationsPerUs +
                 static_cast<double>(worth.node_bytes) / kCpuBytesPerUs;
  worth.crossing_us =
      kWaitUs + static_cast<double>(worth.crossing_bytes) / kCrossingBytesPerUs;
  return worth;
}

}  // namespace gles_delegate

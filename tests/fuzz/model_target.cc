#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "delegate/device/device_profile.h"
#include "delegate/graph/op.h"
#include "delegate/partition/plan_partition.h"
#include "delegate/passes/passes.h"
#include "delegate/plan/dispatch_shader.h"
#include "delegate/plan/memory_plan.h"
#include "delegate/tflite/extract_partition.h"
#include "delegate/tflite/reader.h"
#include "tests/fuzz/fake_runtime.h"
#include "tests/fuzz/seed_models.h"
#include "tests/fuzz/target.h"
#include "tests/testing/fake_devices.h"

namespace gles_delegate::fuzz {
namespace {

constexpr size_t kHeaderBytes = 16;  // keeps the file aligned

// One of the tuning table's rows, with OpenGL ES 3.1's minima or more.
DeviceProfile ProfileOf(uint8_t choice) {
  constexpr egl::DeviceKind kKinds[] = {
      egl::DeviceKind::kUnknown, egl::DeviceKind::kLlvmpipe,
      egl::DeviceKind::kSoftpipe, egl::DeviceKind::kNvidia};
  const bool large = (choice & 32) != 0;
  egl::DeviceInfo device =
      large ? testing::LargeDevice() : testing::SmallestDevice();
  device.kind = kKinds[choice & 3];
  PlanningOptions options;
  options.half = (choice & 64) != 0;
  options.half_arithmetic = large;
  options.storage = StorageOption(choice >> 3 & 3);
  return ProfileFor(device, options);
}

// What runs of the nodes `first` to `last` of the plan, as a partition.
struct Partition {
  std::vector<int> nodes, inputs, outputs;
};

Partition PartitionOf(const FakeRuntime& runtime, const CheckedModel& model,
                      size_t first, size_t last) {
  std::set<int> made, used,
      later(runtime.outputs().begin(), runtime.outputs().end());
  Partition partition;
  for (size_t i = 0; i < model.nodes.size(); ++i) {
    const CheckedNode& node = model.nodes[i];
    if (i < first || i > last) {
      later.insert(node.inputs.begin(), node.inputs.end());
      continue;
    }
    partition.nodes.push_back(node.index);
    if (node.folded) continue;
    for (int id : node.inputs) {
      if (id >= 0 && made.count(id) == 0) used.insert(id);
    }
    made.insert(node.node.outputs.begin(), node.node.outputs.end());
  }
  partition.inputs.assign(used.begin(), used.end());
  std::set_intersection(made.begin(), made.end(), later.begin(), later.end(),
                        std::back_inserter(partition.outputs));
  return partition;
}

// What quantized_compute and integer_rounding choose: the pass that has nodes
// compute on codes.
void ComputeOnCodes(uint8_t choice, const DeviceProfile& profile,
                    Graph* graph) {
  if ((choice & 4) != 0) return;
  constexpr quant::CpuKernels kKernels[] = {
      quant::CpuKernels::kTflite,      quant::CpuKernels::kTflite214,
      quant::CpuKernels::kTfliteWheel, quant::CpuKernels::kLitert,
      quant::CpuKernels::kXnnpack,     quant::CpuKernels::kReference};
  const PassContext context = {profile, kKernels[(choice >> 3) % 6]};
  (void)RunPasses(PassStage::kRead, context, graph,
                  [](absl::string_view, const Graph&) {});
}

void PlanAndDescribe(const Graph& graph, const DeviceProfile& profile) {
  const auto planned = PlanPartition(graph, profile, nullptr);
  if (!planned.ok()) return;
  const Graph& g = planned->graph;
  (void)PlanToString(g, planned->dispatches);
  (void)PlanMemory(g, planned->dispatches, g.inputs, g.outputs, profile);
  for (const Dispatch& dispatch : planned->dispatches) {
    (void)SpecOf(g, dispatch, profile);
    (void)ParamsOf(g, dispatch);
  }
}

void RunModel(absl::Span<const uint8_t> bytes) {
  if (bytes.size() < kHeaderBytes) return;
  // A block of its own, so that a step past the file's end is seen.
  const Bytes file(bytes.begin() + kHeaderBytes, bytes.end());
  const std::unique_ptr<FakeRuntime> runtime = FakeRuntime::Create(file);
  if (runtime == nullptr) return;
  const DeviceProfile profile = ProfileOf(bytes[0]);
  ReadOptions options;
  options.half = profile.options.half;
  options.enable_quantization = (bytes[1] & 1) == 0;
  options.simulate_quantization = (bytes[1] & 2) == 0;
  const auto model = ReadModel(runtime->context(), profile, options);
  if (!model.ok()) return;
  // Each run of supported nodes, as the runtime would partition a chain.
  for (size_t i = 0; i < model->nodes.size(); ++i) {
    if (!model->nodes[i].support.ok()) continue;
    size_t last = i;
    while (last + 1 < model->nodes.size() &&
           model->nodes[last + 1].support.ok()) {
      ++last;
    }
    const Partition p = PartitionOf(*runtime, *model, i, last);
    Graph graph = ExtractPartition(*model, p.nodes, p.inputs, p.outputs);
    ComputeOnCodes(bytes[1], profile, &graph);
    PlanAndDescribe(graph, profile);
    i = last;
  }
}

std::vector<Bytes> Seeds() {
  std::vector<Bytes> seeds;
  uint8_t choice = 0;
  for (const Bytes& model : SeedModels()) {
    Bytes& seed = seeds.emplace_back(kHeaderBytes);
    seed[0] = choice;
    choice = static_cast<uint8_t>(choice + 37);              // prime to 256
    seed[1] = static_cast<uint8_t>(8 * (seeds.size() % 6));  // whose codes
    seed.insert(seed.end(), model.begin(), model.end());
  }
  return seeds;
}

}  // namespace

const Target& ModelTarget() {
  static const Target target = {"model", RunModel, Seeds, 20000};
  return target;
}

}  // namespace gles_delegate::fuzz

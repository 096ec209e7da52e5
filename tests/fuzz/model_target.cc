#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <set>
#include <string>

#include "delegate/device/device_profile.h"
#include "delegate/partition/plan_partition.h"
#include "delegate/passes/passes.h"
#include "delegate/plan/dispatch.h"
#include "delegate/plan/memory_plan.h"
#include "delegate/tflite/gles_simple_delegate.h"
#include "delegate/tflite/reader.h"
#include "gles_delegate/gles_delegate.h"
#include "tests/fuzz/fake_interpreter.h"
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
  if (large) options.tuning = "half_arithmetic=1";
  options.storage = StorageOption(choice >> 3 & 3);
  return ProfileFor(device, options);
}

// The nodes of `first` to `last` of the plan that run, as a partition.
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
    made.insert(node.outputs.begin(), node.outputs.end());
  }
  partition.inputs.assign(used.begin(), used.end());
  std::set_intersection(made.begin(), made.end(), later.begin(), later.end(),
                        std::back_inserter(partition.outputs));
  return partition;
}

// What quantized_compute and the runtime choose: the pass that has nodes
// compute on the integer path.
void UseIntegerPath(uint8_t choice, const DeviceProfile& profile,
                    Graph* graph) {
  if ((choice & 4) != 0) return;
  constexpr quant::CpuKernels kKernels[] = {
      quant::CpuKernels::kTflite,      quant::CpuKernels::kTflite214,
      quant::CpuKernels::kTfliteWheel, quant::CpuKernels::kLitert,
      quant::CpuKernels::kXnnpack,     quant::CpuKernels::kReference,
      quant::CpuKernels::kTfliteArm};
  const PassContext context = {profile, kKernels[(choice >> 3) % 7]};
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

// The driver that this program opens.
void OpenFakeDriver(bool is_large) {
  static void* const driver = [] {
    // Elsewhere if the programs were moved to another machine.
    const char* moved = std::getenv("GLES_FUZZ_DRIVER");
    const char* path = moved != nullptr ? moved : FAKE_DRIVER;
    setenv("GLES_DELEGATE_EGL_LIBRARY", path, /*replace=*/1);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
  }();
  if (driver == nullptr) std::abort();
  static const auto configure =
      reinterpret_cast<void (*)(int)>(dlsym(driver, "fake_driver_is_large"));
  configure(is_large ? 1 : 0);
}

// The changes of the runtime that the header asks for.
FakeRuntime::Changes ChangesOf(absl::Span<const uint8_t> header) {
  FakeRuntime::Changes changes;
  changes.fault = header[2];
  changes.node = header[3];
  changes.place = header[4];
  changes.is_old = (header[7] & 1) != 0;
  changes.free_axis = header[7] >> 1 & 3;
  changes.has_placeholders = (header[7] & 8) != 0;
  changes.steps = header[9];
  return changes;
}

}  // namespace

std::string RunOnFakeDelegate(absl::Span<const uint8_t> bytes) {
  if (bytes.size() < kHeaderBytes) return "";
  const absl::Span<const uint8_t> header = bytes.first(kHeaderBytes);
  // A separate block, so that a step past the file's end is seen.
  const Bytes file(bytes.begin() + kHeaderBytes, bytes.end());
  const std::unique_ptr<FakeRuntime> runtime =
      FakeRuntime::Create(file, ChangesOf(header));
  if (runtime == nullptr) return "";
  OpenFakeDriver((header[0] & 32) != 0);
  TfLiteGlesDelegateOptions options = TfLiteGlesDelegateOptionsDefault();
  options.self_check = 0;  // which the driver would fail
  options.verbosity = 2;
  options.storage = header[0] >> 3 & 3;
  options.is_precision_loss_allowed = (header[0] & 64) != 0 ? 1 : 0;
  if ((header[1] & 1) != 0) {
    options.quantized_compute = kTfLiteGlesQuantizedCpu;
  }
  options.max_delegated_partitions = (header[5] & 32) != 0 ? -1 : 0;
  options.fallback_to_cpu = header[5] & 1;
  options.memory_limit_bytes = (header[5] & 2) != 0 ? 1 << 20 : 0;
  options.zero_copy = (header[5] & 4) != 0 ? kTfLiteGlesOn : kTfLiteGlesAuto;
  options.wait_type =
      (header[5] & 16) != 0 ? kTfLiteGlesWaitDoNotWait : kTfLiteGlesWaitPassive;
  const std::unique_ptr<TfLiteDelegate, void (*)(TfLiteDelegate*)> delegate(
      TfLiteGlesDelegateCreate(&options), TfLiteGlesDelegateDelete);
  if (delegate == nullptr) std::abort();
  std::vector<std::unique_ptr<FakeInterpreter>> interpreters;
  for (int i = 0; runtime->Subgraph(i) != nullptr; ++i) {
    interpreters.push_back(
        std::make_unique<FakeInterpreter>(runtime->Subgraph(i)));
    if (!interpreters.back()->Apply(delegate.get())) {
      return TfLiteGlesDelegateReport(delegate.get());
    }
  }
  for (const auto& interpreter : interpreters) {
    if (!interpreter->Allocate()) continue;
    interpreter->Invoke();
    interpreter->Invoke();
  }
  constexpr int kExtents[] = {1, 2, 3, 0, 5, 16, 70, 1000};
  FakeInterpreter& first = *interpreters[0];
  first.Resize(kExtents[header[6] % std::size(kExtents)]);
  if (first.Allocate()) first.Invoke();
  return TfLiteGlesDelegateReport(delegate.get());
}

namespace {

void RunModel(absl::Span<const uint8_t> bytes) {
  if (bytes.size() < kHeaderBytes) return;
  // A separate block, so that a step past the file's end is seen.
  const Bytes file(bytes.begin() + kHeaderBytes, bytes.end());
  (void)RunOnFakeDelegate(bytes);
  const std::unique_ptr<FakeRuntime> runtime = FakeRuntime::Create(file);
  if (runtime == nullptr) return;
  const DeviceProfile profile = ProfileOf(bytes[0]);
  ReadOptions options;
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
    UseIntegerPath(bytes[1], profile, &graph);
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
    choice = static_cast<uint8_t>(choice + 37);  // prime to 256
    seed[1] =
        static_cast<uint8_t>(8 * (seeds.size() % 6));  // whose quantized values
    if (seeds.size() % 4 == 0) {  // an index of a node that is wrong
      seed[2] = static_cast<uint8_t>(1 + seeds.size() % 23);
      seed[4] = static_cast<uint8_t>(seeds.size() / 4);
    }
    seed[5] = static_cast<uint8_t>(seeds.size() % 13);
    seed[6] = static_cast<uint8_t>(seeds.size());
    if (seeds.size() % 3 == 0) {  // a free extent
      seed[7] = static_cast<uint8_t>(2 * (seeds.size() % 8));
    }
    seed[9] = static_cast<uint8_t>(seeds.size() % 12);
    seed.insert(seed.end(), model.begin(), model.end());
  }
  return seeds;
}

}  // namespace

const Target& ModelTarget() {
  static const Target target = {"model", RunModel, Seeds, 2000};
  return target;
}

}  // namespace gles_delegate::fuzz

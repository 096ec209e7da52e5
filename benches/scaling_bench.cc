// How time grows: with the image (to 2048x2048), channels and batch of one
// 1x1 convolution, and with the number of nodes, for preparing and for
// invoking. 2,338 nodes is a model that exists.
#include <cstring>
#include <vector>

#include "base/status_macros.h"
#include "benches/common/bench_device.h"
#include "benchmark/benchmark.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/op.h"
#include "delegate/ops/conv/conv_2d.h"
#include "delegate/ops/op_list.h"
#include "delegate/passes/passes.h"
#include "delegate/runtime/executor.h"

namespace gles_delegate {
namespace {

TensorId AddTensor(Graph* graph, const Shape& s, bool constant = false) {
  Tensor tensor;
  tensor.dims = {s.b, s.h, s.w, s.c};
  tensor.shape = s;
  if (constant) {
    std::vector<float> values(s.elements(), 0.01f);
    std::vector<uint8_t> bytes(values.size() * sizeof(float));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    tensor.constant = ConstantData::Own(std::move(bytes));
  }
  return graph->AddTensor(std::move(tensor));
}

// A chain of 1x1 convolutions of `shape` to itself.
Graph Chain(const Shape& shape, int nodes) {
  Graph graph;
  TensorId x = AddTensor(&graph, shape);
  graph.inputs = {x};
  for (int i = 0; i < nodes; ++i) {
    Node node;
    node.op = FindOpNamed("CONV_2D");
    node.tflite_index = i;
    node.attributes = Conv2dAttributes();
    node.inputs = {x, AddTensor(&graph, {shape.c, 1, 1, shape.c}, true)};
    x = AddTensor(&graph, shape);
    node.outputs = {x};
    graph.nodes.push_back(std::move(node));
  }
  graph.outputs = {x};
  return graph;
}

// Everything between a graph and its first inference.
absl::StatusOr<std::unique_ptr<Executor>> Prepare(Graph* graph,
                                                  ProgramCache* programs) {
  const DeviceProfile profile = ProfileFor(BenchContext()->device(), {});
  RETURN_IF_ERROR(RunPasses(graph, profile));
  ASSIGN_OR_RETURN(auto dispatches, PlanGraph(graph, profile));
  return Executor::Create(*BenchContext(), programs, *graph,
                          std::move(dispatches), profile);
}

// Host tensors in and out.
void Invoke(benchmark::State& state, const Shape& shape, int nodes) {
  InContext(state, [&]() -> absl::Status {
    Graph graph = Chain(shape, nodes);
    ProgramCache programs;
    ASSIGN_OR_RETURN(auto executor, Prepare(&graph, &programs));
    std::vector<uint8_t> in(shape.elements() * sizeof(float));
    std::vector<uint8_t> out(in.size());
    const std::vector<absl::Span<const uint8_t>> ins = {in};
    const std::vector<absl::Span<uint8_t>> outs = {absl::MakeSpan(out)};
    RETURN_IF_ERROR(executor->Invoke(ins, outs));  // compiles
    for (auto _ : state) {
      RETURN_IF_ERROR(executor->Invoke(ins, outs));
    }
    const double flops = 2.0 * shape.elements() * shape.c * nodes;
    state.counters["GFLOPs"] = benchmark::Counter(
        flops * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
    return absl::OkStatus();
  });
}

void BM_ImageSize(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  Invoke(state, {1, n, n, 4}, 1);  // 64 MiB at most
}
BENCHMARK(BM_ImageSize)->RangeMultiplier(2)->Range(64, 2048)->UseRealTime();

void BM_Channels(benchmark::State& state) {
  Invoke(state, {1, 28, 28, static_cast<int>(state.range(0))}, 1);
}
BENCHMARK(BM_Channels)->RangeMultiplier(2)->Range(8, 1024)->UseRealTime();

void BM_Batch(benchmark::State& state) {
  Invoke(state, {static_cast<int>(state.range(0)), 14, 14, 256}, 1);
}
BENCHMARK(BM_Batch)->RangeMultiplier(4)->Range(1, 64)->UseRealTime();

void BM_InvokeNodes(benchmark::State& state) {
  Invoke(state, {1, 7, 7, 8}, static_cast<int>(state.range(0)));
}
BENCHMARK(BM_InvokeNodes)
    ->ArgsProduct({{1, 10, 100, 1000, 2338}})
    ->UseRealTime();

void BM_PrepareNodes(benchmark::State& state) {
  InContext(state, [&]() -> absl::Status {
    for (auto _ : state) {
      state.PauseTiming();
      Graph graph = Chain({1, 7, 7, 8}, static_cast<int>(state.range(0)));
      ProgramCache programs;
      state.ResumeTiming();
      ASSIGN_OR_RETURN(auto executor, Prepare(&graph, &programs));
    }
    return absl::OkStatus();
  });
}
BENCHMARK(BM_PrepareNodes)->ArgsProduct({{10, 100, 1000, 2338}})->UseRealTime();

}  // namespace
}  // namespace gles_delegate

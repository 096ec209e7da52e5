// CONV_2D and DEPTHWISE_CONV_2D on the layers of MobileNet v1 1.0 at 224x224
// and some more: time on the device alone, without upload and readback. best_us
// is the least time of a dispatch; cpu_us the least processor time, all threads
// together, which tells software drivers apart on a busy machine too; of_peak
// the share of the arithmetic that the device does at most (PeakGflops).
//
//   conv_bench --benchmark_filter=conv_1x1
//   GLES_BENCH_TILES=4x4,2x8 conv_bench     register tiles to try, instead of
//                                           the device profile's own
//   GLES_DELEGATE_TUNING=work_group_size=8 conv_bench    (device_profile.cc)
//   GLES_BENCH_HALF=1 conv_bench            16-bit storage
//   GLES_BENCH_PLAN=1 conv_bench            says how each is dispatched
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "benches/common/bench_device.h"
#include "benchmark/benchmark.h"
#include "delegate/device_profile.h"
#include "delegate/executor.h"
#include "delegate/ops/conv_2d.h"
#include "delegate/ops/depthwise_conv_2d.h"
#include "delegate/ops/op.h"
#include "delegate/texels.h"
#include "egl/context.h"

namespace gles_delegate {
namespace {

struct Layer {
  const char* op;
  int h, w, in, out, kernel, stride, dilation;
};

constexpr Layer kLayers[] = {
    {"CONV_2D", 224, 224, 3, 32, 3, 2, 1},
    {"CONV_2D", 112, 112, 32, 64, 1, 1, 1},
    {"CONV_2D", 56, 56, 64, 128, 1, 1, 1},
    {"CONV_2D", 56, 56, 128, 128, 1, 1, 1},
    {"CONV_2D", 28, 28, 128, 256, 1, 1, 1},
    {"CONV_2D", 28, 28, 256, 256, 1, 1, 1},
    {"CONV_2D", 14, 14, 256, 512, 1, 1, 1},
    {"CONV_2D", 14, 14, 512, 512, 1, 1, 1},
    {"CONV_2D", 7, 7, 512, 1024, 1, 1, 1},
    {"CONV_2D", 7, 7, 1024, 1024, 1, 1, 1},
    {"CONV_2D", 1, 1, 1024, 1001, 1, 1, 1},
    {"CONV_2D", 28, 28, 64, 64, 3, 1, 1},
    {"DEPTHWISE_CONV_2D", 112, 112, 32, 32, 3, 1, 1},
    {"DEPTHWISE_CONV_2D", 112, 112, 64, 64, 3, 2, 1},
    {"DEPTHWISE_CONV_2D", 56, 56, 128, 128, 3, 1, 1},
    {"DEPTHWISE_CONV_2D", 56, 56, 128, 128, 3, 2, 1},
    {"DEPTHWISE_CONV_2D", 28, 28, 256, 256, 3, 1, 1},
    {"DEPTHWISE_CONV_2D", 14, 14, 512, 512, 3, 1, 1},
    {"DEPTHWISE_CONV_2D", 7, 7, 1024, 1024, 3, 1, 1},
    {"DEPTHWISE_CONV_2D", 33, 33, 576, 576, 3, 1, 2},
    {"DEPTHWISE_CONV_2D", 56, 56, 128, 128, 5, 1, 1},
};

// The same layer so often in one graph: what an Invoke costs besides is then
// small in cpu_us.
constexpr int kCopies = 8;

struct Tile {
  int pixels = 0;  // 0: the profile's own
  int slices = 0;
};

TensorId AddTensor(Graph* graph, const Shape& s, bool constant) {
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

template <typename Attributes>
Attributes AttributesOf(const Layer& l) {
  Attributes a;
  a.stride_h = a.stride_w = l.stride;
  a.dilation_h = a.dilation_w = l.dilation;
  a.pad_top = a.pad_left = l.stride == 1 ? (l.kernel - 1) * l.dilation / 2 : 0;
  return a;
}

Graph GraphOf(const Layer& l) {
  const bool depthwise = absl::string_view(l.op) == "DEPTHWISE_CONV_2D";
  Graph graph;
  Node node;
  for (const OpDefinition& op : AllOps()) {
    if (op.name == l.op) node.op = &op;
  }
  const Shape filter = depthwise ? Shape{1, l.kernel, l.kernel, l.out}
                                 : Shape{l.out, l.kernel, l.kernel, l.in};
  if (depthwise) {
    node.attributes = AttributesOf<DepthwiseConv2dAttributes>(l);
  } else {
    node.attributes = AttributesOf<Conv2dAttributes>(l);
  }
  node.inputs = {AddTensor(&graph, {1, l.h, l.w, l.in}, false),
                 AddTensor(&graph, filter, true),
                 AddTensor(&graph, {1, 1, 1, l.out}, true)};
  node.post_ops = {{"clamp", {0, 6, 0, 0}}};
  node.tflite_index = 0;
  graph.inputs = {node.inputs[0]};
  const Shape out = {1, l.h / l.stride, l.w / l.stride, l.out};
  for (int i = 0; i < kCopies; ++i) {
    node.outputs = {AddTensor(&graph, out, false)};
    graph.nodes.push_back(node);
  }
  graph.outputs = node.outputs;
  return graph;
}

double Flops(const Layer& l) {
  const bool depthwise = absl::string_view(l.op) == "DEPTHWISE_CONV_2D";
  return 2.0 * (l.h / l.stride) * (l.w / l.stride) * l.out * l.kernel *
         l.kernel * (depthwise ? 1 : l.in);
}

// Of one dispatch.
struct Cost {
  double us = 0;
  double cpu_us = 0;
};

Cost CostSoFar(const Executor& executor) {
  Cost cost;
  for (const auto& entry : executor.profile()) {
    if (entry.node == 0) cost.us += entry.total_us / kCopies;
  }
  timespec cpu;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
  cost.cpu_us = (cpu.tv_sec * 1e6 + cpu.tv_nsec * 1e-3) / kCopies;
  return cost;
}

absl::Status Measure(const Layer& layer, const Tile& tile,
                     benchmark::State* state) {
  Graph graph = GraphOf(layer);
  egl::Context* context = BenchContext();
  ProfileOptions options;
  options.half = std::getenv("GLES_BENCH_HALF") != nullptr;
  DeviceProfile profile = ProfileFor(context->device(), options);
  if (tile.pixels > 0) {
    profile.conv_tile_pixels = profile.depthwise_tile_pixels = tile.pixels;
    profile.conv_tile_slices = profile.depthwise_tile_rows = tile.slices;
  }
  auto dispatches = PlanGraph(&graph, profile);
  if (!dispatches.ok()) return dispatches.status();
  if (std::getenv("GLES_BENCH_PLAN") != nullptr) {
    state->SetLabel(dispatches->back().ToString());
  }
  ProgramCache programs;
  auto executor = Executor::Create(*context, &programs, graph,
                                   *std::move(dispatches), profile);
  if (!executor.ok()) return executor.status();
  // llvmpipe's timer queries do not see its threads.
  const bool timers = context->device().kind == egl::DeviceKind::kNvidia;
  if (auto s = (*executor)->EnableProfiling(timers); !s.ok()) return s;
  std::vector<float> in(graph.tensor(graph.inputs[0]).shape.elements(), 0.5f);
  std::vector<float> out(graph.tensor(graph.outputs[0]).shape.elements());
  const std::vector<absl::Span<const uint8_t>> ins = {AsBytes<float>(in)};
  const std::vector<absl::Span<uint8_t>> outs = {
      AsWritableBytes(absl::MakeSpan(out))};
  Cost before = CostSoFar(**executor);
  Cost best;
  best.us = best.cpu_us = std::numeric_limits<double>::infinity();
  const auto invoke = [&](bool counts) {
    absl::Status s = (*executor)->Invoke(ins, outs);
    const Cost now = CostSoFar(**executor);
    if (counts) {
      best.us = std::min(best.us, now.us - before.us);
      best.cpu_us = std::min(best.cpu_us, now.cpu_us - before.cpu_us);
    }
    before = now;
    return s;
  };
  for (int i = 0; i < 2; ++i) {  // the first compiles, on llvmpipe
    if (auto s = invoke(false); !s.ok()) return s;
  }
  for (auto _ : *state) {
    const double start = before.us;
    if (auto s = invoke(true); !s.ok()) return s;
    state->SetIterationTime((before.us - start) * 1e-6);
  }
  state->counters["best_us"] = best.us;
  state->counters["cpu_us"] = best.cpu_us;
  const double gflops = Flops(layer) / best.us / 1000;
  state->counters["best_GFLOPs"] = gflops;
  auto peak = PeakGflops();
  if (!peak.ok()) return peak.status();
  state->counters["of_peak"] = gflops / *peak;
  return absl::OkStatus();
}

void BM_Layer(benchmark::State& state, Layer layer, Tile tile) {
  const absl::Status status =
      BenchContext()->Run([&] { return Measure(layer, tile, &state); });
  if (!status.ok()) state.SkipWithError(status.ToString().c_str());
}

std::vector<Tile> Tiles() {
  std::vector<Tile> tiles;
  const char* text = std::getenv("GLES_BENCH_TILES");
  if (text == nullptr) return {{}};
  for (absl::string_view item : absl::StrSplit(text, ',')) {
    const std::pair<absl::string_view, absl::string_view> pair =
        absl::StrSplit(item, 'x');
    Tile tile;
    if (absl::SimpleAtoi(pair.first, &tile.pixels) &&
        absl::SimpleAtoi(pair.second, &tile.slices)) {
      tiles.push_back(tile);
    }
  }
  return tiles;
}

std::string NameOf(const Layer& l, const Tile& t) {
  const bool depthwise = absl::string_view(l.op) == "DEPTHWISE_CONV_2D";
  return absl::StrFormat(
      "%s_%dx%d/%dx%dx%d/to:%d/stride:%d/dilation:%d%s",
      depthwise ? "depthwise" : "conv", l.kernel, l.kernel, l.h, l.w, l.in,
      l.out, l.stride, l.dilation,
      t.pixels > 0 ? absl::StrFormat("/tile:%dx%d", t.pixels, t.slices) : "");
}

const bool kRegistered = [] {
  for (const Layer& layer : kLayers) {
    for (const Tile& tile : Tiles()) {
      benchmark::RegisterBenchmark(
          NameOf(layer, tile).c_str(),
          [layer, tile](benchmark::State& s) { BM_Layer(s, layer, tile); })
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond);
    }
  }
  return true;
}();

}  // namespace
}  // namespace gles_delegate

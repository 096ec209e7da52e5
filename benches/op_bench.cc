// Every op of the models whose shapes are in benches/shapes, each by itself and
// before any pass: time on the device alone, without upload and readback.
//
// best_us is the minimum time of the op's dispatches; cpu_us the minimum
// processor time, all threads together, which tells software drivers apart on a
// busy machine too. GFLOPs and GBs are at best_us. of_peak is the share of the
// device's peak (BM_Peak of device_bench): of its arithmetic for convolutions,
// matrix products and LSTM, of its copying for the others. count: how many such
// nodes the model has. The column Time is a whole inference of
// eight such nodes, which is what --benchmark_min_time is about.
//
//   op_bench --benchmark_filter='CONV_2D/mobilenet_v1_1.0.*k1x1'
//   GLES_BENCH_TILES=4x4,2x8 op_bench      register tiles of convolutions to
//                                          try, instead of the profile's own
//   GLES_DELEGATE_TUNING=work_group_size=8 op_bench      (device_profile.cc)
//   GLES_BENCH_HALF=1 op_bench             16-bit storage
//   GLES_BENCH_PLAN=1 op_bench             says how each is dispatched
//   GLES_BENCH_DIR=benches op_bench        where benches/ is, if it has moved
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "benches/common/bench_device.h"
#include "benches/common/node_timer.h"
#include "benches/common/read_graph.h"
#include "benches/op_bench/op_work.h"
#include "benchmark/benchmark.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/op.h"
#include "delegate/ops/op_list.h"
#include "tools/common/tflite_host.h"
#include "tools/runner/op_shape_model.h"
#include "tools/runner/op_shapes.h"

namespace gles_delegate {
namespace {

namespace fs = std::filesystem;

struct Tile {
  int pixels = 0;  // 0: the profile's own
  int slices = 0;
};

struct Case {
  std::string name;
  OpShape shape;
  Tile tile;
};

bool IsSet(const char* variable) { return std::getenv(variable) != nullptr; }

DeviceProfile ProfileOf(const Tile& tile) {
  PlanningOptions options;
  options.half = IsSet("GLES_BENCH_HALF");
  DeviceProfile profile = ProfileFor(BenchContext()->device(), options);
  if (tile.pixels > 0) {
    profile.choices.conv_tile_pixels = profile.choices.depthwise_tile_pixels =
        tile.pixels;
    profile.choices.conv_tile_slices = profile.choices.depthwise_tile_rows =
        tile.slices;
  }
  return profile;
}

absl::StatusOr<std::unique_ptr<NodeTimer>> MakeTimer(const Case& c) {
  ASSIGN_OR_RETURN(auto bytes, OneOpModel(c.shape));
  ASSIGN_OR_RETURN(auto model, Model::FromBuffer(std::move(bytes), c.name));
  const DeviceProfile profile = ProfileOf(c.tile);
  ASSIGN_OR_RETURN(auto graph, ReadGraph(*model, profile));
  if (graph.nodes.size() != 1) {
    return absl::InternalError("the op is folded away, by itself");
  }
  return NodeTimer::Create(std::move(graph), profile);
}

// The timer of this case. Google Benchmark calls a benchmark several times with
// more and more iterations: compiling once is enough.
absl::StatusOr<NodeTimer*> TimerOf(const Case& c) {
  static auto* const name = new std::string;
  static auto* const timer = new std::unique_ptr<NodeTimer>;
  if (*name == c.name) return timer->get();
  name->clear();
  timer->reset();  // before the next is made: both may be large
  ASSIGN_OR_RETURN(*timer, MakeTimer(c));
  *name = c.name;
  return timer->get();
}

absl::Status Report(const OpShape& shape, const NodeTimer::Cost& best,
                    benchmark::State* state) {
  state->counters["best_us"] = best.us;
  state->counters["cpu_us"] = best.cpu_us;
  state->counters["count"] = shape.count;
  if (best.us == 0) return absl::OkStatus();  // nothing is dispatched for it
  ASSIGN_OR_RETURN(const auto peak, DevicePeak());
  const double gbytes =
      Bytes(shape, IsSet("GLES_BENCH_HALF") ? 2 : 4) / best.us * 1e-3;
  const double gflops = Flops(shape) / best.us * 1e-3;
  state->counters["GBs"] = gbytes;
  if (gflops > 0) state->counters["GFLOPs"] = gflops;
  state->counters["of_peak"] =
      gflops > 0 ? gflops / peak.gflops : gbytes / peak.gbytes;
  return absl::OkStatus();
}

absl::Status Measure(const Case& c, benchmark::State* state) {
  ASSIGN_OR_RETURN(auto timer, TimerOf(c));
  if (IsSet("GLES_BENCH_PLAN")) state->SetLabel(timer->plan());
  NodeTimer::Cost best;
  best.us = best.cpu_us = std::numeric_limits<double>::infinity();
  for (auto _ : *state) {
    ASSIGN_OR_RETURN(auto cost, timer->Invoke());
    best.us = std::min(best.us, cost.us);
    best.cpu_us = std::min(best.cpu_us, cost.cpu_us);
  }
  return Report(c.shape, best, state);
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

// Ops that run on the GPU. QUANTIZE and DEQUANTIZE of activations have nothing
// to do in floats; ops on constants are done before the first inference.
bool IsMeasured(const OpShape& shape) {
  if (shape.on_constants() || shape.op == "QUANTIZE" ||
      shape.op == "DEQUANTIZE") {
    return false;
  }
  return FindOpNamed(shape.op) != nullptr;
}

void Register(Case c) {
  const std::string name = c.name;
  benchmark::RegisterBenchmark(name.c_str(),
                               [c = std::move(c)](benchmark::State& state) {
                                 InContext(state,
                                           [&] { return Measure(c, &state); });
                               })
      ->UseRealTime()
      ->Unit(benchmark::kMicrosecond);
}

void RegisterModel(const fs::path& list) {
  std::ifstream file(list);
  std::stringstream text;
  text << file.rdbuf();
  const auto shapes = OpShapesFromText(text.str());
  if (!shapes.ok()) {
    std::fprintf(stderr, "%s: %s\n", list.c_str(),
                 shapes.status().ToString().c_str());
    std::exit(1);
  }
  for (const OpShape& shape : *shapes) {
    if (!IsMeasured(shape)) continue;
    for (const Tile& tile : Tiles()) {
      if (tile.pixels > 0 && !absl::EndsWith(shape.op, "CONV_2D")) continue;
      const std::string tiled =
          tile.pixels > 0
              ? absl::StrCat("/tile:", tile.pixels, "x", tile.slices)
              : "";
      const std::string name = BenchName(list.stem().string(), shape);
      Register({absl::StrCat("op/", name, tiled), shape, tile});
    }
  }
}

const bool kRegistered = [] {
  const fs::path folder = fs::path(BenchDir()) / "shapes";
  std::error_code error;
  std::vector<fs::path> lists;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".json") lists.push_back(entry.path());
  }
  if (lists.empty()) {
    std::fprintf(stderr,
                 "no lists of shapes in %s: set GLES_BENCH_DIR to the "
                 "project's folder benches/\n",
                 folder.c_str());
    std::exit(1);
  }
  std::sort(lists.begin(), lists.end());
  for (const fs::path& list : lists) RegisterModel(list);
  return true;
}();

}  // namespace
}  // namespace gles_delegate

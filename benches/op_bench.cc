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
//   op_bench --benchmark_filter='CONV_2D/mobilenet_v1_1.0.*,1,1,'
//   GLES_DELEGATE_TUNING=work_group_size=8 op_bench      (device_profile.cc)
//   GLES_BENCH_HALF=1 op_bench             16-bit storage
//   GLES_BENCH_PLAN=1 op_bench             says how each is dispatched
//   GLES_BENCH_DIR=benches op_bench        where benches/ is, if it has moved
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "benches/common/bench_device.h"
#include "benchmark/benchmark.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/planner.h"
#include "delegate/runtime/executor.h"
#include "delegate/tflite/gles_simple_delegate.h"
#include "delegate/tflite/reader.h"
#include "tools/cases/case_spec.h"
#include "tools/cases/model.h"
#include "tools/common/tflite_host.h"

namespace gles_delegate {
namespace {

using cases::NodeSpec;
using cases::TensorSpec;

// The same node so often in one graph: what an Invoke costs besides is then
// small in the processor's time.
constexpr int kNodeCopies = 8;
// In the copies too.
constexpr int kNode = 0;
// Letters of a row in the name of its bench: of an LSTM's, the first weights.
constexpr size_t kNameLength = 100;

void CopyNode(Graph* graph) {
  graph->nodes[0].tflite_index = kNode;
  for (int i = 1; i < kNodeCopies; ++i) {
    Node node = graph->nodes[0];
    for (TensorId& id : node.outputs) {
      id = graph->AddTensor(graph->tensor(id));
    }
    graph->outputs = node.outputs;
    graph->nodes.push_back(std::move(node));
  }
}

// 0.5 in each element: as bits, an integer for which every table is too short,
// so integers are 0.
std::vector<uint8_t> InputOf(const Tensor& tensor) {
  const float value = tensor.type == DataType::kFloat32 ? 0.5f : 0;
  const std::vector<float> values(tensor.shape.elements(), value);
  std::vector<uint8_t> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// Times one node of a graph on the device alone, without upload and readback.
// Threads: made, used and destroyed inside BenchContext()->Run().
class NodeTimer {
 public:
  // `of_node` has one node, read but not planned. Its inputs are filled with
  // 0.5. Runs it twice: the first compiles, on llvmpipe.
  static absl::StatusOr<std::unique_ptr<NodeTimer>> Create(
      Graph of_node, const DeviceProfile& profile) {
    std::unique_ptr<NodeTimer> timer(new NodeTimer(std::move(of_node)));
    Graph& graph = timer->graph_;
    CopyNode(&graph);
    ASSIGN_OR_RETURN(auto dispatches, PlanGraph(&graph, profile));
    for (size_t i = 0; i < dispatches.size() / kNodeCopies; ++i) {
      absl::StrAppend(&timer->plan_, dispatches[i].ToString(), "\n");
    }
    static auto* const programs = new ProgramCache;
    const egl::Context& context = *BenchContext();
    ASSIGN_OR_RETURN(timer->executor_,
                     Executor::Create(context, programs, graph,
                                      std::move(dispatches), profile));
    // llvmpipe's timer queries do not see its threads.
    const bool timers = !context.device().software;
    RETURN_IF_ERROR(timer->executor_->EnableProfiling(timers));
    for (TensorId id : graph.inputs) {
      timer->inputs_.push_back(InputOf(graph.tensor(id)));
    }
    for (TensorId id : graph.outputs) {
      timer->outputs_.push_back(InputOf(graph.tensor(id)));
    }
    for (int i = 0; i < 2; ++i) {
      RETURN_IF_ERROR(timer->Invoke().status());
    }
    return timer;
  }

  // Of the node, once.
  struct Cost {
    double us = 0;      // between the start and the end of its dispatches
    double cpu_us = 0;  // of the processor, all threads together, with an
                        // eighth of an upload and a readback
  };
  absl::StatusOr<Cost> Invoke() {
    const std::vector<absl::Span<const uint8_t>> inputs(inputs_.begin(),
                                                        inputs_.end());
    std::vector<absl::Span<uint8_t>> outputs;
    for (std::vector<uint8_t>& bytes : outputs_) {
      outputs.push_back(absl::MakeSpan(bytes));
    }
    const std::clock_t cpu_before = std::clock();
    RETURN_IF_ERROR(executor_->Invoke(inputs, outputs));
    Cost cost;
    cost.cpu_us =
        1e6 / CLOCKS_PER_SEC * (std::clock() - cpu_before) / kNodeCopies;
    for (const auto& entry : executor_->profile()) {
      if (entry.node == kNode) cost.us += entry.runs.LastUs() / kNodeCopies;
    }
    return cost;
  }

  // How it is dispatched. Empty: there is nothing to do for it.
  const std::string& plan() const { return plan_; }

 private:
  explicit NodeTimer(Graph graph) : graph_(std::move(graph)) {}

  Graph graph_;
  std::string plan_;
  std::unique_ptr<Executor> executor_;
  std::vector<std::vector<uint8_t>> inputs_;
  std::vector<std::vector<uint8_t>> outputs_;
};

// The minimum work of an op.

double Elements(const testing::Shape& shape) {
  return static_cast<double>(testing::ElementCount(shape));
}

bool IsTransposed(const NodeSpec& node) {
  return node.op == testing::Op::TRANSPOSE_CONV ||
         node.custom == "Convolution2DTransposeBias";
}

// How an op that sums products with weights has them; NULL of others.
const cases::Filter* FilterOf(const NodeSpec& node) {
  if (node.custom.empty()) return cases::FilterOf(node.op);
  return IsTransposed(node) ? cases::FilterOf(testing::Op::CONV_2D) : nullptr;
}

// Every matrix times a vector for each step of each sequence.
double LstmFlops(const NodeSpec& node) {
  const testing::Shape& x = node.inputs[0].shape;
  double weights = 0;
  for (const TensorSpec& t : node.inputs) {
    if (t.weights == cases::Weights::kFloat && t.shape.size() == 2) {
      weights += Elements(t.shape);
    }
  }
  return 2 * weights * Elements(x) / x.back();
}

// Multiplications and additions of an op that is measured by them
// (convolutions, matrix products, LSTM); 0 of one that moves data. Padding
// counts as if it were values.
double Flops(const NodeSpec& node) {
  const double outputs = Elements(node.outputs[0].shape);
  if (const cases::Filter* filter = FilterOf(node)) {
    const testing::Shape& weights = node.inputs[filter->input].shape;
    if (!IsTransposed(node)) {
      return 2 * outputs * Elements(weights) / weights[filter->outputs];
    }
    // Each input value is multiplied into a window of each output channel.
    const TensorSpec& x = node.inputs[node.custom.empty() ? 2 : 0];
    return 2 * Elements(x.shape) * Elements(weights) / weights.back();
  }
  return node.op == testing::Op::UNIDIRECTIONAL_SEQUENCE_LSTM ? LstmFlops(node)
                                                              : 0;
}

// Bytes of inputs, weights and outputs, each once, if a number takes
// `bytes_each`.
double Bytes(const NodeSpec& node, int bytes_each) {
  double elements = 0;
  for (const TensorSpec& t : node.inputs) {
    // A shape or an axis is not data.
    if (t.absent || t.data.kind == cases::Data::Kind::kValues) continue;
    elements += Elements(t.shape);
  }
  for (const cases::OutputSpec& t : node.outputs) elements += Elements(t.shape);
  return elements * bytes_each;
}

namespace fs = std::filesystem;

// The graph that the partition of the model's node would be, before the passes.
absl::StatusOr<Graph> Read(TfLiteContext* context,
                           const DeviceProfile& profile) {
  ASSIGN_OR_RETURN(auto model, ReadModel(context, profile, ReadOptions()));
  const CheckedNode& node = model.nodes.front();
  RETURN_IF_ERROR(node.support);
  std::vector<int> inputs;
  for (int id : node.inputs) {
    if (id >= 0 && !absl::c_linear_search(inputs, id)) inputs.push_back(id);
  }
  return ExtractPartition(model, {node.index}, inputs, node.outputs);
}

// A delegate that takes nothing: it is shown the model as any delegate is.
struct Onlooker {
  const DeviceProfile& profile;
  absl::StatusOr<Graph> graph = absl::InternalError("no delegate was applied");
};

// Constants are the model's memory, so it must outlive the graph.
absl::StatusOr<Graph> ReadGraph(const Model& model,
                                const DeviceProfile& profile) {
  Onlooker onlooker{profile};
  TfLiteDelegate delegate = {};
  delegate.data_ = &onlooker;
  delegate.Prepare = [](TfLiteContext* context, TfLiteDelegate* self) {
    auto* looking = static_cast<Onlooker*>(self->data_);
    looking->graph = Read(context, looking->profile);
    return kTfLiteOk;
  };
  InterpreterOptions options;
  options.delegate = &delegate;
  ASSIGN_OR_RETURN(auto interpreter, Interpreter::Create(model, options));
  return std::move(onlooker.graph);
}

struct Case {
  std::string name;
  cases::CaseSpec spec;
  int count = 0;  // how many such nodes the model has
};

bool IsSet(const char* variable) { return std::getenv(variable) != nullptr; }

absl::StatusOr<std::unique_ptr<NodeTimer>> MakeTimer(const Case& c) {
  ASSIGN_OR_RETURN(auto model,
                   Model::FromBuffer(cases::BytesOf(c.spec), c.name));
  PlanningOptions options;
  options.half = IsSet("GLES_BENCH_HALF");
  const DeviceProfile profile = ProfileFor(BenchContext()->device(), options);
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

absl::Status Report(const Case& c, const NodeTimer::Cost& best,
                    benchmark::State* state) {
  const NodeSpec& node = c.spec.nodes[0];
  state->counters["best_us"] = best.us;
  state->counters["cpu_us"] = best.cpu_us;
  state->counters["count"] = c.count;
  if (best.us == 0) return absl::OkStatus();  // nothing is dispatched for it
  ASSIGN_OR_RETURN(const auto peak, DevicePeak());
  const double gbytes =
      Bytes(node, IsSet("GLES_BENCH_HALF") ? 2 : 4) / best.us * 1e-3;
  const double gflops = Flops(node) / best.us * 1e-3;
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
  return Report(c, best, state);
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
  std::string line;
  std::getline(file, line);  // the columns' titles
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = absl::StrSplit(line, '\t');
    Case c;
    const auto spec = cells.size() == 3 && absl::SimpleAtoi(cells[1], &c.count)
                          ? cases::ParseCase(cells[2])
                          : absl::InvalidArgumentError("no row: " + line);
    if (!spec.ok()) {
      std::fprintf(stderr, "%s: %s\n", list.c_str(),
                   spec.status().ToString().c_str());
      std::exit(1);
    }
    // n4 is the first such node of the model; its row follows.
    const std::string row = cells[2].substr(cells[2].find(' ') + 1);
    c.name = absl::StrCat("op/", spec->op, "/", list.stem().string(), "/n",
                          cells[0], "/", row.substr(0, kNameLength));
    c.spec = *spec;
    Register(std::move(c));
  }
}

const bool kRegistered = [] {
  const fs::path folder = fs::path(BenchDir()) / "shapes";
  std::error_code error;
  std::vector<fs::path> lists;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".tsv") lists.push_back(entry.path());
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

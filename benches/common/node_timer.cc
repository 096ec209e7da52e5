#include "benches/common/node_timer.h"

#include <time.h>

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "benches/common/bench_device.h"

namespace gles_delegate {
namespace {

// In the copies too.
constexpr int kNode = 0;

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

double ProcessorUs() {
  timespec cpu;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
  return static_cast<double>(cpu.tv_sec) * 1e6 +
         static_cast<double>(cpu.tv_nsec) * 1e-3;
}

}  // namespace

absl::StatusOr<std::unique_ptr<NodeTimer>> NodeTimer::Create(
    Graph graph, const DeviceProfile& profile) {
  std::unique_ptr<NodeTimer> timer(new NodeTimer);
  timer->graph_ = std::move(graph);
  CopyNode(&timer->graph_);
  ASSIGN_OR_RETURN(auto dispatches, PlanGraph(&timer->graph_, profile));
  for (size_t i = 0; i < dispatches.size() / kNodeCopies; ++i) {
    absl::StrAppend(&timer->plan_, dispatches[i].ToString(), "\n");
  }
  static auto* const programs = new ProgramCache;
  const egl::Context& context = *BenchContext();
  ASSIGN_OR_RETURN(timer->executor_,
                   Executor::Create(context, programs, timer->graph_,
                                    std::move(dispatches), profile));
  // llvmpipe's timer queries do not see its threads.
  const bool timers = !context.device().software;
  RETURN_IF_ERROR(timer->executor_->EnableProfiling(timers));
  for (TensorId id : timer->graph_.inputs) {
    timer->inputs_.push_back(InputOf(timer->graph_.tensor(id)));
  }
  for (TensorId id : timer->graph_.outputs) {
    timer->outputs_.push_back(InputOf(timer->graph_.tensor(id)));
  }
  for (int i = 0; i < 2; ++i) {
    if (auto cost = timer->Invoke(); !cost.ok()) return cost.status();
  }
  return timer;
}

absl::StatusOr<NodeTimer::Cost> NodeTimer::Invoke() {
  const std::vector<absl::Span<const uint8_t>> inputs(inputs_.begin(),
                                                      inputs_.end());
  std::vector<absl::Span<uint8_t>> outputs;
  for (std::vector<uint8_t>& bytes : outputs_) {
    outputs.push_back(absl::MakeSpan(bytes));
  }
  const double cpu_before = ProcessorUs();
  RETURN_IF_ERROR(executor_->Invoke(inputs, outputs));
  Cost cost;
  cost.cpu_us = (ProcessorUs() - cpu_before) / kNodeCopies;
  for (const auto& entry : executor_->profile()) {
    if (entry.node == kNode) cost.us += entry.runs.LastUs() / kNodeCopies;
  }
  return cost;
}

}  // namespace gles_delegate

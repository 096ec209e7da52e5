#include "delegate/partition/plan_partition.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "delegate/partition/self_check_reference.h"
#include "delegate/passes/all_passes.h"
#include "delegate/passes/passes.h"
#include "delegate/plan/share_programs.h"

namespace gles_delegate {

// --- Small tensors of constants alone ----------------------------------------

namespace {

// Elements of a tensor, and of all together, which take some 50 ms.
constexpr int64_t kMaxFoldedElements = 1 << 14;
constexpr int64_t kMaxFoldedInAll = 1 << 18;

class Folder {
 public:
  explicit Folder(Graph* graph) : graph_(graph) {}

  absl::Status Run() {
    std::vector<bool> folded(graph_->nodes.size());
    for (size_t n = 0; n < folded.size(); ++n) {
      const Node& node = graph_->nodes[n];
      // Without a copy of the values, if possible.
      ASSIGN_OR_RETURN(auto relabelled, FoldConstantNode(graph_, node));
      folded[n] = relabelled || Fold(node);
    }
    size_t n = 0;
    const auto end = std::remove_if(graph_->nodes.begin(), graph_->nodes.end(),
                                    [&](const Node&) { return folded[n++]; });
    graph_->nodes.erase(end, graph_->nodes.end());
    return absl::OkStatus();
  }

 private:
  bool IsConstant(TensorId id) const {
    return id == kNoTensor || graph_->tensor(id).is_constant();
  }

  bool MayFold(const Node& node) const {
    const auto constant = [&](TensorId id) { return IsConstant(id); };
    const std::vector<TensorId> operands = OperandsOf(node);
    return !node.integer_path && !node.inputs.empty() &&
           std::all_of(node.inputs.begin(), node.inputs.end(), constant) &&
           std::all_of(operands.begin(), operands.end(), constant) &&
           std::all_of(node.outputs.begin(), node.outputs.end(),
                       [&](TensorId id) { return MayBeConstant(id); });
  }

  bool MayBeConstant(TensorId id) const {
    const Tensor& t = graph_->tensor(id);
    const bool is_output =
        std::count(graph_->outputs.begin(), graph_->outputs.end(), id) != 0;
    return !is_output && t.stored() == t.type && !t.is_complex &&
           !t.is_variable && t.quantization.empty() &&
           t.shape.elements() <= std::min(kMaxFoldedElements, left_);
  }

  bool Fold(const Node& node) {
    if (!MayFold(node)) return false;
    if (!reference_) reference_.emplace(*graph_, *graph_);
    std::vector<std::vector<float>> values;
    for (TensorId id : node.outputs) {
      values.push_back(ValuesOf(id));
      if (values.back().empty()) return false;
    }
    for (size_t o = 0; o < values.size(); ++o) {
      BecomeConstant(values[o], &graph_->tensor(node.outputs[o]));
    }
    return true;
  }

  // Empty: the reference does not know them all.
  std::vector<float> ValuesOf(TensorId id) {
    const int64_t elements = graph_->tensor(id).shape.elements();
    left_ -= elements;
    std::vector<float> values;
    for (int64_t e = 0; e < elements; ++e) {
      const Reference::Value v = reference_->Expect(id, e);
      if (!v) return {};
      values.push_back(static_cast<float>(v->value));
    }
    return values;
  }

  static void BecomeConstant(const std::vector<float>& values, Tensor* tensor) {
    std::vector<uint8_t> bytes;
    const auto put = [&](auto value) {
      const auto* first = reinterpret_cast<const uint8_t*>(&value);
      bytes.insert(bytes.end(), first, first + sizeof(value));
    };
    for (float v : values) {
      switch (tensor->type) {
        case DataType::kBool:
          put(static_cast<uint8_t>(v != 0));
          break;
        case DataType::kInt32:
          put(static_cast<int32_t>(v));
          break;
        default:
          put(v);
      }
    }
    tensor->constant = ConstantData::Own(std::move(bytes));
    tensor->tflite_index = -1;  // the start-up cache's key does not cover it
  }

  Graph* graph_;
  std::optional<Reference> reference_;
  int64_t left_ = kMaxFoldedInAll;
};

}  // namespace

absl::Status FoldComputed(Graph* graph) { return Folder(graph).Run(); }

namespace {

void Lap(StageTimer* timer, const char* stage) {
  if (timer != nullptr) timer->Lap(stage);
}

}  // namespace

absl::StatusOr<PlannedPartition> PlanPartition(const Graph& graph,
                                               const DeviceProfile& profile,
                                               StageTimer* timer,
                                               PlanDump* dump) {
  PlanDump nowhere;
  if (dump == nullptr) dump = &nowhere;
  PlannedPartition planned{graph, {}, {}, absl::OkStatus()};
  dump->AddGraph("read", planned.graph);
  RETURN_IF_ERROR(FoldComputed(&planned.graph));
  PassContext context = {profile};
  context.notes = dump->notes();
  for (const PassStage stage : {PassStage::kFold, PassStage::kFuse}) {
    RETURN_IF_ERROR(RunPasses(stage, context, &planned.graph,
                              [dump](absl::string_view pass, const Graph& g) {
                                dump->AddGraph(pass, g);
                              }));
    if (stage == PassStage::kFold) planned.unfused = planned.graph;
  }
  Lap(timer, "passes");
  auto dispatches = PlanGraph(&planned.graph, profile);
  if (!dispatches.ok()) {
    planned.passes_dropped = dispatches.status();
    planned.graph = planned.unfused = graph;
    dump->AddGraph("passes_dropped", planned.graph);
    dispatches = PlanGraph(&planned.graph, profile);
    if (!dispatches.ok()) return dispatches.status();
  }
  planned.dispatches = *std::move(dispatches);
  SharePrograms(planned.graph, profile, &planned.dispatches);
  FixParams(planned.graph, profile, &planned.dispatches);
  dump->AddPlan(planned.graph, planned.dispatches);
  Lap(timer, "plan");
  return planned;
}

}  // namespace gles_delegate

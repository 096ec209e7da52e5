#include "delegate/partition/plan_partition.h"

#include <errno.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <fstream>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/format.h"
#include "base/status_macros.h"
#include "delegate/graph/constant_values.h"
#include "delegate/graph/graph_text.h"
#include "delegate/graph/op.h"
#include "delegate/ops/movement/transpose.h"
#include "delegate/partition/self_check_reference.h"
#include "delegate/passes/passes.h"
#include "delegate/plan/share_programs.h"
#include "delegate/runtime/executor.h"
#include "egl/process.h"

namespace gles_delegate {

// --- Constants in another form -----------------------------------------------

namespace {

void ShareConstant(const Tensor& input, Tensor* output) {
  output->constant = input.constant;
  output->type = input.type;
  output->quantized = input.quantized;
  output->host = input.host;
  output->quantization = input.quantization;
  output->sparsity = input.sparsity;
}

absl::Status Dequantize(const Tensor& input, Tensor* output) {
  if (input.type == DataType::kFloat16 || input.type == DataType::kFloat32) {
    ShareConstant(input, output);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(auto values, ConstantFloats(input));
  output->constant = ConstantData::Of(values);
  output->type = DataType::kFloat32;
  output->quantized = DataType::kOther;
  output->host = DataType::kOther;
  output->quantization = {};
  return absl::OkStatus();
}

absl::Status Densify(const Tensor& input, Tensor* output) {
  ASSIGN_OR_RETURN(auto bytes, DenseBytes(input));
  ShareConstant(input, output);
  output->constant = ConstantData::Own(std::move(bytes));
  output->sparsity = {};
  return absl::OkStatus();
}

absl::Status Transpose(const Graph& graph, const Node& node,
                       const Tensor& input, Tensor* output) {
  const size_t size = DataTypeSize(input.stored());
  ElementMap map(input.dims);
  if (input.constant.bytes().size() < size * input.shape.elements() ||
      !map.Follow(graph, node, node.outputs[0])) {
    return absl::InvalidArgumentError(
        absl::StrCat("the constant ", input.ToString(), " is not whole"));
  }
  auto bytes = map.Gather(input.constant.bytes(), size);
  ShareConstant(input, output);
  output->constant = ConstantData::Own(std::move(bytes));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<bool> FoldConstantNode(Graph* graph, const Node& node) {
  const bool dequantize = node.op->Has(kDequantizes);
  const bool densify = node.op->Has(kDensifies);
  const bool transpose = node.op->Has(kPermutesAxes);
  if (!dequantize && !densify && !transpose && !node.op->Has(kKeepsOrder)) {
    return false;
  }
  if (node.inputs.empty() || node.inputs[0] == kNoTensor ||
      node.outputs.size() != 1 || !node.post_ops.empty()) {
    return false;
  }
  const Tensor& input = graph->tensor(node.inputs[0]);
  Tensor& output = graph->tensor(node.outputs[0]);
  if (!input.is_constant()) return false;
  if (input.shape.elements() != output.shape.elements()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the constant ", input.ToString(), " cannot become ",
                     output.ToString()));
  }
  if (densify) {
    RETURN_IF_ERROR(Densify(input, &output));
  } else if (!input.sparsity.empty()) {
    return false;  // only DENSIFY reads those
  } else if (dequantize) {
    RETURN_IF_ERROR(Dequantize(input, &output));
  } else {
    // Per-channel quantization names a dimension of the old shape.
    if (input.quantization.per_channel()) return false;
    if (transpose) {
      RETURN_IF_ERROR(Transpose(*graph, node, input, &output));
    } else {
      ShareConstant(input, &output);
    }
  }
  return true;
}

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
           absl::c_all_of(node.inputs, constant) &&
           absl::c_all_of(operands, constant) &&
           absl::c_all_of(node.outputs,
                          [&](TensorId id) { return MayBeConstant(id); });
  }

  bool MayBeConstant(TensorId id) const {
    const Tensor& t = graph_->tensor(id);
    return !absl::c_linear_search(graph_->outputs, id) &&
           t.stored() == t.type && !t.is_complex && !t.is_variable &&
           t.quantization.empty() &&
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
    const auto as = [&](auto like) {
      return ConstantData::Of(
          std::vector<decltype(like)>(values.begin(), values.end()));
    };
    tensor->constant = tensor->type == DataType::kBool    ? as(uint8_t{})
                       : tensor->type == DataType::kInt32 ? as(int32_t{})
                                                          : as(float{});
    tensor->tflite_index = -1;  // the start-up cache's key does not cover it
  }

  Graph* graph_;
  std::optional<Reference> reference_;
  int64_t left_ = kMaxFoldedInAll;
};

}  // namespace

absl::Status FoldConstants(Graph* graph) { return Folder(graph).Run(); }

// --- Dumps -------------------------------------------------------------------

namespace {

// Graphviz text: a box for each dispatch, an ellipse for each graph input and
// output, an edge for each tensor between them. PlanToString() has the rest.
std::string PlanToDot(const Graph& graph,
                      absl::Span<const Dispatch> dispatches) {
  DotGraph dot("plan", graph);
  for (const Dispatch& d : dispatches) {
    std::string label = absl::StrCat(d.label, "\n", d.shader,
                                     d.integer_path ? " in integers" : "");
    std::vector<TensorId> reads;
    for (const auto& [name, id] : d.reads) reads.push_back(id);
    for (size_t i = 0; i < d.post_ops.size(); ++i) {
      if ((d.skipped_post_ops >> i & 1) != 0) continue;
      const PostOp& op = d.post_ops[i];
      absl::StrAppend(&label, " ", PostOpText(op));
      if (op.operand != kNoTensor) reads.push_back(op.operand);
    }
    for (const Stage& stage : d.stages) {
      absl::StrAppend(&label, " ", StageText(stage));
    }
    for (TensorId id : OperandsOf(d.stages)) reads.push_back(id);
    absl::StrAppend(&label, "\ngrid ", absl::StrJoin(d.grid, "x"), " group ",
                    absl::StrJoin(d.work_group, "x"));
    std::vector<TensorId> writes;
    for (const auto& [name, id] : d.writes) writes.push_back(id);
    dot.AddBox(label, reads, writes);
  }
  return dot.Finish();
}

}  // namespace

PlanDump::PlanDump(std::string directory, int partition)
    : directory_(std::move(directory)), partition_(partition) {}

PlanDump PlanDump::FromEnvironment() {
  static std::atomic<int> partitions = 0;
  auto directory = egl::DebugValue("plan");
  if (!directory) return PlanDump();
  return PlanDump(*std::move(directory), partitions++);
}

void PlanDump::AddGraph(absl::string_view what, const Graph& graph) {
  if (!active()) return;
  std::string text = GraphToString(graph);
  if (text == last_graph_) return;
  Write(what, text, GraphToDot(graph));
  last_graph_ = std::move(text);
}

void PlanDump::AddPlan(const Graph& graph,
                       absl::Span<const Dispatch> dispatches) {
  if (!active()) return;
  if (!notes_.empty()) {
    WriteFile(absl::StrCat(NextPath("declined"), ".txt"),
              absl::StrCat(absl::StrJoin(notes_, "\n"), "\n"));
    notes_.clear();
  }
  Write("plan", PlanToString(graph, dispatches), PlanToDot(graph, dispatches));
}

std::string PlanDump::TakeWarning() {
  if (status_.ok() || std::exchange(told_, true)) return "";
  return std::string(status_.message());
}

std::string PlanDump::NextPath(absl::string_view what) {
  // If this fails, opening the file reports the reason.
  (void)mkdir(directory_.c_str(), 0777);
  return Formatted("%s/partition_%d_%02d_%s", directory_, partition_, step_++,
                   what);
}

void PlanDump::Write(absl::string_view what, absl::string_view text,
                     absl::string_view dot) {
  const std::string path = NextPath(what);
  WriteFile(absl::StrCat(path, ".txt"), text);
  WriteFile(absl::StrCat(path, ".dot"), dot);
}

void PlanDump::WriteFile(const std::string& path, absl::string_view content) {
  if (!status_.ok()) return;
  errno = 0;
  std::ofstream file(path);
  file << content << std::flush;
  if (file) return;
  status_ = absl::ErrnoToStatus(
      errno == 0 ? EIO : errno,
      absl::StrCat("GLES_DELEGATE_DEBUG=plan: cannot write '", path,
                   "'; name a folder that can be written"));
}

// --- The plan ----------------------------------------------------------------

absl::StatusOr<PlannedPartition> PlanPartition(const Graph& graph,
                                               const DeviceProfile& profile,
                                               StageTimer* timer,
                                               PlanDump* dump) {
  const auto lap = [timer](const char* stage) {
    if (timer != nullptr) timer->Lap(stage);
  };
  PlanDump nowhere;
  if (dump == nullptr) dump = &nowhere;
  PlannedPartition planned{graph, {}, {}, absl::OkStatus()};
  dump->AddGraph("read", planned.graph);
  RETURN_IF_ERROR(FoldConstants(&planned.graph));
  dump->AddGraph("fold_constants", planned.graph);
  PassContext context = {profile};
  context.notes = dump->notes();
  for (const PassStage stage : {PassStage::kFold, PassStage::kFuse}) {
    RETURN_IF_ERROR(RunPasses(stage, context, &planned.graph,
                              [dump](absl::string_view pass, const Graph& g) {
                                dump->AddGraph(pass, g);
                              }));
    if (stage == PassStage::kFold) planned.unfused = planned.graph;
  }
  lap("passes");
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
  lap("plan");
  return planned;
}

}  // namespace gles_delegate

// Of gles_simple_delegate.h: the kernel.
#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/partition/plan_partition.h"
#include "delegate/passes/passes.h"
#include "delegate/tflite/gles_simple_delegate.h"

namespace gles_delegate {

// --- Extraction --------------------------------------------------------------

Graph ExtractPartition(const CheckedModel& model, absl::Span<const int> nodes,
                       absl::Span<const int> inputs,
                       absl::Span<const int> outputs) {
  Graph graph;
  HashMap<TensorId, TensorId> ids;
  const auto map = [&](TensorId id) {
    if (id == kNoTensor) return kNoTensor;
    const auto [it, inserted] = ids.try_emplace(id, kNoTensor);
    if (inserted) it->second = graph.AddTensor(model.graph.tensor(id));
    return it->second;
  };
  HashSet<TensorId> read;
  for (int index : nodes) {
    const CheckedNode& checked = model.node(index);
    if (checked.folded) continue;
    for (const Node& node : checked.nodes) {
      read.insert(node.inputs.begin(), node.inputs.end());
      for (const PostOp& post : node.post_ops) read.insert(post.operand);
    }
  }
  // Of an input that no node reads, only the shape counted.
  for (int id : inputs) {
    if (!model.graph.tensor(id).is_constant() && read.contains(id)) {
      graph.inputs.push_back(map(id));
    }
  }
  for (int index : nodes) {
    const CheckedNode& checked = model.node(index);
    if (checked.folded) continue;
    if (const auto name = model.graph.composites.find(index);
        name != model.graph.composites.end()) {
      graph.composites.insert(*name);
    }
    for (Node node : checked.nodes) {
      for (TensorId& id : node.inputs) id = map(id);
      for (TensorId& id : node.outputs) id = map(id);
      for (PostOp& post : node.post_ops) post.operand = map(post.operand);
      graph.nodes.push_back(std::move(node));
    }
  }
  for (int id : outputs) graph.outputs.push_back(map(id));
  return graph;
}

namespace {

// Newer runtimes free the dynamic temporaries of replaced nodes at the end of
// AllocateTensors, with what the kernels prepared in them: transposed weights.
bool HasLostTemporary(const TfLiteContext& context, const TfLiteNode& node) {
  return absl::c_any_of(ReadInts(node.temporaries), [&context](int id) {
    return HasTensor(context, id) &&
           context.tensors[id].allocation_type == kTfLiteDynamic &&
           context.tensors[id].data.raw == nullptr;
  });
}

// The node's outputs in the arena keep the memory that they have.
absl::Status PrepareAgain(TfLiteContext* context, TfLiteNode* node,
                          const TfLiteRegistration& registration,
                          TensorValues* values) {
  TensorChanges kept(context);
  for (int id : ReadPresent(node->outputs)) {
    const TfLiteTensor& before = context->tensors[id];
    if (!IsInArena(before)) continue;
    kept.AtTheEnd([id, raw = before.data.raw](TfLiteContext* context) {
      TfLiteTensor& t = context->tensors[id];
      if (IsInArena(t)) t.data.raw = raw;  // not if a loop's is now dynamic
    });
  }
  const TfLiteStatus status =
      PrepareWithValues(context, node, registration, values);
  return status == kTfLiteOk
             ? absl::OkStatus()
             : Internal("TFLite's own kernel (builtin code ",
                        registration.builtin_code, ") refuses its inputs");
}

// Writes the node's outputs if all of them are known.
bool GiveKnown(const TfLiteContext& context, const TfLiteNode& node,
               const TensorValues& values) {
  const std::vector<int> outputs = ReadInts(node.outputs);
  const auto is_known = [&](int id) { return values.contains(id); };
  if (outputs.empty() || !absl::c_all_of(outputs, is_known)) return false;
  for (int id : outputs) {
    const TfLiteTensor& t = context.tensors[id];
    const auto bytes = values.at(id).bytes();
    if (IsEmpty(t) || t.data.raw == nullptr) continue;
    std::memcpy(t.data.raw, bytes.data(), std::min(t.bytes, bytes.size()));
  }
  return true;
}

}  // namespace

bool ReadsConstantsAlone(const TfLiteContext& context,
                         const ModelPartition& partition) {
  return absl::c_all_of(partition.inputs, [&](int id) {
    return IsConstant(context.tensors[id]);
  });
}

class GlesKernel::Host final : public SessionHost {
 public:
  Host(TfLiteContext* context, GlesKernel* kernel)
      : context_(context), kernel_(*kernel) {}

  void Warn(const std::string& text) override {
    gles_delegate::Warn(context_, text);
  }
  bool MayFallBack() const override {
    return kernel_.setup_.fallback_to_cpu && kernel_.cpu_takes_shapes_;
  }
  absl::Status UseCpu() override {
    for (int index : kernel_.setup_.partition.nodes) {
      ASSIGN_OR_RETURN(const auto found,
                       kernel_.setup_.nodes.find.Get(context_, index));
      if (found.kernel->invoke == nullptr) {
        return FailedPrecondition("node ", index, " has no kernel on the CPU");
      }
    }
    kernel_.read_shapes_ = kernel_.BorderShapes(*context_);
    return absl::OkStatus();
  }
  absl::Status CheckMayBind(const Tensor& tensor) override {
    const ModelNodes& nodes = kernel_.setup_.nodes;
    const std::vector<int>& own = kernel_.setup_.partition.nodes;
    for (int index : nodes.plan) {
      if (absl::c_linear_search(own, index)) continue;
      ASSIGN_OR_RETURN(const auto found, nodes.find.Get(context_, index));
      const std::vector<int> inputs = ReadInts(found.node->inputs);
      if (!absl::c_linear_search(inputs, tensor.tflite_index)) continue;
      return CannotBind(tensor, absl::StrCat("node ", index,
                                             ", which is not of the partition, "
                                             "reads it from the CPU's memory"));
    }
    return absl::OkStatus();
  }

 private:
  TfLiteContext* const context_;
  GlesKernel& kernel_;
};

GlesKernel::GlesKernel(KernelSetup setup)
    : setup_(std::move(setup)),
      session_(std::move(setup_.session)),
      io_(setup_, &session_) {}

// --- Reading -----------------------------------------------------------------

absl::Status GlesKernel::Read(const TfLiteContext& context,
                              const CheckedModel& model) {
  read_shapes_ = BorderShapes(context);
  std::vector<int> outputs;
  std::vector<ConstantOutput> constants;
  for (int id : setup_.partition.outputs) {
    if (Holds(context, id)) continue;
    const Tensor& tensor = model.graph.tensor(id);
    if (!tensor.is_constant()) {
      outputs.push_back(id);
      continue;
    }
    ASSIGN_OR_RETURN(
        auto constant,
        ConstantOutput::Of(tensor, id, TypeOf(context.tensors[id].type)));
    constants.push_back(std::move(constant));
  }
  Graph original = ExtractPartition(model, setup_.partition.nodes,
                                    setup_.partition.inputs, outputs);
  Graph graph = original;
  PlanDump& dump = *session_.dump();
  dump.AddGraph("read", graph);
  report()->nodes_on_integer_path = 0;
  if (setup_.read.uses_integer_path) {
    const PassContext passes = {session_.setup().profile,
                                setup_.read.cpu_kernels, setup_.read.traits,
                                &report()->nodes_on_integer_path, dump.notes()};
    RETURN_IF_ERROR(
        RunPasses(PassStage::kRead, passes, &graph,
                  [&dump](absl::string_view pass, const Graph& after) {
                    dump.AddGraph(pass, after);
                  }));
  }
  session_.SetGraph(std::move(graph), std::move(original), outputs);
  io_.Begin(std::move(constants));
  return absl::OkStatus();
}

absl::Status GlesKernel::ReadAgain(TfLiteContext* context, SessionHost* host) {
  session_.Forget();
  cpu_memory_.clear();
  read_shapes_.clear();  // of nothing, if this fails
  cpu_takes_shapes_ = false;
  ASSIGN_OR_RETURN(auto shapes, PropagateShapes(context, setup_.nodes,
                                                &setup_.partition.nodes));
  RETURN_IF_ERROR(shapes.refused());
  cpu_takes_shapes_ = true;
  // For other partitions: what was known when the delegate was applied.
  const UnknownShapes before = std::move(setup_.nodes.shapes.unknown);
  setup_.nodes.shapes = std::move(shapes);
  setup_.nodes.shapes.unknown.insert(before.begin(), before.end());
  // The whole model: constants folded by nodes of other partitions are constant
  // here as well.
  ASSIGN_OR_RETURN(
      auto model,
      ReadModel(context, setup_.nodes, session_.setup().profile, setup_.read));
  for (int index : setup_.partition.nodes) {
    const CheckedNode& node = model.node(index);
    if (node.support.ok()) continue;
    const std::string why = absl::StrCat(
        "the partition of ", setup_.partition.nodes.size(),
        " nodes cannot run on the GPU at the shapes that the inputs were "
        "resized to: ",
        node.op, " (node ", node.index, "): ", node.support.message(), " [",
        node.tensors, "]");
    return session_.UseCpu(host, why);
  }
  RETURN_IF_ERROR(Read(*context, model));
  return session_.ReserveAgain(host);
}

std::vector<std::vector<int>> GlesKernel::BorderShapes(
    const TfLiteContext& context) const {
  std::vector<std::vector<int>> shapes;
  for (int id : TensorsOf(setup_.partition)) {
    shapes.push_back(ReadInts(context.tensors[id].dims));
  }
  for (int id : setup_.partition.inputs) {
    const auto value = setup_.nodes.shapes.values.find(id);
    if (value == setup_.nodes.shapes.values.end()) continue;
    const auto bytes = value->second.bytes();
    shapes.emplace_back(bytes.begin(), bytes.end());
  }
  return shapes;
}

bool GlesKernel::Holds(const TfLiteContext& context, int output) const {
  return setup_.nodes.shapes.values.contains(output) &&
         !ReadsConstantsAlone(context, setup_.partition);
}

absl::Status GlesKernel::EvaluateInputValues(TfLiteContext* context) {
  TensorValues& values = setup_.nodes.shapes.values;
  const auto& inputs = setup_.partition.inputs;
  if (absl::c_none_of(inputs, [&](int id) { return values.contains(id); })) {
    return absl::OkStatus();
  }
  const std::vector<int> none;
  ASSIGN_OR_RETURN(auto shapes, PropagateShapes(context, setup_.nodes, &none));
  for (int id : inputs) {
    const auto value = shapes.values.find(id);
    if (value != shapes.values.end()) values[id] = value->second;
  }
  return absl::OkStatus();
}

absl::Status GlesKernel::HoldValues(TfLiteContext* context) {
  for (int id : setup_.partition.outputs) {
    if (!Holds(*context, id)) {
      TfLiteTensor& t = context->tensors[id];
      if (t.allocation_type == kTfLitePersistentRo) ReturnToArena(&t);
    } else if (HoldValue(context, id, setup_.nodes.shapes.values.at(id)) !=
               kTfLiteOk) {
      return Exhausted("the runtime gives no memory to the shape in tensor ",
                       id);
    }
  }
  return absl::OkStatus();
}

// --- Running -----------------------------------------------------------------

absl::Status GlesKernel::PrepareOnGpu(TfLiteContext* context) {
  // There is nothing to plan for yet.
  if (setup_.nodes.shapes_are_placeholders) return absl::OkStatus();
  Host host(context, this);
  if (BorderShapes(*context) != read_shapes_) {
    RETURN_IF_ERROR(ReadAgain(context, &host));
  }
  io_.SetObjects();
  return session_.Prepare(&host);
}

absl::Status GlesKernel::Prepare(TfLiteContext* context) {
  io_.TakeMemoryBack(context);
  // The runtime prepares the node, so that shapes are real.
  if (std::exchange(setup_.nodes.shapes_are_placeholders, false)) {
    read_shapes_.clear();
  }
  RETURN_IF_ERROR(EvaluateInputValues(context));
  Host host(context, this);
  RETURN_IF_ERROR(session_.FallBack(&host, PrepareOnGpu(context)));
  RETURN_IF_ERROR(HoldValues(context));
  io_.LendMemory(context);
  return absl::OkStatus();
}

absl::Status GlesKernel::RunOnCpu(TfLiteContext* context) {
  TensorValues& values = setup_.nodes.shapes.values;
  for (int id : setup_.partition.inputs) {
    const TfLiteTensor& t = context->tensors[id];
    // The GPU's state is lost with its shapes.
    if (t.is_variable && IsStateOnGpu(MemoryOf(t))) {
      std::memset(t.data.raw, 0, t.bytes);
    }
  }
  const std::vector<int>& outputs = setup_.partition.outputs;
  TensorChanges lent(context);
  for (int index : setup_.partition.nodes) {
    ASSIGN_OR_RETURN(const auto found, setup_.nodes.find.Get(context, index));
    // PropagateShapes() only follows a loop.
    if (IsLoop(*found.kernel) || HasLostTemporary(*context, *found.node)) {
      RETURN_IF_ERROR(
          PrepareAgain(context, found.node, *found.kernel, &values));
    }
    const auto keeps = [&](int id) {
      return absl::c_linear_search(outputs, id) &&
             context->tensors[id].data.raw != nullptr;
    };
    LendToNode(*context, *found.node, keeps, &cpu_memory_, &lent);
    // Kernels such as SHAPE's write when they are prepared, not when they run.
    if (GiveKnown(*context, *found.node, values)) continue;
    if (found.kernel->invoke(context, found.node) != kTfLiteOk) {
      return Internal("TFLite's own kernel of node ", index, " failed");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> GlesKernel::Submit(TfLiteContext* context,
                                        bool may_split) {
  Host host(context, this);
  RETURN_IF_ERROR(io_.Collect(context));
  const auto ran = session_.Submit(&host, may_split);
  if (!ran.ok()) {
    io_.Abandon();
    return ran.status();
  }
  if (*ran == Session::Ran::kSubmitted) return true;
  RETURN_IF_ERROR(*ran == Session::Ran::kOnCpu
                      ? io_.OnHost(context, [&] { return RunOnCpu(context); })
                      : io_.Finish(context));
  return false;
}

absl::Status GlesKernel::Wait(TfLiteContext* context) {
  Host host(context, this);
  if (auto s = session_.Wait(&host); !s.ok()) {
    io_.Abandon();
    return s;
  }
  return io_.Finish(context);
}

}  // namespace gles_delegate

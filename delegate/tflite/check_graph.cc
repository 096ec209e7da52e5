// Of reader.h: the checks.

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/float_view.h"
#include "delegate/graph/printable.h"
#include "delegate/ops/op_list.h"
#include "delegate/plan/storage.h"
#include "delegate/tflite/reader.h"

namespace gles_delegate {
namespace {

// The ops that may lack inputs beside those that run here, and how many of the
// first they need. Kernels of others do not look before they follow a null
// pointer, nor whether an output is absent. Custom ops, and ops that are
// younger than these, may lack all.
constexpr struct {
  int builtin_code;
  int needed;
} kMayLackInputs[] = {
    {BuiltinOperator_BIDIRECTIONAL_SEQUENCE_LSTM, 1},
    {BuiltinOperator_BIDIRECTIONAL_SEQUENCE_RNN, 1},
    {BuiltinOperator_CALL, 0},
    {BuiltinOperator_CALL_ONCE, 0},
    {BuiltinOperator_CUSTOM, 0},
    {BuiltinOperator_DELEGATE, 0},
    {BuiltinOperator_IF, 1},
    {BuiltinOperator_LSTM, 1},
    {BuiltinOperator_PAD, 2},  // its kernel takes PADV2's value, too
    {BuiltinOperator_UNIDIRECTIONAL_SEQUENCE_LSTM, 1},
    {BuiltinOperator_WHILE, 0},
};
constexpr int kYoungest = BuiltinOperator_STABLEHLO_LOGISTIC;

int InputsNeeded(const TfLiteRegistration& registration, int count) {
  for (const auto& op : kMayLackInputs) {
    if (op.builtin_code == registration.builtin_code) return op.needed;
  }
  if (registration.builtin_code >= kYoungest) return 0;
  const OpDefinition* op = FindOp(registration.builtin_code, "");
  const int needed = op == nullptr ? -1 : InputsBeforeOptional(*op);
  return needed < 0 ? count : needed;
}

class GraphChecker {
 public:
  GraphChecker(TfLiteContext* context, const NodeFinder& find)
      : context_(context),
        find_(find),
        writers_(context->tensors_size, kNone),
        is_written_(context->tensors_size, false) {}

  absl::Status Check(absl::Span<const int> plan) {
    for (int index : plan) RETURN_IF_ERROR(NoteWriter(index));
    for (int index : plan) RETURN_IF_ERROR(CheckReads(index));
    return absl::OkStatus();
  }

 private:
  static constexpr int kNone = -1;

  absl::Status NoteWriter(int index) {
    ASSIGN_OR_RETURN(const auto found, find_.Get(context_, index));
    for (int id : ReadPresent(found.node->outputs)) {
      const TfLiteTensor& tensor = context_->tensors[id];
      if (writers_[id] != kNone) {
        return Refuse(NameOf(writers_[id]), " and ", NameOf(index),
                      " both write ", Quoted(id));
      }
      if (tensor.is_variable || IsConstant(tensor)) {
        return Refuse(NameOf(index), " writes ", Quoted(id), ", a ",
                      tensor.is_variable ? "variable" : "constant");
      }
      writers_[id] = index;
    }
    return absl::OkStatus();
  }

  absl::Status CheckReads(int index) {
    ASSIGN_OR_RETURN(const auto found, find_.Get(context_, index));
    const std::vector<int> inputs = ReadInts(found.node->inputs);
    const int count = static_cast<int>(inputs.size());
    const int needed = std::min(count, InputsNeeded(*found.kernel, count));
    for (int i = 0; i < needed; ++i) {
      if (inputs[i] < 0) return Refuse(NameOf(index), " has no input ", i);
    }
    const std::vector<int> outputs = ReadInts(found.node->outputs);
    if (needed == count && absl::c_linear_search(outputs, -1)) {
      return Refuse(NameOf(index), " lacks an output");
    }
    for (int id : inputs) {
      if (id < 0 || writers_[id] == kNone || is_written_[id]) continue;
      if (writers_[id] == index) {
        return Refuse(NameOf(index), " reads its own output ", Quoted(id));
      }
      return Refuse(NameOf(index), " reads ", Quoted(id), ", which ",
                    NameOf(writers_[id]), " writes later");
    }
    for (int id : outputs) {
      if (id >= 0) is_written_[id] = true;
    }
    return absl::OkStatus();
  }

  std::string NameOf(int index) const {
    const auto found = find_.Get(context_, index);
    return absl::StrCat(found.ok() ? OpName(*found->kernel) : "", " (node ",
                        index, ")");
  }

  std::string Quoted(int id) const {
    const char* name = context_->tensors[id].name;
    return absl::StrCat("'", PrintableName(name == nullptr ? "" : name),
                        "' (tensor ", id, ")");
  }

  template <typename... Words>
  static absl::Status Refuse(const Words&... words) {
    return FailedPrecondition(words...,
                              ": a graph with this fault stays on the CPU");
  }

  TfLiteContext* context_;
  const NodeFinder& find_;
  std::vector<int> writers_;  // by tensor: the node's index
  std::vector<bool> is_written_;
};

}  // namespace

absl::Status CheckGraph(TfLiteContext* context, const NodeFinder& find,
                        absl::Span<const int> plan) {
  return GraphChecker(context, find).Check(plan);
}

// --- A node ------------------------------------------------------------------

namespace {

// Integers whose scale an op needs and the file does not have. TFLite then
// computes with a scale of 0.
bool LacksScale(const Tensor& constant, const OpDefinition& op) {
  return IsQuantizedType(constant.type) && constant.quantization.empty() &&
         !op.Has(kMovesValues) && !op.Has(kCasts);
}

absl::Status WhyNotFloat(const Tensor& tensor, const ReadOptions& options) {
  if (tensor.is_complex) {
    return Unimplemented("'", PrintableName(tensor.name),
                         "' is complex64, which RFFT2D, COMPLEX_ABS, REAL, "
                         "IMAG and ops that give it another shape take");
  }
  if (!IsQuantizedType(tensor.stored())) {
    return Unimplemented(
        tensor.ToString(),
        ": only float32, int32 and bool activations run on the GPU");
  }
  if (!options.enable_quantization) {
    return Unimplemented(tensor.ToString(),
                         " is quantized, and quantized_compute is cpu");
  }
  const absl::Status status = CheckQuantization(tensor);
  return status.ok() ? Internal("a quantized tensor without float view")
                     : status;
}

// Shapes that are only known when the model runs, or behind a node that the
// runtime refuses.
absl::Status CheckShapesKnown(const NodeToRead& node,
                              const UnknownShapes& unknown) {
  for (int id : TensorsOf(node)) {
    const auto it = unknown.find(id);
    if (it == unknown.end()) continue;
    return absl::UnimplementedError(
        it->second == kKnownAtRunTime
            ? "a tensor has a shape that is known only at run time"
            : absl::StrCat("a tensor has no known shape: TFLite's own kernel "
                           "of node ",
                           it->second, ", before it, refuses its inputs"));
  }
  return absl::OkStatus();
}

// Quantized activations without a float view, or with one that the op does not
// support, and constants without the scale that the op needs. The op's parser
// only sees that they are not floats.
absl::Status CheckViews(const Graph& graph, const NodeToRead& node,
                        const OpDefinition& op, const ReadOptions& options) {
  for (int id : TensorsOf(node)) {
    const Tensor& t = graph.tensor(id);
    const bool is_output = absl::c_linear_search(node.outputs, id);
    if (t.is_constant() && LacksScale(t, op)) {
      return Unimplemented("the constant ", t.ToString(), " has no scale");
    }
    if (t.is_constant()) {
      if (!is_output) RETURN_IF_ERROR(CheckInt64Constant(op, t));
    } else if (IsQuantizedType(t.type) || !TakesHostView(op, t, is_output)) {
      return WhyNotFloat(t, options);
    }
  }
  return absl::OkStatus();
}

// Variables of other types than float32, written, in two inputs of the node, or
// with several users, by tensor: a state stays on the GPU, and one input of one
// node alone may use it (host_memory.h).
absl::Status CheckVariables(const Graph& graph, const NodeToRead& node,
                            const HashMap<int, int>& users_of) {
  for (int id : node.inputs) {
    if (id < 0 || !graph.tensor(id).is_variable) continue;
    const Tensor& t = graph.tensor(id);
    if (const int users = users_of.at(id); users > 1) {
      return Unimplemented("the state ", t.ToString(), " is used by ", users,
                           " nodes; only one may use it on the GPU");
    }
    if (t.type != DataType::kFloat32 || t.is_float_view() || t.is_host_view()) {
      return Unimplemented("the state '", PrintableName(t.name), "' is ",
                           DataTypeName(t.stored()),
                           "; only float32 states are kept on the GPU");
    }
    if (const auto times = absl::c_count(node.inputs, id); times > 1) {
      return Unimplemented(
          "the state ", t.ToString(), " is ", times,
          " of its inputs; on the GPU each has a state of its own");
    }
  }
  for (int id : node.outputs) {
    if (id >= 0 && graph.tensor(id).is_variable) {
      return Unimplemented("its output ", graph.tensor(id).ToString(),
                           " is a variable tensor; only inputs may be");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckScales(const Graph& graph, const NodeToRead& node) {
  for (int index : node.inputs) {
    if (index < 0 || !graph.tensor(index).quantization.is_unknown) continue;
    return Unimplemented("'", PrintableName(graph.tensor(index).name),
                         "' has a scale for each block of values (blockwise "
                         "quantization), which constant weights of "
                         "FULLY_CONNECTED and EMBEDDING_LOOKUP alone may have");
  }
  return absl::OkStatus();
}

absl::Status CheckNode(const Graph& graph, const NodeToRead& node,
                       const OpDefinition& op, const ReadOptions& options,
                       const UnknownShapes& unknown,
                       const HashMap<int, int>& users_of) {
  // Shapes that no tensor may have, constants included.
  for (int id : TensorsOf(node)) {
    const Tensor& t = graph.tensor(id);
    RETURN_IF_ERROR(
        Labelled(CheckDims(t.dims), absl::StrCat("'", t.name, "'")));
  }
  RETURN_IF_ERROR(CheckScales(graph, node));
  RETURN_IF_ERROR(CheckVariables(graph, node, users_of));
  RETURN_IF_ERROR(CheckShapesKnown(node, unknown));
  for (int id : TensorsOf(node)) {
    const Tensor& t = graph.tensor(id);
    const bool is_list = t.is_constant() && t.dims.size() == 1;
    if (t.shape.elements() > 0 || is_list) continue;
    return Unimplemented("a tensor is empty");
  }
  return CheckViews(graph, node, op, options);
}

absl::Status CheckTensors(const Graph& graph, const NodeToRead& node,
                          const ReadOptions& options) {
  for (int id : TensorsOf(node)) {
    const Tensor& t = graph.tensor(id);
    const bool runs_on_gpu = t.type == DataType::kFloat32 ||
                             t.type == DataType::kInt32 ||
                             t.type == DataType::kBool;
    if (!t.is_constant() && !runs_on_gpu) return WhyNotFloat(t, options);
  }
  return absl::OkStatus();
}

absl::Status CheckVersion(const OpDefinition& op, int version,
                          bool other_types) {
  const int max = other_types
                      ? std::max(op.max_version, op.max_version_quantized)
                      : op.max_version;
  if (version <= max) return absl::OkStatus();
  return Unimplemented("version ", version, " of the op is newer than version ",
                       max, ", the last that is known here",
                       other_types ? "" : " for floats");
}

}  // namespace gles_delegate

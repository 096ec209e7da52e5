#include "delegate/tflite/model_overview.h"

#include <algorithm>

#include "delegate/graph/builtin_codes.h"
#include "delegate/ops/recurrent/lstm.h"
#include "delegate/tflite/hybrid_weights.h"

namespace gles_delegate {
namespace {

bool IsInteger(const Tensor& t) {
  return t.type == DataType::kInt32 || t.type == DataType::kBool;
}

// The node has int32 or bool tensors that are computed at run time.
bool HoldsIntegers(const Graph& graph, const NodeTensors& node) {
  const auto any = [&](const std::vector<int>& ids) {
    return std::any_of(ids.begin(), ids.end(), [&](int id) {
      return id >= 0 && !graph.tensor(id).is_constant() &&
             IsInteger(graph.tensor(id));
    });
  };
  return any(node.inputs) || any(node.outputs);
}

// LSTM's basic kernel makes variables of two inputs that no node computes,
// whether the file declares them so or not.
void MarkBasicLstmStates(absl::Span<const NodeTensors> nodes, Graph* graph) {
  HashSet<int> made;
  for (const NodeTensors& node : nodes) {
    made.insert(node.outputs.begin(), node.outputs.end());
  }
  for (const NodeTensors& node : nodes) {
    if (node.builtin_code != BuiltinOperator_LSTM ||
        node.inputs.size() != lstm::basic::kInputs) {
      continue;
    }
    for (int input : {lstm::basic::kPrevActivation, lstm::basic::kPrevState}) {
      const int id = node.inputs[input];
      if (id < 0 || made.contains(id)) continue;
      Tensor& t = graph->tensor(id);
      t.is_variable = !t.is_constant();
    }
  }
}

}  // namespace

ModelOverview LookOver(absl::Span<const NodeTensors> nodes,
                       bool enable_quantization, Graph* graph) {
  ModelOverview overview;
  for (const NodeTensors& node : nodes) {
    if (HoldsIntegers(*graph, node)) {
      overview.quantized_integers.insert({node.builtin_code, node.version});
    }
  }
  ChooseInt64Views(nodes, graph);
  if (enable_quantization) ViewHybridInputs(nodes, graph);
  MarkBasicLstmStates(nodes, graph);
  for (const NodeTensors& node : nodes) {
    const HashSet<int> inputs(node.inputs.begin(), node.inputs.end());
    for (int id : inputs) {
      if (id >= 0 && graph->tensor(id).is_variable) {
        ++overview.users_of_variable[id];
      }
    }
  }
  return overview;
}

}  // namespace gles_delegate

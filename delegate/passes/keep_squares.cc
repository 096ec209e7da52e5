#include "delegate/passes/keep_squares.h"

#include <algorithm>
#include <vector>

#include "delegate/graph/op.h"
#include "delegate/ops/elementwise/elementwise.h"

namespace gles_delegate {
namespace {

bool IsSquare(const Node& node) {
  const absl::string_view op = node.op->name;
  return op == "SQUARE" || op == "SQUARED_DIFFERENCE" ||
         (op == "MUL" && node.inputs[0] == node.inputs[1]);
}

bool IsSum(const Node& node) {
  return node.op->name == "SUM" || node.op->name == "MEAN";
}

// A function whose inputs, except constants, are all in 32 bits: ADD of an
// epsilon, SQRT, RSQRT, a change of shape.
bool GoesOn(const Node& node, const Graph& graph) {
  const bool is_function =
      IsPlainElementwise(graph, node) || node.op->name == "RESHAPE";
  return (is_function || IsSum(node)) &&
         std::all_of(node.inputs.begin(), node.inputs.end(), [&](TensorId id) {
           return id == kNoTensor || graph.tensor(id).is_constant() ||
                  graph.tensor(id).always_float32;
         });
}

class SquareKeeper {
 public:
  explicit SquareKeeper(Graph* graph) : graph_(graph), uses_(*graph) {}

  // Nodes are in order, so that their inputs are known.
  void Run() {
    std::vector<bool> follows(graph_->nodes.size(), false);
    for (size_t n = 0; n < graph_->nodes.size(); ++n) {
      Node& node = graph_->nodes[n];
      const bool keep = follows[n] ? GoesOn(node, *graph_)
                                   : IsSquare(node) && OnlySumsRead(node);
      if (!keep || !MayKeep(node)) continue;
      node.always_float32 = true;
      const TensorId out = node.outputs[0];
      graph_->tensor(out).always_float32 = true;
      for (int reader : uses_.consumers[out]) follows[reader] = true;
    }
  }

 private:
  bool MayKeep(const Node& node) const {
    if (node.integer_path || node.outputs.size() != 1) return false;
    const Tensor& out = graph_->tensor(node.outputs[0]);
    return out.type == DataType::kFloat32 && !out.is_float_view() &&
           !out.is_variable && !uses_.is_output[node.outputs[0]];
  }
  bool OnlySumsRead(const Node& node) const {
    const auto& readers = uses_.consumers[node.outputs[0]];
    return !readers.empty() &&
           std::all_of(readers.begin(), readers.end(),
                       [this](int n) { return IsSum(graph_->nodes[n]); });
  }

  Graph* graph_;
  Uses uses_;
};

}  // namespace

void KeepSquares(Graph* graph, const DeviceProfile& profile) {
  if (profile.options.half) SquareKeeper(graph).Run();
}

}  // namespace gles_delegate

#include "delegate/tflite/host_view.h"

#include "absl/container/flat_hash_map.h"
#include "delegate/graph/builtin_codes.h"
#include "delegate/graph/float_view.h"

namespace gles_delegate {
namespace {

// Integers of 8 or 16 bits without quantization parameters.
bool IsPlainSmallInteger(const Tensor& t) {
  return IsQuantizedType(t.type) && t.quantization.empty();
}

bool IsInt64(const Graph& graph, int id) {
  return id >= 0 && graph.tensor(id).host == DataType::kInt64;
}

bool IsFloatType(const Graph& graph, int id) {
  return id >= 0 && graph.tensor(id).type == DataType::kFloat32;
}

// A CAST of int64 to tensor `to` looks at all 64 bits: `to` holds floats, or
// bools, which are true where any bit is set.
bool NeedsAllBits(const Graph& graph, int to) {
  return to >= 0 && !IsInt64(graph, to) &&
         graph.tensor(to).type != DataType::kInt32;
}

}  // namespace

void ViewForHost(Tensor* tensor) {
  if (tensor->is_constant()) return;
  const bool is_int32 =
      tensor->type == DataType::kInt64 || IsPlainSmallInteger(*tensor);
  if (!is_int32 && tensor->type != DataType::kFloat16) return;
  tensor->host = tensor->type;
  tensor->type = is_int32 ? DataType::kInt32 : DataType::kFloat32;
}

void ChooseInt64Views(absl::Span<const NodeTensors> nodes, Graph* graph) {
  absl::flat_hash_map<int, bool> fits_int32;  // of the nodes' outputs
  for (const NodeTensors& node : nodes) {
    const bool is_arg = node.builtin_code == builtin::ARG_MAX ||
                        node.builtin_code == builtin::ARG_MIN;
    const bool is_cast = node.builtin_code == builtin::CAST &&
                         node.inputs.size() == 1 && node.outputs.size() == 1;
    if (is_cast && IsInt64(*graph, node.inputs[0]) &&
        NeedsAllBits(*graph, node.outputs[0]) && !fits_int32[node.inputs[0]]) {
      graph->tensor(node.inputs[0]).type = DataType::kFloat32;
    }
    for (int id : node.outputs) {
      if (!IsInt64(*graph, id)) continue;
      const bool from_floats = is_cast && IsFloatType(*graph, node.inputs[0]);
      if (from_floats) graph->tensor(id).type = DataType::kFloat32;
      fits_int32[id] = is_arg || (is_cast && !from_floats &&
                                  !IsInt64(*graph, node.inputs[0]));
    }
  }
}

bool TakesHostView(const OpDefinition& op, const Tensor& tensor,
                   bool is_output) {
  if (!tensor.is_host_view() || op.Has(kCasts)) return true;
  switch (tensor.host) {
    case DataType::kInt64:
      return is_output && op.Has(kGivesPositions);
    case DataType::kFloat16:
      // A DENSIFY has a constant input, and is folded.
      return op.Has(kDequantizes) || op.Has(kDensifies) || op.Has(kKeepsOrder);
    default:
      return op.Has(kMovesValues) && !op.Has(kWantsQuantization);
  }
}

}  // namespace gles_delegate

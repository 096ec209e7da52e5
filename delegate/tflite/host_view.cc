#include "delegate/tflite/host_view.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "delegate/graph/builtin_codes.h"
#include "delegate/graph/float_view.h"
#include "delegate/graph/texels.h"

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

// The constant's values, one after the other; none if some are missing.
template <typename T>
std::vector<int32_t> Widened(const Tensor& t) {
  const size_t n = t.shape.elements();
  if (t.constant.bytes().size() < n * sizeof(T)) return {};
  std::vector<int32_t> values(n);
  for (size_t i = 0; i < n; ++i) {
    T value;
    std::memcpy(&value, t.constant.bytes().data() + i * sizeof(T), sizeof(T));
    values[i] = value;
  }
  return values;
}

std::vector<int32_t> WidenedConstant(const Tensor& t) {
  switch (t.type) {
    case DataType::kInt8:
      return Widened<int8_t>(t);
    case DataType::kUint8:
      return Widened<uint8_t>(t);
    case DataType::kInt16:
      return Widened<int16_t>(t);
    default:
      return {};
  }
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

void ViewConstantsForHost(const OpDefinition& op, absl::Span<const int> inputs,
                          absl::Span<const int> outputs, Graph* graph) {
  if (!op.Has(kMovesValues) && !op.Has(kCasts)) return;
  const auto reads_beside = [&](const Tensor& constant) {
    return op.Has(kCasts) ||
           std::any_of(outputs.begin(), outputs.end(), [&](int id) {
             return id >= 0 && graph->tensor(id).host == constant.type &&
                    graph->tensor(id).type == DataType::kInt32;
           });
  };
  for (int id : inputs) {
    if (id < 0) continue;
    Tensor& t = graph->tensor(id);
    if (!t.is_constant() || !t.sparsity.empty() || !IsPlainSmallInteger(t) ||
        !reads_beside(t)) {
      continue;
    }
    const std::vector<int32_t> values = WidenedConstant(t);
    if (values.empty()) continue;
    const auto bytes = AsBytes<int32_t>(values);
    t.constant = ConstantData::Own({bytes.begin(), bytes.end()});
    t.type = DataType::kInt32;
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
      return op.Has(kDequantizes) || op.Has(kDensifies) ||
             (op.Has(kMovesValues) && !op.Has(kWantsQuantization));
    default:
      return op.Has(kMovesValues) && !op.Has(kWantsQuantization);
  }
}

}  // namespace gles_delegate

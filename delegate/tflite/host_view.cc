#include "delegate/tflite/host_view.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/hash_tables.h"
#include "delegate/graph/float_view.h"
#include "delegate/graph/texels.h"
#include "delegate/ops/op_list.h"

namespace gles_delegate {
namespace {

// Integers of 8 or 16 bits without quantization parameters.
bool IsPlainSmallInteger(const Tensor& t) {
  return t.type == DataType::kUint16 ||
         (IsQuantizedType(t.type) && t.quantization.empty());
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

// A float64 constant as float32, if a CAST makes float32 of it.
void NarrowFloats(Tensor* t) {
  const auto bytes = t->constant.bytes();
  std::vector<float> values(t->shape.elements());
  if (bytes.size() < values.size() * sizeof(double)) return;
  for (size_t i = 0; i < values.size(); ++i) {
    double value;
    std::memcpy(&value, bytes.data() + i * sizeof(value), sizeof(value));
    values[i] = static_cast<float>(value);
  }
  const auto narrow = AsBytes<float>(values);
  t->constant = ConstantData::Own({narrow.begin(), narrow.end()});
  t->type = DataType::kFloat32;
}

std::vector<int32_t> WidenedConstant(const Tensor& t) {
  switch (t.type) {
    case DataType::kInt8:
      return Widened<int8_t>(t);
    case DataType::kUint8:
      return Widened<uint8_t>(t);
    case DataType::kInt16:
      return Widened<int16_t>(t);
    case DataType::kUint16:
      return Widened<uint16_t>(t);
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

bool ComputesIn32Bits(const OpDefinition& op) {
  return op.Has(kTakesInt64) ||
         (op.Has(kMovesValues) && !op.Has(kWantsQuantization));
}

bool FitsInt32(int64_t value) { return value == static_cast<int32_t>(value); }

std::vector<int64_t> Int64s(const Tensor& constant) {
  const auto bytes = constant.constant.bytes();
  std::vector<int64_t> values(bytes.size() / sizeof(int64_t));
  if (!values.empty()) {
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(int64_t));
  }
  return values;
}

bool IsInt64Constant(const Tensor& t) {
  return t.is_constant() && t.type == DataType::kInt64 &&
         t.quantization.empty();
}

// Constants whose values do not all fit stay int64.
void NarrowConstant(Tensor* t) {
  const std::vector<int64_t> values = Int64s(*t);
  if (values.empty() || !std::all_of(values.begin(), values.end(), FitsInt32)) {
    return;
  }
  const std::vector<int32_t> narrow(values.begin(), values.end());
  const auto bytes = AsBytes<int32_t>(narrow);
  t->constant = ConstantData::Own({bytes.begin(), bytes.end()});
  t->type = DataType::kInt32;
}

// The int64 tensors that ops other than CAST use, which must fit.
HashSet<int> ComputedIn32Bits(absl::Span<const NodeTensors> nodes,
                              Graph* graph) {
  HashSet<int> ids;
  for (const NodeTensors& node : nodes) {
    const OpDefinition* op = FindOp(node.builtin_code, "");
    if (op == nullptr) continue;
    const bool computes = ComputesIn32Bits(*op);
    if (!computes && !op->Has(kCasts)) continue;
    for (int id : node.inputs) {
      if (id < 0) continue;
      Tensor& t = graph->tensor(id);
      if (IsInt64Constant(t)) NarrowConstant(&t);
      if (!computes || !IsInt64(*graph, id)) continue;
      t.must_fit = true;
      ids.insert(id);
    }
    for (int id : node.outputs) {
      if (computes && IsInt64(*graph, id)) ids.insert(id);
    }
  }
  return ids;
}

}  // namespace

void ViewForHost(Tensor* tensor) {
  if (tensor->is_constant()) return;
  const bool is_int32 =
      tensor->type == DataType::kInt64 || IsPlainSmallInteger(*tensor);
  if (!is_int32 && tensor->type != DataType::kFloat16 &&
      tensor->type != DataType::kFloat64) {
    return;
  }
  tensor->host = tensor->type;
  tensor->type = is_int32 ? DataType::kInt32 : DataType::kFloat32;
}

void ChooseInt64Views(absl::Span<const NodeTensors> nodes, Graph* graph) {
  const HashSet<int> in_32_bits = ComputedIn32Bits(nodes, graph);
  HashSet<int> fits_int32 = in_32_bits;
  for (const NodeTensors& node : nodes) {
    const OpDefinition* op = FindOp(node.builtin_code, "");
    if (op == nullptr) continue;
    const bool is_arg = op->Has(kGivesPositions);
    const bool is_cast =
        op->Has(kCasts) && node.inputs.size() == 1 && node.outputs.size() == 1;
    if (is_cast && IsInt64(*graph, node.inputs[0]) &&
        NeedsAllBits(*graph, node.outputs[0]) &&
        !fits_int32.contains(node.inputs[0])) {
      graph->tensor(node.inputs[0]).type = DataType::kFloat32;
    }
    for (int id : node.outputs) {
      if (!IsInt64(*graph, id) || in_32_bits.contains(id)) continue;
      const bool from_floats = is_cast && IsFloatType(*graph, node.inputs[0]);
      if (from_floats) graph->tensor(id).type = DataType::kFloat32;
      if (is_arg ||
          (is_cast && !from_floats && !IsInt64(*graph, node.inputs[0]))) {
        fits_int32.insert(id);
      }
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
    if (op.Has(kCasts) && t.is_constant() && t.type == DataType::kFloat64 &&
        outputs.size() == 1 &&
        graph->tensor(outputs[0]).stored() == DataType::kFloat32) {
      NarrowFloats(&t);
    }
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
  if (tensor.is_complex) {
    return op.Has(kTakesComplex) || op.Has(kKeepsOrder);
  }
  if (!tensor.is_host_view() || op.Has(kCasts)) return true;
  switch (tensor.host) {
    case DataType::kInt64:
      return (is_output && op.Has(kGivesPositions)) ||
             (tensor.type == DataType::kInt32 && ComputesIn32Bits(op));
    case DataType::kFloat16:
      // A DENSIFY has a constant input, and is folded.
      return op.Has(kDequantizes) || op.Has(kDensifies) ||
             (op.Has(kMovesValues) && !op.Has(kWantsQuantization));
    case DataType::kFloat64:
    case DataType::kUint16:
      return false;
    default:
      return op.Has(kMovesValues) && !op.Has(kWantsQuantization);
  }
}

absl::Status CheckInt64Constants(const OpDefinition& op,
                                 absl::Span<const Tensor* const> inputs) {
  if (!ComputesIn32Bits(op)) return absl::OkStatus();
  for (const Tensor* t : inputs) {
    if (t == nullptr || !IsInt64Constant(*t)) continue;
    const std::vector<int64_t> values = Int64s(*t);
    const auto great =
        std::find_if_not(values.begin(), values.end(), FitsInt32);
    if (great == values.end()) continue;
    return absl::UnimplementedError(
        absl::StrCat(t->ToString(), " holds ", *great,
                     "; int64 is computed in 32 bits here"));
  }
  return absl::OkStatus();
}

}  // namespace gles_delegate

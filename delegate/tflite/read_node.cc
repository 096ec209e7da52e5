// Of reader.h: nodes and tensors.
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/constant_values.h"
#include "delegate/graph/float_view.h"
#include "delegate/graph/printable.h"
#include "delegate/ops/op_list.h"
#include "delegate/tflite/reader.h"
#include "quant/fixed_point.h"

namespace gles_delegate {

// --- Hybrid weights ----------------------------------------------------------

namespace {

bool IsByteView(const Tensor& t) {
  return t.is_float_view() &&
         (t.quantized == DataType::kUint8 || t.quantized == DataType::kInt8);
}

bool IsHybrid(const Graph& graph, const OpDefinition* op,
              absl::Span<const int> inputs) {
  return op != nullptr && op->Has(kHybrid) && !inputs.empty() &&
         inputs[0] >= 0 &&
         graph.tensor(inputs[0]).stored() == DataType::kFloat32;
}

bool IsReadOtherwise(const Tensor& t) {
  return IsByteView(t) &&
         (t.quantized == DataType::kUint8 || t.quantization.has_zero_point());
}

void ReadAsInt8(Tensor* t) {
  t->quantized = DataType::kInt8;
  t->quantization.zero_point.assign(t->quantization.scale.size(), 0);
}

}  // namespace

void ViewHybridInputs(absl::Span<const NodeToRead> nodes, Graph* graph) {
  HashSet<int> hybrid, others;
  for (const NodeToRead& node : nodes) {
    others.insert(node.outputs.begin(), node.outputs.end());
    const bool is_hybrid =
        IsHybrid(*graph, node.op(), node.inputs) &&
        node.kernel->builtin_code != BuiltinOperator_DEPTHWISE_CONV_2D;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      (is_hybrid && i > 0 ? hybrid : others).insert(node.inputs[i]);
    }
  }
  for (int id : hybrid) {
    if (id < 0 || others.contains(id)) continue;
    Tensor& t = graph->tensor(id);
    if (!t.is_constant() && IsReadOtherwise(t)) ReadAsInt8(&t);
  }
}

namespace {

// Makes a hybrid node read its 8-bit constants as TFLite's hybrid kernel does:
// each becomes a new tensor with the same bytes, since other nodes may use the
// old tensor with its own type. `node` has an op and is not yet parsed.
// kUnimplemented: uint8 weights that TFLite's kernel refuses
// (DEPTHWISE_CONV_2D) or of which it uses only the first scale (one scale per
// channel), or weights computed at run time that are not int8.
absl::Status ReadHybridWeights(Graph* graph, Node* node) {
  if (!IsHybrid(*graph, node->op, node->inputs)) return absl::OkStatus();
  for (TensorId& id : node->inputs) {
    if (id == kNoTensor || !IsReadOtherwise(graph->tensor(id))) continue;
    const Tensor& t = graph->tensor(id);
    if (t.quantized == DataType::kUint8 &&
        node->op->builtin_code == BuiltinOperator_DEPTHWISE_CONV_2D) {
      return Unimplemented(t.ToString(),
                           " is uint8 beside float32 activations, which "
                           "TFLite's kernel does not take");
    }
    if (t.quantized == DataType::kUint8 && t.quantization.per_channel()) {
      return Unimplemented(
          t.ToString(), " is uint8 with ", t.quantization.scale.size(),
          " quantization scales beside float32 activations; TFLite's kernel "
          "reads one");
    }
    if (!t.is_constant()) {
      return Unimplemented(
          t.ToString(), " holds ", DataTypeName(t.quantized),
          " weights beside float32 activations, which TFLite's kernel reads as "
          "int8, and which others read by their type");
    }
    Tensor as_read = t;
    ReadAsInt8(&as_read);
    id = graph->AddTensor(std::move(as_read));
  }
  return absl::OkStatus();
}

// --- Host views --------------------------------------------------------------

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

template <typename T>
void SetValues(const std::vector<T>& values, DataType type, Tensor* t) {
  t->constant = ConstantData::Of(values);
  t->type = type;
}

// Constants whose values do not all fit stay int64.
void NarrowConstant(Tensor* t) {
  const std::vector<int64_t> values = Int64s(*t);
  if (values.empty() || !absl::c_all_of(values, FitsInt32)) return;
  SetValues(std::vector<int32_t>(values.begin(), values.end()),
            DataType::kInt32, t);
}

// The int64 tensors that ops other than CAST use, which must fit.
HashSet<int> ComputedIn32Bits(absl::Span<const NodeToRead> nodes,
                              Graph* graph) {
  HashSet<int> ids;
  for (const NodeToRead& node : nodes) {
    const OpDefinition* op = node.op();
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

// Makes a float64 constant float32 that a CAST makes float32, and constant
// inputs of 8- and 16-bit integers without quantization parameters int32, if
// the op moves them to tensors whose host view is int32, or converts them, as
// CAST does. Others stay as they are.
void ViewConstantsForHost(const Node& node, Graph* graph) {
  const OpDefinition& op = *node.op;
  if (!op.Has(kMovesValues) && !op.Has(kCasts)) return;
  const auto reads_beside = [&](const Tensor& constant) {
    return op.Has(kCasts) || absl::c_any_of(node.outputs, [&](int id) {
             return id >= 0 && graph->tensor(id).host == constant.type &&
                    graph->tensor(id).type == DataType::kInt32;
           });
  };
  for (int id : node.inputs) {
    if (id < 0) continue;
    Tensor& t = graph->tensor(id);
    const bool is_narrowed =
        op.Has(kCasts) && t.type == DataType::kFloat64 &&
        node.outputs.size() == 1 &&
        graph->tensor(node.outputs[0]).stored() == DataType::kFloat32;
    const bool is_widened =
        t.sparsity.empty() && IsPlainSmallInteger(t) && reads_beside(t);
    if (!t.is_constant() || (!is_narrowed && !is_widened)) continue;
    // Floats hold integers of 16 bits exactly.
    const auto values = ConstantFloats(t);
    if (!values.ok() || values->empty()) continue;
    if (is_narrowed) {
      SetValues(*values, DataType::kFloat32, &t);
    } else {
      SetValues(std::vector<int32_t>(values->begin(), values->end()),
                DataType::kInt32, &t);
    }
  }
}

}  // namespace

const OpDefinition* NodeToRead::op() const {
  return FindOp(kernel->builtin_code,
                absl::NullSafeStringView(kernel->custom_name));
}

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

void ChooseInt64Views(absl::Span<const NodeToRead> nodes, Graph* graph) {
  const HashSet<int> in_32_bits = ComputedIn32Bits(nodes, graph);
  HashSet<int> fits_int32 = in_32_bits;
  for (const NodeToRead& node : nodes) {
    const OpDefinition* op = node.op();
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

bool TakesHostView(const OpDefinition& op, const Tensor& tensor,
                   bool is_output) {
  if (tensor.is_complex) return op.Has(kTakesComplex) || op.Has(kKeepsOrder);
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

absl::Status CheckInt64Constant(const OpDefinition& op,
                                const Tensor& constant) {
  if (!ComputesIn32Bits(op) || !IsInt64Constant(constant)) {
    return absl::OkStatus();
  }
  const std::vector<int64_t> values = Int64s(constant);
  const auto great = absl::c_find_if_not(values, FitsInt32);
  if (great == values.end()) return absl::OkStatus();
  return Unimplemented(constant.ToString(), " holds ", *great,
                       "; int64 is computed in 32 bits here");
}

// --- Tensors -----------------------------------------------------------------

namespace {

Quantization ReadQuantization(const TfLiteTensor& tensor) {
  Quantization q;
  q.is_unknown = QuantizationKind(tensor) > kTfLiteAffineQuantization;
  if (QuantizationKind(tensor) != kTfLiteAffineQuantization ||
      tensor.quantization.params == nullptr) {
    return q;
  }
  const auto* affine =
      static_cast<const TfLiteAffineQuantization*>(tensor.quantization.params);
  if (affine->scale != nullptr) {
    q.scale.assign(affine->scale->data,
                   affine->scale->data + affine->scale->size);
  }
  for (int z : ReadInts(affine->zero_point)) q.zero_point.push_back(z);
  q.dimension = affine->quantized_dimension;
  return q;
}

Sparsity ReadSparsity(const TfLiteSparsity* sparsity) {
  Sparsity s;
  if (sparsity == nullptr) return s;
  s.traversal_order = ReadInts(sparsity->traversal_order);
  s.block_map = ReadInts(sparsity->block_map);
  for (int i = 0; i < sparsity->dim_metadata_size; ++i) {
    const TfLiteDimensionMetadata& d = sparsity->dim_metadata[i];
    s.dimensions.push_back({d.format == kTfLiteDimSparseCSR, d.dense_size,
                            ReadInts(d.array_segments),
                            ReadInts(d.array_indices)});
  }
  return s;
}

// Replaces an int4 or int2 constant by the int8 constant of the same values. A
// constant of too few bytes keeps its type, which no op takes.
void Unpack(Tensor* t) {
  const auto bytes = t->constant.bytes();
  const int64_t count = t->shape.elements();
  const int bits = t->type == DataType::kInt4 ? 4 : 2;
  if (count <= 0 || static_cast<int64_t>(bytes.size()) * 8 / bits < count) {
    return;
  }
  t->constant = ConstantData::Own(quant::UnpackInts(bits, bytes, count));
  t->type = DataType::kInt8;
  t->quantization.bits = bits;
}

}  // namespace

DataType TypeOf(TfLiteType type) {
  using T = DataType;
  // By number: some are younger than the headers here.
  static constexpr T kTypes[] = {
      T::kOther,   T::kFloat32, T::kInt32,      T::kUint8,     T::kInt64,
      T::kString,  T::kBool,    T::kInt16,      T::kComplex64, T::kInt8,
      T::kFloat16, T::kFloat64, T::kComplex128, T::kUint64,    T::kResource,
      T::kVariant, T::kUint32,  T::kUint16,     T::kInt4,      T::kBfloat16,
      T::kInt2,    T::kUint4};
  static_assert(kTfLiteVariant == 15, "its place in the table");
  const auto number = static_cast<size_t>(type);
  return number < std::size(kTypes) ? kTypes[number] : T::kOther;
}

HostMemory MemoryOf(const TfLiteTensor& tensor) {
  return {tensor.data.raw, tensor.bytes, tensor.name};
}

ConstantData CopyOf(const TfLiteTensor& tensor, size_t bytes) {
  return ConstantData::Own({tensor.data.raw, tensor.data.raw + bytes});
}

std::vector<int> ReadInts(const TfLiteIntArray* array) {
  if (array == nullptr) return {};
  return std::vector<int>(array->data, array->data + array->size);
}

std::vector<int> ReadPresent(const TfLiteIntArray* tensors) {
  std::vector<int> ids = ReadInts(tensors);
  ids.erase(std::remove(ids.begin(), ids.end(), kTfLiteOptionalTensor),
            ids.end());
  return ids;
}

int QuantizationKind(const TfLiteTensor& tensor) {
  int kind = 0;
  static_assert(sizeof(kind) == sizeof(tensor.quantization.type), "an int");
  std::memcpy(&kind, &tensor.quantization.type, sizeof(kind));
  return kind;
}

Tensor ReadTensor(const TfLiteTensor& tensor, int index) {
  Tensor t;
  t.name =
      tensor.name == nullptr ? absl::StrCat("tensor ", index) : tensor.name;
  t.type = TypeOf(tensor.type);
  t.SetDims(ReadInts(tensor.dims));
  t.quantization = ReadQuantization(tensor);
  t.sparsity = ReadSparsity(tensor.sparsity);
  t.is_variable = tensor.is_variable;
  t.tflite_index = index;
  if (tensor.allocation_type == kTfLiteMmapRo && tensor.data.raw != nullptr) {
    t.constant = ConstantData::Borrow(
        {reinterpret_cast<const uint8_t*>(tensor.data.raw), tensor.bytes});
    if (t.type == DataType::kInt4 || t.type == DataType::kInt2) Unpack(&t);
  } else if (tensor.type == kTfLiteComplex64 && !t.dims.empty() &&
             t.dims.back() <= std::numeric_limits<int>::max() / 2) {
    t.is_complex = true;
    t.type = DataType::kFloat32;
    t.always_float32 = true;
    t.dims.back() *= 2;
    t.shape = Shape::FromDims(t.dims);
  }
  return t;
}

namespace {

// "": a runtime newer than the list has it.
absl::string_view BuiltinName(int code) {
  switch (code) {
#define BUILTIN(name, value) \
  case value:                \
    return #name;
#include "delegate/graph/builtin_names.inc"
#undef BUILTIN
    default:
      return "";
  }
}

// Gives an integer bias its float view, if it is a quantized constant. Other
// integer constants are plain numbers.
bool ViewIfQuantized(Tensor* bias) {
  if ((bias->type != DataType::kInt32 && bias->type != DataType::kInt64) ||
      !bias->is_constant() || !CheckQuantization(*bias).ok()) {
    return false;
  }
  ViewAsFloat(bias);
  return true;
}

// TFLite's integer kernels add an integer bias to sums of products, whatever it
// says of itself. One that the model gives no scale gets the products', as a
// tensor of the node's own, as other nodes may have it on another scale.
void ViewBiasAsFloat(Graph* graph, Node* node) {
  const int input = InputOfType(*node->op, 's');
  if (input < 0 || input >= static_cast<int>(node->inputs.size()) ||
      node->inputs[input] == kNoTensor ||
      ViewIfQuantized(&graph->tensor(node->inputs[input]))) {
    return;
  }
  const TensorId data_id = node->inputs[InputNamed(*node->op, "x")];
  const TensorId weights_id = node->inputs[1];
  if (data_id == kNoTensor || weights_id == kNoTensor) return;
  Tensor bias = graph->tensor(node->inputs[input]);
  const Tensor& data = graph->tensor(data_id);
  const Tensor& weights = graph->tensor(weights_id);
  if (!bias.quantization.empty() || !data.is_float_view() ||
      !weights.is_float_view()) {
    return;
  }
  for (float scale : weights.quantization.scale) {
    bias.quantization.scale.push_back(data.quantization.scale[0] * scale);
  }
  bias.quantization.zero_point = {0};
  bias.tflite_index = -1;
  if (ViewIfQuantized(&bias)) {
    node->inputs[input] = graph->AddTensor(std::move(bias));
  }
}

}  // namespace

std::string OpName(const TfLiteRegistration& registration) {
  if (registration.builtin_code == BuiltinOperator_CUSTOM) {
    return absl::StrCat("CUSTOM ",
                        registration.custom_name == nullptr
                            ? "(unnamed)"
                            : PrintableName(registration.custom_name));
  }
  const absl::string_view name = BuiltinName(registration.builtin_code);
  return name.empty() ? absl::StrCat("builtin op ", registration.builtin_code)
                      : std::string(name);
}

absl::StatusOr<Node> ParseNode(const OpDefinition& op, const NodeToRead& read,
                               const ReadOptions& options, Graph* graph) {
  Node node;
  node.op = &op;
  node.inputs = read.inputs;
  node.outputs = read.outputs;
  ViewConstantsForHost(node, graph);
  RETURN_IF_ERROR(ReadHybridWeights(graph, &node));
  if (options.enable_quantization) ViewBiasAsFloat(graph, &node);
  NodeView view;
  view.builtin_code = read.kernel->builtin_code;
  view.custom_name = absl::NullSafeStringView(read.kernel->custom_name);
  view.version = read.kernel->version;
  view.builtin_params = read.node.builtin_data;
  view.custom_params = {
      static_cast<const uint8_t*>(read.node.custom_initial_data),
      static_cast<size_t>(std::max(0, read.node.custom_initial_data_size))};
  view.params_minor = options.params_minor;
  view.traits = options.traits;
  for (TensorId id : node.inputs) {
    view.inputs.push_back(id == kNoTensor ? nullptr : &graph->tensor(id));
  }
  for (TensorId id : node.outputs) {
    if (id < 0) {
      return Invalid("one of its outputs is absent, which no op here takes");
    }
    view.outputs.push_back(&graph->tensor(id));
  }
  ASSIGN_OR_RETURN(auto parsed, ParseOp(op, view));
  node.attributes = std::move(parsed.attributes);
  node.post_ops = std::move(parsed.post_ops);
  // Parsers name operands by their place among the inputs.
  for (PostOp& post : node.post_ops) {
    if (post.operand != kNoTensor) post.operand = node.inputs[post.operand];
  }
  return node;
}

}  // namespace gles_delegate

#include "delegate/ops/elementwise/elementwise.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/base/casts.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_codes.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/graph/constant_values.h"
#include "delegate/graph/float_view.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/dispatches.h"
#include "delegate/ops/movement/gather.h"
#include "delegate/ops/movement/remap.h"
#include "delegate/ops/op_list.h"

namespace gles_delegate {

namespace {

std::vector<int> FilledToRank(absl::Span<const int> dims, size_t rank) {
  std::vector<int> filled(rank - std::min(rank, dims.size()), 1);
  filled.insert(filled.end(), dims.begin(), dims.end());
  return filled;
}

// The axes that are the batch.
absl::Span<const int> Leading(absl::Span<const int> dims) {
  return dims.first(dims.size() - std::min<size_t>(dims.size(), 3));
}

// The input in a shape by AlignedShape().
absl::StatusOr<TensorId> Aligned(Planner* planner, TensorId id,
                                 const Shape& shape, TensorId output) {
  const Tensor tensor = planner->tensor(id);  // by value: AddX moves tensors
  if (tensor.shape.elements() == shape.elements()) {
    return AsShape(planner, id, shape);
  }
  const std::vector<int>& dims = planner->tensor(output).dims;
  const std::vector<int> filled = FilledToRank(tensor.dims, dims.size());
  std::vector<AxisMove> batch;
  for (size_t i = 0; i < Leading(dims).size(); ++i) {
    batch.push_back({filled[i], dims[i]});
  }
  const TensorId repeated = planner->AddTemporary(
      absl::StrCat(tensor.name, " repeated"), shape, tensor.type);
  RETURN_IF_ERROR(
      AddGather(planner, id, repeated, kBatchAxis, LinearSources(batch)));
  return repeated;
}

// `dims` extended by 1 from the left to the output's rank: [W,C] with [B,H,W,C]
// becomes 1,1,W,C, though its own shape is W,1,1,C. Axes then broadcast
// independently. Above rank 4, a tensor that broadcasts along some axes of the
// batch alone has the output's batch: planning repeats it. The dims broadcast
// to the output's.
Shape AlignedShape(absl::Span<const int> dims,
                   absl::Span<const int> output_dims) {
  const std::vector<int> filled = FilledToRank(dims, output_dims.size());
  Shape shape = Shape::FromDims(filled);
  if (shape.b != 1 && Leading(filled) != Leading(output_dims)) {
    shape.b = Shape::FromDims(output_dims).b;
  }
  return shape;
}

// The function of the node's row, with its parameters.
PostOp FunctionOf(const NodeView& node) {
  const OpDefinition& op = *FindOp(node.builtin_code, node.custom_name);
  const std::vector<std::string> words = absl::StrSplit(op.function, ' ');
  PostOp function{words[0]};
  for (size_t i = 1; i < words.size(); ++i) {
    (void)absl::SimpleAtof(words[i], &function.params[i - 1]);
  }
  function.operand_first = op.Has(kSwapsOperands);
  return function;
}

// For ops that are not post-ops: binds inputs 0, 1, ... of `d` as names[0],
// names[1], ..., each in its aligned shape, for reads clamped to its size; and
// defines LANES_<NAME>, the swizzle that broadcasts a single channel. Writes
// output 0, as "dst".
absl::Status BindBroadcast(const Node& node, absl::Span<const Shape> aligned,
                           absl::Span<const char* const> names,
                           Planner* planner, Dispatch* d) {
  const Shape to = planner->shape(node.outputs[0]);
  for (size_t i = 0; i < names.size(); ++i) {
    ASSIGN_OR_RETURN(auto input, Aligned(planner, node.inputs[i], aligned[i],
                                         node.outputs[0]));
    d->Read(names[i], input);
    d->Define(absl::StrCat("LANES_", absl::AsciiStrToUpper(names[i])),
              aligned[i].c == 1 && to.c > 1 ? "xxxx" : "xyzw");
  }
  d->Write("dst", node.outputs[0]).OverTexels(to);
  return absl::OkStatus();
}

}  // namespace

// For nodes with ElementwiseAttributes.
absl::Status PlanElementwise(const Node& node, Planner* planner) {
  const auto attributes = node.Get<ElementwiseAttributes>();
  ASSIGN_OR_RETURN(auto source,
                   Aligned(planner, node.inputs[attributes.source],
                           attributes.source_shape, node.outputs[0]));
  Dispatch d = TexelDispatch("copy", source, node.outputs[0], *planner);
  for (const RealignedFunction& f : attributes.functions) {
    PostOp op = f.function;
    if (op.operand != kNoTensor) {
      ASSIGN_OR_RETURN(op.operand, Aligned(planner, node.inputs[op.operand],
                                           f.operand_shape, node.outputs[0]));
    }
    d.post_ops.push_back(std::move(op));
  }
  if (attributes.source_shape.c == 1 && planner->shape(node.outputs[0]).c > 1) {
    d.Define("SPLAT");
  }
  return planner->Add(std::move(d));
}

TensorId SourceOfFunctions(const Graph& graph, const Node& node) {
  const auto* a = node.As<ElementwiseAttributes>();
  if (a == nullptr || !a->functions.empty()) return kNoTensor;
  const TensorId source = node.inputs[a->source];
  return graph.tensor(source).shape == a->source_shape ? source : kNoTensor;
}

bool IsPlainElementwise(const Graph& graph, const Node& node) {
  const TensorId source = SourceOfFunctions(graph, node);
  return source != kNoTensor &&
         graph.tensor(source).shape == graph.tensor(node.outputs[0]).shape;
}

namespace {

// The first value of a constant of integers that `is_bad`; nullopt: none.
absl::StatusOr<std::optional<int>> FirstThat(const Tensor& tensor,
                                             bool (*is_bad)(int)) {
  if (!IsIntegers(tensor) || !tensor.is_constant()) return std::nullopt;
  ASSIGN_OR_RETURN(auto values, ConstantInts(tensor));
  const auto bad = std::find_if(values.begin(), values.end(), is_bad);
  return bad == values.end() ? std::nullopt : std::optional(*bad);
}

// TFLite's kernels fail at a divisor of 0, and at an exponent of integers below
// 0. One that the model holds is refused; what comes at run time cannot be.
// Int64 is computed in 32 bits: products by great constants, as hashes form
// them, pass these.
absl::Status CheckOperands(const NodeView& node) {
  constexpr int kMaxFactor = 1 << 15;
  const Tensor& y = *node.inputs[1];
  switch (node.builtin_code) {
    case BuiltinOperator_DIV:
    case BuiltinOperator_FLOOR_DIV:
    case BuiltinOperator_FLOOR_MOD: {
      ASSIGN_OR_RETURN(auto bad, FirstThat(y, [](int v) { return v == 0; }));
      if (bad) return Invalid("the divisor ", y.ToString(), " holds 0");
      break;
    }
    case BuiltinOperator_POW: {
      ASSIGN_OR_RETURN(auto bad, FirstThat(y, [](int v) { return v < 0; }));
      if (bad) return Invalid("the exponent ", y.ToString(), " holds ", *bad);
      break;
    }
    case BuiltinOperator_MUL:
    case BuiltinOperator_STABLEHLO_MULTIPLY:
      if (node.outputs[0]->host != DataType::kInt64) break;
      for (const Tensor* factor : node.inputs) {
        ASSIGN_OR_RETURN(auto great, FirstThat(*factor, [](int v) {
                           return v < -kMaxFactor || v > kMaxFactor;
                         }));
        if (!great) continue;
        return Unimplemented("the factor ", factor->ToString(), " holds ",
                             *great,
                             "; int64 is computed in 32 bits here, and factors "
                             "past ",
                             kMaxFactor, " stay on the CPU");
      }
      break;
    default:
      break;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<PostOp>> ActivationOf(const NodeView& node) {
  switch (node.builtin_code) {
    case BuiltinOperator_ADD:
    case BuiltinOperator_SUB:
    case BuiltinOperator_MUL:
    case BuiltinOperator_DIV: {
      ASSIGN_OR_RETURN(auto params, node.Get<ActivationParams>());
      return FusedActivation(params->activation);
    }
    default:
      return std::vector<PostOp>{};
  }
}

// TFLite's pot_scale_int16, which ADD and SUB alone have.
bool ShiftsQuantized(const NodeView& node) {
  const bool has_them = node.builtin_code == BuiltinOperator_ADD ||
                        node.builtin_code == BuiltinOperator_SUB;
  if (!has_them) return false;
  auto params = node.Get<AddParams>();
  return params.ok() && (*params)->pot_scale_int16 != 0;
}

// The tensor to copy: preferably a computed one that is not broadcast.
int ChooseSource(const NodeView& node, const std::array<Shape, 2>& aligned) {
  const Shape& output = node.outputs[0]->shape;
  const auto rank = [&](int i) {
    return (node.inputs[i]->is_constant() ? 2 : 0) +
           (aligned[i] == output ? 0 : 1);
  };
  return rank(1) < rank(0) ? 1 : 0;
}

// A constant of one element goes into the function's params: no binding.
absl::StatusOr<bool> TakeScalar(const Tensor& operand, PostOp* function) {
  if (!operand.is_constant() || operand.shape.elements() != 1) return false;
  if (IsIntegers(operand)) {
    constexpr int kMaxExact = 1 << 24;  // past it, floats skip integers
    ASSIGN_OR_RETURN(auto ints, ConstantInts(operand));
    if (ints.front() < -kMaxExact || ints.front() > kMaxExact) return false;
  }
  ASSIGN_OR_RETURN(auto values, ConstantFloats(operand));
  function->params[0] = values[0];
  function->params[1] = function->operand_first ? 1 : 0;
  function->operand = kNoTensor;
  function->operand_first = false;
  return true;
}

// The node as f(inputs[0], inputs[1]), or as f(inputs[1], inputs[0]) with
// `function.operand_first`; with `first_is_source` the first input is the
// copied one.
// Shared by PRELU and the functions above.
absl::StatusOr<ParsedNode> ParseFunctionOfTwo(const NodeView& node,
                                              const PostOp& function,
                                              bool first_is_source) {
  const Tensor& output = *node.outputs[0];
  std::array<Shape, 2> aligned;
  for (int i = 0; i < 2; ++i) {
    aligned[i] = AlignedShape(node.inputs[i]->dims, output.dims);
  }
  const int source = first_is_source ? 0 : ChooseSource(node, aligned);
  const int other = 1 - source;
  PostOp op = function;
  op.operand = other;
  op.operand_first = (source == 1) != function.operand_first;
  ASSIGN_OR_RETURN(auto scalar, TakeScalar(*node.inputs[other], &op));

  ParsedNode parsed;
  ElementwiseAttributes attributes;
  attributes.source = source;
  attributes.shifts_quantized = ShiftsQuantized(node);
  attributes.source_shape = aligned[source];
  const bool as_it_is = aligned[source] == node.inputs[source]->shape &&
                        (scalar || aligned[other] == node.inputs[other]->shape);
  if (as_it_is) {
    parsed.post_ops.push_back(std::move(op));
  } else {
    attributes.functions.push_back({std::move(op), aligned[other]});
  }
  parsed.attributes = std::move(attributes);
  return parsed;
}

}  // namespace

// y = f(x).
absl::StatusOr<ParsedNode> ParseUnary(const NodeView& node) {
  PostOp op = FunctionOf(node);
  if (node.builtin_code == BuiltinOperator_LEAKY_RELU) {
    ASSIGN_OR_RETURN(auto params, node.Get<LeakyReluParams>());
    op.params[0] = params->alpha;
  }
  if (node.builtin_code == BuiltinOperator_GELU) {
    ASSIGN_OR_RETURN(auto params, node.Get<GeluParams>());
    if (params->approximate) op.function = "gelu_tanh";
  }
  ElementwiseAttributes attributes;
  attributes.source_shape = node.inputs[0]->shape;
  return ParsedNode{attributes, {std::move(op)}};
}

absl::StatusOr<ParsedNode> ParseBinary(const NodeView& node) {
  ASSIGN_OR_RETURN(auto parsed, ParseFunctionOfTwo(node, FunctionOf(node),
                                                   /*first_is_source=*/false));
  RETURN_IF_ERROR(CheckOperands(node));
  ASSIGN_OR_RETURN(auto activation, ActivationOf(node));
  if (IsIntegers(*node.outputs[0]) && !activation.empty() &&
      activation.front().function != "clamp") {
    return Unimplemented("a fused activation that is not of int32");
  }
  parsed.post_ops.insert(parsed.post_ops.end(), activation.begin(),
                         activation.end());
  return parsed;
}

absl::Status PlanAddN(const Node& node, Planner* planner) {
  // Two operands a dispatch: with source and result, the four images that a
  // minimal device binds.
  constexpr size_t kOperands = 2;
  const Tensor& output = planner->tensor(node.outputs[0]);
  TensorId sum = node.inputs[0];
  size_t next = 1;
  do {
    const size_t end = std::min(node.inputs.size(), next + kOperands);
    const TensorId dst =
        end == node.inputs.size()
            ? node.outputs[0]
            : planner->AddTemporary("partial sum", output.shape, output.type);
    Dispatch d = TexelDispatch("copy", sum, dst, *planner);
    for (; next < end; ++next) {
      d.post_ops.push_back({"add", {}, node.inputs[next]});
    }
    RETURN_IF_ERROR(planner->Add(std::move(d)));
    sum = dst;
  } while (next < node.inputs.size());
  return absl::OkStatus();
}

// PRELU: y = x < 0 ? alpha * x : x. Alpha, constant or not, is broadcast to x
// by TFLite's rule (aligned from the right; mostly [1,1,C]).
absl::StatusOr<ParsedNode> ParsePrelu(const NodeView& node) {
  return ParseFunctionOfTwo(node, PostOp{"prelu"}, /*first_is_source=*/true);
}

// --- Comparisons, SELECT, SELECT_V2 ------------------------------------------

namespace {

// Types that the kernels scale in integers.
bool IsScaled(const Tensor& tensor) {
  return IsQuantizedType(tensor.quantized) && !tensor.quantization.empty() &&
         !tensor.quantization.per_channel();
}

// Other types are compared as real values, which is exact only for
// equal quantizations.
absl::Status CheckQuantizations(const Tensor& a, const Tensor& b) {
  const bool quantized = a.is_float_view() || b.is_float_view();
  if (!quantized || (SameQuantized(a, b) && !a.quantization.per_channel())) {
    return absl::OkStatus();
  }
  return Unimplemented("compares ", a.ToString(), " and ", b.ToString(),
                       ", whose quantizations differ");
}

// How the steps of both sides, (value - zero point), are scaled: with 8 extra
// bits.
absl::Status SetMultipliers(const Tensor& a, const Tensor& b,
                            ComparisonAttributes* attributes) {
  const Tensor* sides[] = {&a, &b};
  for (int i = 0; i < 2; ++i) {
    const float scale = sides[i]->quantization.scale[0];
    attributes->multipliers[i] = quant::MultiplierOf(double{scale});
    if (attributes->multipliers[i].shift > 30) {
      return Unimplemented(sides[i]->ToString(), " has the scale ", scale,
                           "; TFLite's kernel takes less than 2^30");
    }
  }
  attributes->of_quantized = true;
  return absl::OkStatus();
}

void ScaleSides(const Node& node, const ComparisonAttributes& attributes,
                const Planner& planner, Dispatch* d) {
  d->Define("RESCALE", "op_rescale");
  constexpr const char* kNames[] = {"scaling_a", "scaling_b"};
  for (int i = 0; i < 2; ++i) {
    // One quantization step in the shader's values.
    const float step =
        node.integer_path
            ? 1
            : planner.tensor(node.inputs[i]).quantization.scale[0];
    const quant::Multiplier& m = attributes.multipliers[i];
    d->uniforms.Int4(kNames[i], m.value, m.shift, absl::bit_cast<int>(step), 0);
  }
}

}  // namespace

absl::StatusOr<ParsedNode> ParseComparison(const NodeView& node) {
  const Tensor& a = *node.inputs[0];
  const Tensor& b = *node.inputs[1];
  const Tensor& output = *node.outputs[0];
  ComparisonAttributes attributes;
  if (IsScaled(a) && IsScaled(b) && a.quantized == b.quantized) {
    RETURN_IF_ERROR(SetMultipliers(a, b, &attributes));
  } else {
    RETURN_IF_ERROR(CheckQuantizations(a, b));
  }
  attributes.function = FindOp(node.builtin_code, "")->function;
  for (int i = 0; i < 2; ++i) {
    attributes.aligned[i] = AlignedShape(node.inputs[i]->dims, output.dims);
  }
  return ParsedNode{attributes};
}

absl::Status PlanComparison(const Node& node, Planner* planner) {
  const auto& attributes = node.Get<ComparisonAttributes>();
  Dispatch d("comparison");
  d.Define("COMPARE", attributes.function);
  constexpr const char* kNames[] = {"a", "b"};
  RETURN_IF_ERROR(BindBroadcast(node, attributes.aligned, kNames, planner, &d));
  if (attributes.of_quantized) ScaleSides(node, attributes, *planner, &d);
  return AddInLightGroups(std::move(d), planner);
}

// --- SELECT, SELECT_V2 -------------------------------------------------------

absl::StatusOr<ParsedNode> ParseSelect(const NodeView& node) {
  std::vector<int> condition = node.inputs[0]->dims;
  // SELECT's vector is of the first axis.
  if (node.builtin_code == BuiltinOperator_SELECT && condition.size() == 1) {
    condition.resize(node.inputs[1]->dims.size(), 1);
  }
  const std::vector<int>& to = node.outputs[0]->dims;
  return ParsedNode{SelectAttributes{{AlignedShape(condition, to),
                                      AlignedShape(node.inputs[1]->dims, to),
                                      AlignedShape(node.inputs[2]->dims, to)}}};
}

absl::Status PlanSelect(const Node& node, Planner* planner) {
  const auto& attributes = node.Get<SelectAttributes>();
  Dispatch d("select");
  constexpr const char* kNames[] = {"condition", "a", "b"};
  RETURN_IF_ERROR(BindBroadcast(node, attributes.aligned, kNames, planner, &d));
  return AddInLightGroups(std::move(d), planner);
}

// --- Sums of int16 values ----------------------------------------------------

namespace {

constexpr int kMaxInt16Sums = 8;

struct Int16SumsAttributes {
  // Input i is multiplied by 2^shifts[i], 0 to 31; two, four or eight inputs of
  // the output's shape.
  std::vector<int> shifts;
};

absl::Status PlanInt16Sums(const Node& node, Planner* planner) {
  const auto& a = node.Get<Int16SumsAttributes>();
  const size_t parts = a.shifts.size();
  const Shape to = planner->shape(node.outputs[0]);
  constexpr const char* kNames[kMaxInt16Sums] = {"a", "b", "c", "d",
                                                 "e", "f", "g", "h"};
  Dispatch d("int16_sums");
  d.Define("PARTS", static_cast<int>(parts));
  d.Define("RESCALE_64", "op_rescale_64");
  if (planner->shape(node.inputs[parts]).c == 1 && to.c > 1) {
    d.Define("ONE_ROW");
  }
  std::array<int, kMaxInt16Sums> shifts = {};
  for (size_t i = 0; i < parts; ++i) {
    d.Read(kNames[i], node.inputs[i]);
    shifts[i] = a.shifts[i];
  }
  d.Read("rows", node.inputs[parts]).Write("dst", node.outputs[0]);
  d.uniforms.Int4("shifts", shifts[0], shifts[1], shifts[2], shifts[3]);
  d.uniforms.Int4("more_shifts", shifts[4], shifts[5], shifts[6], shifts[7]);
  d.OverTexels(to);
  return AddInLightGroups(std::move(d), planner);
}

}  // namespace

Node Int16Sums(const Node& of, const std::vector<TensorId>& parts,
               const std::vector<int>& shifts, TensorId rows, TensorId to) {
  static constexpr OpDefinition op =
      OpOfPasses("SUMS_OF_16_BITS", PlanInt16Sums);
  Node node = Node::Of(&op, parts, {to}, Int16SumsAttributes{shifts});
  node.tflite_index = of.tflite_index;
  node.inputs.push_back(rows);
  node.integer_path = true;
  return node;
}

// --- CAST --------------------------------------------------------------------

// CAST between float32, int32 and bool. To int32: truncates; saturates, with
// NaN as the maximum, as later TFLite kernels do (2.9 has undefined behaviour).
// To bool: whether the value is not 0 (NaN is true). To float32: nearest; with
// 16-bit storage infinite past 65504. Refuses float views, for which TFLite
// casts the quantized values.

absl::StatusOr<ParsedNode> ParseCast(const NodeView& node) {
  const Tensor& input = *node.inputs[0];
  const Tensor& output = *node.outputs[0];
  for (const Tensor* tensor : {&input, &output}) {
    if (tensor->is_float_view()) {
      return Unimplemented(
          tensor->ToString(),
          " is quantized, and CAST works on its quantized values");
    }
    const Tensor& other = tensor == &input ? output : input;
    if (tensor->host == DataType::kFloat64 &&
        other.stored() != DataType::kFloat32) {
      return Unimplemented(
          tensor->ToString(),
          " is read and written as float32 here, so that only CASTs from and "
          "to float32 run");
    }
  }
  if (input.host == DataType::kInt64 && !IsIntegers(input) &&
      IsIntegers(output) && output.type != DataType::kBool) {
    return Unimplemented(
        input.ToString(),
        " is read as float32, since another CAST makes floats of "
        "it; floats do not hold every integer");
  }
  return ParsedNode{node.traits};
}

namespace {

// The conversion for the type in the runtime's memory, since nodes on the GPU
// may read the values as well.
void DefineHostType(const Tensor& to, const quant::KernelTraits& kernels,
                    bool from_floats, Dispatch* d) {
  const auto integers = [&](const quant::KernelTraits::Cast& cast,
                            const char* wrap, int bits, int low) {
    if (!from_floats || !cast.saturates) {
      d->Define(wrap, bits);
      return;
    }
    d->Define("SATURATE_LOW", low);
    d->Define("SATURATE_HIGH", low + (1 << bits) - 1);
    d->Define("OF_NAN", cast.of_nan);
  };
  if (to.host == DataType::kInt8) {
    integers(kernels.to_int8, "WRAP_SIGNED", 8, -128);
  } else if (to.host == DataType::kUint8) {
    integers(kernels.to_uint8, "WRAP_UNSIGNED", 8, 0);
  } else if (to.host == DataType::kInt16) {
    integers(kernels.to_int16, "WRAP_SIGNED", 16, -32768);
  } else if (to.host == DataType::kUint16) {
    d->Define("WRAP_UNSIGNED", 16);
  } else if (to.host == DataType::kFloat16) {
    d->Define("ROUND_TO_HALF");
  } else if (to.host == DataType::kInt64 && !IsIntegers(to)) {
    d->Define("TRUNCATE");
  }
}

}  // namespace

absl::Status PlanCast(const Node& node, Planner* planner) {
  const Tensor& from = planner->tensor(node.inputs[0]);
  const Tensor& to = planner->tensor(node.outputs[0]);
  Dispatch d = TexelDispatch("cast", node, *planner);
  if (!IsIntegers(from)) d.Define("FROM_FLOAT");
  if (!IsIntegers(to)) d.Define("TO_FLOAT");
  if (to.type == DataType::kBool) d.Define("TO_BOOL");
  const auto* kernels = node.As<quant::KernelTraits>();
  DefineHostType(to, kernels != nullptr ? *kernels : quant::KernelTraits(),
                 !IsIntegers(from), &d);
  return AddInLightGroups(std::move(d), planner);
}

// DEQUANTIZE and QUANTIZE. DEQUANTIZE of a constant (mostly 16-bit weights) is
// folded (FoldConstantNode, delegate/partition/plan_partition.h). At run time
// both are copies in the float view (delegate/graph/float_view.h), where every
// tensor holds real values; the simulator of QUANTIZE's output rounds. QUANTIZE
// from int16 to int32 uses TFLite's integer arithmetic, since floats cannot
// hold such values.

absl::StatusOr<ParsedNode> ParseDequantize(const NodeView& node) {
  const Tensor& input = *node.inputs[0];
  if (input.is_constant()) return ParsedNode{};
  RETURN_IF_ERROR(CheckElementType(input, "input", "fq"));
  // In the float view the input holds real values already: a copy.
  return ParsedNode{ElementwiseAttributes{0, input.shape, {}}};
}

namespace {

// Of QUANTIZE from int16 to int32.
struct RequantizeAttributes {
  float scale = 1;  // of the input's quantized values
  quant::Multiplier multiplier;
  int zero_point = 0;  // of the output
};

// QUANTIZE to int32, which TFLite takes of int16 alone: its integers, not those
// of the float view, whose floats do not hold them.
absl::StatusOr<ParsedNode> ParseToInt32(const NodeView& node) {
  const Tensor& from = *node.inputs[0];
  const Tensor& to = *node.outputs[0];
  const auto one_scale = [](const Tensor& tensor) {
    return tensor.quantization.scale.size() == 1 &&
           tensor.quantization.zero_point.size() == 1;
  };
  if (from.quantized != DataType::kInt16 || from.is_constant() ||
      !one_scale(from) || !one_scale(to)) {
    return Unimplemented(
        from.ToString(), " to ", to.ToString(),
        ": to int32, only int16 activations of one scale are quantized");
  }
  const float scale = from.quantization.scale[0];
  const quant::Multiplier multiplier = quant::MultiplierOf(
      quant::QuantizeScale(scale, to.quantization.scale[0]));
  // A quantized value shifted left by this many bits fits 32 bits.
  constexpr int kMaxShift = 15;
  if (multiplier.shift > kMaxShift) {
    return Unimplemented(
        "the scale ", scale, " over ", to.quantization.scale[0],
        " is 2^15 or more, on which TFLite's arithmetic overflows");
  }
  return ParsedNode{RequantizeAttributes{
      scale, multiplier, static_cast<int>(to.quantization.zero_point[0])}};
}

absl::Status PlanToInt32(const Node& node, const RequantizeAttributes& a,
                         Planner* planner) {
  Dispatch d = TexelDispatch("requantize_int32", node, *planner);
  d.Define("CODE_OF", "op_code_of").Define("RESCALE", "op_rescale");
  d.uniforms.Float("scale", a.scale);
  d.uniforms.Int("multiplier", a.multiplier.value);
  d.uniforms.Int("shift", a.multiplier.shift);
  d.uniforms.Int("zero_point", a.zero_point);
  return AddInLightGroups(std::move(d), planner);
}

}  // namespace

absl::StatusOr<ParsedNode> ParseQuantize(const NodeView& node) {
  if (node.outputs[0]->type == DataType::kInt32) return ParseToInt32(node);
  if (!node.outputs[0]->is_float_view()) {
    return Invalid(node.outputs[0]->ToString(),
                   " carries no quantization parameters");
  }
  // A copy; the simulator that follows every quantized output is the op.
  return ParsedNode{ElementwiseAttributes{0, node.inputs[0]->shape, {}}};
}

absl::Status PlanDequantize(const Node& node, Planner* planner) {
  return planner->tensor(node.inputs[0]).is_constant()
             ? PlanFoldedConstant(node, planner)
             : PlanElementwise(node, planner);
}

absl::Status PlanQuantize(const Node& node, Planner* planner) {
  const auto* to_int32 = node.As<RequantizeAttributes>();
  return to_int32 != nullptr ? PlanToInt32(node, *to_int32, planner)
                             : PlanElementwise(node, planner);
}

// Ok, without a dispatch, if all outputs are constants.
absl::Status PlanFoldedConstant(const Node& node, Planner* planner) {
  for (TensorId id : node.outputs) {
    if (planner->tensor(id).is_constant()) continue;
    return Unimplemented(planner->tensor(id).ToString(),
                         " is no constant after folding; only constants are "
                         "supported");
  }
  return absl::OkStatus();
}

}  // namespace gles_delegate

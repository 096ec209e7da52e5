// The integer path of 8-bit models, as an alternative to the float view
// (docs/quantization.md).
//
// Activations that the float view would round are stored as quantized values,
// one byte each. The ops with a recipe (recipe.h) compute on (quantized
// value - zero point): small integers, whose products and sums floats hold
// exactly up to 2^24. They rescale sums as TFLite's integer kernels do
// (quant/fixed_point.h), or use tables (quant/code_table.h). Ops that move
// values move quantized values. Other ops keep their float view: they read
// value * scale and round what they write.
//
// Those of 16-bit activations use integer arithmetic, too, on tensors of real
// values.
//
// `graph` is as read, with simulators. A node that the device cannot run in
// integers, or whose parameters are not known to match TFLite's arithmetic,
// stays as it is.
#include "delegate/passes/integer_path/recipe.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/base/casts.h"
#include "absl/strings/str_cat.h"
#include "delegate/graph/float_view.h"
#include "delegate/graph/op.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/op_list.h"
#include "delegate/plan/planner.h"

namespace gles_delegate::integer_path {
namespace {

template <typename T>
TensorId NewConstant(std::string name, DataType type, std::vector<int> dims,
                     const std::vector<T>& values, Graph* graph) {
  Tensor tensor;
  tensor.name = std::move(name);
  tensor.type = type;
  tensor.SetDims(std::move(dims));
  tensor.constant = ConstantData::Of(values);
  return graph->AddTensor(std::move(tensor));
}

// True for one output with the simulator of its quantization as the last
// post-op.
bool EndsInSimulator(const Node& node) {
  return node.outputs.size() == 1 && !node.post_ops.empty() &&
         node.post_ops.back().function == "quantize";
}

}  // namespace

// --- Tensors -----------------------------------------------------------------

bool HoldsQuantized(const Graph& graph, TensorId id) {
  return id != kNoTensor && graph.tensor(id).holds_quantized;
}

bool IsInt16(const Tensor& tensor) {
  const Quantization& q = tensor.quantization;
  return tensor.quantized == DataType::kInt16 && !tensor.is_constant() &&
         q.scale.size() == 1 && q.zero_point[0] == 0;
}

quant::AffineQuantized AffineQuantizedOf(const Tensor& tensor) {
  return {tensor.quantization.scale[0],
          static_cast<int32_t>(tensor.quantization.zero_point[0]),
          RangeOf(tensor.stored())};
}

TensorId AsQuantized(Graph* graph, TensorId id) {
  Tensor tensor = graph->tensor(id);
  Quantization& q = tensor.quantization;
  absl::c_fill(q.scale, 1.0f);
  if (tensor.quantized == DataType::kInt32) {
    absl::c_fill(q.zero_point, 0);
  }
  return graph->AddTensor(std::move(tensor));
}

PostOp ShiftOf(const Tensor& from, const Tensor& to) {
  const int64_t shift =
      from.quantization.zero_point[0] - to.quantization.zero_point[0];
  return PostOpOf("add", shift);
}

// --- Multipliers -------------------------------------------------------------

std::array<float, 4> AsParams(const quant::Multiplier& m, float last) {
  return {static_cast<float>(m.value >> 15),
          static_cast<float>(m.value & 0x7fff), static_cast<float>(m.shift),
          last};
}

// --- Nodes -------------------------------------------------------------------

QuantizedNode::QuantizedNode(Rewriter& r, int n)
    : node(r.node(n)), c(r.context()), graph(r.graph()) {
  ends_in_quantized =
      EndsInSimulator(node) && (out().holds_quantized || IsInt16(out()));
}

bool QuantizedNode::EndsAfter(size_t functions) const {
  return ends_in_quantized && node.post_ops.size() == functions + 1;
}

std::optional<PostOp> QuantizedNode::Clamp(size_t functions) const {
  const bool activation = EndsAfter(functions + 1);
  if (!activation && !EndsAfter(functions)) return std::nullopt;
  const quant::AffineQuantized to = AffineQuantizedOf(out());
  float low = static_cast<float>(to.range.low - to.zero_point);
  float high = static_cast<float>(to.range.high - to.zero_point);
  if (activation) {
    const PostOp& op = node.post_ops[functions];
    const float zero = 0;  // makes -0 0
    low = std::max(low, std::round(op.params[0] / to.scale) + zero);
    high = std::min(high, std::round(op.params[1] / to.scale) + zero);
    if (op.function != "clamp" || low > high) return std::nullopt;
  }
  return PostOpOf("clamp", low, high);
}

bool QuantizedNode::Holds(TensorId id) const {
  if (id == kNoTensor) return false;
  const Tensor& tensor = graph.tensor(id);
  return tensor.quantized == out().quantized &&
         (tensor.holds_quantized || IsInt16(tensor));
}

bool QuantizedNode::HoldsOrIsConstant(TensorId id) const {
  const Tensor& tensor = graph.tensor(id);
  return Holds(id) ||
         (tensor.is_constant() && tensor.quantized == out().quantized &&
          tensor.quantization.scale.size() == 1 &&
          (!is_int16() || tensor.quantization.zero_point[0] == 0));
}

bool QuantizedNode::Fits(const quant::Multiplier& multiplier) const {
  // Values shifted to the left fit 32 bits; multipliers of 8-bit ones exist.
  return multiplier.shift <= (IsInt16(in()) ? 15 : 30);
}

PostOp QuantizedNode::Requantize(
    const std::vector<quant::Multiplier>& multipliers, quant::Ties ties) const {
  const float up = ties == quant::Ties::kUp ? 1 : 0;
  if (multipliers.size() == 1) {
    return {"requantize_all", AsParams(multipliers[0], up)};
  }
  std::vector<std::array<int32_t, 2>> rows;
  rows.reserve(multipliers.size());
  for (const quant::Multiplier& m : multipliers) {
    rows.push_back({m.value, m.shift});
  }
  PostOp op = WithTable("requantize", rows);
  op.params = {up, 0, 0, 0};
  return op;
}

PostOp QuantizedNode::RequantizeAsFloat(
    const std::vector<float>& scales) const {
  if (scales.size() == 1) return PostOpOf("requantize_float_all", scales[0]);
  std::vector<std::array<int32_t, 2>> rows;
  rows.reserve(scales.size());
  for (float scale : scales) {
    rows.push_back({absl::bit_cast<int32_t>(scale), 0});
  }
  return WithTable("requantize_float", rows);
}

PostOp QuantizedNode::WithTable(
    const char* function,
    const std::vector<std::array<int32_t, 2>>& rows) const {
  std::vector<int32_t> values;
  for (int i : {0, 1}) {
    for (const auto& row : rows) values.push_back(row[i]);
  }
  PostOp op{function};
  op.operand = AddTable("multipliers", 2, values);
  op.operand_as = OperandAs::kTable;
  return op;
}

PostOp QuantizedNode::Lookup(const quant::CodeTable& table,
                             const std::string& name) const {
  const quant::AffineQuantized from = AffineQuantizedOf(in()),
                               to = AffineQuantizedOf(out());
  const bool wide = table.size() > 256;
  PostOp op{wide ? "lookup_int16" : "lookup"};
  if (!wide) {
    op.params[0] = static_cast<float>(from.zero_point - from.range.low);
  }
  op.operand_as = OperandAs::kLookup;
  for (size_t i = 0; i < graph.tensors.size(); ++i) {
    const Tensor& t = graph.tensors[i];
    if (t.tflite_index < 0 && t.is_constant() && t.name == name) {
      op.operand = static_cast<TensorId>(i);
      return op;
    }
  }
  std::vector<float> values;
  for (int32_t code : table) {
    values.push_back(static_cast<float>(code - to.zero_point));
  }
  op.operand = NewConstant(
      name, DataType::kFloat32,
      wide ? std::vector<int>{1, 128, 128, 4} : std::vector<int>{1, 1, 256, 1},
      values, &graph);
  return op;
}

TensorId QuantizedNode::AddConstant(const char* what,
                                    const std::vector<float>& values) const {
  return NewConstant(absl::StrCat(what, " of ", out().name), DataType::kFloat32,
                     {static_cast<int>(values.size())}, values, &graph);
}

TensorId QuantizedNode::AddTable(const char* what, int pixels,
                                 const std::vector<int32_t>& values) const {
  return NewConstant(absl::StrCat(what, " of ", out().name), DataType::kInt32,
                     {1, 1, pixels, static_cast<int>(values.size()) / pixels},
                     values, &graph);
}

TensorId QuantizedNode::AddLike(const Tensor& like, const char* what) const {
  Tensor tensor;
  tensor.name = absl::StrCat(what, " of ", like.name);
  tensor.SetDims(like.dims);
  return graph.AddTensor(std::move(tensor));
}

void QuantizedNode::AddCopy(TensorId source, TensorId to,
                            std::vector<PostOp> post_ops) {
  static constexpr OpDefinition op =
      OpOfPasses("QUANTIZED_OF_16_BITS", PlanElementwise);
  Node copy =
      Node::Of(&op, {source}, {to},
               ElementwiseAttributes{0, graph.tensor(source).shape, {}});
  copy.tflite_index = node.tflite_index;
  copy.post_ops = std::move(post_ops);
  copy.integer_path = true;
  before.push_back(std::move(copy));
}

TensorId QuantizedNode::Read(TensorId id) {
  if (graph.tensor(id).is_constant()) return AsQuantized(&graph, id);
  if (!IsInt16(graph.tensor(id))) return id;
  for (const Node& copy : before) {
    if (copy.inputs[0] == id) return copy.outputs[0];
  }
  const float step = graph.tensor(id).quantization.scale[0];
  const TensorId quantized = AddLike(graph.tensor(id), "quantized");
  AddCopy(id, quantized, {PostOpOf("code_of", step)});
  return quantized;
}

Nodes QuantizedNode::End(Node last, std::vector<PostOp> post_ops) {
  if (is_int16()) post_ops.push_back(PostOpOf("mul", out_scale()));
  last.post_ops = std::move(post_ops);
  last.integer_path = true;
  before.push_back(std::move(last));
  return std::move(before);
}

Nodes QuantizedNode::Function(std::vector<PostOp> post_ops) {
  if (IsInt16(in())) {
    post_ops.insert(post_ops.begin(), PostOpOf("code_of", scale()));
  }
  return End(node, std::move(post_ops));
}

// --- The list ----------------------------------------------------------------

Nodes NoRecipe(QuantizedNode&) { return {}; }

namespace {

Nodes InIntegers(Rewriter& r, int n) {
  struct RecipeOf {
    absl::string_view op;
    Recipe* recipe;
  };
  constexpr RecipeOf kRecipes[] = {
#define ROW(name, code, v, vq, signature, types, parse, plan, traits, \
            function, recipe, note)                                   \
  {name, &(recipe)},
#include "delegate/ops/op_list.inc"
  };
  for (const RecipeOf& row : kRecipes) {
    if (row.op != r.node(n).op->name) continue;
    QuantizedNode q(r, n);
    return row.recipe(q);
  }
  return {};  // of an op that a pass makes
}

// --- The pass ----------------------------------------------------------------

// Tensors that only contain quantized values: the partition's inputs, outputs
// of simulators, and values moved between those.
void HoldQuantized(Graph* graph) {
  const auto hold = [graph](TensorId id) {
    // An 8-bit activation with one scale may be stored as quantized values.
    Tensor& tensor = graph->tensor(id);
    const bool eight_bit = tensor.quantized == DataType::kInt8 ||
                           tensor.quantized == DataType::kUint8;
    tensor.holds_quantized = tensor.is_float_view() && eight_bit &&
                             !tensor.is_constant() && !tensor.is_variable &&
                             tensor.quantization.scale.size() == 1;
  };
  for (TensorId id : graph->inputs) hold(id);
  for (const Node& node : graph->nodes) {
    if (EndsInSimulator(node) || KeepsQuantized(*graph, node)) {
      for (TensorId id : node.outputs) hold(id);
    }
  }
}

bool IsQuantized(const Graph& graph, const std::vector<TensorId>& ids) {
  return absl::c_any_of(
      ids, [&](TensorId id) { return graph.tensor(id).is_float_view(); });
}

// A node that moves quantized values does so regardless of their quantization.
std::optional<Node> Moved(const Node& node, Graph* graph) {
  if (!KeepsQuantized(*graph, node) || node.op->Has(kFillsWithInput)) {
    return std::nullopt;
  }
  for (TensorId id : node.outputs) {
    if (!graph->tensor(id).is_float_view()) continue;  // positions, say
    if (!HoldsQuantized(*graph, id)) return std::nullopt;
  }
  Node moved = node;
  bool any = IsQuantized(*graph, node.outputs);
  for (TensorId& id : moved.inputs) {
    if (id == kNoTensor || !graph->tensor(id).is_float_view()) continue;
    any = true;
    if (graph->tensor(id).is_constant() &&
        graph->tensor(id).quantization.scale.size() == 1) {
      id = AsQuantized(graph, id);  // a constant among what is moved
    } else if (!HoldsQuantized(*graph, id)) {
      return std::nullopt;
    }
  }
  // A node that moves only other values may fuse with nodes of real values.
  return any ? std::optional(moved) : std::nullopt;
}

// Computes node n in integers, or stores its values as they are. False: it
// keeps its float view.
bool MoveToIntegers(Rewriter& r, int n) {
  Nodes nodes = InIntegers(r, n);
  if (nodes.empty()) {
    std::optional<Node> moved = Moved(r.node(n), &r.graph());
    if (!moved) return false;
    moved->integer_path = true;
    nodes.push_back(*std::move(moved));
  }
  // The check is the plan, as it was when the node was accepted.
  if (!absl::c_all_of(nodes, [&](const Node& node) {
        Planner planner(&r.graph(), r.profile());
        return PlanNode(node, &planner).ok();
      })) {
    r.Decline(n, "the device cannot plan it in integers");
    return false;
  }
  Node last = std::move(nodes.back());
  nodes.pop_back();
  for (Node& before : nodes) r.InsertBefore(n, std::move(before));
  r.Replace(n, std::move(last));
  return true;
}

}  // namespace

}  // namespace gles_delegate::integer_path

namespace gles_delegate {

void UseIntegerPath(Rewriter& r) {
  const size_t tensors = r.graph().tensors.size();
  const int count = r.size();
  integer_path::HoldQuantized(&r.graph());
  for (int n = 0; n < count; ++n) integer_path::MatchQuantizations(r, n);
  int moved = 0;
  for (int n = 0; n < count; ++n) {
    if (!r.node(n).integer_path && integer_path::MoveToIntegers(r, n)) ++moved;
  }
  // As the model's quantized tensors: parts of integers and their sums.
  for (size_t i = tensors; i < r.graph().tensors.size(); ++i) {
    r.tensor(static_cast<TensorId>(i)).always_float32 |=
        r.profile().options.half;
  }
  if (r.context().nodes_on_integer_path != nullptr) {
    *r.context().nodes_on_integer_path = moved;
  }
}

}  // namespace gles_delegate

// FULLY_CONNECTED of few rows, as when a decoder makes one token, does more of
// its layer: it normalizes its rows as it reads them (RMS normalization), and
// computes the gate by which its results are multiplied (SwiGLU, GEGLU).
//
// Must not fire on processors, which would compute the squares once for each
// output slice, nor if the normalized rows or the gate are read elsewhere.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "delegate/graph/op.h"
#include "delegate/ops/conv/convolution.h"
#include "delegate/ops/dispatches.h"
#include "delegate/ops/matmul/attention.h"
#include "delegate/ops/matmul/matrix_product.h"
#include "delegate/ops/movement/transpose.h"
#include "delegate/ops/reduction/rows.h"
#include "delegate/passes/passes.h"

namespace gles_delegate {
namespace {

// x / sqrt(mean of squares + epsilon), and perhaps * scale.
struct RmsNorm {
  TensorId rows = kNoTensor;
  TensorId scale = kNoTensor;
  float epsilon = 0;
};

// The normalization that is the only result of a node with row functions, by
// its steps as text.
std::optional<RmsNorm> RmsNormOf(const Graph& graph, const Node& node,
                                 const RowFunctionsAttributes& a) {
  RmsNorm norm;
  const int channels = graph.tensor(node.outputs[0]).shape.c;
  const auto input = [&](TensorId id) {
    const Tensor& t = graph.tensor(id);
    const bool is_scale = t.is_constant() && t.shape.elements() == t.shape.c;
    if (t.shape.c != channels || !(is_scale || IsComputedFloat(t))) return "?";
    TensorId& known = is_scale ? norm.scale : norm.rows;
    if (known == kNoTensor) known = id;
    return known != id ? "?" : is_scale ? "scale" : "rows";
  };
  std::vector<std::string> texts;  // by step
  for (const RowStep& s : a.steps) {
    if (s.kind == RowStep::Kind::kInput) {
      texts.push_back(input(node.inputs[s.index]));
      continue;
    }
    std::string x = texts[s.a], y = s.b < 0 ? "" : texts[s.b];
    if (s.kind == RowStep::Kind::kReduce) {
      const bool is_mean = s.reducer == Reducer::kMean;
      texts.push_back(absl::StrCat(is_mean ? "mean" : "?", "(", x, ")"));
    } else if (s.b < 0) {
      texts.push_back(absl::StrCat(s.function, "(", x, ")"));
      if (x == "mean(square(rows))") norm.epsilon = s.params[0];
    } else if (s.function == "mul" && x == y) {
      texts.push_back(absl::StrCat("square(", x, ")"));
    } else {
      if (y < x) std::swap(x, y);
      texts.push_back(absl::StrCat(s.function, "(", x, ", ", y, ")"));
    }
  }
  constexpr char kRoot[] = "rsqrt(add(mean(square(rows))))";
  const std::string normalized = absl::StrCat("mul(rows, ", kRoot, ")");
  const std::string& result = texts[a.results[0]];
  return result == normalized ||
                 result == absl::StrCat("mul(", normalized, ", scale)")
             ? std::optional(norm)
             : std::nullopt;
}

std::optional<Convolution> RowProductOf(const Rewriter& r, int n) {
  if (r.AttributesOf<FullyConnectedAttributes>(n) == nullptr) {
    return std::nullopt;
  }
  auto conv = Convolution::Of(r.graph(), r.node(n));
  return conv && conv->CanTakeRowStages() ? conv : std::nullopt;
}

// Whether node n is a product of these rows that can normalize them.
bool CanNormalize(const Rewriter& r, int n, TensorId rows) {
  const auto conv = RowProductOf(r, n);
  return conv && conv->src == rows && !IsOperand(rows, r.node(n)) &&
         r.CanBind(r.node(n), /*more=*/1);
}

// Whether the shader can read both matrices in one loop.
bool HasRowsAs(const Tensor& a, const Tensor& b) {
  return a.quantization.bits == b.quantization.bits &&
         a.quantization.block == b.quantization.block;
}

// The node whose functions are the gate of product n; -1: none such.
int GateOf(const Rewriter& r, int n, const Convolution& conv) {
  if (r.node(n).post_ops.empty()) return -1;
  const PostOp& mul = r.node(n).post_ops[0];
  if (mul.function != "mul") return -1;
  const int g = r.MakerFor(mul.operand, n);
  const auto gate = g < 0 ? std::nullopt : RowProductOf(r, g);
  const bool alike = gate && gate->src == conv.src && gate->norm == conv.norm &&
                     !gate->gate.IsThere() &&
                     gate->dst_shape == conv.dst_shape &&
                     gate->filter.terms() == conv.filter.terms() &&
                     gate->quantized_rows == conv.quantized_rows &&
                     HasRowsAs(r.tensor(gate->weights.weights),
                               r.tensor(conv.weights.weights));
  return alike && CountOperands(r.node(g)) == 0 ? g : -1;
}

}  // namespace

void NormalizeFewRows(Rewriter& r, int n) {
  const auto* a = r.AttributesOf<RowFunctionsAttributes>(n);
  if (a == nullptr || r.node(n).outputs.size() != 1) return;
  const TensorId rows = r.node(n).outputs[0];
  const auto norm = RmsNormOf(r.graph(), r.node(n), *a);
  if (!norm || r.shape(norm->rows) != r.shape(rows)) return;
  const std::vector<int> readers = r.ReadersOf(rows);
  if (readers.empty() || !r.IsReadOnlyBy(rows, [&](int reader) {
        return CanNormalize(r, reader, rows);
      })) {
    return r.Decline(n, "not only products of few rows read it");
  }
  for (int reader : readers) {
    r.Change(reader, [&](Node& product) {
      product.inputs[0] = norm->rows;
      product.inputs.resize(kRowScale, kNoTensor);
      product.inputs.push_back(norm->scale);
      auto& attributes = product.Get<FullyConnectedAttributes>();
      attributes.normalizes = true;
      attributes.epsilon = norm->epsilon;
    });
  }
  r.Remove(n);
}

void FuseGates(Rewriter& r, int n) {
  const auto conv = RowProductOf(r, n);
  if (!conv || conv->gate.IsThere()) return;
  const int g = GateOf(r, n, *conv);
  if (g < 0) return;
  // The gate's matrix is bound in place of its results.
  Node product = r.node(n);
  AddConvolution(kGateStage, r.node(g), RowProductOf(r, g)->weights, &product);
  product.post_ops.erase(product.post_ops.begin());
  product.always_float32 |= r.node(g).always_float32;
  r.Remove(g);
  r.Replace(n, std::move(product));
}

// --- join_products -----------------------------------------------------------

// FULLY_CONNECTED nodes of the same rows become one, with the outputs of all:
// an attention's queries, keys and values. Readers must be REGROUP_SLICES,
// which read their part of the joint result. Must not fire with a batch above
// 1, whose parts are not slices in a row, or if weights are not constant floats
// of one type. Copies the weights. O(nodes).

namespace {

TensorId BiasOf(const Node& product) {
  return product.inputs.size() > 2 ? product.inputs[2] : kNoTensor;
}

bool IsFloatConstant(const Tensor& t) {
  return t.is_constant() && t.sparsity.empty() && t.quantization.empty() &&
         (t.type == DataType::kFloat32 || t.type == DataType::kFloat16);
}

bool CanJoin(const Rewriter& r, int n) {
  const Node& node = r.node(n);
  if (node.integer_path || !node.post_ops.empty() ||
      r.AttributesOf<FullyConnectedAttributes>(n) == nullptr) {
    return false;
  }
  const TensorId id = node.outputs[0];
  const Tensor& result = r.tensor(id);
  const TensorId bias = BiasOf(node);
  return result.shape.b == 1 && result.shape.h == 1 &&
         result.shape.c % 4 == 0 && !result.is_float_view() &&
         IsFloatConstant(r.tensor(node.inputs[1])) &&
         (bias == kNoTensor || IsFloatConstant(r.tensor(bias))) &&
         r.IsReadOnlyBy(id, [&](int reader) {
           return r.AttributesOf<RegroupSlicesAttributes>(reader) != nullptr;
         });
}

// Whether one node can compute both, of the same rows.
bool AreAlike(const Rewriter& r, const Node& a, const Node& b) {
  const auto bias_type = [&](const Node& node) {
    const TensorId bias = BiasOf(node);
    return bias == kNoTensor ? DataType::kOther : r.tensor(bias).type;
  };
  return a.inputs[0] == b.inputs[0] &&
         r.tensor(a.inputs[1]).type == r.tensor(b.inputs[1]).type &&
         bias_type(a) == bias_type(b) && a.always_float32 == b.always_float32 &&
         r.tensor(a.outputs[0]).always_float32 ==
             r.tensor(b.outputs[0]).always_float32;
}

// The constants of all, one after the other along the first axis.
TensorId JointConstant(const std::vector<TensorId>& parts, Graph* graph) {
  Tensor joint = graph->tensor(parts[0]);
  std::vector<uint8_t> bytes;
  joint.dims[0] = 0;
  for (TensorId id : parts) {
    const Tensor& part = graph->tensor(id);
    const size_t size =
        static_cast<size_t>(part.shape.elements()) * DataTypeSize(part.type);
    const auto from = part.constant.bytes().first(size);
    bytes.insert(bytes.end(), from.begin(), from.end());
    joint.dims[0] += part.dims[0];
  }
  joint.name += " and others";
  joint.shape = Shape::FromDims(joint.dims);
  joint.constant = ConstantData::Own(std::move(bytes));
  joint.constant.SetInOtherSubgraphs(
      graph->tensor(parts[0]).constant.is_in_other_subgraphs());
  joint.tflite_index = -1;
  return graph->AddTensor(std::move(joint));
}

void Join(Rewriter& r, const std::vector<int>& products) {
  std::vector<TensorId> weights, biases;
  Node first = r.node(products[0]);
  Tensor result = r.tensor(first.outputs[0]);
  result.name += " and others";
  result.dims.back() = 0;
  result.tflite_index = -1;
  for (int n : products) {
    weights.push_back(r.node(n).inputs[1]);
    biases.push_back(BiasOf(r.node(n)));
    result.dims.back() += r.shape(r.node(n).outputs[0]).c;
  }
  result.shape = Shape::FromDims(result.dims);
  const TensorId joint = r.AddTensor(std::move(result));
  int slice = 0;
  for (int n : products) {
    const TensorId id = r.node(n).outputs[0];
    const std::vector<int> readers = r.ReadersOf(id);
    for (int reader : readers) {
      r.Change(reader, [&](Node& node) {
        node.inputs[0] = joint;
        node.Get<RegroupSlicesAttributes>().first += slice;
      });
    }
    slice += r.shape(id).slices();
    if (n != products[0]) r.Remove(n);
  }
  first.inputs[1] = JointConstant(weights, &r.graph());
  if (biases[0] != kNoTensor) {
    first.inputs[2] = JointConstant(biases, &r.graph());
  }
  first.outputs[0] = joint;
  r.Replace(products[0], std::move(first));
}

}  // namespace

void JoinProducts(Rewriter& r, int n) {
  if (!CanJoin(r, n)) return;
  std::vector<int> alike;
  for (int reader : r.ReadersOf(r.node(n).inputs[0])) {
    if (CanJoin(r, reader) && AreAlike(r, r.node(n), r.node(reader))) {
      alike.push_back(reader);
    }
  }
  if (alike.size() > 1) Join(r, alike);
}

// --- fuse_attention ----------------------------------------------------------

// Scores, SOFTMAX and their product with the values become one ATTENTION node
// (ops/matmul/attention.h), if there is a shader for it on the device. An
// ATTENTION of few rows includes a RESHAPE of the result to one row.
//
// Must not fire on the integer path, or if the scores are read elsewhere.
// O(nodes).

namespace {

// The one node of real values that reads what node n computes; -1: none such.
int RealReaderOf(const Rewriter& r, int n) {
  const TensorId id = r.node(n).outputs[0];
  const int reader = r.OnlyReaderOf(id);
  return reader >= 0 && IsComputedFloat(r.tensor(id)) &&
                 !r.node(reader).integer_path
             ? reader
             : -1;
}

bool AreScores(const Rewriter& r, int n) {
  const auto* a = r.AttributesOf<BatchMatMulAttributes>(n);
  const Node& node = r.node(n);
  if (a == nullptr || node.integer_path || a->adj_x || !a->adj_y ||
      a->x.size() < 3 || a->x.size() != a->y.size()) {
    return false;
  }
  const Matrix q = MatrixOf(a->x, false), k = MatrixOf(a->y, false);
  return q.leading == k.leading &&
         absl::c_all_of(
             node.inputs,
             [&](TensorId id) { return IsComputedFloat(r.tensor(id)); }) &&
         absl::c_all_of(node.post_ops, BroadcastsOperand);
}

bool IsSoftmaxOf(const Rewriter& r, int n, const Shape& scores) {
  const auto* a = r.AttributesOf<SoftmaxAttributes>(n);
  return a != nullptr && !a->log && a->quantized == nullptr &&
         a->int16 == nullptr && r.node(n).post_ops.empty() &&
         r.shape(r.node(n).inputs[0]) == scores &&
         r.shape(r.node(n).outputs[0]) == scores;
}

// The scores are the first factor, and the values have as many matrices.
bool IsProductOf(const Rewriter& r, int n, TensorId probabilities,
                 const BatchMatMulAttributes& scores) {
  const auto* a = r.AttributesOf<BatchMatMulAttributes>(n);
  if (a == nullptr || a->adj_x || a->x != scores.product ||
      a->y.size() != a->x.size()) {
    return false;
  }
  const Node& node = r.node(n);
  const Matrix v = MatrixOf(a->y, a->adj_y);
  return node.inputs[0] == probabilities && node.inputs[1] != probabilities &&
         IsComputedFloat(r.tensor(node.inputs[1])) &&
         IsComputedFloat(r.tensor(node.outputs[0])) &&
         v.leading == MatrixOf(a->x, false).leading && v.columns % 4 == 0 &&
         node.post_ops.empty();
}

// A reshape of the product's rows to one pixel.
bool IsInOneRow(const Rewriter& r, int n) {
  if (n < 0 || !r.node(n).op->Has(kKeepsOrder)) return false;
  const Tensor& row = r.tensor(r.node(n).outputs[0]);
  return IsComputedFloat(row) && row.shape.elements() == row.shape.c;
}

}  // namespace

void FuseAttention(Rewriter& r, int n) {
  if (!AreScores(r, n)) return;
  const int softmax = RealReaderOf(r, n);
  if (softmax < 0 || !IsSoftmaxOf(r, softmax, r.shape(r.node(n).outputs[0]))) {
    return;
  }
  const int product = RealReaderOf(r, softmax);
  AttentionAttributes a;
  a.scores = *r.AttributesOf<BatchMatMulAttributes>(n);
  if (product < 0 ||
      !IsProductOf(r, product, r.node(softmax).outputs[0], a.scores)) {
    return r.Decline(n, "not only a product with values reads its softmax");
  }
  a.product = *r.AttributesOf<BatchMatMulAttributes>(product);
  a.beta = r.AttributesOf<SoftmaxAttributes>(softmax)->beta;
  const std::optional<AttentionWay> way = ChooseAttentionWay(a, r.profile());
  if (!way) return r.Decline(n, "no shader computes this attention here");
  a.way = *way;
  Node fused = r.node(product);
  fused.op = &kAttentionOp;
  const std::vector<TensorId>& factors = r.node(n).inputs;
  fused.inputs = {factors[0], factors[1], r.node(product).inputs[1]};
  fused.stages = {{{kScoreStage, r.node(n).post_ops}}};
  std::vector<int> others = {n, softmax};
  int last = product;
  if (const int row = RealReaderOf(r, product);
      a.way == AttentionWay::kFewRows && IsInOneRow(r, row)) {
    a.in_one_row = true;
    fused.outputs = r.node(row).outputs;
    fused.post_ops = r.node(row).post_ops;
    fused.always_float32 |= r.node(row).always_float32;
    others.push_back(product);
    last = row;
  }
  fused.attributes = std::move(a);
  r.Fuse(last, others, std::move(fused));
}

}  // namespace gles_delegate

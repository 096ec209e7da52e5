// FULLY_CONNECTED of few rows, as when a decoder makes one token, does more of
// its layer: it normalizes its rows as it reads them (RMS normalization), and
// computes the gate by which its results are multiplied (SwiGLU, GEGLU).
//
// Must not fire on processors, which would compute the squares once for each
// output slice, nor if the normalized rows or the gate are read elsewhere.
// After fuse_rows, which makes one node of a normalization. O(nodes).
#include <algorithm>
#include <any>
#include <optional>
#include <utility>
#include <vector>

#include "delegate/ops/conv/convolution.h"
#include "delegate/ops/matmul/fully_connected.h"
#include "delegate/ops/reduction/row_functions.h"
#include "delegate/ops/stages.h"
#include "delegate/passes/all_passes.h"
#include "delegate/passes/fusing.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

// x / sqrt(mean of squares + epsilon), and perhaps * scale.
struct RmsNorm {
  TensorId rows = kNoTensor;
  TensorId scale = kNoTensor;
  float epsilon = 0;
};

// Reads the steps of a node with row functions.
class Steps {
 public:
  Steps(const Graph& graph, const Node& node, const RowFunctionsAttributes& a)
      : graph_(graph), node_(node), a_(a) {}

  std::optional<RmsNorm> AsRmsNorm() const {
    RmsNorm norm;
    if (TakeNormalized(a_.results[0], &norm)) return norm;
    const RowStep* scaled = Function("mul", a_.results[0]);
    if (scaled == nullptr) return std::nullopt;
    for (const auto& [scale, product] :
         {std::pair(scaled->a, scaled->b), std::pair(scaled->b, scaled->a)}) {
      norm.scale = InputOf(scale);
      if (norm.scale == kNoTensor || !IsScale(norm.scale)) continue;
      if (TakeNormalized(product, &norm)) return norm;
    }
    return std::nullopt;
  }

 private:
  const RowStep* Function(const char* name, int step) const {
    if (step < 0) return nullptr;
    const RowStep& s = a_.steps[step];
    return s.kind == RowStep::Kind::kFunction && s.function == name ? &s
                                                                    : nullptr;
  }
  TensorId InputOf(int step) const {
    return step >= 0 && a_.steps[step].kind == RowStep::Kind::kInput
               ? node_.inputs[a_.steps[step].index]
               : kNoTensor;
  }
  bool IsScale(TensorId id) const {
    const Tensor& t = graph_.tensor(id);
    return t.is_constant() && t.shape.elements() == t.shape.c &&
           t.shape.c == graph_.tensor(node_.outputs[0]).shape.c;
  }

  bool TakeNormalized(int step, RmsNorm* norm) const {
    const RowStep* product = Function("mul", step);
    if (product == nullptr) return false;
    for (const auto& [rows, factor] : {std::pair(product->a, product->b),
                                       std::pair(product->b, product->a)}) {
      norm->rows = InputOf(rows);
      if (norm->rows != kNoTensor && IsRootOfSquares(factor, rows, norm)) {
        return IsComputedFloat(graph_.tensor(norm->rows)) &&
               graph_.tensor(norm->rows).shape.c ==
                   graph_.tensor(node_.outputs[0]).shape.c;
      }
    }
    return false;
  }

  bool IsRootOfSquares(int step, int rows, RmsNorm* norm) const {
    const RowStep* root = Function("rsqrt", step);
    const RowStep* sum = root == nullptr ? nullptr : Function("add", root->a);
    if (sum == nullptr || sum->b >= 0) return false;
    norm->epsilon = sum->params[0];
    const RowStep& mean = a_.steps[sum->a];
    if (mean.kind != RowStep::Kind::kReduce || mean.reducer != Reducer::kMean) {
      return false;
    }
    const RowStep* square = Function("square", mean.a);
    if (square != nullptr) return square->a == rows;
    square = Function("mul", mean.a);
    return square != nullptr && square->a == rows && square->b == rows;
  }

  const Graph& graph_;
  const Node& node_;
  const RowFunctionsAttributes& a_;
};

class FewRowsFuser {
 public:
  FewRowsFuser(Graph* graph, const DeviceProfile& profile)
      : graph_(graph),
        max_tensors_(MaxBoundTensors(profile)),
        uses_(*graph),
        removed_(graph->nodes.size(), false) {}

  void Run() {
    const int count = static_cast<int>(graph_->nodes.size());
    // Before gates, whose weights follow the scale.
    for (int n = 0; n < count; ++n) Normalize(n);
    for (int n = 0; n < count; ++n) {
      if (!removed_[n]) TakeGate(n);
    }
    RemoveNodes(removed_, graph_);
  }

 private:
  Node& node(int n) { return graph_->nodes[n]; }

  std::optional<Convolution> ProductOf(int n) {
    if (std::any_cast<FullyConnectedAttributes>(&node(n).attributes) ==
        nullptr) {
      return std::nullopt;
    }
    auto conv = Convolution::Of(*graph_, node(n));
    return conv && conv->CanTakeRowStages() ? conv : std::nullopt;
  }

  // The tensors that a product reads and writes, and its matrices.
  static int CountTensors(const Convolution& conv, const Node& node) {
    return 3 + (conv.norm.scale != kNoTensor ? 1 : 0) +
           (conv.gate.IsThere() ? 1 : 0) + CountOperands(node);
  }

  // Products of these normalized rows, if nothing else reads them.
  bool TakesNormalized(int n, TensorId rows) {
    const auto conv = ProductOf(n);
    return conv && conv->src == rows && !IsOperand(rows, node(n)) &&
           CountTensors(*conv, node(n)) + 1 <= max_tensors_;
  }

  void Normalize(int n) {
    const auto* a = std::any_cast<RowFunctionsAttributes>(&node(n).attributes);
    if (a == nullptr || node(n).outputs.size() != 1) return;
    const TensorId rows = node(n).outputs[0];
    const auto& readers = uses_.consumers[rows];
    const auto norm = Steps(*graph_, node(n), *a).AsRmsNorm();
    if (!norm || uses_.is_output[rows] || readers.empty() ||
        graph_->tensor(norm->rows).shape != graph_->tensor(rows).shape ||
        !std::all_of(readers.begin(), readers.end(), [&](int reader) {
          return TakesNormalized(reader, rows);
        })) {
      return;
    }
    for (int reader : readers) {
      Node& product = node(reader);
      product.inputs[0] = norm->rows;
      product.inputs.resize(kRowScale, kNoTensor);
      product.inputs.push_back(norm->scale);
      auto& attributes =
          std::any_cast<FullyConnectedAttributes&>(product.attributes);
      attributes.normalizes = true;
      attributes.epsilon = norm->epsilon;
    }
    removed_[n] = true;
  }

  // The shader reads both matrices in one loop.
  bool IsStoredAlike(TensorId a, TensorId b) const {
    const Quantization& p = graph_->tensor(a).quantization;
    const Quantization& q = graph_->tensor(b).quantization;
    return p.bits == q.bits && p.block == q.block;
  }

  // The node whose functions are the gate of product n; -1: none such.
  int GateOf(int n, const Convolution& conv) {
    if (node(n).post_ops.empty()) return -1;
    const PostOp& mul = node(n).post_ops[0];
    if (mul.function != "mul" || mul.operand == kNoTensor) return -1;
    const int g = uses_.producer[mul.operand];
    if (g < 0 || removed_[g] || uses_.is_output[mul.operand] ||
        uses_.consumers[mul.operand].size() != 1) {
      return -1;
    }
    const auto gate = ProductOf(g);
    const bool alike =
        gate && gate->src == conv.src && gate->norm == conv.norm &&
        !gate->gate.IsThere() && gate->dst_shape == conv.dst_shape &&
        gate->filter.terms() == conv.filter.terms() &&
        gate->quantized_rows == conv.quantized_rows &&
        IsStoredAlike(gate->weights.weights, conv.weights.weights);
    return alike && CountOperands(node(g)) == 0 ? g : -1;
  }

  void TakeGate(int n) {
    const auto conv = ProductOf(n);
    if (!conv || conv->gate.IsThere()) return;
    const int g = GateOf(n, *conv);
    // The gate's matrix is bound in place of its results.
    if (g < 0) return;
    Node& product = node(n);
    const Node& gate = node(g);
    AddConvolution(kGateStage, gate, ProductOf(g)->weights, &product);
    product.post_ops.erase(product.post_ops.begin());
    product.always_float32 |= gate.always_float32;
    removed_[g] = true;
  }

  Graph* graph_;
  int max_tensors_;
  Uses uses_;
  std::vector<bool> removed_;
};

}  // namespace

void FuseFewRows(Graph* graph, const DeviceProfile& profile) {
  if (profile.choices.simd_lanes > 1) return;
  FewRowsFuser(graph, profile).Run();
}

}  // namespace gles_delegate

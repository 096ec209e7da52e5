#include "delegate/passes/compute_on_codes.h"

#include <algorithm>
#include <any>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/ops/conv_2d.h"
#include "delegate/ops/elementwise.h"
#include "delegate/ops/op.h"
#include "delegate/ops/pool_2d.h"
#include "delegate/tflite/float_view.h"
#include "quant/affine.h"
#include "quant/fixed_point.h"

namespace gles_delegate {
namespace {

// Windows of fewer elements than this: the distance from a tie to the nearest
// other mean, half of one over their number, is then above kMeanSlack and what
// divisions of means up to 255 lose (2^-13).
constexpr int kMaxMeanWindow = 1024;
constexpr float kMeanSlack = 1.0f / 4096;

bool IsEightBit(const Tensor& tensor) {
  return tensor.codes == DataType::kInt8 || tensor.codes == DataType::kUint8;
}

bool MayHoldCodes(const Tensor& tensor) {
  return tensor.is_float_view() && IsEightBit(tensor) &&
         !tensor.is_constant() && !tensor.is_variable &&
         tensor.quantization.scale.size() == 1;
}

bool EndsInSimulator(const Node& node) {
  return node.outputs.size() == 1 && !node.post_ops.empty() &&
         node.post_ops.back().function == "quantize";
}

// Codes of the output, less its zero point, that a node may write.
struct Range {
  int low = 0;
  int high = 0;
  PostOp AsPostOp() const {
    return {"clamp", {static_cast<float>(low), static_cast<float>(high), 0, 0}};
  }
};

// TFLite's CalculateActivationRangeQuantized of the node's fused activation.
// nullopt: the node does something else on the way to its simulator.
std::optional<Range> RangeOf(const Node& node, const Tensor& out) {
  const quant::CodeRange codes =
      quant::RangeOf(1, out.codes == DataType::kUint8);
  const int zero = static_cast<int>(out.quantization.zero_point[0]);
  Range range = {codes.low - zero, codes.high - zero};
  if (node.post_ops.size() == 1) return range;
  if (node.post_ops.size() != 2 || node.post_ops[0].function != "clamp") {
    return std::nullopt;
  }
  const auto code_of = [&](float bound) {
    return std::round(bound / out.quantization.scale[0]);
  };
  const auto& bounds = node.post_ops[0].params;
  range.low = static_cast<int>(std::max<float>(range.low, code_of(bounds[0])));
  range.high =
      static_cast<int>(std::min<float>(range.high, code_of(bounds[1])));
  if (range.low > range.high) return std::nullopt;
  return range;
}

// What TFLite's kernel of a convolution or matrix product is like.
struct ProductKernel {
  int data = 0, weights = 1, bias = 2;  // node inputs
  int channels =
      0;  // the dimension of the weights that is the output's channels
  bool scale_by_channel = false;  // of int8 weights
  quant::Ties ties = quant::Ties::kUp;
};

std::optional<ProductKernel> KernelOf(const Node& node) {
  ProductKernel kernel;
  if (node.op->name == "CONV_2D") {
    kernel.scale_by_channel = true;
    // Grouped convolutions run on TFLite's reference kernel.
    if (std::any_cast<const Conv2dAttributes&>(node.attributes).groups > 1) {
      kernel.ties = quant::Ties::kAwayFromZero;
    }
    return kernel;
  }
  if (node.op->name == "DEPTHWISE_CONV_2D") {
    kernel.scale_by_channel = true;
    kernel.channels = 3;
    kernel.ties = quant::Ties::kAwayFromZero;
    return kernel;
  }
  if (node.op->name == "FULLY_CONNECTED") return kernel;
  if (node.op->name == "TRANSPOSE_CONV") {
    kernel.data = 2;
    kernel.bias = 3;
    kernel.scale_by_channel = true;
    kernel.ties = quant::Ties::kAwayFromZero;
    return kernel;
  }
  return std::nullopt;
}

class CodeComputer {
 public:
  CodeComputer(Graph* graph, const DeviceProfile& profile)
      : graph_(graph), profile_(profile) {}

  int Run() {
    HoldCodes();
    int count = 0;
    for (Node& node : graph_->nodes) {
      std::optional<Node> on_codes = Rewritten(node);
      if (!on_codes) continue;
      on_codes->on_codes = true;
      // The check is the plan, as it was when the node was accepted.
      Planner planner(graph_, profile_);
      if (!PlanNode(*on_codes, &planner).ok()) continue;
      node = *std::move(on_codes);
      ++count;
    }
    return count;
  }

 private:
  // Tensors all of whose values are codes: the partition's inputs, what a
  // simulator ends, and what is moved between such.
  void HoldCodes() {
    const auto hold = [this](TensorId id) {
      Tensor& tensor = graph_->tensor(id);
      tensor.holds_codes = MayHoldCodes(tensor);
    };
    for (TensorId id : graph_->inputs) hold(id);
    for (const Node& node : graph_->nodes) {
      if (EndsInSimulator(node) || KeepsCodes(*graph_, node)) {
        for (TensorId id : node.outputs) hold(id);
      }
    }
  }

  bool HoldsCodes(TensorId id) const {
    return id != kNoTensor && graph_->tensor(id).holds_codes;
  }

  std::optional<Node> Rewritten(const Node& node) {
    if (node.outputs.size() == 1 && EndsInSimulator(node) &&
        HoldsCodes(node.outputs[0])) {
      if (auto kernel = KernelOf(node)) return Product(node, *kernel);
      if (node.op->name == "ADD" || node.op->name == "SUB") return Sum(node);
      if (node.op->name == "MUL") return ProductOfTwo(node);
      if (IsRescaling(node)) return Rescaled(node);
      if (node.op->name == "AVERAGE_POOL_2D") return Mean(node);
    }
    // A fill value, or a constant among what is moved, is a real value.
    if (!KeepsCodes(*graph_, node) || node.op->name == "PADV2") {
      return std::nullopt;
    }
    for (TensorId id : node.inputs) {
      if (id == kNoTensor || !graph_->tensor(id).is_float_view()) continue;
      if (!HoldsCodes(id)) return std::nullopt;
    }
    for (TensorId id : node.outputs) {
      if (!HoldsCodes(id)) return std::nullopt;
    }
    return node;
  }

  // --- CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED ---

  std::optional<Node> Product(const Node& node, const ProductKernel& kernel) {
    const Tensor& out = graph_->tensor(node.outputs[0]);
    const TensorId data = node.inputs[kernel.data];
    const Tensor& weights = graph_->tensor(node.inputs[kernel.weights]);
    const std::optional<Range> range = RangeOf(node, out);
    if (!range || !HoldsCodes(data) ||
        graph_->tensor(data).codes != out.codes ||
        !SuitWeights(weights, out.codes, kernel)) {
      return std::nullopt;
    }
    TensorId bias = kNoTensor;
    if (kernel.bias < static_cast<int>(node.inputs.size())) {
      bias = node.inputs[kernel.bias];
    }
    if (bias != kNoTensor && (!graph_->tensor(bias).is_constant() ||
                              graph_->tensor(bias).codes != DataType::kInt32)) {
      return std::nullopt;
    }
    Node product = node;
    const std::vector<quant::Multiplier> multipliers =
        MultipliersOf(graph_->tensor(data), weights, out, kernel);
    if (!FitSums(multipliers)) return std::nullopt;
    product.inputs[kernel.weights] = AsCodes(node.inputs[kernel.weights]);
    if (bias != kNoTensor) product.inputs[kernel.bias] = AsCodes(bias);
    product.post_ops = {Requantize(multipliers, out, kernel.ties),
                        range->AsPostOp()};
    return product;
  }

  bool SuitWeights(const Tensor& weights, DataType codes,
                   const ProductKernel& kernel) const {
    const Quantization& q = weights.quantization;
    if (!weights.is_constant() || weights.codes != codes) return false;
    if (q.per_channel() &&
        (codes != DataType::kInt8 || q.dimension != kernel.channels)) {
      return false;
    }
    // TFLite takes int8 weights for symmetric, whatever they say.
    return codes == DataType::kUint8 ||
           std::all_of(q.zero_point.begin(), q.zero_point.end(),
                       [](int64_t zero) { return zero == 0; });
  }

  static std::vector<quant::Multiplier> MultipliersOf(
      const Tensor& data, const Tensor& weights, const Tensor& out,
      const ProductKernel& kernel) {
    std::vector<quant::Multiplier> multipliers;
    const bool by_channel =
        kernel.scale_by_channel && out.codes == DataType::kInt8;
    for (float scale : weights.quantization.scale) {
      multipliers.push_back(quant::MultiplierOf(
          quant::ConvolutionScale(data.quantization.scale[0], scale,
                                  out.quantization.scale[0], by_channel)));
    }
    return multipliers;
  }

  // Sums of 2^24 scaled by 2^6 fit 32 bits; what is scaled up further, TFLite's
  // arithmetic overflows on.
  static bool FitSums(const std::vector<quant::Multiplier>& multipliers) {
    constexpr int kMostShift = 6;
    return std::all_of(
        multipliers.begin(), multipliers.end(),
        [](const quant::Multiplier& m) { return m.shift <= kMostShift; });
  }

  // The constant with a scale of one: its values are code - zero point.
  TensorId AsCodes(TensorId id) {
    Tensor tensor = graph_->tensor(id);
    Quantization& q = tensor.quantization;
    std::fill(q.scale.begin(), q.scale.end(), 1.0f);
    // Biases have no zero point.
    if (tensor.codes == DataType::kInt32) {
      std::fill(q.zero_point.begin(), q.zero_point.end(), 0);
    }
    return graph_->AddTensor(std::move(tensor));
  }

  PostOp Requantize(const std::vector<quant::Multiplier>& multipliers,
                    const Tensor& out, quant::Ties ties) {
    const float up = ties == quant::Ties::kUp ? 1 : 0;
    PostOp op;
    if (multipliers.size() == 1) {
      op.function = "requantize_all";
      op.params = AsParams(multipliers[0], up);
      return op;
    }
    op.function = "requantize";
    op.params = {up, 0, 0, 0};
    op.operand = AddTable(multipliers, out.name);
    op.operand_table = true;
    return op;
  }

  // One pixel of multipliers, one of shifts.
  TensorId AddTable(const std::vector<quant::Multiplier>& multipliers,
                    const std::string& name) {
    const int channels = static_cast<int>(multipliers.size());
    std::vector<int32_t> values(2 * multipliers.size());
    for (int c = 0; c < channels; ++c) {
      values[c] = multipliers[c].value;
      values[channels + c] = multipliers[c].shift;
    }
    std::vector<uint8_t> bytes(values.size() * sizeof(int32_t));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    Tensor table;
    table.name = absl::StrCat("multipliers of ", name);
    table.type = DataType::kInt32;
    table.dims = {1, 1, 2, channels};
    table.shape = Shape::FromDims(table.dims);
    table.constant = ConstantData::Own(std::move(bytes));
    return graph_->AddTensor(std::move(table));
  }

  // --- QUANTIZE, RELU and its like ---

  static bool IsRescaling(const Node& node) {
    const absl::string_view name = node.op->name;
    return name == "QUANTIZE" || name == "RELU" || name == "RELU6" ||
           name == "RELU_N1_TO_1";
  }

  std::optional<Node> Rescaled(const Node& node) {
    const Tensor& in = graph_->tensor(node.inputs[0]);
    const Tensor& out = graph_->tensor(node.outputs[0]);
    const std::optional<Range> range = RangeOf(node, out);
    if (!range || !in.holds_codes) return std::nullopt;
    const float from = in.quantization.scale[0], to = out.quantization.scale[0];
    const bool quantize = node.op->name == "QUANTIZE";
    if (!quantize && in.codes != out.codes) return std::nullopt;
    const std::vector<quant::Multiplier> multipliers = {
        quant::MultiplierOf(quantize ? quant::QuantizeScale(from, to)
                                     : quant::ReluScale(from, to))};
    if (!FitSums(multipliers)) return std::nullopt;
    Node rescaled = node;
    rescaled.post_ops = {
        Requantize(multipliers, out, quant::Ties::kAwayFromZero),
        range->AsPostOp()};
    return rescaled;
  }

  // --- ADD, SUB, MUL, AVERAGE_POOL_2D ---

  std::optional<Node> Sum(const Node& node) {
    const Tensor& out = graph_->tensor(node.outputs[0]);
    std::optional<FunctionOfTwo> f = AsFunctionOfTwo(node, out);
    if (!f) return std::nullopt;
    const quant::AddMultipliers m = quant::AddMultipliersOf(
        f->a_scale, f->b_scale, out.quantization.scale[0]);
    // The sum has 29 bits.
    if (m.sum.shift > 0) return std::nullopt;
    const bool a_is_finer = f->a_scale < f->b_scale;
    const int flags = (a_is_finer ? 1 : 0) + (node.op->name == "SUB" ? 2 : 0);
    PostOp& terms = f->function;
    terms.function = "add_terms";
    terms.params = AsParams(a_is_finer ? m.a : m.b, static_cast<float>(flags));
    Node sum = node;
    sum.post_ops = {
        terms, {"sum_of_terms", AsParams(m.sum, 0)}, f->range.AsPostOp()};
    return sum;
  }

  // 31 bits are more than a float's: the upper 16, the lower 15, the shift.
  static std::array<float, 4> AsParams(const quant::Multiplier& m, float last) {
    return {static_cast<float>(m.value >> 15),
            static_cast<float>(m.value & 0x7fff), static_cast<float>(m.shift),
            last};
  }

  // A function of two tensors, a and b in this order, of which the post-op's
  // operand may be broadcast or constant.
  struct FunctionOfTwo {
    PostOp function;  // its operand is on codes
    float a_scale = 0;
    float b_scale = 0;
    Range range;
  };

  // nullopt: it is something else, or not of codes.
  std::optional<FunctionOfTwo> AsFunctionOfTwo(const Node& node,
                                               const Tensor& out) {
    if (node.inputs.size() != 2 || !IsPlainElementwise(*graph_, node) ||
        node.post_ops.empty() || node.post_ops[0].operand == kNoTensor) {
      return std::nullopt;
    }
    FunctionOfTwo f;
    f.function = node.post_ops[0];
    const TensorId source =
        node.inputs[std::any_cast<const ElementwiseAttributes&>(node.attributes)
                        .source];
    const Tensor& operand = graph_->tensor(f.function.operand);
    if (!HoldsCodes(source) || graph_->tensor(source).codes != out.codes ||
        operand.codes != out.codes ||
        (!operand.holds_codes && !operand.is_constant()) ||
        operand.quantization.scale.size() != 1) {
      return std::nullopt;
    }
    Node rest = node;
    rest.post_ops.erase(rest.post_ops.begin());
    const std::optional<Range> range = RangeOf(rest, out);
    if (!range) return std::nullopt;
    f.range = *range;
    f.a_scale = graph_->tensor(source).quantization.scale[0];
    f.b_scale = operand.quantization.scale[0];
    if (f.function.operand_first) std::swap(f.a_scale, f.b_scale);
    if (operand.is_constant()) f.function.operand = AsCodes(f.function.operand);
    return f;
  }

  std::optional<Node> ProductOfTwo(const Node& node) {
    const Tensor& out = graph_->tensor(node.outputs[0]);
    const std::optional<FunctionOfTwo> f = AsFunctionOfTwo(node, out);
    if (!f) return std::nullopt;
    const std::vector<quant::Multiplier> multipliers = {
        quant::MultiplierOf(quant::ProductScale(f->a_scale, f->b_scale,
                                                out.quantization.scale[0]))};
    if (!FitSums(multipliers)) return std::nullopt;
    Node product = node;
    product.post_ops = {
        f->function, Requantize(multipliers, out, quant::Ties::kAwayFromZero),
        f->range.AsPostOp()};
    return product;
  }

  std::optional<Node> Mean(const Node& node) const {
    const Tensor& in = graph_->tensor(node.inputs[0]);
    const Tensor& out = graph_->tensor(node.outputs[0]);
    const auto& window = std::any_cast<const PoolAttributes&>(node.attributes);
    const std::optional<Range> range = RangeOf(node, out);
    // 16-bit temporaries may lose a part of a sum.
    if (!range || profile_.half || !in.holds_codes || in.codes != out.codes ||
        in.quantization.scale != out.quantization.scale ||
        in.quantization.zero_point != out.quantization.zero_point ||
        int64_t{window.h.size} * window.w.size >= kMaxMeanWindow) {
      return std::nullopt;
    }
    Node mean = node;
    const float zero = static_cast<float>(out.quantization.zero_point[0]);
    mean.post_ops = {{"round_mean", {zero, kMeanSlack, 0, 0}},
                     range->AsPostOp()};
    return mean;
  }

  Graph* graph_;
  const DeviceProfile& profile_;
};

}  // namespace

int ComputeOnCodes(Graph* graph, const DeviceProfile& profile) {
  return CodeComputer(graph, profile).Run();
}

}  // namespace gles_delegate

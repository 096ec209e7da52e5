#include "delegate/passes/integer_path/helpers.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "quant/affine.h"
#include "quant/cpu_kernels.h"

namespace gles_delegate::integer_path {
PostOp WithTable(const char* function,
                 const std::vector<std::array<int32_t, 2>>& rows,
                 const std::string& name, Graph* graph) {
  const int channels = static_cast<int>(rows.size());
  std::vector<int32_t> values(2 * rows.size());
  for (int c = 0; c < channels; ++c) {
    values[c] = rows[c][0];
    values[channels + c] = rows[c][1];
  }
  std::vector<uint8_t> bytes(values.size() * sizeof(int32_t));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  Tensor table;
  table.name = absl::StrCat("multipliers of ", name);
  table.type = DataType::kInt32;
  table.dims = {1, 1, 2, channels};
  table.shape = Shape::FromDims(table.dims);
  table.constant = ConstantData::Own(std::move(bytes));
  PostOp op;
  op.function = function;
  op.operand = graph->AddTensor(std::move(table));
  op.operand_table = true;
  return op;
}

bool MayHoldQuantized(const Tensor& tensor) {
  const bool eight_bit = tensor.quantized == DataType::kInt8 ||
                         tensor.quantized == DataType::kUint8;
  return tensor.is_float_view() && eight_bit && !tensor.is_constant() &&
         !tensor.is_variable && tensor.quantization.scale.size() == 1;
}

bool HoldsQuantized(const Graph& graph, TensorId id) {
  return id != kNoTensor && graph.tensor(id).holds_quantized;
}

float ScaleOf(const Graph& graph, TensorId id) {
  return graph.tensor(id).quantization.scale[0];
}

bool SameQuantized(const Tensor& a, const Tensor& b) {
  return a.quantized == b.quantized &&
         a.quantization.scale == b.quantization.scale &&
         a.quantization.zero_point == b.quantization.zero_point;
}

std::optional<PostOp> CodeShift(const Tensor& from, const Tensor& to) {
  const int64_t shift =
      from.quantization.zero_point[0] - to.quantization.zero_point[0];
  if (shift == 0) return std::nullopt;
  return PostOp{"add", {static_cast<float>(shift), 0, 0, 0}};
}

bool EndsInSimulator(const Node& node) {
  return node.outputs.size() == 1 && !node.post_ops.empty() &&
         node.post_ops.back().function == "quantize";
}

PostOp Range::AsPostOp() const {
  return {"clamp", {static_cast<float>(low), static_cast<float>(high), 0, 0}};
}

std::optional<Range> RangeOf(const Node& node, const Tensor& out) {
  const quant::CodeRange quantized =
      quant::RangeOf(1, out.quantized == DataType::kUint8);
  const int zero = static_cast<int>(out.quantization.zero_point[0]);
  Range range = {quantized.low - zero, quantized.high - zero};
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

TensorId AsQuantized(Graph* graph, TensorId id) {
  Tensor tensor = graph->tensor(id);
  Quantization& q = tensor.quantization;
  std::fill(q.scale.begin(), q.scale.end(), 1.0f);
  if (tensor.quantized == DataType::kInt32) {
    std::fill(q.zero_point.begin(), q.zero_point.end(), 0);
  }
  return graph->AddTensor(std::move(tensor));
}

std::array<float, 4> AsParams(const quant::Multiplier& m, float last) {
  return {static_cast<float>(m.value >> 15),
          static_cast<float>(m.value & 0x7fff), static_cast<float>(m.shift),
          last};
}

std::array<float, 4> AsParams(const quant::Multiplier& positive,
                              const quant::Multiplier& negative) {
  // Multipliers are 0 or 2^30 to 2^31 - 1: 2^29 less are the bits of a number
  // that no driver takes for denormal, infinite or none.
  const auto bits = [](const quant::Multiplier& m) {
    const int32_t less = m.value - (1 << 29);
    float value;
    std::memcpy(&value, &less, sizeof(value));
    return value;
  };
  return {bits(positive), static_cast<float>(positive.shift), bits(negative),
          static_cast<float>(negative.shift)};
}

bool IsMultiplier(const quant::Multiplier& m) { return m.shift <= 30; }

bool FitSums(const std::vector<quant::Multiplier>& multipliers) {
  constexpr int kMaxShift = 6;
  return std::all_of(
      multipliers.begin(), multipliers.end(),
      [](const quant::Multiplier& m) { return m.shift <= kMaxShift; });
}

PostOp QuantizedByInverse(const Tensor& out) {
  const quant::CodeRange range =
      quant::RangeOf(static_cast<int>(DataTypeSize(out.stored())),
                     out.stored() == DataType::kUint8);
  return {"quantized_by_inverse",
          {1 / out.quantization.scale[0],
           static_cast<float>(out.quantization.zero_point[0]),
           static_cast<float>(range.low), static_cast<float>(range.high)}};
}

PostOp Requantize(const std::vector<quant::Multiplier>& multipliers,
                  const Tensor& out, quant::Ties ties, Graph* graph) {
  const float up = ties == quant::Ties::kUp ? 1 : 0;
  PostOp op;
  if (multipliers.size() == 1) {
    op.function = "requantize_all";
    op.params = AsParams(multipliers[0], up);
    return op;
  }
  std::vector<std::array<int32_t, 2>> rows;
  for (const quant::Multiplier& m : multipliers) {
    rows.push_back({m.value, m.shift});
  }
  op = WithTable("requantize", rows, out.name, graph);
  op.params = {up, 0, 0, 0};
  return op;
}

int TiesInVectors(int c, int channels) {
  return c < channels - channels % quant::kChannelsOfVector ? kTiesUp : 0;
}

PostOp RequantizeInVectors(const std::vector<quant::Multiplier>& multipliers,
                           const Tensor& out, Graph* graph) {
  const int channels = out.shape.c;
  const int left_over = channels % quant::kChannelsOfVector;
  if (left_over == 0 || left_over == channels) {
    return Requantize(
        multipliers, out,
        left_over == 0 ? quant::Ties::kUp : quant::Ties::kAwayFromZero, graph);
  }
  std::vector<std::array<int32_t, 2>> rows;
  for (int c = 0; c < channels; ++c) {
    const quant::Multiplier& m = multipliers[multipliers.size() > 1 ? c : 0];
    rows.push_back({m.value, m.shift + TiesInVectors(c, channels)});
  }
  return WithTable("requantize_by_channel", rows, out.name, graph);
}

PostOp RequantizeAsFloat(const std::vector<float>& scales, const Tensor& out,
                         Graph* graph) {
  if (scales.size() == 1) {
    return {"requantize_float_all", {scales[0], 0, 0, 0}};
  }
  std::vector<std::array<int32_t, 2>> rows;
  for (float scale : scales) {
    int32_t bits = 0;
    std::memcpy(&bits, &scale, sizeof(bits));
    rows.push_back({bits, 0});
  }
  return WithTable("requantize_float", rows, out.name, graph);
}

quant::AffineQuantized AffineQuantizedOf(const Tensor& tensor) {
  return {tensor.quantization.scale[0],
          static_cast<int32_t>(tensor.quantization.zero_point[0]),
          quant::RangeOf(1, tensor.quantized == DataType::kUint8)};
}

PostOp Lookup(const quant::CodeTable& table, const Tensor& in,
              const Tensor& out, Graph* graph) {
  const quant::AffineQuantized from = AffineQuantizedOf(in),
                               to = AffineQuantizedOf(out);
  std::vector<float> values;
  for (int32_t code : table) {
    values.push_back(static_cast<float>(code - to.zero_point));
  }
  std::vector<uint8_t> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  Tensor constant;
  constant.name = absl::StrCat("table of ", out.name);
  constant.dims = {1, 1, static_cast<int>(values.size()), 1};
  constant.shape = Shape::FromDims(constant.dims);
  constant.constant = ConstantData::Own(std::move(bytes));
  PostOp op{"lookup",
            {static_cast<float>(from.zero_point - from.range.low), 0, 0, 0}};
  op.operand = graph->AddTensor(std::move(constant));
  op.operand_lookup = true;
  return op;
}

}  // namespace gles_delegate::integer_path

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

float ScaleOf(const Graph& graph, TensorId id) {
  return graph.tensor(id).quantization.scale[0];
}

std::optional<PostOp> CodeShift(const Tensor& from, const Tensor& to) {
  const int64_t shift =
      from.quantization.zero_point[0] - to.quantization.zero_point[0];
  if (shift == 0) return std::nullopt;
  return PostOp{"add", {static_cast<float>(shift), 0, 0, 0}};
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

}  // namespace gles_delegate::integer_path

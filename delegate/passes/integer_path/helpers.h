// Shared by the integer kernels: checks of quantized tensors, output ranges,
// and multipliers as post-ops.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_INTEGER_PATH_HELPERS_H_
#define GLES_DELEGATE_DELEGATE_PASSES_INTEGER_PATH_HELPERS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "delegate/graph/graph.h"
#include "delegate/passes/integer_path/recipe.h"
#include "quant/fixed_point.h"

namespace gles_delegate::integer_path {

// The first, or only, scale of a quantized tensor.
float ScaleOf(const Graph& graph, TensorId id);

// Converts (value - zero point) of `from` to that of the same quantized value
// in `to`; nullopt if nothing changes.
std::optional<PostOp> CodeShift(const Tensor& from, const Tensor& to);

// True for one output with the simulator of its quantization as the last
// post-op.
bool EndsInSimulator(const Node& node);

// The range of an output, relative to its zero point.
struct Range {
  int low = 0;
  int high = 0;
  PostOp AsPostOp() const;
};

// TFLite's CalculateActivationRangeQuantized for the fused activation of a node
// that ends in the simulator of `out`. nullopt: it has other post-ops before
// it.
std::optional<Range> RangeOf(const Node& node, const Tensor& out);

// A copy of constant `id` with a scale of one, whose values are (quantized
// value - zero point). Biases (int32) have no zero point.
TensorId AsQuantized(Graph* graph, TensorId id);

// A 31-bit multiplier in floats: the upper 16 bits, the lower 15, the shift,
// and `last`.
std::array<float, 4> AsParams(const quant::Multiplier& multiplier, float last);

// The post-op `function` with a table of `rows` as its operand, one for each
// channel: a pixel of the first values, and one of the second. `name`: what the
// table belongs to.
PostOp WithTable(const char* function,
                 const std::vector<std::array<int32_t, 2>>& rows,
                 const std::string& name, Graph* graph);

// Requantizes a sum to `out`, relative to its zero point, with one multiplier,
// or one per channel in a table that is added to the graph.
PostOp Requantize(const std::vector<quant::Multiplier>& multipliers,
                  const Tensor& out, quant::Ties ties, Graph* graph);
// The same by Rounding::kTwiceUpInVectors.
PostOp RequantizeInVectors(const std::vector<quant::Multiplier>& multipliers,
                           const Tensor& out, Graph* graph);
// Added to the shift of channel `c` of `channels` in a table of multipliers: 64
// if its ties go up.
int TiesInVectors(int c, int channels);
// The same by quant::MultiplyAsFloat().
PostOp RequantizeAsFloat(const std::vector<float>& scales, const Tensor& out,
                         Graph* graph);

}  // namespace gles_delegate::integer_path

#endif  // GLES_DELEGATE_DELEGATE_PASSES_INTEGER_PATH_HELPERS_H_

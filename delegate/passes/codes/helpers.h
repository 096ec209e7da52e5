// What the integer kernels share: which tensors hold codes, the range of an
// output, and multipliers as post-ops.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_CODES_HELPERS_H_
#define GLES_DELEGATE_DELEGATE_PASSES_CODES_HELPERS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "delegate/graph/graph.h"
#include "quant/code_table.h"
#include "quant/fixed_point.h"

namespace gles_delegate::codes {

// An activation of 8-bit codes with one scale: the kind that may be stored as
// those.
bool MayHoldCodes(const Tensor& tensor);
// False for kNoTensor.
bool HoldsCodes(const Graph& graph, TensorId id);
// The first, or only, scale of a quantized tensor.
float ScaleOf(const Graph& graph, TensorId id);

// True where codes of one tensor mean the same in the other: one type, scale
// and zero point.
bool SameCodes(const Tensor& a, const Tensor& b);
// What makes (code - zero point) of `from` that of the same code in `to`;
// nullopt where it is the same anyway.
std::optional<PostOp> CodeShift(const Tensor& from, const Tensor& to);

// One output, and the simulator of its quantization as the last post-op.
bool EndsInSimulator(const Node& node);

// Codes of an output, less its zero point, that a node may write.
struct Range {
  int low = 0;
  int high = 0;
  PostOp AsPostOp() const;
};

// TFLite's CalculateActivationRangeQuantized of the fused activation of a node
// that ends in the simulator of `out`. nullopt: the node does something else on
// the way to it.
std::optional<Range> RangeOf(const Node& node, const Tensor& out);

// A copy of constant `id` with a scale of one: to ops its values are
// code - zero point. Biases (int32) have no zero point.
TensorId AsCodes(Graph* graph, TensorId id);

// 31 bits are more than a float's: the upper 16, the lower 15, the shift, and
// `last`.
std::array<float, 4> AsParams(const quant::Multiplier& multiplier, float last);

// Two multipliers in one set of params, as op_leaky_requantize has them: of
// what is not negative, and of what is.
std::array<float, 4> AsParams(const quant::Multiplier& positive,
                              const quant::Multiplier& negative);

// False for a factor of 2^30 or more, past what TFLite writes as a multiplier.
bool IsMultiplier(const quant::Multiplier& multiplier);

// Sums of 2^24 scaled by 2^6 fit 32 bits; what is scaled up further, TFLite's
// arithmetic overflows on.
bool FitSums(const std::vector<quant::Multiplier>& multipliers);

// The post-op of `function` whose operand is a table of `rows`, one for each
// channel: a pixel of their first values, a pixel of their second ones. `name`:
// what the table is of.
PostOp WithTable(const char* function,
                 const std::vector<std::array<int32_t, 2>>& rows,
                 const std::string& name, Graph* graph);

// Floats that stand for no codes.
bool IsFloat(const Tensor& tensor);

// A float as a code of `out`, less its zero point: times 1 / scale in float32,
// ties to even.
PostOp CodesByInverse(const Tensor& out);

// A sum as codes of `out`, less its zero point: one multiplier, or one a
// channel, for which a table is added to the graph.
PostOp Requantize(const std::vector<quant::Multiplier>& multipliers,
                  const Tensor& out, quant::Ties ties, Graph* graph);
// Likewise by quant::MultiplyAsFloat().
PostOp RequantizeAsFloat(const std::vector<float>& scales, const Tensor& out,
                         Graph* graph);

// What the codes of an 8-bit activation stand for.
quant::AffineCodes AffineCodesOf(const Tensor& tensor);

// A function of one code as a table: code - zero point of `in` in, of `out`
// out. The table is added to the graph.
PostOp Lookup(const quant::CodeTable& table, const Tensor& in,
              const Tensor& out, Graph* graph);

}  // namespace gles_delegate::codes

#endif  // GLES_DELEGATE_DELEGATE_PASSES_CODES_HELPERS_H_

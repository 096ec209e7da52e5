// What the integer kernels of 16-bit codes share. Tensors stay real values,
// which hold such codes exactly; between the nodes of a kernel they hold codes.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_CODES_WIDE_HELPERS_H_
#define GLES_DELEGATE_DELEGATE_PASSES_CODES_WIDE_HELPERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "delegate/graph/graph.h"

namespace gles_delegate::codes {

// Int16 codes computed at run time, of one scale and the zero point 0.
bool IsSixteenBit(const Tensor& tensor);

// Likewise of a constant.
bool IsSixteenBitConstant(const Tensor& tensor);

// A float32 tensor of the shape of `like` and of no quantization.
TensorId AddLike(const Tensor& like, const char* what, Graph* graph);

// A copy of `source` to `to` with post-ops, on behalf of node `of`.
Node WideElementwise(const Node& of, TensorId source, TensorId to,
                     std::vector<PostOp> post_ops, const Graph& graph);

// A function of one 16-bit code, or of two 8-bit ones: `table` has its value
// for each of 65,536 codes, that of -32768 first. Nodes that ask for the same
// `name` share one table of the graph: it says all that the table depends on.
PostOp WideLookup(const std::string& name, const std::vector<int16_t>& table,
                  Graph* graph);

// Part `index` of the code of a real value of `scale`, the least first: parts
// of `bits` bits (8, 4 or 2), from -2^(bits - 1) to 2^(bits - 1), whose sum of
// part << (bits * index) is the code.
PostOp CodePart(float scale, int bits, int index);

// The clamp to the codes of `out` and to the activation among `post_ops`, which
// end in the simulator. nullopt: they do something else on the way to it.
std::optional<PostOp> WideClamp(absl::Span<const PostOp> post_ops,
                                const Tensor& out);

}  // namespace gles_delegate::codes

#endif  // GLES_DELEGATE_DELEGATE_PASSES_CODES_WIDE_HELPERS_H_

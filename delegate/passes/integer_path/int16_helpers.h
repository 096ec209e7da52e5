// Shared by the integer kernels for int16. Tensors hold real values, which
// represent int16 values exactly; between the nodes of a kernel they hold
// quantized values.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_INTEGER_PATH_INT16_HELPERS_H_
#define GLES_DELEGATE_DELEGATE_PASSES_INTEGER_PATH_INT16_HELPERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "delegate/graph/graph.h"

namespace gles_delegate::integer_path {

// int16, computed at run time, with one scale and the zero point 0.
bool IsInt16(const Tensor& tensor);

// The same for a constant.
bool IsInt16Constant(const Tensor& tensor);

// A float32 tensor with the shape of `like`, without quantization.
TensorId AddLike(const Tensor& like, const char* what, Graph* graph);

// A copy of `source` to `to` with post-ops, on behalf of node `of`.
Node Int16Elementwise(const Node& of, TensorId source, TensorId to,
                      std::vector<PostOp> post_ops, const Graph& graph);

// A function of one int16 value or of two 8-bit ones: `table` has its result
// for each of 65,536 values, from -32768 on. Nodes with the same `name` share a
// table of the graph, so the name must include everything that it depends on.
PostOp Int16Lookup(const std::string& name, const std::vector<int16_t>& table,
                   Graph* graph);

// Part `index` of the quantized value of a real value with `scale`, least
// significant first: parts of `bits` bits (8, 4 or 2), from -2^(bits - 1) to
// 2^(bits - 1), whose sum of part << (bits * index) is the value.
PostOp CodePart(float scale, int bits, int index);

// The clamp to the range of `out` and the activation among `post_ops`, which
// end in the simulator. nullopt: they do something else before it.
std::optional<PostOp> Int16Clamp(absl::Span<const PostOp> post_ops,
                                 const Tensor& out);

}  // namespace gles_delegate::integer_path

#endif  // GLES_DELEGATE_DELEGATE_PASSES_INTEGER_PATH_INT16_HELPERS_H_

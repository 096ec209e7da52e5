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

// The same for a constant.
bool IsInt16Constant(const Tensor& tensor);

// A float32 tensor with the shape of `like`, without quantization.
TensorId AddLike(const Tensor& like, const char* what, Graph* graph);

// A copy of `source` to `to` with post-ops, on behalf of node `of`.
Node Int16Elementwise(const Node& of, TensorId source, TensorId to,
                      std::vector<PostOp> post_ops, const Graph& graph);

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

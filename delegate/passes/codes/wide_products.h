// CONV_2D, DEPTHWISE_CONV_2D, TRANSPOSE_CONV and FULLY_CONNECTED of 16-bit
// activations and 8-bit weights (16x8 models), in TFLite's integers.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_CODES_WIDE_PRODUCTS_H_
#define GLES_DELEGATE_DELEGATE_PASSES_CODES_WIDE_PRODUCTS_H_

#include <vector>

#include "delegate/graph/graph.h"
#include "delegate/passes/codes/kernel.h"

namespace gles_delegate::codes {

// The nodes that compute what `node`, of the float view, stands for: the
// input's codes in two halves of 8 bits, whose sums of products floats hold
// exactly, the sums of both, and both sums as one, scaled as TFLite's kernel
// does. Tensors stay real values. Empty: the node is something else, or the
// bound of a sum (|code| <= 2^15 times the weights' magnitudes, plus the bias)
// is not below 0x3f000000, so that it may not fit what is carried from post-op
// to post-op.
std::vector<Node> WideProduct(const Node& node, const KernelContext& context);

}  // namespace gles_delegate::codes

#endif  // GLES_DELEGATE_DELEGATE_PASSES_CODES_WIDE_PRODUCTS_H_

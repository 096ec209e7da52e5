// CONV_2D, DEPTHWISE_CONV_2D, TRANSPOSE_CONV and FULLY_CONNECTED of 16-bit
// activations and 8-bit weights (16x8 models), in TFLite's integers.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_CODES_WIDE_PRODUCTS_H_
#define GLES_DELEGATE_DELEGATE_PASSES_CODES_WIDE_PRODUCTS_H_

#include <vector>

#include "delegate/graph/graph.h"
#include "delegate/passes/codes/kernel.h"

namespace gles_delegate::codes {

// The nodes that compute what `node`, of the float view, stands for: products
// of parts of the input's codes, whose sums floats hold exactly, and all sums
// as one, scaled as TFLite's kernel does. Two halves of 8 bits are joined by
// post-ops where the bound of a sum (2^15 times the weights' magnitudes, plus
// the bias) is below 0x3f000000; larger ones by an op of their own
// (ops/elementwise/wide_sums.h), from four parts of 4 bits where a channel's
// magnitudes are 2^17 or more, from eight of 2 bits where they are 2^21 or
// more. Tensors stay real values. Empty: the node is something else, or those
// magnitudes are 2^23 or more (66,000 weights of 127).
std::vector<Node> WideProduct(const Node& node, const KernelContext& context);

}  // namespace gles_delegate::codes

#endif  // GLES_DELEGATE_DELEGATE_PASSES_CODES_WIDE_PRODUCTS_H_

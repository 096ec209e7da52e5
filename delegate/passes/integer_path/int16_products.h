// CONV_2D, DEPTHWISE_CONV_2D, TRANSPOSE_CONV and FULLY_CONNECTED with 16-bit
// activations and 8-bit weights (16x8 models), in TFLite's integer arithmetic.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_INTEGER_PATH_INT16_PRODUCTS_H_
#define GLES_DELEGATE_DELEGATE_PASSES_INTEGER_PATH_INT16_PRODUCTS_H_

#include <vector>

#include "delegate/graph/graph.h"
#include "delegate/passes/integer_path/kernel.h"

namespace gles_delegate::integer_path {

// The nodes that replace `node` of the float view: products of parts of the
// input's values, whose sums floats hold exactly, and a rescaled sum of these,
// as in TFLite's kernel. Post-ops join two halves of 8 bits if the bound of a
// sum (2^15 times the weights' magnitudes, plus the bias) is below 0x3f000000.
// Larger sums are joined by another op (ops/elementwise/int16_sums.h), from
// four parts of 4 bits if a channel's magnitudes are 2^17 or more, and from
// eight of 2 bits from 2^21 on. Tensors hold real values. Empty: another kind
// of node, or magnitudes of 2^23 or more (66,000 weights of 127).
std::vector<Node> Int16Product(const Node& node, const KernelContext& context);

}  // namespace gles_delegate::integer_path

#endif  // GLES_DELEGATE_DELEGATE_PASSES_INTEGER_PATH_INT16_PRODUCTS_H_

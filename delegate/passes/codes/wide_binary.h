// ADD, SUB, MUL, MAXIMUM and MINIMUM of 16-bit activations in TFLite's
// integers.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_CODES_WIDE_BINARY_H_
#define GLES_DELEGATE_DELEGATE_PASSES_CODES_WIDE_BINARY_H_

#include <vector>

#include "delegate/graph/graph.h"
#include "delegate/passes/codes/kernel.h"

namespace gles_delegate::codes {

// Of a node that ends in its simulator, whose output holds 16-bit codes, on a
// device of 32-bit floats (wide_kernels.h).
//
// The nodes that compute what `node`, of the float view, stands for: the codes
// of both operands, and the function of them. Empty: the node is something
// else, or TFLite has another arithmetic for its scales (results scaled up) or
// none.
std::vector<Node> WideFunctionOfTwo(const Node& node,
                                    const KernelContext& context);

}  // namespace gles_delegate::codes

#endif  // GLES_DELEGATE_DELEGATE_PASSES_CODES_WIDE_BINARY_H_

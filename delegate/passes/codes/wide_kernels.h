// TFLite's integer kernels of 16-bit activations (16x8 models), one family of
// ops a file. Tensors stay real values, which 32-bit floats hold exactly: the
// nodes of a kernel take their codes and end in codes * scale. 16-bit floats
// hold no such codes; with those every node keeps its float view.
//
// A new kernel is a function in its family's file and a line in
// wide_kernels.cc.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_CODES_WIDE_KERNELS_H_
#define GLES_DELEGATE_DELEGATE_PASSES_CODES_WIDE_KERNELS_H_

#include <vector>

#include "delegate/graph/graph.h"
#include "delegate/passes/codes/kernel.h"

namespace gles_delegate::codes {

// The nodes that compute what `node`, of the float view, stands for. Empty: its
// tensors are no 16-bit codes, or TFLite's arithmetic is not known for its
// parameters; the node keeps its float view. May add tensors to the graph.
std::vector<Node> WideNodes(const Node& node, const KernelContext& context);

// The type of the functions below, which stand for one op or several each.
using WideRewrite = std::vector<Node>(const Node& node,
                                      const KernelContext& context);

// --- The families: of a node that ends in its simulator, whose output holds
// 16-bit codes, on a device of 32-bit floats ---

// wide_unary.cc: functions of one code.
WideRewrite WideTable;
WideRewrite WideLines;
WideRewrite WideRelu;
WideRewrite WideAbs;
WideRewrite WideLeakyRelu;
WideRewrite WideQuantize;
// wide_binary.cc: functions of two tensors. Empty too where TFLite has another
// arithmetic for the scales (results scaled up).
WideRewrite WideAdd;
WideRewrite WideSub;
WideRewrite WideMul;
WideRewrite WideMaximum;
WideRewrite WideMinimum;
// wide_movement.cc: codes moved from one quantization to another, as they are.
// MAX_POOL_2D too; of several inputs, CONCATENATION and SELECT.
WideRewrite WideMove;
WideRewrite WideJoin;
// wide_matrices.cc: products of two activations.
WideRewrite WideBatchMatMul;
// wide_windows.cc: sums and means over windows, axes and rows.
WideRewrite WideAveragePool;
WideRewrite WideMean;
WideRewrite WideSum;
WideRewrite WideProductOfAxes;
WideRewrite WideSoftmax;
WideRewrite WideResizeBilinear;

}  // namespace gles_delegate::codes

#endif  // GLES_DELEGATE_DELEGATE_PASSES_CODES_WIDE_KERNELS_H_

// TFLite's integer kernels for 16-bit activations (16x8 models), one family of
// ops per file. Tensors hold real values, which 32-bit floats represent
// exactly: the nodes of a kernel convert them to quantized values and end in
// value * scale. With 16-bit storage, which cannot represent them, nodes keep
// their float view.
//
// To add a kernel, add a function to its family's file and a line to
// wide_kernels.cc.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_CODES_WIDE_KERNELS_H_
#define GLES_DELEGATE_DELEGATE_PASSES_CODES_WIDE_KERNELS_H_

#include <vector>

#include "delegate/graph/graph.h"
#include "delegate/passes/codes/kernel.h"

namespace gles_delegate::codes {

// The nodes that replace `node` of the float view. Empty: its tensors are not
// int16, or TFLite's arithmetic is not known for its parameters; it keeps its
// float view. May add tensors to the graph.
std::vector<Node> WideNodes(const Node& node, const KernelContext& context);

// The type of the functions below, each for one or more ops.
using WideRewrite = std::vector<Node>(const Node& node,
                                      const KernelContext& context);

// --- The families: for nodes that end in a simulator, with an int16 output, on
// a device with 32-bit storage ---

// wide_unary.cc: functions of one value.
WideRewrite WideTable;
WideRewrite WideLines;
WideRewrite WideRelu;
WideRewrite WideAbs;
WideRewrite WideLeakyRelu;
WideRewrite WideQuantize;
// wide_binary.cc: functions of two tensors. Also empty if TFLite uses other
// arithmetic for the scales (results scaled up).
WideRewrite WideAdd;
WideRewrite WideSub;
WideRewrite WideMul;
WideRewrite WideMaximum;
WideRewrite WideMinimum;
// wide_movement.cc: values moved unchanged between quantizations, also by
// MAX_POOL_2D; of several inputs, CONCATENATION and SELECT.
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

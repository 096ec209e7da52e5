// TFLite's integer kernels for 16-bit activations (16x8 models), one family of
// ops per file. Tensors hold real values, which 32-bit floats represent
// exactly: the nodes of a kernel convert them to quantized values and end in
// value * scale. With 16-bit storage, which cannot represent them, nodes keep
// their float view.
//
// To add a kernel, add a function to its family's file and a line to
// int16_kernels.cc.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_INTEGER_PATH_INT16_KERNELS_H_
#define GLES_DELEGATE_DELEGATE_PASSES_INTEGER_PATH_INT16_KERNELS_H_

#include <vector>

#include "delegate/graph/graph.h"
#include "delegate/passes/integer_path/kernel.h"

namespace gles_delegate::integer_path {

// The nodes that replace `node` of the float view. Empty: its tensors are not
// int16, or TFLite's arithmetic is not known for its parameters; it keeps its
// float view. May add tensors to the graph.
std::vector<Node> Int16Nodes(const Node& node, const KernelContext& context);

// The type of the functions below, each for one or more ops.
using Int16Rewrite = std::vector<Node>(const Node& node,
                                       const KernelContext& context);

// --- The families: for nodes that end in a simulator, with an int16 output, on
// a device with 32-bit storage ---

// int16_unary.cc: functions of one value.
Int16Rewrite Int16Table;
Int16Rewrite Int16Lines;
Int16Rewrite Int16Relu;
Int16Rewrite Int16Abs;
Int16Rewrite Int16LeakyRelu;
Int16Rewrite Int16Quantize;
// int16_binary.cc: functions of two tensors. Also empty if TFLite uses other
// arithmetic for the scales (results scaled up).
Int16Rewrite Int16Add;
Int16Rewrite Int16Sub;
Int16Rewrite Int16Mul;
Int16Rewrite Int16Maximum;
Int16Rewrite Int16Minimum;
// int16_movement.cc: values moved unchanged between quantizations, also by
// MAX_POOL_2D; of several inputs, CONCATENATION and SELECT.
Int16Rewrite Int16Move;
Int16Rewrite Int16Join;
// int16_matrices.cc: products of two activations.
Int16Rewrite Int16BatchMatMul;
// int16_windows.cc: sums and means over windows, axes and rows.
Int16Rewrite Int16AveragePool;
Int16Rewrite Int16Mean;
Int16Rewrite Int16Sum;
Int16Rewrite Int16ProductOfAxes;
Int16Rewrite Int16Softmax;
Int16Rewrite Int16ResizeBilinear;

}  // namespace gles_delegate::integer_path

#endif  // GLES_DELEGATE_DELEGATE_PASSES_INTEGER_PATH_INT16_KERNELS_H_

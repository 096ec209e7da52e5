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

// --- The families: of a node that ends in its simulator, whose output holds
// 16-bit codes, on a device of 32-bit floats ---

// wide_unary.cc: functions of one code.
std::vector<Node> WideTable(const Node& node, const KernelContext& c);
std::vector<Node> WideRelu(const Node& node, const KernelContext& c);
std::vector<Node> WideAbs(const Node& node, const KernelContext& c);
std::vector<Node> WideLeakyRelu(const Node& node, const KernelContext& c);
std::vector<Node> WideQuantize(const Node& node, const KernelContext& c);
// wide_movement.cc: codes moved from one quantization to another, as they are.
// MAX_POOL_2D too; of several inputs, CONCATENATION and SELECT.
std::vector<Node> WideMove(const Node& node, const KernelContext& c);
std::vector<Node> WideJoin(const Node& node, const KernelContext& c);
// wide_matrices.cc: products of two activations.
std::vector<Node> WideBatchMatMul(const Node& node, const KernelContext& c);
// wide_windows.cc: sums and means over windows, axes and rows.
std::vector<Node> WideAveragePool(const Node& node, const KernelContext& c);
std::vector<Node> WideMean(const Node& node, const KernelContext& c);
std::vector<Node> WideSum(const Node& node, const KernelContext& c);
std::vector<Node> WideProductOfAxes(const Node& node, const KernelContext& c);
std::vector<Node> WideSoftmax(const Node& node, const KernelContext& c);
std::vector<Node> WideResizeBilinear(const Node& node, const KernelContext& c);

}  // namespace gles_delegate::codes

#endif  // GLES_DELEGATE_DELEGATE_PASSES_CODES_WIDE_KERNELS_H_

// TFLite's integer kernels, one family of ops per file: they convert a node of
// the float view to one that computes on quantized values
// (docs/quantization.md), for the pass integer_path.cc.
//
// To add a kernel, add a function to its family's file and name it in the op's
// row in delegate/ops/op_list.inc.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_INTEGER_PATH_KERNEL_H_
#define GLES_DELEGATE_DELEGATE_PASSES_INTEGER_PATH_KERNEL_H_

#include <optional>
#include <vector>

#include "delegate/graph/graph.h"
#include "delegate/passes/integer_path/recipe.h"
#include "delegate/passes/rewrite.h"

namespace gles_delegate::integer_path {

// `node` with TFLite's integer arithmetic instead of its float view's. It reads
// and writes (quantized value - zero point), or real values for tensors that
// are not quantized, and its post-ops produce such values. nullopt: the node
// keeps its float view, since it reads something else, or TFLite's arithmetic
// is not known for its parameters.
using Rewrite = std::optional<Node>(const Node& node,
                                    const KernelContext& context);

// The nodes that replace a node of 16-bit activations (16x8 models). Tensors
// hold real values, which 32-bit floats represent exactly: the nodes convert
// them to quantized values and end in value * scale. With 16-bit storage, which
// cannot represent them, nodes keep their float view. Called for nodes that end
// in a simulator, with an int16 output. Empty: TFLite's arithmetic is not known
// for the node's parameters (binary: it uses other arithmetic for the scales,
// with results scaled up); it keeps its float view. May add tensors to the
// graph.
using Int16Rewrite = std::vector<Node>(const Node& node,
                                       const KernelContext& context);

// The functions of one family of ops a file; op_list.inc says whose each is.
#define ROW(name, code, v, vq, signature, types, parse, plan, traits, \
            function, int8, int16, note)                              \
  Rewrite int8;                                                       \
  Int16Rewrite int16;
#include "delegate/ops/op_list.inc"

// By the op's row. For nodes with one output in quantized values that end in a
// simulator, or if the function checks that itself.
std::optional<Node> In8(const Node& node, const KernelContext& context);
std::vector<Node> InInt16(const Node& node, const KernelContext& context);

}  // namespace gles_delegate::integer_path

#endif  // GLES_DELEGATE_DELEGATE_PASSES_INTEGER_PATH_KERNEL_H_

// TFLite's integer arithmetic, for the pass integer_path: an op's recipe
// makes nodes that compute on quantized values (docs/quantization.md) from a
// node of the float view, of 8 or of 16 bits.
//
// 8-bit tensors hold (quantized value - zero point). 16-bit ones hold real
// values, which 32-bit floats represent exactly: nodes convert them to
// quantized values, and end in value * scale.
//
// To add a recipe, add a function to its family's file and name it in the op's
// row in delegate/ops/op_list.inc.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_INTEGER_PATH_RECIPE_H_
#define GLES_DELEGATE_DELEGATE_PASSES_INTEGER_PATH_RECIPE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "delegate/graph/graph.h"
#include "delegate/passes/passes.h"
#include "quant/code_table.h"
#include "quant/cpu_kernels.h"
#include "quant/fixed_point.h"

namespace gles_delegate::integer_path {

// --- Tensors -----------------------------------------------------------------

// False for kNoTensor.
bool HoldsQuantized(const Graph& graph, TensorId id);
// int16, computed at run time, with one scale and the zero point 0.
bool IsInt16(const Tensor& tensor);
quant::AffineQuantized AffineQuantizedOf(const Tensor& tensor);
// A copy of constant `id` with a scale of one, whose values are (quantized
// value - zero point). Biases (int32) have no zero point.
TensorId AsQuantized(Graph* graph, TensorId id);
// Converts (value - zero point) of `from` to that of the same quantized value
// in `to`.
PostOp ShiftOf(const Tensor& from, const Tensor& to);

// A post-op with these first parameters, of any types; the others are 0.
template <typename... Params>
PostOp PostOpOf(const char* function, Params... params) {
  return {function, {static_cast<float>(params)...}};
}

// --- Multipliers -------------------------------------------------------------

// A 31-bit multiplier in floats: the upper 16 bits, the lower 15, the shift,
// and `last`.
std::array<float, 4> AsParams(const quant::Multiplier& multiplier, float last);

// --- Nodes -------------------------------------------------------------------

using Nodes = std::vector<Node>;

// A node that a recipe replaces, and what is there of its replacement. The
// recipe may add constants and tensors to the graph.
struct QuantizedNode {
  QuantizedNode(Rewriter& r, int n);

  const Node& node;
  const PassContext& c;
  Graph& graph;
  // The output has quantized values and the node ends in their simulator.
  bool ends_in_quantized = false;
  Nodes before = {};  // what converts the node's inputs

  const Tensor& in(int i = 0) const { return graph.tensor(node.inputs[i]); }
  const Tensor& out() const { return graph.tensor(node.outputs[0]); }
  float scale(int i = 0) const { return in(i).quantization.scale[0]; }
  float out_scale() const { return out().quantization.scale[0]; }
  bool is_int16() const { return out().quantized == DataType::kInt16; }
  bool is_uint8() const { return out().quantized == DataType::kUint8; }
  bool by_xnnpack() const { return c.cpu == quant::CpuKernels::kXnnpack; }

  // True for a node of `functions` post-ops and the simulator of its output.
  bool EndsAfter(size_t functions) const;
  // The clamp to the output's range and the node's activation, by TFLite's
  // CalculateActivationRangeQuantized. nullopt: the node does not end in the
  // simulator, or has something else than an activation between it and
  // `functions` post-ops.
  std::optional<PostOp> Clamp(size_t functions = 0) const;
  // True if the tensor has quantized values of the output's type, computed at
  // run time.
  bool Holds(TensorId id) const;
  bool Holds() const { return Holds(node.inputs[0]); }
  // The same, or a constant with one scale.
  bool HoldsOrIsConstant(TensorId id) const;

  // Multiplies a value of input 0: false if TFLite cannot represent the factor,
  // or overflows.
  bool Fits(const quant::Multiplier& multiplier) const;
  // Requantizes a sum to the output, relative to its zero point, with one
  // multiplier, or one per channel in a table that is added to the graph.
  PostOp Requantize(const std::vector<quant::Multiplier>& multipliers,
                    quant::Ties ties = quant::Ties::kAwayFromZero) const;
  // The same by quant::MultiplyAsFloat().
  PostOp RequantizeAsFloat(const std::vector<float>& scales) const;
  // A post-op `function` with a table of `rows`, one for each channel, as its
  // operand: a pixel of the first values, and one of the second.
  PostOp WithTable(const char* function,
                   const std::vector<std::array<int32_t, 2>>& rows) const;
  // Looks up the values of `table`, by input 0 or, of 65,536 values, by what
  // the function before it makes. Tables with the same `name`, which must
  // include everything that they depend on, share a constant.
  PostOp Lookup(const quant::CodeTable& table, const std::string& name) const;

  // A constant of floats, [count]; one of integers, [1,1,pixels,channels].
  TensorId AddConstant(const char* what,
                       const std::vector<float>& values) const;
  TensorId AddTable(const char* what, int pixels,
                    const std::vector<int32_t>& values) const;
  // A tensor like `like`, without quantization, for a node in between.
  TensorId AddLike(const Tensor& like, const char* what) const;
  // A copy of `source` with post-ops, as an own node, to `to`.
  void AddCopy(TensorId source, TensorId to, std::vector<PostOp> post_ops);
  // The tensor with the quantized values of `id`, a constant or one of the
  // output's type, for nodes to read; adds the node that makes it.
  TensorId Read(TensorId id);

  // The replacement: `last`, whose post-ops become `post_ops`, after what is
  // there.
  Nodes End(Node last, std::vector<PostOp> post_ops);
  // The same for the node itself, as a function of its only input.
  Nodes Function(std::vector<PostOp> post_ops);
};

// The nodes that replace a node. Empty: it keeps its float view, since TFLite's
// arithmetic is not known for its parameters or types. 16 bits, if TFLite uses
// other arithmetic for the scales, with results scaled up, too.
using Recipe = Nodes(QuantizedNode& q);

// The ops' own, one family a file.
#define ROW(name, code, v, vq, signature, types, parse, plan, traits, \
            function, recipe, note)                                   \
  Recipe recipe;
#include "delegate/ops/op_list.inc"

// Adds a node before some inputs of node n, which then only moves values, as in
// TFLite. Inputs of a uint8 CONCATENATION with another quantization than the
// output are rescaled. Those of a SELECT, or of a PADV2 with a runtime value,
// are reinterpreted in the output's quantization. Run it after holds_quantized
// is set.
void MatchQuantizations(Rewriter& r, int n);

}  // namespace gles_delegate::integer_path

#endif  // GLES_DELEGATE_DELEGATE_PASSES_INTEGER_PATH_RECIPE_H_

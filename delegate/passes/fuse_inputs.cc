
#include <algorithm>
#include <any>
#include <cmath>
#include <optional>

#include "delegate/ops/conv/convolution.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/stages.h"
#include "delegate/passes/all_passes.h"
#include "delegate/passes/fusing.h"

namespace gles_delegate {
namespace {

// Maximum output slices of the convolution: each of its tiles computes the
// functions again.
constexpr int kMaxSlices = 1024;

bool IsFloat(const Tensor& tensor) {
  return tensor.type == DataType::kFloat32 && !tensor.is_float_view() &&
         !tensor.is_variable;
}

bool IsCheap(const PostOp& op) {
  static constexpr const char* kCheap[] = {"add",     "sub",     "mul",
                                           "minimum", "maximum", "clamp"};
  return std::find(std::begin(kCheap), std::end(kCheap), op.function) !=
         std::end(kCheap);
}

// Whether a stage can apply the function to values of shape `s`.
bool FitsStage(const Graph& graph, const PostOp& op, const Shape& s) {
  if (!IsCheap(op) || !BroadcastsOperand(op)) return false;
  // Padding channels must stay finite, as their weights are zero.
  const bool has_number = op.operand == kNoTensor && op.function != "clamp";
  if (has_number && !std::isfinite(op.params[0])) return false;
  if (op.operand == kNoTensor) return true;
  const Tensor& operand = graph.tensor(op.operand);
  return IsFloat(operand) &&
         (operand.shape == s || operand.shape == Shape{1, 1, 1, s.c});
}

bool CanTake(const Node& functions, const Graph& graph, const Node& node,
             const DeviceProfile& profile) {
  constexpr int kTensors = 3;  // weights, input, output
  const TensorId result = functions.outputs[0];
  const auto conv = Convolution::Of(graph, node);
  return conv && conv->CanTakeInputStage() && conv->src == result &&
         !IsOperand(result, node) &&
         functions.always_float32 == node.always_float32 &&
         kTensors + CountOperands(functions) + CountOperands(node) <=
             MaxBoundTensors(profile) &&
         conv->dst_shape.slices() <= kMaxSlices;
}

}  // namespace

TensorId SourceOfInputStage(const Graph& graph, const Node& node) {
  if (!IsPlainElementwise(graph, node) || node.integer_path ||
      node.post_ops.empty()) {
    return kNoTensor;
  }
  const TensorId id =
      node.inputs[std::any_cast<const ElementwiseAttributes&>(node.attributes)
                      .source];
  const Tensor& x = graph.tensor(id);
  const bool fits = std::all_of(
      node.post_ops.begin(), node.post_ops.end(),
      [&](const PostOp& op) { return FitsStage(graph, op, x.shape); });
  return fits && IsFloat(x) && !x.is_constant() &&
                 IsFloat(graph.tensor(node.outputs[0]))
             ? id
             : kNoTensor;
}

// Makes an elementwise node of real values, [B,H,W,C], an input stage of the
// 1x1 convolution that is its only reader, which saves a dispatch and a tensor.
// Examples are the MUL of a squeeze-excite block with the ADD after it, and the
// normalization and activation before a convolution.
//
// Requires profile.choices.read_through. Not fused:
// - functions other than sums, products, differences, minima, maxima and
//   clamps, as each tile of outputs computes them again; for the same reason,
//   convolutions with many output slices;
// - functions of tensors other than [1,1,1,C] and [B,H,W,C];
// - nodes whose results are graph outputs, have other readers (such as a
//   concatenation in place) or are 8-bit, and so rounded;
// - convolutions of few pixels, which gemv_by_lanes.comp computes, and those
//   that would exceed the device's bindings.
//
// Run it after FuseElementwise and FuseDepthwise, which find more to fuse if
// the node is still separate.
void FuseInputs(Graph* graph, const DeviceProfile& profile) {
  if (profile.choices.read_through == 0) return;
  FuseIntoReaders(
      graph,
      [&](const Node& functions, const Node& reader) -> std::optional<Node> {
        const TensorId source = SourceOfInputStage(*graph, functions);
        if (source == kNoTensor ||
            !CanTake(functions, *graph, reader, profile)) {
          return std::nullopt;
        }
        Node conv = reader;
        conv.inputs[0] = source;
        conv.stages.push_back({kInputStage, functions.post_ops});
        return conv;
      });
}

}  // namespace gles_delegate

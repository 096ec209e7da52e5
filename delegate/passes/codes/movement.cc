// Ops that move codes from one quantization to another, CONCATENATION across
// quantizations, ARG_MAX and ARG_MIN.
#include <any>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/graph/op.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/movement/pad.h"
#include "delegate/ops/op_list.h"
#include "delegate/passes/codes/helpers.h"
#include "delegate/passes/codes/kernel.h"
#include "quant/affine.h"

namespace gles_delegate::codes {
namespace {

constexpr int kQuantizeCode = 114;

// code - zero point of `from`, moved, as the same code's in `to`. Never
// nothing: a node without post-ops may be taken for the identity, which it is
// not to what reads the real values.
PostOp ShiftOf(const Tensor& from, const Tensor& to) {
  const auto shift = CodeShift(from, to);
  return shift ? *shift : PostOp{"add", {0, 0, 0, 0}};
}

// TFLite's ConcatenationWithScaling: round(code * scale + bias) + zero point,
// in float32.
Node Converted(TensorId id, const Tensor& out, Graph* graph) {
  const Tensor& in = graph->tensor(id);
  const float scale =
      in.quantization.scale[0] * (1.0f / out.quantization.scale[0]);
  const quant::CodeRange range = quant::RangeOf(1, /*is_unsigned=*/true);
  const int zero = static_cast<int>(out.quantization.zero_point[0]);
  Tensor converted = in;
  converted.name = absl::StrCat(in.name, " as ", out.name);
  converted.quantization = out.quantization;
  converted.tflite_index = -1;
  Node node;
  node.op = FindOp(kQuantizeCode, "");
  node.inputs = {id};
  node.attributes = ElementwiseAttributes{0, in.shape, {}};
  node.post_ops = {
      {"scaled_code",
       {scale, static_cast<float>(in.quantization.zero_point[0]), 0, 0}},
      Range{range.low - zero, range.high - zero}.AsPostOp()};
  node.on_codes = true;
  node.outputs = {graph->AddTensor(std::move(converted))};
  return node;
}

// uint8 inputs, each of codes, some of another quantization than the output:
// TFLite's int8 kernel refuses that.
bool RescalesInputs(const Node& node, const Graph& graph) {
  if (!node.op->Has(kJoins) || node.post_ops.size() != 1 ||
      !EndsInSimulator(node) || !HoldsCodes(graph, node.outputs[0]) ||
      graph.tensor(node.outputs[0]).codes != DataType::kUint8) {
    return false;
  }
  const Tensor& out = graph.tensor(node.outputs[0]);
  for (TensorId id : node.inputs) {
    const bool same_constant =
        graph.tensor(id).is_constant() && SameCodes(graph.tensor(id), out);
    if (!same_constant && (!HoldsCodes(graph, id) ||
                           graph.tensor(id).codes != DataType::kUint8)) {
      return false;
    }
  }
  return true;
}

}  // namespace

void RescaleBeforeConcatenations(Graph* graph) {
  std::vector<Node> nodes;
  for (Node& node : graph->nodes) {
    if (RescalesInputs(node, *graph)) {
      for (TensorId& id : node.inputs) {
        if (SameCodes(graph->tensor(id), graph->tensor(node.outputs[0]))) {
          continue;
        }
        Node converted = Converted(id, graph->tensor(node.outputs[0]), graph);
        converted.tflite_index = node.tflite_index;
        id = converted.outputs[0];
        nodes.push_back(std::move(converted));
      }
      node.post_ops.clear();
    }
    nodes.push_back(std::move(node));
  }
  graph->nodes = std::move(nodes);
}

std::optional<Node> MoveOnCodes(const Node& node, const KernelContext& c) {
  const Tensor& in = c.graph->tensor(node.inputs[0]);
  const Tensor& out = c.graph->tensor(node.outputs[0]);
  if (node.post_ops.size() != 1 || !in.holds_codes || in.codes != out.codes) {
    return std::nullopt;
  }
  Node moved = node;
  moved.post_ops = {ShiftOf(in, out)};
  if (const auto* pad = std::any_cast<PadAttributes>(&node.attributes)) {
    // What is filled in is shifted, too, and is zero then.
    PadAttributes filled = *pad;
    filled.value = -moved.post_ops[0].params[0];
    moved.attributes = filled;
  }
  return moved;
}

std::optional<Node> ArgExtremeOnCodes(const Node& node,
                                      const KernelContext& c) {
  if (!HoldsCodes(*c.graph, node.inputs[0])) return std::nullopt;
  return node;  // codes are in the order of what they stand for
}

}  // namespace gles_delegate::codes

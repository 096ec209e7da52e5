// Constant folding at planning time for nodes that unpack, relabel or transpose
// a constant: DEQUANTIZE, DENSIFY, RESHAPE, SQUEEZE, EXPAND_DIMS, TRANSPOSE.
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/constant_values.h"
#include "delegate/graph/op.h"
#include "delegate/ops/image/resize.h"
#include "delegate/ops/movement/densify.h"
#include "delegate/ops/movement/element_map.h"
#include "delegate/passes/all_passes.h"

namespace gles_delegate {
namespace {

absl::Status CheckSameElements(const Tensor& input, const Tensor& output) {
  if (input.shape.elements() == output.shape.elements()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "the constant ", input.ToString(), " cannot become ", output.ToString()));
}

void ShareConstant(const Tensor& input, Tensor* output) {
  output->constant = input.constant;
  output->type = input.type;
  output->quantized = input.quantized;
  output->host = input.host;
  output->quantization = input.quantization;
  output->sparsity = input.sparsity;
}

absl::Status Dequantize(const Tensor& input, Tensor* output) {
  if (input.type == DataType::kFloat16 || input.type == DataType::kFloat32) {
    ShareConstant(input, output);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(auto values, ConstantFloats(input));
  std::vector<uint8_t> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  output->constant = ConstantData::Own(std::move(bytes));
  output->type = DataType::kFloat32;
  output->quantized = DataType::kOther;
  output->host = DataType::kOther;
  output->quantization = {};
  return absl::OkStatus();
}

absl::Status Densify(const Tensor& input, Tensor* output) {
  ASSIGN_OR_RETURN(auto bytes, DenseBytes(input));
  ShareConstant(input, output);
  output->constant = ConstantData::Own(std::move(bytes));
  output->sparsity = {};
  return absl::OkStatus();
}

absl::Status Transpose(const Graph& graph, const Node& node,
                       const Tensor& input, Tensor* output) {
  const size_t size = DataTypeSize(input.stored());
  ElementMap map(input.dims);
  if (input.constant.bytes().size() < size * input.shape.elements() ||
      !map.Follow(graph, node, node.outputs[0])) {
    return absl::InvalidArgumentError(
        absl::StrCat("the constant ", input.ToString(), " is not whole"));
  }
  auto bytes = map.Gather(input.constant.bytes(), size);
  ShareConstant(input, output);
  output->constant = ConstantData::Own(std::move(bytes));
  return absl::OkStatus();
}

}  // namespace

// True: the node's output is now a constant of `graph`, and the node has
// nothing left to run. False: another op, or the input is not constant.
// Relabelled and 16-bit constants share the input's bytes (DEQUANTIZE of
// float16 leaves its output float16); 8-bit constants become float32.
// kInvalidArgument: a malformed constant, such as a sparsity that does not fit
// its shape.
absl::StatusOr<bool> FoldConstantNode(Graph* graph, const Node& node) {
  const bool dequantize = node.op->Has(kDequantizes);
  const bool densify = node.op->Has(kDensifies);
  const bool transpose = node.op->Has(kPermutesAxes);
  if (!dequantize && !densify && !transpose && !node.op->Has(kKeepsOrder)) {
    return false;
  }
  if (node.inputs.empty() || node.inputs[0] == kNoTensor ||
      node.outputs.size() != 1 || !node.post_ops.empty()) {
    return false;
  }
  const Tensor& input = graph->tensor(node.inputs[0]);
  Tensor& output = graph->tensor(node.outputs[0]);
  if (!input.is_constant()) return false;
  RETURN_IF_ERROR(CheckSameElements(input, output));
  if (densify) {
    RETURN_IF_ERROR(Densify(input, &output));
  } else if (!input.sparsity.empty()) {
    return false;  // only DENSIFY reads those
  } else if (dequantize) {
    RETURN_IF_ERROR(Dequantize(input, &output));
  } else {
    // Per-channel quantization names a dimension of the old shape.
    if (input.quantization.per_channel()) return false;
    if (transpose) {
      RETURN_IF_ERROR(Transpose(*graph, node, input, &output));
    } else {
      ShareConstant(input, &output);
    }
  }
  return true;
}

absl::Status FoldConstants(Rewriter& r, int n) {
  ASSIGN_OR_RETURN(auto folded, FoldConstantNode(&r.graph(), r.node(n)));
  if (folded) r.Remove(n);
  return absl::OkStatus();
}

// --- remove_identity ---------------------------------------------------------

// Removes nodes whose output equals their input: RESHAPE, SQUEEZE and
// EXPAND_DIMS that keep batch, height, width and channels (the GPU has no
// ranks), slices of a whole tensor, PADs by nothing, a CONCATENATION of one
// input, RESIZEs of floats to the same size.
//
// An identity from a graph input to a graph output stays, as a copy.

namespace {

// A slice of the input's shape takes everything; it may still reverse.
bool HasPositiveStrides(const Graph& graph, const Node& node) {
  if (node.inputs.size() < 4 || node.inputs[3] == kNoTensor) return false;
  const auto strides = ConstantInts(graph.tensor(node.inputs[3]));
  return strides.ok() && std::all_of(strides->begin(), strides->end(),
                                     [](int s) { return s > 0; });
}

bool IsIdentity(const Graph& graph, const Node& node) {
  if (!node.post_ops.empty() || node.outputs.size() != 1 ||
      node.inputs.empty() || node.inputs[0] == kNoTensor) {
    return false;
  }
  const Tensor& input = graph.tensor(node.inputs[0]);
  const Tensor& output = graph.tensor(node.outputs[0]);
  if (input.shape != output.shape || input.type != output.type ||
      input.holds_quantized != output.holds_quantized || input.is_constant() ||
      input.is_variable) {
    return false;
  }
  if (node.op->Has(kKeepsOrder)) {
    // Axes before the fourth from the end, which are part of the batch, follow
    // from the dims only.
    return (input.dims.size() < 5 && output.dims.size() < 5) ||
           input.dims == output.dims;
  }
  // The following ops have axes, which mean the same only for equal ranks.
  if (input.dims != output.dims) return false;
  // Each pixel is read at its own position with any alignment. Values with
  // another quantization would have to be rescaled.
  if (node.As<ResizeAttributes>() != nullptr) {
    return !input.is_float_view() && !output.is_float_view();
  }
  if (node.op->Has(kTakesStrides)) return HasPositiveStrides(graph, node);
  return node.op->Has(kKeepsWhatFits) ||
         (node.op->Has(kJoins) && node.inputs.size() == 1);
}

// All that reads one reads the other, of the same values.
void ReadOther(Rewriter& r, TensorId from, TensorId to) {
  r.ReadInstead(from, to);
  r.tensor(from).replaced_by = to;
}

}  // namespace

void RemoveIdentityNodes(Rewriter& r) {
  // Before nodes read tensors of other dims.
  std::vector<int> identities;
  for (int n = 0; n < r.size(); ++n) {
    if (IsIdentity(r.graph(), r.node(n))) identities.push_back(n);
  }
  // An output of the graph keeps its name: what makes the input makes it. Last
  // first, so that chains carry it all the way up.
  for (auto at = identities.rbegin(); at != identities.rend(); ++at) {
    const int n = *at;
    const TensorId from = r.node(n).inputs[0], to = r.node(n).outputs[0];
    const int maker = r.MakerOf(from);
    if (!r.IsOutput(to) || r.IsOutput(from) || maker < 0) continue;
    r.Remove(n);
    r.Change(maker, [&](Node& node) {
      std::replace(node.outputs.begin(), node.outputs.end(), from, to);
    });
    ReadOther(r, from, to);
  }
  for (int n : identities) {
    if (r.is_gone(n)) continue;
    const TensorId from = r.node(n).inputs[0], to = r.node(n).outputs[0];
    if (r.IsOutput(to)) continue;
    r.Remove(n);
    ReadOther(r, to, from);
  }
}

}  // namespace gles_delegate

// RESHAPE, SQUEEZE, EXPAND_DIMS: the same elements in the same linear order in
// another shape, of any rank. A shape given as an input must be constant.
// kInvalidArgument: different element counts, or an output of another shape
// than requested.
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/graph/op.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/movement/remap.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

absl::Status CheckReshapedElements(const NodeView& node) {
  const Tensor& input = *node.inputs[0];
  const Tensor& output = *node.outputs[0];
  const bool other_bytes = input.quantized != output.quantized ||
                           (!input.is_constant() && input.host != output.host);
  if (other_bytes) {
    return absl::UnimplementedError(absl::StrCat(
        "input is ", DataTypeName(input.stored()), ", output ",
        DataTypeName(output.stored()),
        ": TFLite's kernel copies the bytes, here values are moved"));
  }
  if (input.shape.elements() == output.shape.elements())
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("input ", DimsString(input.dims), " has ",
                   input.shape.elements(), " elements, output ",
                   DimsString(output.dims), " has ", output.shape.elements()));
}

// The tensor as the model has it, of complex numbers or not.
Tensor OfTheModel(const Tensor& tensor) {
  Tensor t = tensor;
  if (t.is_complex) t.dims.back() /= 2;
  return t;
}

// The shape that the node asks for, with at most one -1: by an input or,
// without an input, by its parameters.
absl::StatusOr<std::vector<int>> WantedShape(const NodeView& node) {
  if (node.input(1) != nullptr) return IntsOfInput(node, 1);
  ASSIGN_OR_RETURN(auto params, node.Get<ReshapeParams>());
  const int rank = params->num_dimensions;
  if (rank < 0 || rank > 8) {
    return absl::InvalidArgumentError(
        absl::StrCat("the new shape has rank ", rank));
  }
  std::vector<int> shape(params->shape, params->shape + rank);
  // Models from before TFLite knew scalars say [0] for a scalar.
  if (shape == std::vector<int>{0}) shape.clear();
  return shape;
}

}  // namespace

absl::StatusOr<ParsedNode> ParseReshape(const NodeView& node) {
  RETURN_IF_ERROR(CheckReshapedElements(node));
  ASSIGN_OR_RETURN(auto want, WantedShape(node));
  const Tensor output = OfTheModel(*node.outputs[0]);
  const std::vector<int>& got = output.dims;
  bool fits = want.size() == got.size();
  for (size_t i = 0; fits && i < got.size(); ++i) {
    fits = want[i] == got[i] || want[i] == -1;
  }
  if (!fits) return CheckOutputDims(output, want);
  return ParsedNode{};
}

absl::StatusOr<ParsedNode> ParseSqueeze(const NodeView& node) {
  RETURN_IF_ERROR(CheckReshapedElements(node));
  ASSIGN_OR_RETURN(auto params, node.Get<SqueezeParams>());
  const std::vector<int> dims = OfTheModel(*node.inputs[0]).dims;
  const int count = params->num_squeeze_dims;
  if (count < 0 || count > 8) {
    return absl::InvalidArgumentError(
        absl::StrCat("squeezes ", count, " axes"));
  }
  std::vector<bool> drop(dims.size(), false);
  for (int i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(auto axis, NormalAxis(params->squeeze_dims[i],
                                           static_cast<int>(dims.size())));
    if (dims[axis] != 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("axis ", axis, " of ", DimsString(dims),
                       " is not 1 and cannot be squeezed"));
    }
    drop[axis] = true;
  }
  std::vector<int> want;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (!(count == 0 ? dims[i] == 1 : drop[i])) want.push_back(dims[i]);
  }
  RETURN_IF_ERROR(CheckOutputDims(OfTheModel(*node.outputs[0]), want));
  return ParsedNode{};
}

absl::StatusOr<ParsedNode> ParseExpandDims(const NodeView& node) {
  RETURN_IF_ERROR(CheckReshapedElements(node));
  std::vector<int> want = OfTheModel(*node.inputs[0]).dims;
  ASSIGN_OR_RETURN(auto axis,
                   AxisOfInput(node, 1, static_cast<int>(want.size()) + 1));
  want.insert(want.begin() + axis, 1);
  RETURN_IF_ERROR(CheckOutputDims(OfTheModel(*node.outputs[0]), want));
  return ParsedNode{};
}

absl::Status PlanReshape(const Node& node, Planner* planner) {
  AddReshape(planner, node.inputs[0], node.outputs[0]);
  return absl::OkStatus();
}

}  // namespace gles_delegate

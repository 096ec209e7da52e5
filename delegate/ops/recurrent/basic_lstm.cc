#include "delegate/ops/recurrent/basic_lstm.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/ops/matmul/matrix_product.h"
#include "delegate/ops/movement/concatenation.h"
#include "delegate/ops/recurrent/lstm.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

namespace places = lstm::basic;  // of inputs and outputs

absl::Status CheckLstmMatrix(const Tensor& tensor, int rows, int columns,
                             absl::string_view what) {
  if (tensor.dims == std::vector<int>{rows, columns}) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      what, " is ", DimsString(tensor.dims), ", must be ", rows, "x", columns));
}

absl::Status CheckKept(const Tensor& state, int batch, int depth,
                       absl::string_view what) {
  RETURN_IF_ERROR(CheckFloat(state, what));
  if (!state.is_variable) {
    return absl::UnimplementedError(absl::StrCat(
        what,
        " is made by another node or constant; a variable tensor or an "
        "input of the model is supported"));
  }
  return CheckLstmMatrix(state, batch, depth, what);
}

absl::Status CheckLstmOutputs(const NodeView& node, int batch, int inputs,
                              int depth) {
  const std::pair<int, const char*> wanted[] = {
      {depth, "the activation"},
      {depth, "the state"},
      {inputs + depth, "the concatenation"},
      {4 * depth, "the gates' sums"}};
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const auto& [columns, what] = wanted[i];
    RETURN_IF_ERROR(CheckFloat(*node.outputs[i], what));
    RETURN_IF_ERROR(CheckLstmMatrix(*node.outputs[i], batch, columns, what));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ParsedNode> ParseBasicLstm(const NodeView& node) {
  const Tensor& data = *node.inputs[places::kData];
  const Tensor& activation = *node.inputs[places::kPrevActivation];
  const Tensor& weights = *node.inputs[places::kWeights];
  const Tensor& bias = *node.inputs[places::kBiases];
  RETURN_IF_ERROR(CheckFloat(data, "input"));
  if (data.dims.size() != 2 || activation.dims.size() != 2) {
    return absl::InvalidArgumentError(
        "input and previous activation must have 2 dimensions");
  }
  const int batch = data.dims[0];
  const int inputs = data.dims[1];
  const int depth = activation.dims[1];
  // So that no sum or multiple of them overflows: a file may say anything.
  constexpr int kMax = 1 << 24;
  if (inputs > kMax || depth > kMax) {
    return absl::UnimplementedError(
        absl::StrCat(inputs, " inputs and ", depth, " cells are past ", kMax));
  }
  RETURN_IF_ERROR(
      CheckKept(activation, batch, depth, "the previous activation"));
  RETURN_IF_ERROR(CheckKept(*node.inputs[places::kPrevState], batch, depth,
                            "the previous state"));
  RETURN_IF_ERROR(CheckWeights(weights, "the matrix of weights"));
  RETURN_IF_ERROR(CheckLstmMatrix(weights, 4 * depth, inputs + depth,
                                  "the matrix of weights"));
  RETURN_IF_ERROR(CheckBias(&bias, 4 * depth));
  RETURN_IF_ERROR(CheckLstmOutputs(node, batch, inputs, depth));
  return ParsedNode{BasicLstmAttributes(), {}};
}

absl::Status PlanBasicLstm(const Node& node, Planner* planner) {
  const TensorId concatenated = node.outputs[places::kConcatenation];
  const TensorId sums = node.outputs[places::kGateSums];
  const Shape& dst = planner->tensor(node.outputs[places::kActivation]).shape;

  AddConcatenation(
      planner,
      {node.inputs[places::kData], node.inputs[places::kPrevActivation]},
      concatenated, /*axis=*/3);
  const Shape& weights = planner->tensor(node.inputs[places::kWeights]).shape;
  PlanMatrixProduct(
      {concatenated, sums, WeightsOf(node, places::kWeights, places::kBiases),
       weights.b, weights.c},
      planner);
  Dispatch d("basic_lstm");
  d.Read("sums", sums)
      .Read("old_state", node.inputs[places::kPrevState])
      .Write("activation", node.outputs[places::kActivation])
      .Write("state", node.outputs[places::kState])
      .Write("kept_activation", node.inputs[places::kPrevActivation])
      .Write("kept_state", node.inputs[places::kPrevState])
      .Grid(dst.slices(), dst.b, 1);
  planner->Add(std::move(d));
  return absl::OkStatus();
}

}  // namespace gles_delegate

#include "delegate/ops/matmul/fully_connected.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/conv/conv_strategies.h"
#include "delegate/ops/conv/conv_weights.h"

namespace gles_delegate {
namespace {

// TFLite's kernel takes any number of elements.
absl::Status CheckRowsDivide(const NodeView& node) {
  const Tensor& src = *node.inputs[0];
  const Tensor& weights = *node.inputs[1];
  const int n = weights.dims[0];
  const int k = weights.dims[1];
  const int64_t elements = src.shape.elements();
  if (elements % k == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("input has ", elements, " elements, which rows of ", k,
                   " (weights are ", n, "x", k, ") do not divide"));
}

}  // namespace

// Node inputs: data, weights, bias (optional); of fused nodes, also kRowScale
// and those of kGateStage.
absl::StatusOr<ParsedNode> ParseFullyConnected(const NodeView& node) {
  ASSIGN_OR_RETURN(const auto params, node.Get<FullyConnectedParams>());
  if (params->weights_format != 0) {
    return absl::UnimplementedError(
        absl::StrCat("weights format ", params->weights_format,
                     " (shuffled) is not supported; the default (0) is"));
  }
  RETURN_IF_ERROR(CheckRowsDivide(node));
  const Tensor* bias = node.input(2);
  RETURN_IF_ERROR(CheckBias(bias, node.inputs[1]->dims[0]));
  ASSIGN_OR_RETURN(auto activation, FusedActivation(params->activation));
  FullyConnectedAttributes attributes;
  attributes.sums_in_64_bits =
      bias == nullptr && node.traits.int16_rows_name_bias_type &&
      static_cast<const NewerFullyConnectedParams*>(node.builtin_params)
              ->quantized_bias_type == kTfLiteTypeInt64;
  return ParsedNode{attributes, std::move(activation)};
}

absl::Status PlanFullyConnected(const Node& node, Planner* planner) {
  return PlanConvNode(node, planner);
}

}  // namespace gles_delegate

#include "delegate/ops/matmul/fully_connected.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/conv/conv_strategies.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/ops/fused_activation.h"

namespace gles_delegate {
namespace {

absl::Status CheckFullyConnectedShapes(const NodeView& node,
                                       bool keep_num_dims) {
  const Tensor& src = *node.inputs[0];
  const Tensor& weights = *node.inputs[1];
  const Tensor& dst = *node.outputs[0];
  const int n = weights.dims[0];
  const int k = weights.dims[1];
  const int64_t elements = src.shape.elements();
  if (n < 1 || k < 1 || elements < 1 || elements % k != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("input has ", elements, " elements, which rows of ", k,
                     " (weights are ", n, "x", k, ") do not divide"));
  }
  std::vector<int> wanted = {static_cast<int>(elements / k), n};
  if (keep_num_dims) {
    if (src.dims.empty() || src.dims.back() != k) {
      return absl::InvalidArgumentError(absl::StrCat(
          "keep_num_dims wants an input whose last dimension is ", k));
    }
    wanted = src.dims;
    wanted.back() = n;
  }
  if (dst.dims != wanted) {
    return absl::InvalidArgumentError(
        absl::StrCat("output is ", absl::StrJoin(dst.dims, "x"), ", must be ",
                     absl::StrJoin(wanted, "x")));
  }
  return absl::OkStatus();
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
  RETURN_IF_ERROR(CheckFullyConnectedShapes(node, params->keep_num_dims));
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

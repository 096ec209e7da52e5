#include "delegate/ops/recurrent/svdf.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/ops/matmul/matrix_product.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

enum Input { kData, kFeature, kTime, kBias, kState, kInputs };

}  // namespace

absl::StatusOr<ParsedNode> ParseSvdf(const NodeView& node) {
  ASSIGN_OR_RETURN(const auto params, node.Get<SvdfParams>());
  const int rank = params->rank;
  const Tensor& state = *node.inputs[kState];
  if (!state.is_variable) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the state ", state.ToString(), " must be a variable tensor"));
  }
  if (rank < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("rank ", rank, " must be positive"));
  }
  const int units = node.inputs[kFeature]->dims[0] / rank;
  RETURN_IF_ERROR(CheckBias(node.inputs[kBias], units));
  ASSIGN_OR_RETURN(auto activation, RecurrentActivation(params->activation));
  return ParsedNode{SvdfAttributes{rank}, std::move(activation)};
}

absl::Status PlanSvdf(const Node& node, Planner* planner) {
  const auto& a = node.Get<SvdfAttributes>();
  const Shape feature = planner->tensor(node.inputs[kFeature]).shape;
  const Shape time = planner->tensor(node.inputs[kTime]).shape;
  const TensorId state = node.inputs[kState];
  const Shape kept = planner->tensor(state).shape;
  const Shape dst = planner->tensor(node.outputs[0]).shape;

  const TensorId features =
      planner->AddTemporary("svdf features", {kept.b, 1, 1, feature.b});
  PlanMatrixProduct({node.inputs[kData],
                     features,
                     {node.inputs[kFeature]},
                     feature.b,
                     feature.c},
                    planner);
  const TensorId shifted = planner->AddTemporary("svdf state", kept);
  Dispatch shift("svdf_shift");
  shift.Read("features", features)
      .Read("state", state)
      .Write("dst", shifted)
      .Grid(kept.slices(), kept.b, 1);
  shift.uniforms.Int("memory", time.c);
  planner->Add(std::move(shift));

  Dispatch sum("svdf");
  sum.Read("state", shifted)
      .Read("time", node.inputs[kTime])
      .Write("dst", node.outputs[0])
      .Grid(dst.slices(), dst.b, 1);
  sum.uniforms.Int2("filters", a.rank, time.c);
  if (node.inputs[kBias] != kNoTensor) {
    PostOp add;
    add.function = "add";
    add.operand = node.inputs[kBias];
    sum.post_ops.push_back(std::move(add));
  }
  planner->Add(std::move(sum));

  // Every texel of the old state is read by two invocations: it is written
  // last, by a copy.
  Dispatch keep("copy");
  keep.Read("src", shifted).Write("dst", state).OverTexels(kept);
  planner->Add(std::move(keep));
  return absl::OkStatus();
}

}  // namespace gles_delegate

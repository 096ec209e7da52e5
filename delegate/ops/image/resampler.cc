#include "delegate/ops/image/resampler.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/texel_dispatch.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

absl::StatusOr<ParsedNode> ParseResampler(const NodeView& node) {
  const Tensor& data = *node.inputs[0];
  const Tensor& warp = *node.inputs[1];
  if (warp.dims[3] != 2 || warp.dims[0] != data.dims[0]) {
    return absl::InvalidArgumentError(
        absl::StrCat("data ", DimsString(data.dims), " and warp ",
                     DimsString(warp.dims), " must be BHWC and Bhw2"));
  }
  RETURN_IF_ERROR(CheckOutputDims(
      *node.outputs[0],
      {data.dims[0], warp.dims[1], warp.dims[2], data.dims[3]}));
  return ParsedNode{};
}

absl::Status PlanResampler(const Node& node, Planner* planner) {
  planner->Add(TexelDispatch("resampler", node, *planner, {"src", "warp"}));
  return absl::OkStatus();
}

}  // namespace gles_delegate

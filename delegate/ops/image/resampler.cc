// The custom op Resampler: y[b,h,w,:] is the data at pixel (x, y) of
// warp[b,h,w], interpolated bilinearly with 0 outside the data; and 0 if x is
// not in (-1, W) or y not in (-1, H). Data [B,H,W,C], warp [B,h,w,2].
// kInvalidArgument: inconsistent shapes.
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/op.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/work_group.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// No attributes.
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

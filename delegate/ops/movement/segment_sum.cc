#include "delegate/ops/movement/segment_sum.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/constant_values.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/movement/linear_gather.h"
#include "delegate/ops/movement/scatter_nd.h"
#include "delegate/ops/op_list.h"

namespace gles_delegate {
namespace {

absl::StatusOr<ParsedNode> ParseSegments(const NodeView& node, int segments,
                                         Reducer reducer) {
  const Tensor& data = *node.inputs[0];
  const Tensor& output = *node.outputs[0];
  for (const Tensor* t : {&data, &output}) {
    RETURN_IF_ERROR(CheckCountable(*t));
  }
  const std::vector<int>& rows = node.inputs[1]->dims;
  const bool is_prefix =
      rows.size() <= data.dims.size() &&
      std::equal(rows.begin(), rows.end(), data.dims.begin());
  if (!is_prefix) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the ids are ", DimsString(rows), ", the input is ",
        DimsString(data.dims), "; there must be one for each of its rows"));
  }
  std::vector<int> want = {segments};
  want.insert(want.end(), data.dims.begin() + rows.size(), data.dims.end());
  RETURN_IF_ERROR(CheckOutputDims(output, want));
  Scatter scatter;
  scatter.indices_input = 1;
  scatter.updates_input = 0;
  scatter.extents[0] = segments;
  scatter.reducer = reducer;
  scatter.count = static_cast<int>(node.inputs[1]->shape.elements());
  scatter.inner = static_cast<int>(data.shape.elements() / scatter.count);
  RETURN_IF_ERROR(CheckScatterReads(output, *node.inputs[1]));
  return ParsedNode{scatter, {}};
}

}  // namespace

absl::StatusOr<ParsedNode> ParseSegmentSum(const NodeView& node) {
  ASSIGN_OR_RETURN(const auto ids, IntsOfInput(node, 1));
  int last = 0, max = 0;
  for (int id : ids) {
    if (id < last || id > max) {
      return absl::InvalidArgumentError(
          absl::StrCat("the segments' ids go from ", last, " to ", id,
                       "; they must begin at 0 and rise by 0 or 1"));
    }
    last = id;
    max = id + 1;
  }
  return ParseSegments(node, last + 1, Reducer::kSum);
}

absl::StatusOr<ParsedNode> ParseUnsortedSegments(const NodeView& node) {
  ASSIGN_OR_RETURN(const auto segments, IntsOfInput(node, 2));
  if (node.inputs[1]->is_constant()) {
    ASSIGN_OR_RETURN(auto ids, ConstantInts(*node.inputs[1]));
    // A negative id drops its row.
    for (int id : ids) {
      if (id < segments.front()) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "id ", id, " is outside of ", segments.front(), " segments"));
    }
  }
  return ParseSegments(node, segments.front(),
                       ReducerOf(*FindOp(node.builtin_code, "")));
}

}  // namespace gles_delegate

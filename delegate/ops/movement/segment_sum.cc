#include "delegate/ops/movement/segment_sum.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/graph/constant_values.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/movement/linear_gather.h"
#include "delegate/ops/movement/scatter_nd.h"

namespace gles_delegate {
namespace {

absl::StatusOr<ParsedNode> ParseSegments(const NodeView& node, int segments,
                                         Reducer reducer) {
  if (auto s = CheckNotQuantized(node); !s.ok()) return s;
  const Tensor& data = *node.inputs[0];
  const Tensor& output = *node.outputs[0];
  if (auto s = CheckFloatsOrInts(data, "input", output); !s.ok()) return s;
  if (auto s = CheckIndices(node, 1); !s.ok()) return s;
  for (const Tensor* t : {&data, &output}) {
    if (auto s = CheckCountable(*t); !s.ok()) return s;
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
  if (auto s = CheckOutputDims(output, want); !s.ok()) return s;
  Scatter scatter;
  scatter.indices_input = 1;
  scatter.updates_input = 0;
  scatter.extents[0] = segments;
  scatter.reducer = reducer;
  scatter.count = static_cast<int>(node.inputs[1]->shape.elements());
  scatter.inner = static_cast<int>(data.shape.elements() / scatter.count);
  if (auto s = CheckScatterReads(output, *node.inputs[1]); !s.ok()) return s;
  return ParsedNode{scatter, {}};
}

}  // namespace

absl::StatusOr<ParsedNode> ParseSegmentSum(const NodeView& node) {
  if (auto s = node.CheckCounts(2, 2, 1); !s.ok()) return s;
  const auto ids = IntsOfInput(node, 1, "the segments' ids");
  if (!ids.ok()) return ids.status();
  int last = 0, max = 0;
  for (int id : *ids) {
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

template <Reducer reducer>
absl::StatusOr<ParsedNode> ParseUnsortedSegments(const NodeView& node) {
  if (auto s = node.CheckCounts(3, 3, 1); !s.ok()) return s;
  const auto segments = IntsOfInput(node, 2, "the number of segments");
  if (!segments.ok()) return segments.status();
  if (segments->size() != 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the number of segments has ", segments->size(), " elements, wants 1"));
  }
  if (node.inputs[1]->is_constant()) {
    auto ids = ConstantInts(*node.inputs[1]);
    if (!ids.ok()) return ids.status();
    // A negative id drops its row.
    for (int id : *ids) {
      if (id < segments->front()) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "id ", id, " is outside of ", segments->front(), " segments"));
    }
  }
  return ParseSegments(node, segments->front(), reducer);
}

template ParseFunction ParseUnsortedSegments<Reducer::kSum>;
template ParseFunction ParseUnsortedSegments<Reducer::kProduct>;
template ParseFunction ParseUnsortedSegments<Reducer::kMax>;
template ParseFunction ParseUnsortedSegments<Reducer::kMin>;

}  // namespace gles_delegate

// SLICE: `size` elements from `begin` on each axis (size -1: to the end).
// STRIDED_SLICE: every stride-th element from begin to end, in either
// direction, with all masks: begin, end, ellipsis, new axis, shrink axis. Rank
// <= 5 (SLICE: or more, if axes before the last three fold into two); constant
// begin, end, size, strides. kInvalidArgument: a slice outside
// the input, or a wrong output shape.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/graph/op.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/movement/axis_move.h"
#include "delegate/ops/movement/remap.h"

namespace gles_delegate {
namespace {

// A strided slice of one axis of the input, or a new axis of the output.
struct AxisSlice {
  int begin = 0;
  int end = 1;
  int stride = 1;
  bool new_axis = false;  // of extent 1, in the output alone
  bool begin_mask = false;
  bool end_mask = false;
  bool shrink = false;  // of extent 1, in the input alone
  bool offset = false;  // `end` counts from `begin`
};

bool Bit(int mask, int i) { return i < 31 && (mask >> i & 1) != 0; }

// The specification's entries, one for each axis of input and output. The
// ellipsis becomes as many whole axes as are left, and axes without an entry at
// the end are whole.
absl::StatusOr<std::vector<AxisSlice>> ExpandMasks(
    const StridedSliceParams& p, int rank, const std::vector<int>& begin,
    const std::vector<int>& end, const std::vector<int>& strides) {
  const int entries = static_cast<int>(begin.size());
  int named = 0;  // axes of the input that entries other than the ellipsis take
  for (int i = 0; i < entries; ++i) {
    if (!Bit(p.ellipsis_mask, i) && !Bit(p.new_axis_mask, i)) ++named;
  }
  if (named > rank) {
    return absl::InvalidArgumentError(
        absl::StrCat("slices ", named, " axes of an input of rank ", rank));
  }
  AxisSlice whole;
  whole.begin_mask = whole.end_mask = true;
  std::vector<AxisSlice> slices;
  bool ellipsis = false;
  for (int i = 0; i < entries; ++i) {
    if (Bit(p.ellipsis_mask, i)) {
      if (ellipsis) return absl::InvalidArgumentError("has two ellipses");
      ellipsis = true;
      slices.insert(slices.end(), rank - named, whole);
      continue;
    }
    AxisSlice slice{begin[i], end[i], strides[i]};
    slice.new_axis = Bit(p.new_axis_mask, i);
    slice.begin_mask = Bit(p.begin_mask, i);
    slice.end_mask = Bit(p.end_mask, i);
    slice.shrink = !slice.new_axis && Bit(p.shrink_axis_mask, i);
    slices.push_back(slice);
  }
  if (!ellipsis) slices.insert(slices.end(), rank - named, whole);
  return slices;
}

int SaturatedSum(int a, int b) {
  constexpr int64_t kMin = std::numeric_limits<int>::min();
  constexpr int64_t kMax = std::numeric_limits<int>::max();
  return static_cast<int>(std::clamp(int64_t{a} + b, kMin, kMax));
}

// TFLite's StridedSliceStartForAxis and ...EndForAxis: wraps, clamps, applies
// the masks. kInvalidArgument: stride 0, or a shrunk axis outside the input.
absl::Status Resolve(int extent, AxisSlice* s) {
  if (s->stride == 0) return absl::InvalidArgumentError("has a stride of 0");
  const bool up = s->stride > 0;
  const auto clamped = [&](int i) {
    if (i < 0) i += extent;
    return up ? std::clamp(i, 0, extent) : std::clamp(i, -1, extent - 1);
  };
  const int asked = s->begin;
  s->begin = s->begin_mask ? (up ? 0 : extent - 1) : clamped(s->begin);
  if (s->shrink) {
    s->end = s->begin + 1;
    s->stride = 1;
    if (s->begin < 0 || s->begin >= extent) {
      return absl::InvalidArgumentError(absl::StrCat(
          "index ", asked, " is outside an axis of ", extent, " elements"));
    }
    return absl::OkStatus();
  }
  if (s->offset) s->end = SaturatedSum(s->begin, s->end);
  s->end = s->end_mask ? (up ? extent : -1) : clamped(s->end);
  return absl::OkStatus();
}

int Length(const AxisSlice& s) {
  const int64_t span = int64_t{s.end} - s.begin;
  const int64_t length = s.stride > 0 ? (span + s.stride - 1) / s.stride
                                      : (span + s.stride + 1) / s.stride;
  return static_cast<int>(std::max<int64_t>(0, length));
}

}  // namespace

absl::StatusOr<ParsedNode> ParseSlice(const NodeView& node) {
  const Tensor& input = *node.inputs[0];
  const int rank = static_cast<int>(input.dims.size());
  ASSIGN_OR_RETURN(auto begin, IntsOfInput(node, 1));
  ASSIGN_OR_RETURN(auto size, IntsOfInput(node, 2));
  std::vector<AxisMove> axes;
  std::vector<int> want(rank);
  for (int i = 0; i < rank; ++i) {
    const int from = begin[i];
    want[i] = size[i];
    if (want[i] == -1 && from >= 0) want[i] = input.dims[i] - from;
    if (from < 0 || want[i] < 0 || from > input.dims[i] - want[i]) {
      return absl::InvalidArgumentError(
          absl::StrCat("begin ", from, " and size ", size[i], " leave axis ", i,
                       ", which has ", input.dims[i], " elements"));
    }
    axes.push_back({input.dims[i], want[i], from});
  }
  // TFLite 2.21 takes the output's shape from the file.
  RETURN_IF_ERROR(CheckOutputDims(*node.outputs[0], want));
  return ParsedNode{MoveAxes(std::move(axes), rank), {}};
}

absl::StatusOr<ParsedNode> ParseStridedSlice(const NodeView& node) {
  ASSIGN_OR_RETURN(auto params, node.Get<StridedSliceParams>());
  const Tensor& input = *node.inputs[0];
  ASSIGN_OR_RETURN(auto begin, IntsOfInput(node, 1));
  ASSIGN_OR_RETURN(auto end, IntsOfInput(node, 2));
  ASSIGN_OR_RETURN(auto strides, IntsOfInput(node, 3));
  const int rank = static_cast<int>(input.dims.size());
  // The runtime's kernel takes only lists of one length.
  begin.resize(std::min({begin.size(), end.size(), strides.size()}));
  ASSIGN_OR_RETURN(auto slices,
                   ExpandMasks(*params, rank, begin, end, strides));
  const int out_rank = static_cast<int>(node.outputs[0]->dims.size());
  RemapAttributes a;
  a.remap = Remap::Constant();
  std::vector<int> want;
  int axis = 0;  // of the input
  constexpr int kVersionWithOffset = 8, kMinorWithOffset = 14;
  const bool offset =
      node.HasField(kVersionWithOffset, kMinorWithOffset) && params->offset;
  for (AxisSlice& s : slices) {
    s.offset = offset;
    if (s.new_axis) {
      want.push_back(1);
      continue;
    }
    RETURN_IF_ERROR(Resolve(input.dims[axis], &s));
    const int from = BhwcAxis(axis++, rank);
    a.remap.offset[from] = s.begin;
    if (s.shrink) continue;
    // An axis beyond the output's rank is refused when shapes are compared
    // below.
    const int to = static_cast<int>(want.size());
    const int length = Length(s);
    // With one element there is no step, so each step is within the axis, and
    // the product of several slices' steps as well.
    if (length <= 1) s.stride = 1;
    if (to < out_rank)
      a.remap.Follow(from, BhwcAxis(to, out_rank), s.stride, s.begin);
    want.push_back(length);
  }
  RETURN_IF_ERROR(CheckOutputDims(*node.outputs[0], want));
  return ParsedNode{a, {}};
}

}  // namespace gles_delegate

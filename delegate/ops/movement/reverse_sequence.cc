#include "delegate/ops/movement/reverse_sequence.h"

#include <array>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/graph/constant_values.h"
#include "delegate/graph/op.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/movement/axis_move.h"
#include "delegate/ops/movement/linear_gather.h"
#include "delegate/ops/work_group.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// REVERSE_V2: reverses the order of elements along constant axes, each given
// once.
// kInvalidArgument: an axis outside the input or given twice, or an output
// shape that is not the input's.
absl::StatusOr<ParsedNode> ParseReverse(const NodeView& node) {
  const Tensor& input = *node.inputs[0];
  ASSIGN_OR_RETURN(auto axes, IntsOfInput(node, 1));
  const int rank = static_cast<int>(input.dims.size());
  std::vector<AxisMove> moves;
  for (int extent : input.dims) moves.push_back({extent, extent});
  std::vector<bool> taken(rank, false);
  for (int i : axes) {
    ASSIGN_OR_RETURN(auto axis, NormalAxis(i, rank));
    if (taken[axis]) {
      return absl::InvalidArgumentError(
          absl::StrCat("axis ", axis, " is named twice"));
    }
    taken[axis] = true;
    moves[axis].first = input.dims[axis] - 1;
    moves[axis].step = -1;
  }
  return ParsedNode{MoveAxes(std::move(moves), rank), {}};
}

namespace {

constexpr int kMaxRank = 4;

// kInvalidArgument: a length is past the axis.
absl::Status CheckConstantLengths(const Tensor& lengths, int extent) {
  if (!lengths.is_constant()) return absl::OkStatus();
  ASSIGN_OR_RETURN(auto values, ConstantInts(lengths));
  for (int length : values) {
    if (length > extent) {
      return absl::InvalidArgumentError(absl::StrCat(
          "length ", length, " is past an axis of ", extent, " elements"));
    }
  }
  return absl::OkStatus();
}

// 1 in the place of `axis`, an index into an AxisArray, of a shader's
// coordinates (x, y, channel, batch); 0 elsewhere.
std::array<int, 4> Unit(int axis) {
  return {axis == kWidthAxis, axis == kHeightAxis, axis == kChannelAxis,
          axis == kBatchAxis};
}

}  // namespace

// kInvalidArgument: axes outside the input or equal, not one length per index
// of the batch axis, constant lengths outside the axis, or an output shape that
// is not the input's.
absl::StatusOr<ParsedNode> ParseReverseSequence(const NodeView& node) {
  ASSIGN_OR_RETURN(auto params, node.Get<ReverseSequenceParams>());
  const Tensor& input = *node.inputs[0];
  const Tensor& lengths = *node.inputs[1];
  if (input.quantized == DataType::kInt8) {
    return absl::UnimplementedError(
        "input is int8, which TFLite's kernel does not take");
  }
  const int rank = static_cast<int>(input.dims.size());
  const int sequence = params->seq_dim;
  const int batch = params->batch_dim;
  if (sequence < 0 || sequence >= rank || batch < 0 || batch >= rank ||
      sequence == batch) {
    return absl::InvalidArgumentError(
        absl::StrCat("seq_dim ", sequence, " and batch_dim ", batch,
                     " must be two axes of a tensor of rank ", rank));
  }
  if (lengths.dims != std::vector<int>{input.dims[batch]}) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the lengths are ", DimsString(lengths.dims), ", must be ",
        input.dims[batch], " as axis ", batch, " of ", DimsString(input.dims)));
  }
  RETURN_IF_ERROR(CheckConstantLengths(lengths, input.dims[sequence]));
  return ParsedNode{ReverseSequenceAttributes{BhwcAxis(sequence, rank),
                                              BhwcAxis(batch, rank)},
                    {}};
}

absl::Status PlanReverseSequence(const Node& node, Planner* planner) {
  const auto& a = node.Get<ReverseSequenceAttributes>();
  ASSIGN_OR_RETURN(auto lengths, IndicesAsInt32(planner, node.inputs[1]));
  Dispatch d("reverse_sequence");
  if (a.sequence_axis != kChannelAxis && a.batch_axis != kChannelAxis) {
    d.Define("WHOLE");
  }
  d.Read("src", node.inputs[0]).Read("lengths", lengths);
  d.Write("dst", node.outputs[0]);
  const auto sequence = Unit(a.sequence_axis);
  const auto batch = Unit(a.batch_axis);
  d.uniforms.Int4("along", sequence[0], sequence[1], sequence[2], sequence[3]);
  d.uniforms.Int4("by", batch[0], batch[1], batch[2], batch[3]);
  d.uniforms.Int("extent",
                 ExtentsOf(planner->tensor(node.inputs[0]))[a.sequence_axis]);
  d.OverTexels(planner->tensor(node.outputs[0]).shape);
  AddInLightGroups(std::move(d), planner);
  return absl::OkStatus();
}

}  // namespace gles_delegate

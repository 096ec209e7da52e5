#include "delegate/ops/movement/dynamic_update_slice.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/movement/gather.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// kUnimplemented: other types, rank above 5.
absl::StatusOr<ParsedNode> ParseDynamicUpdateSlice(const NodeView& node) {
  const Tensor& input = *node.inputs[0];
  const Tensor& update = *node.inputs[1];
  const int rank = static_cast<int>(input.dims.size());
  for (const Tensor* t : {&update, node.outputs[0]}) {
    RETURN_IF_ERROR(CheckOneQuantization(input, *t));
  }
  UpdateSlice slice;
  slice.extents = ExtentsOf(input);
  slice.box = ExtentsOf(update);
  for (int i = 0; i < rank; ++i) slice.which[BhwcAxis(i, rank)] = i;
  return ParsedNode{slice, {}};
}

namespace {

// The most slices that have channels of the update, wherever it begins.
int TouchedSlices(const Shape& update, const Shape& dst) {
  return std::min(dst.slices(), (update.c + 2) / 4 + 1);
}

// How much of `dst` a dispatch for an update of shape `update` writes.
Shape WrittenPart(const UpdateSlice& a, const Shape& update, const Shape& dst) {
  if (!a.in_place) return dst;
  Shape part = update;
  if (!a.CoversChannels()) part.c = 4 * TouchedSlices(update, dst);
  return part;
}

}  // namespace

absl::Status PlanDynamicUpdateSlice(const Node& node, Planner* planner) {
  const auto& a = node.Get<UpdateSlice>();
  ASSIGN_OR_RETURN(auto start, IndicesAsInt32(planner, node.inputs[2]));
  const Shape& dst = planner->tensor(node.outputs[0]).shape;
  const Shape update = a.moved == nullptr
                           ? planner->tensor(node.inputs[1]).shape
                           : a.moved_shape;
  Dispatch d("dynamic_update_slice");
  if (!a.in_place || !a.CoversChannels()) d.Read("src", node.inputs[0]);
  d.Read("start", start).Write("dst", node.outputs[0]);
  d.uniforms.Int4("which", a.which[kWidthAxis], a.which[kHeightAxis],
                  a.which[kChannelAxis], a.which[kBatchAxis]);
  d.uniforms.Int4("outer", a.which[kOuterAxis], a.extents[kBatchAxis],
                  a.box[kBatchAxis], TouchedSlices(update, dst));
  if (a.moved == nullptr) {
    d.Read("update", node.inputs[1]);
  } else {
    d.Define("MOVED");
    d.uniforms.Int4("moved_size", update.w, update.h, update.slices(),
                    update.b);
    d.uniforms.Int4("moved_channels", update.c, 0, 0, 0);
    DefineMovedValue(*a.moved, absl::MakeSpan(node.inputs).subspan(3), &d);
  }
  if (a.in_place) d.Define(a.CoversChannels() ? "IN_PLACE" : "PARTS_IN_PLACE");
  d.OverTexels(WrittenPart(a, update, dst));
  planner->Add(std::move(d));
  return absl::OkStatus();
}

}  // namespace gles_delegate

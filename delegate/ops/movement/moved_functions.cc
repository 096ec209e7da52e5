#include "delegate/ops/movement/moved_functions.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/movement/gather.h"
#include "delegate/ops/work_group.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

namespace {

using Kind = MovedRead::Kind;

std::string LoopsOf(int step) { return absl::StrCat("loops", step); }
std::string StridesOf(int step) { return absl::StrCat("strides", step); }

// The value of a step that reads, as statements.
std::string ReadText(const MovedRead& read, int index, int step) {
  const std::string in = InputName(index), value = ValueName(step);
  if (read.kind == Kind::kSame) {
    return DefineValue(step, absl::StrCat("read_", in, "(p.x, p.y, s, p.w)"));
  }
  const std::string at =
      absl::StrCat("op_moved(t, ", LoopsOf(step), ", ", StridesOf(step), ")");
  const std::string texel = absl::StrCat("read_", in, "(q.x, q.y, q.z, q.w)");
  if (read.kind == Kind::kTexels) {
    return absl::StrCat("vec4 ", value, "; { ivec4 q = op_place_of(", at, ", ",
                        in, "_size); ", value, " = ", texel, "; } ");
  }
  const std::string element = absl::StrCat("ivec4 q = op_place_of_element(e, ",
                                           in, "_size, ", in, "_aux.x); ");
  const std::string component =
      absl::StrCat("op_component(", texel, ", e % ", in, "_aux.x)");
  if (read.step == 0) {
    return absl::StrCat("vec4 ", value, "; { int e = ", at, "; ", element,
                        value, " = vec4(", component, "); } ");
  }
  // The innermost loop goes from texel to texel.
  return absl::StrCat("vec4 ", value,
                      "; for (int i = 0; i < 4; ++i) { int e = ", at,
                      " + i * (", StridesOf(step), ".w / 4); ", element, value,
                      "[i] = ", component, "; } ");
}

std::string Definition(const MovedStep& step, int i) {
  if (step.index >= 0) return ReadText(step.read, step.index, i);
  return DefineValue(i, step.Call(i));
}

// The value of a part of the slices.
std::string PartText(const MovedFunctionsAttributes& a, int part) {
  const int result = a.parts[part].result;
  const std::string text = DefinitionsOf(
      a.steps, {result}, [&](int i) { return Definition(a.steps[i], i); });
  const auto end = [](int of) { return absl::StrCat("part_ends[", of, "]"); };
  const std::string first = part == 0 ? "0" : end(part - 1);
  return absl::StrCat("if (p.z < ", end(part), ") { int s = p.z - ", first,
                      "; int t = pixel * (", end(part), " - ", first, ") + s; ",
                      text, "return ", ValueName(result), "; } ");
}

void AddMoveParams(const MovedFunctionsAttributes& a, Dispatch* d) {
  std::array<int, MovedFunctionsAttributes::kMaxParts> ends = {};
  for (size_t i = 0; i < a.parts.size(); ++i) ends[i] = a.parts[i].end;
  d->uniforms.Int4("part_ends", ends[0], ends[1], ends[2], ends[3]);
  std::string members = "ivec4 part_ends; ";
  for (size_t i = 0; i < a.steps.size(); ++i) {
    const MovedStep& step = a.steps[i];
    const int at = static_cast<int>(i);
    if (step.index < 0) {
      absl::StrAppend(&members, "vec4 ", ParamsName(at), "; ");
      d->uniforms.Float4(ParamsName(at), step.params);
    } else if (step.read.kind != Kind::kSame) {
      absl::StrAppend(&members, "ivec4 ", LoopsOf(at), "; ivec4 ",
                      StridesOf(at), "; ");
      const MovedRead& r = step.read;
      d->uniforms.Int4(LoopsOf(at), r.offset, r.sizes[1], r.sizes[2],
                       r.sizes[3]);
      d->uniforms.Int4(StridesOf(at), r.strides[0], r.strides[1], r.strides[2],
                       r.strides[3]);
    }
  }
  d->Define("MOVE_PARAMS", members);
}

}  // namespace

void DefineMovedValue(const MovedFunctionsAttributes& a,
                      absl::Span<const TensorId> inputs, Dispatch* d) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    d->Read(InputName(static_cast<int>(i)), inputs[i]);
  }
  AddMoveParams(a, d);
  std::string parts;
  for (size_t i = 0; i < a.parts.size(); ++i) {
    absl::StrAppend(&parts, PartText(a, static_cast<int>(i)));
  }
  d->Define("MOVED_PARTS", parts);
}

absl::Status PlanMovedFunctions(const Node& node, Planner* planner) {
  Dispatch d = TexelDispatch("moved_functions", node, *planner, {});
  DefineMovedValue(node.Get<MovedFunctionsAttributes>(), node.inputs, &d);
  planner->Add(std::move(d));
  return absl::OkStatus();
}

// --- DYNAMIC_UPDATE_SLICE ----------------------------------------------------

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
  BindAxes("which", a.which, &d);
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

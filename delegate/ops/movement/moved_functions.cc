#include "delegate/ops/movement/moved_functions.h"

#include <any>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "delegate/ops/step_names.h"
#include "delegate/ops/texel_dispatch.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

using Kind = MovedRead::Kind;

std::string LoopsOf(int step) { return absl::StrCat("loops", step); }
std::string StridesOf(int step) { return absl::StrCat("strides", step); }

std::string ReadText(const MovedRead& read, int index, int step) {
  if (read.kind == Kind::kSame) {
    return absl::StrCat("read_", InputName(index), "(p.x, p.y, s, p.w)");
  }
  const std::string at =
      absl::StrCat("op_moved(t, ", LoopsOf(step), ", ", StridesOf(step), ")");
  if (read.kind == Kind::kTexels) {
    return absl::StrCat("texel_", InputName(index), "(", at, ")");
  }
  const std::string element = absl::StrCat("element_", InputName(index));
  if (read.step == 0) return absl::StrCat("vec4(", element, "(", at, "))");
  // The innermost loop goes from texel to texel.
  std::string all = absl::StrCat("vec4(", element, "(", at, ")");
  for (int lane = 1; lane < 4; ++lane) {
    absl::StrAppend(&all, ", ", element, "(", at, " + ", lane, " * (",
                    StridesOf(step), ".w / 4))");
  }
  return absl::StrCat(all, ")");
}

std::string Definition(const MovedStep& step, int i) {
  if (step.index >= 0) {
    return absl::StrCat("vec4 ", ValueName(i), " = ",
                        ReadText(step.read, step.index, i), "; ");
  }
  std::string first = ValueName(step.a);
  if (step.b >= 0) {
    std::string second = ValueName(step.b);
    if (step.operand_first) std::swap(first, second);
    absl::StrAppend(&first, ", ", second);
  }
  return absl::StrCat("vec4 ", ValueName(i), " = op_", step.function, "(",
                      first, ", ", ParamsName(i), "); ");
}

// The value of a part of the slices.
std::string PartText(const MovedFunctionsAttributes& a, int part) {
  const std::vector<MovedStep>& steps = a.steps;
  std::vector<bool> needed(steps.size(), false);
  const int result = a.parts[part].result;
  needed[result] = true;
  std::string text;
  for (int i = result; i >= 0; --i) {
    if (!needed[i]) continue;
    for (int from : {steps[i].a, steps[i].b}) {
      if (from >= 0) needed[from] = true;
    }
    text = absl::StrCat(Definition(steps[i], i), text);
  }
  const auto end = [](int of) { return absl::StrCat("part_ends[", of, "]"); };
  const std::string first = part == 0 ? "0" : end(part - 1);
  return absl::StrCat("if (p.z < ", end(part), ") { int s = p.z - ", first,
                      "; int t = pixel * (", end(part), " - ", first, ") + s; ",
                      text, "return ", ValueName(result), "; } ");
}

void AddParams(const MovedFunctionsAttributes& a, Dispatch* d) {
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

// texel_T(t) or element_T(e) of input T, as the step needs.
std::string ReadFunction(const MovedStep& step) {
  const std::string in = InputName(step.index);
  const std::string size = absl::StrCat(in, "_size");
  const std::string read = absl::StrCat("read_", in, "(q.x, q.y, q.z, q.w)");
  if (step.read.kind == Kind::kTexels) {
    return absl::StrCat("vec4 texel_", in,
                        "(int t) { ivec4 q = op_place_of(t, ", size,
                        "); return ", read, "; } ");
  }
  const std::string channels = absl::StrCat(in, "_aux.x");
  return absl::StrCat("float element_", in, "(int e) { int pixel = e / ",
                      channels, "; int c = e - pixel * ", channels,
                      "; ivec4 q = op_place_of(pixel * ", size, ".z + c / 4, ",
                      size, "); return op_component(", read, ", c); } ");
}

std::string ReadFunctions(const MovedFunctionsAttributes& a) {
  std::set<std::string> functions;
  for (const MovedStep& step : a.steps) {
    if (step.index >= 0 && step.read.kind != Kind::kSame) {
      functions.insert(ReadFunction(step));
    }
  }
  return absl::StrJoin(functions, "");
}

}  // namespace

const OpDefinition& MovedFunctions() {
  static const OpDefinition& op = *new OpDefinition{
      "MOVED_FUNCTIONS", -1, 1, 1, nullptr, PlanMovedFunctions, ""};
  return op;
}

void DefineMovedValue(const MovedFunctionsAttributes& a,
                      absl::Span<const TensorId> inputs, Dispatch* d) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    d->Read(InputName(static_cast<int>(i)), inputs[i]);
  }
  AddParams(a, d);
  std::string text = absl::StrCat(
      ReadFunctions(a),
      "vec4 moved_value(ivec4 p, ivec4 size) { int pixel = (p.w * size.y + "
      "p.y) * size.x + p.x; ");
  for (size_t i = 0; i < a.parts.size(); ++i) {
    absl::StrAppend(&text, PartText(a, static_cast<int>(i)));
  }
  d->Define("MOVED_VALUE", absl::StrCat(text, "return vec4(0.0); }"));
}

absl::Status PlanMovedFunctions(const Node& node, Planner* planner) {
  Dispatch d = TexelDispatch("moved_functions", node, *planner, {});
  DefineMovedValue(
      std::any_cast<const MovedFunctionsAttributes&>(node.attributes),
      node.inputs, &d);
  planner->Add(std::move(d));
  return absl::OkStatus();
}

}  // namespace gles_delegate

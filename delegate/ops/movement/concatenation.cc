#include "delegate/ops/movement/concatenation.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/fold_axes.h"
#include "delegate/ops/fused_activation.h"
#include "delegate/ops/movement/remap.h"
#include "delegate/ops/work_group.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

// Every device lets a dispatch bind four images or buffers. The dispatch writes
// one of them.
constexpr int kMaxSources = 3;

// Neighbouring channels of the output that come from one tensor.
struct Part {
  TensorId id;
  int begin;
  int channels;
  int end() const { return begin + channels; }
};

std::vector<Part> PartsOf(const Planner& planner,
                          absl::Span<const TensorId> inputs) {
  std::vector<Part> parts;
  int at = 0;
  for (TensorId id : inputs) {
    const int channels = planner.tensor(id).shape.c;
    parts.push_back({id, at, channels});
    at += channels;
  }
  return parts;
}

// Adds a copy for each input.
void AddCopies(Planner* planner, absl::Span<const TensorId> inputs,
               TensorId output, int axis, int outer = 0) {
  AxisArray at = {};
  Remap remap;
  remap.src_outer = remap.dst_outer = outer;
  for (TensorId id : inputs) {
    const AxisArray extent = ExtentsOf(planner->tensor(id), outer);
    AddRemapToBox(planner, id, output, remap, extent, at);
    at[axis] += extent[axis];
  }
}

// Adds a dispatch that writes output slices [begin, end). All channels of these
// slices come from `parts`.
void AddMerge(Planner* planner, absl::Span<const Part> parts, TensorId output,
              int begin, int end) {
  static constexpr const char* kSources[kMaxSources] = {"src0", "src1", "src2"};
  const Shape to = planner->tensor(output).shape;
  std::array<int, kMaxSources> from = {0, 0, 0};
  Dispatch d("concat_channels");
  d.Define("SOURCES", static_cast<int>(parts.size()));
  for (size_t i = 0; i < parts.size(); ++i) {
    d.Read(kSources[i], parts[i].id);
    from[i] = parts[i].begin;
  }
  d.Write("dst", output);
  d.uniforms.Int4("part_begin", from[0], from[1], from[2], 0);
  d.uniforms.Int("first_slice", begin);
  d.uniforms.Int("slice_count", end - begin);
  d.Grid(to.w, to.h, (end - begin) * to.b);
  UseLightWorkGroup(planner->profile(), &d);
  planner->Add(std::move(d));
}

// Joins inputs until no texel needs more than kMaxSources of them. The inner
// inputs of such a texel have one channel each, so that joining two is cheap.
void JoinNarrowInputs(Planner* planner, std::vector<TensorId>* inputs) {
  for (size_t i = 0; i + kMaxSources < inputs->size();) {
    const std::vector<Part> parts = PartsOf(*planner, *inputs);
    const Part& first = parts[i];
    const Part& last = parts[i + kMaxSources];
    if ((first.end() - 1) / 4 != last.begin / 4) {
      ++i;
      continue;
    }
    Shape shape = planner->tensor(parts[i + 1].id).shape;
    shape.c = parts[i + 1].channels + parts[i + 2].channels;
    const TensorId pair = planner->AddTemporary(
        "two inputs joined", shape, planner->tensor(parts[i].id).type);
    AddConcatenation(planner, {parts[i + 1].id, parts[i + 2].id}, pair,
                     kChannelAxis);
    (*inputs)[i + 1] = pair;
    inputs->erase(inputs->begin() + i + 2);
  }
}

// Adds dispatches that write the texels from left to right. Each dispatch
// writes as many texels as three inputs give.
void AddMerges(Planner* planner, std::vector<TensorId> inputs,
               TensorId output) {
  JoinNarrowInputs(planner, &inputs);
  const std::vector<Part> parts = PartsOf(*planner, inputs);
  const int slices = planner->tensor(output).shape.slices();
  size_t first = 0;
  for (int begin = 0; begin < slices;) {
    while (parts[first].end() <= 4 * begin) ++first;
    const size_t count = std::min<size_t>(kMaxSources, parts.size() - first);
    const size_t next = first + count;
    // A texel that the next input shares is left to the next dispatch.
    const int end = next == parts.size() ? slices : parts[next].begin / 4;
    AddMerge(planner, absl::MakeConstSpan(parts).subspan(first, count), output,
             begin, end);
    begin = end;
  }
}

}  // namespace

void AddConcatenation(Planner* planner, std::vector<TensorId> inputs,
                      TensorId output, int axis) {
  bool aligned = true;
  if (axis == kChannelAxis) {
    for (const Part& part : PartsOf(*planner, inputs)) {
      aligned = aligned && part.begin % 4 == 0;
    }
  }
  if (aligned) return AddCopies(planner, inputs, output, axis);
  AddMerges(planner, std::move(inputs), output);
}

absl::StatusOr<ParsedNode> ParseConcatenation(const NodeView& node) {
  ASSIGN_OR_RETURN(auto params, node.Get<ConcatenationParams>());
  const Tensor& first = *node.inputs[0];
  ASSIGN_OR_RETURN(
      auto axis, NormalAxis(params->axis, static_cast<int>(first.dims.size())));
  RETURN_IF_ERROR(CheckPieces(node.inputs, *node.outputs[0], axis));
  ASSIGN_OR_RETURN(auto activation, FusedActivation(params->activation));
  if (IsIntegers(first) && !activation.empty()) {
    return absl::UnimplementedError(
        absl::StrCat("fused activation ", params->activation, " of ",
                     DataTypeName(first.type), " is not supported"));
  }
  const AxisPlace place = PlaceOfAxis(first.dims, axis);
  return ParsedNode{ConcatenationAttributes{place.axis, place.outer},
                    std::move(activation)};
}

absl::Status PlanConcatenation(const Node& node, Planner* planner) {
  const auto& a = node.Get<ConcatenationAttributes>();
  if (a.outer != 0) {
    AddCopies(planner, node.inputs, node.outputs[0], a.axis, a.outer);
  } else {
    AddConcatenation(planner, node.inputs, node.outputs[0], a.axis);
  }
  return absl::OkStatus();
}

}  // namespace gles_delegate

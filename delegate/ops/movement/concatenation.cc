#include <algorithm>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/dispatches.h"
#include "delegate/ops/movement/remap.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

// Where axis `axis` >= 0 of a tensor of any rank is, above rank 5 with the axes
// before the last three folded.
struct AxisPlace {
  int axis = 0;   // of AxisArray
  int outer = 0;  // the extent of the outer axis; 0: the tensor's own
  int step = 1;   // indices of `axis` for one of the tensor's axis
};
AxisPlace PlaceOfAxis(absl::Span<const int> dims, int axis) {
  const int rank = static_cast<int>(dims.size());
  if (rank <= 5) return {BhwcAxis(axis, rank)};
  if (axis >= rank - 3) return {BhwcAxis(axis - rank, 4)};
  return {kBatchAxis, ProductOf(dims.first(axis)),
          ProductOf(dims.subspan(axis + 1, rank - 3 - (axis + 1)))};
}

// kInvalidArgument: along `axis`, the pieces have not together as many elements
// as the whole, or another axis differs.
absl::Status CheckPieces(absl::Span<const Tensor* const> pieces,
                         const Tensor& whole, int axis) {
  const size_t rank = whole.dims.size();
  int64_t sum = 0;
  for (const Tensor* piece : pieces) {
    std::vector<int> dims = piece->dims;
    if (dims.size() != rank || axis >= static_cast<int>(rank)) {
      return Invalid(piece->ToString(), " is no piece of ", whole.ToString());
    }
    sum += std::exchange(dims[axis], whole.dims[axis]);
    if (dims != whole.dims) {
      return Invalid(piece->ToString(), " is no piece of ", whole.ToString(),
                     " along axis ", axis);
    }
  }
  if (sum == whole.dims[axis]) return absl::OkStatus();
  return Invalid("the pieces of axis ", axis, " have ", sum,
                 " elements together, the whole has ", whole.dims[axis]);
}

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
    const int channels = planner.shape(id).c;
    parts.push_back({id, at, channels});
    at += channels;
  }
  return parts;
}

// Adds a copy for each input. `step`: its extent along the axis, if it is
// without the axis.
absl::Status AddPieces(Planner* planner, absl::Span<const TensorId> inputs,
                       TensorId output, int axis, const Remap& remap = {},
                       int step = 0) {
  AxisArray at = {};
  for (TensorId id : inputs) {
    AxisArray extent =
        ExtentsOf(planner->tensor(step == 0 ? id : output), remap.dst_outer);
    if (step != 0) extent[axis] = step;
    RETURN_IF_ERROR(AddRemapToBox(planner, id, output, remap, extent, at));
    at[axis] += extent[axis];
  }
  return absl::OkStatus();
}

// From a tensor of `dims`, which has extent 1 along the axis, to one without
// it, or `adds` it to such a one.
Remap RemapOfAxis(const std::vector<int>& dims, int axis, bool adds) {
  Remap remap;
  remap.src_outer = remap.dst_outer = PlaceOfAxis(dims, axis).outer;
  if (remap.src_outer != 0) return remap;
  remap = Remap::Constant();
  int rank = static_cast<int>(dims.size());
  if (rank > 5) {
    // The axes before the last four are one.
    (adds ? remap.dst_outer : remap.src_outer) =
        ProductOf(absl::MakeConstSpan(dims).first(rank - 4));
    (adds ? remap.src_outer : remap.dst_outer) = 1;
    axis -= rank - 5;
    rank = 5;
  }
  for (int i = 0; i + 1 < rank; ++i) {
    const int with = BhwcAxis(i < axis ? i : i + 1, rank);
    const int without = BhwcAxis(i, rank - 1);
    remap.Follow(adds ? without : with, adds ? with : without);
  }
  return remap;
}

// Adds a dispatch that writes output slices [begin, end). All channels of these
// slices come from `parts`.
absl::Status AddMerge(Planner* planner, absl::Span<const Part> parts,
                      TensorId output, int begin, int end) {
  static constexpr const char* kSources[kMaxSources] = {"src0", "src1", "src2"};
  const Shape to = planner->shape(output);
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
  return AddInLightGroups(std::move(d), planner);
}

// Joins inputs until no texel needs more than kMaxSources of them. The inner
// inputs of such a texel have one channel each, so that joining two is cheap.
absl::Status JoinNarrowInputs(Planner* planner, std::vector<TensorId>* inputs) {
  for (size_t i = 0; i + kMaxSources < inputs->size();) {
    const std::vector<Part> parts = PartsOf(*planner, *inputs);
    const Part& first = parts[i];
    const Part& last = parts[i + kMaxSources];
    if ((first.end() - 1) / 4 != last.begin / 4) {
      ++i;
      continue;
    }
    Shape shape = planner->shape(parts[i + 1].id);
    shape.c = parts[i + 1].channels + parts[i + 2].channels;
    const TensorId pair = planner->AddTemporary(
        "two inputs joined", shape, planner->tensor(parts[i].id).type);
    RETURN_IF_ERROR(AddConcatenation(
        planner, {parts[i + 1].id, parts[i + 2].id}, pair, kChannelAxis));
    (*inputs)[i + 1] = pair;
    inputs->erase(inputs->begin() + i + 2);
  }
  return absl::OkStatus();
}

// Adds dispatches that write the texels from left to right. Each dispatch
// writes as many texels as three inputs give.
absl::Status AddMerges(Planner* planner, std::vector<TensorId> inputs,
                       TensorId output) {
  RETURN_IF_ERROR(JoinNarrowInputs(planner, &inputs));
  const std::vector<Part> parts = PartsOf(*planner, inputs);
  const int slices = planner->shape(output).slices();
  size_t first = 0;
  for (int begin = 0; begin < slices;) {
    while (parts[first].end() <= 4 * begin) ++first;
    const size_t count = std::min<size_t>(kMaxSources, parts.size() - first);
    const size_t next = first + count;
    // A texel that the next input shares is left to the next dispatch.
    const int end = next == parts.size() ? slices : parts[next].begin / 4;
    RETURN_IF_ERROR(AddMerge(planner,
                             absl::MakeConstSpan(parts).subspan(first, count),
                             output, begin, end));
    begin = end;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status AddConcatenation(Planner* planner, std::vector<TensorId> inputs,
                              TensorId output, int axis) {
  bool aligned = true;
  if (axis == kChannelAxis) {
    for (const Part& part : PartsOf(*planner, inputs)) {
      aligned = aligned && part.begin % 4 == 0;
    }
  }
  if (aligned) return AddPieces(planner, inputs, output, axis);
  return AddMerges(planner, std::move(inputs), output);
}

absl::StatusOr<ParsedNode> ParseConcatenation(const NodeView& node) {
  ASSIGN_OR_RETURN(auto params, node.Get<ConcatenationParams>());
  const Tensor& first = *node.inputs[0];
  ASSIGN_OR_RETURN(auto axis, NormalAxis(params->axis, first.dims.size()));
  RETURN_IF_ERROR(CheckPieces(node.inputs, *node.outputs[0], axis));
  ASSIGN_OR_RETURN(auto activation, FusedActivation(params->activation));
  if (IsIntegers(first) && !activation.empty()) {
    return Unimplemented("fused activation ", params->activation, " of ",
                         DataTypeName(first.type), " is not supported");
  }
  const AxisPlace place = PlaceOfAxis(first.dims, axis);
  return ParsedNode{ConcatenationAttributes{place.axis, place.outer},
                    std::move(activation)};
}

absl::Status PlanConcatenation(const Node& node, Planner* planner) {
  const auto& a = node.Get<ConcatenationAttributes>();
  if (a.outer != 0) {
    Remap remap;
    remap.src_outer = remap.dst_outer = a.outer;
    return AddPieces(planner, node.inputs, node.outputs[0], a.axis, remap);
  }
  return AddConcatenation(planner, node.inputs, node.outputs[0], a.axis);
}

// --- PACK --------------------------------------------------------------------

absl::StatusOr<ParsedNode> ParsePack(const NodeView& node) {
  const int count = static_cast<int>(node.inputs.size());
  ASSIGN_OR_RETURN(auto params, node.Get<PackParams>());
  const std::vector<int>& dims = node.inputs[0]->dims;
  ASSIGN_OR_RETURN(auto axis, NormalAxis(params->axis, dims.size() + 1));
  std::vector<int> want = dims;
  want.insert(want.begin() + axis, count);
  RETURN_IF_ERROR(CheckOutputDims(*node.outputs[0], want));
  PackAttributes a;
  const AxisPlace place = PlaceOfAxis(want, axis);
  a.axis = place.axis;
  a.step = place.step;
  want[axis] = 1;
  a.view = want;
  a.remap = RemapOfAxis(want, axis, /*adds=*/true);
  return ParsedNode{a};
}

absl::Status PlanPack(const Node& node, Planner* planner) {
  const auto a = node.Get<PackAttributes>();
  const TensorId output = node.outputs[0];
  if (a.axis != kChannelAxis) {
    return AddPieces(planner, node.inputs, output, a.axis, a.remap, a.step);
  }
  // Along the channels four inputs share a texel, so each input becomes a
  // tensor of one channel first.
  std::vector<TensorId> columns;
  for (TensorId input : node.inputs) {
    if (planner->shape(input) == Shape::FromDims(a.view)) {
      columns.push_back(input);
      continue;
    }
    columns.push_back(planner->AddTemporaryOf(
        "input of one channel", a.view, planner->tensor(node.outputs[0]).type));
    RETURN_IF_ERROR(AddRemap(planner, input, columns.back(), a.remap));
  }
  return AddConcatenation(planner, std::move(columns), output, kChannelAxis);
}

// --- SPLIT, SPLIT_V, UNPACK --------------------------------------------------

// SPLIT: cuts the input along an axis into equal outputs. SPLIT_V: into outputs
// of given sizes (one may be -1: the rest). UNPACK: one output per index,
// without the axis. Constant axis and sizes.

absl::StatusOr<ParsedNode> ParseSplit(const NodeView& node) {
  const bool has_sizes = node.inputs.size() == 3;
  RemapAttributes a;
  a.source = has_sizes ? 0 : 1;
  const Tensor& input = *node.inputs[a.source];
  ASSIGN_OR_RETURN(auto axis,
                   AxisOfInput(node, has_sizes ? 2 : 0, input.dims.size()));
  // TFLite 2.9 takes sizes of SPLIT_V that leave elements of the axis.
  RETURN_IF_ERROR(CheckPieces(node.outputs, input, axis));
  const AxisPlace place = PlaceOfAxis(input.dims, axis);
  int at = 0;
  for (const Tensor* output : node.outputs) {
    Remap remap;
    remap.offset[place.axis] = at * place.step;
    remap.src_outer = remap.dst_outer = place.outer;
    a.remaps.push_back(remap);
    at += output->dims[axis];
  }
  return ParsedNode{a};
}

absl::StatusOr<ParsedNode> ParseUnpack(const NodeView& node) {
  ASSIGN_OR_RETURN(auto params, node.Get<UnpackParams>());
  const std::vector<int>& dims = node.inputs[0]->dims;
  ASSIGN_OR_RETURN(auto axis, NormalAxis(params->axis, dims.size()));
  if (static_cast<int64_t>(node.outputs.size()) != dims[axis]) {
    return Invalid("has ", node.outputs.size(), " outputs for the ", dims[axis],
                   " elements of axis ", axis);
  }
  RemapAttributes a;
  const AxisPlace place = PlaceOfAxis(dims, axis);
  Remap remap = RemapOfAxis(dims, axis, /*adds=*/false);
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    a.remaps.push_back(remap);
    remap.offset[place.axis] += place.step;
  }
  return ParsedNode{a};
}

}  // namespace gles_delegate

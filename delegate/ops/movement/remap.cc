#include "delegate/ops/movement/remap.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/graph/constant_values.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/dispatches.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/movement/gather.h"

namespace gles_delegate {

namespace {

using Edge = Remap::Edge;

constexpr int kB = kBatchAxis, kH = kHeightAxis, kW = kWidthAxis,
              kC = kChannelAxis, kA = kOuterAxis;
// All axes except the channels, along which texels are whole.
constexpr int kPixelAxes[] = {kA, kB, kH, kW};

bool FillsWithZero(const Remap& r) {
  return r.edge == Edge::kFill && r.fill == 0 && r.fill_tensor == kNoTensor;
}

// Whether destination channels follow source channels one for one, from any
// offset on, and the destination channels that follow none are zero.
bool KeepsChannelsInOrder(const Remap& r) {
  for (int axis : kPixelAxes) {
    if (r.per[kC][axis] != 0 || r.per[axis][kC] != 0) return false;
  }
  if (r.per[kC][kC] != 1) return false;
  return r.edge == Edge::kNone || FillsWithZero(r);
}

// Whether four channels of one destination texel come from one source texel.
bool KeepsTexelsWhole(const Remap& r, const AxisArray& src,
                      const AxisArray& extent) {
  for (int d : kPixelAxes) {
    if (r.per[kC][d] != 0) return false;
  }
  if (r.offset[kC] % 4 != 0) return false;
  // A single channel is the first of its texel before and after.
  const bool single = extent[kC] == 1 && src[kC] == 1;
  for (int s : kPixelAxes) {
    if (r.per[s][kC] != 0 && !single) return false;
  }
  if (r.per[kC][kC] != 1 && !single) return false;
  const bool channels_stay = r.offset[kC] == 0 && extent[kC] == src[kC];
  switch (r.edge) {
    case Edge::kNone:
      return true;
    case Edge::kFill:
      // Padding channels are zero, as needed for a fill of zero.
      return channels_stay || src[kC] % 4 == 0 || FillsWithZero(r);
    case Edge::kReflect:
    case Edge::kSymmetric:
    case Edge::kWrap:
      return channels_stay;
  }
  return false;
}

// The uniforms of a remap that involves a fifth axis.
void AddOuterUniforms(const Remap& r, const AxisArray& src,
                      const AxisArray& dst, const AxisArray& extent,
                      const AxisArray& at, Dispatch* d) {
  d->uniforms.Int4("per_outer", r.per[kW][kA], r.per[kH][kA], r.per[kC][kA],
                   r.per[kB][kA]);
  d->uniforms.Int4("outer_per", r.per[kA][kW], r.per[kA][kH], r.per[kA][kC],
                   r.per[kA][kB]);
  d->uniforms.Int4("outer", r.offset[kA], r.per[kA][kA], src[kA], src[kB]);
  d->uniforms.Int4("outer_box", extent[kB], at[kA], dst[kB], 0);
}

}  // namespace

Remap Remap::Constant() {
  Remap remap;
  remap.per = {};
  return remap;
}

Remap& Remap::Follow(int src, int dst, int step, int first) {
  per[src][dst] = step;
  offset[src] = first;
  return *this;
}

absl::Status AddRemapToBox(Planner* planner, TensorId src, TensorId dst,
                           const Remap& r, const AxisArray& extent,
                           const AxisArray& at) {
  const AxisArray from = ExtentsOf(planner->tensor(src), r.src_outer);
  const AxisArray to = ExtentsOf(planner->tensor(dst), r.dst_outer);
  const bool whole = KeepsTexelsWhole(r, from, extent);
  const bool outer = from[kA] != 1 || to[kA] != 1;
  Dispatch d("remap");
  if (whole) {
    d.Define("WHOLE");
  } else if (KeepsChannelsInOrder(r)) {
    d.Define("SHIFTED");
  }
  if (outer) d.Define("OUTER");
  if (r.edge == Edge::kFill) d.Define("FILL");
  if (r.edge == Edge::kReflect || r.edge == Edge::kSymmetric) {
    d.Define("MIRROR");
  }
  if (r.edge == Edge::kWrap) d.Define("WRAP");
  d.Read("src", src);
  if (r.fill_tensor != kNoTensor) {
    d.Define("FILL_TENSOR");
    d.Read("fill_value", r.fill_tensor);
  }
  d.Write("dst", dst);
  // The shader's order is x, y, channel (or slice), batch.
  const int unit = whole ? 4 : 1;
  const auto column = [&](const char* name, int axis) {
    d.uniforms.Int4(name, r.per[kW][axis], r.per[kH][axis], r.per[kC][axis],
                    r.per[kB][axis]);
  };
  const int slices = (extent[kC] + 3) / 4;
  d.uniforms.Int4("offset", r.offset[kW], r.offset[kH], r.offset[kC] / unit,
                  r.offset[kB]);
  column("per_x", kW);
  column("per_y", kH);
  column("per_channel", kC);
  column("per_batch", kB);
  d.uniforms.Int4("at", at[kW], at[kH], at[kC] / 4, at[kB]);
  d.uniforms.Int("box_slices", slices);
  d.uniforms.Int("box_channels", extent[kC]);
  d.uniforms.Int("mirror", r.edge == Edge::kSymmetric ? 1 : 0);
  d.uniforms.Float("fill", r.fill);
  if (outer) AddOuterUniforms(r, from, to, extent, at, &d);
  d.Grid(extent[kW], extent[kH], slices * extent[kB] * extent[kA]);
  return AddInLightGroups(std::move(d), planner);
}

absl::Status AddRemap(Planner* planner, TensorId src, TensorId dst,
                      const Remap& remap) {
  return AddRemapToBox(planner, src, dst, remap,
                       ExtentsOf(planner->tensor(dst), remap.dst_outer), {});
}

absl::Status PlanRemap(const Node& node, Planner* planner) {
  const auto& a = node.Get<RemapAttributes>();
  TensorId src = node.inputs[a.source];
  if (!a.batches.empty()) {
    const TensorId dst = node.outputs[0];
    Shape shape = planner->shape(src);
    shape.b = static_cast<int>(a.batches.size());
    const Remap identity;
    const bool is_all = shape == planner->shape(dst) &&
                        a.remaps[0].per == identity.per &&
                        a.remaps[0].offset == identity.offset;
    const TensorId picked =
        is_all ? dst
               : planner->AddTemporary("picked batches", shape,
                                       planner->tensor(dst).type);
    RETURN_IF_ERROR(AddGather(planner, src, picked, kBatchAxis, a.batches));
    if (is_all) return absl::OkStatus();
    src = picked;
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    Remap remap = a.remaps[i];
    if (a.fill_input >= 0) remap.fill_tensor = node.inputs[a.fill_input];
    RETURN_IF_ERROR(AddRemap(planner, src, node.outputs[i], remap));
  }
  return absl::OkStatus();
}

absl::Status AddReshape(Planner* planner, TensorId src, TensorId dst) {
  const Shape& from = planner->shape(src);
  const Shape& to = planner->shape(dst);
  if (from == to) {
    return planner->Add(TexelDispatch("copy", src, dst, *planner));
  }
  Dispatch d = TexelDispatch("reshape", src, dst, *planner);
  if (from.c == to.c || (from.c % 4 == 0 && to.c % 4 == 0)) d.Define("WHOLE");
  return AddInLightGroups(std::move(d), planner);
}

absl::StatusOr<TensorId> AsShape(Planner* planner, TensorId id,
                                 const Shape& shape) {
  const Tensor tensor = planner->tensor(id);  // by value: AddX moves tensors
  if (tensor.shape == shape) return id;
  const std::string name = absl::StrCat(tensor.name, " as ", shape.ToString());
  if (tensor.is_constant() && IsIntegers(tensor)) {
    return planner->AddConstantView(tensor, shape);
  }
  if (tensor.is_constant()) {
    ASSIGN_OR_RETURN(auto values, ConstantFloats(tensor));
    return planner->AddConstantTensor(name, shape, values);
  }
  const TensorId copy = planner->AddTemporary(name, shape, tensor.type);
  RETURN_IF_ERROR(AddReshape(planner, id, copy));
  return copy;
}

// RESHAPE, SQUEEZE, EXPAND_DIMS: the same elements in the same linear order in
// another shape, of any rank. A shape given as an input must be constant.
// kInvalidArgument: different element counts.

absl::StatusOr<ParsedNode> ParseReshape(const NodeView& node) {
  const Tensor& input = *node.inputs[0];
  const Tensor& output = *node.outputs[0];
  const bool other_bytes = input.quantized != output.quantized ||
                           (!input.is_constant() && input.host != output.host);
  if (other_bytes) {
    return Unimplemented(
        "input is ", DataTypeName(input.stored()), ", output ",
        DataTypeName(output.stored()),
        ": TFLite's kernel copies the bytes, here values are moved");
  }
  if (input.shape.elements() == output.shape.elements()) return ParsedNode{};
  return Invalid("input ", DimsString(input.dims), " has ",
                 input.shape.elements(), " elements, output ",
                 DimsString(output.dims), " has ", output.shape.elements());
}

absl::Status PlanReshape(const Node& node, Planner* planner) {
  return AddReshape(planner, node.inputs[0], node.outputs[0]);
}

// --- PAD, PADV2, MIRROR_PAD --------------------------------------------------

// Adds elements before and after each axis, batch and channels included,
// according to constant paddings [rank, 2]. The new elements are zeros, PADV2's
// third input (constant or not), or the tensor mirrored at its edge.

namespace {

constexpr int kReflectMode = 1;
constexpr int kSymmetricMode = 2;

// Input 0 and paddings. kInvalidArgument: they exceed what a mirror holds.
absl::StatusOr<RemapAttributes> ParsePaddings(const NodeView& node, Edge edge) {
  const Tensor& input = *node.inputs[0];
  const int rank = static_cast<int>(input.dims.size());
  ASSIGN_OR_RETURN(auto paddings, IntsOfInput(node, 1));
  Remap remap;
  remap.edge = edge;
  std::vector<int> want;
  for (int axis = 0; axis < rank; ++axis) {
    const int extent = input.dims[axis];
    const int before = paddings[2 * axis];
    const int after = paddings[2 * axis + 1];
    const int64_t padded = int64_t{extent} + before + after;
    if (before < 0 || after < 0 || padded > std::numeric_limits<int>::max()) {
      return Invalid("paddings ", before, " and ", after, " of axis ", axis,
                     " give it ", padded, " elements");
    }
    const int max = edge == Edge::kReflect ? extent - 1 : extent;
    if (edge != Edge::kFill && std::max(before, after) > max) {
      return Invalid("paddings ", before, " and ", after, " of an axis of ",
                     extent, " elements: the mirror holds ", max);
    }
    remap.offset[BhwcAxis(axis, rank)] = -before;
    want.push_back(static_cast<int>(padded));
  }
  RETURN_IF_ERROR(CheckOutputDims(*node.outputs[0], want));
  return RemapAttributes{{remap}};
}

}  // namespace

absl::StatusOr<ParsedNode> ParsePad(const NodeView& node) {
  ASSIGN_OR_RETURN(auto a, ParsePaddings(node, Edge::kFill));
  if (node.input(2) == nullptr) return ParsedNode{a};
  const Tensor& value = *node.inputs[2];
  if (value.shape.elements() != 1) {
    return Invalid("the pad value is ", DimsString(value.dims),
                   ", wants one element");
  }
  // A float does not hold every int32.
  if (!value.is_constant() || IsIntegers(value)) {
    a.fill_input = 2;
    return ParsedNode{a};
  }
  ASSIGN_OR_RETURN(auto values, ConstantFloats(value));
  a.remaps[0].fill = values[0];
  return ParsedNode{a};
}

absl::StatusOr<ParsedNode> ParseMirrorPad(const NodeView& node) {
  ASSIGN_OR_RETURN(auto params, node.Get<MirrorPadParams>());
  const int mode = params->mode;
  if (mode != kReflectMode && mode != kSymmetricMode) {
    return Unimplemented(
        "mode ", mode, " is not supported; REFLECT (1) and SYMMETRIC (2) are");
  }
  ASSIGN_OR_RETURN(
      auto a, ParsePaddings(node, mode == kReflectMode ? Edge::kReflect
                                                       : Edge::kSymmetric));
  return ParsedNode{a};
}

// --- Axes by themselves ------------------------------------------------------

namespace {

bool IsSingle(const AxisMove& m) { return m.in == 1 && m.out == 1; }
bool StartsInOrder(const AxisMove& m) { return m.first == 0 && m.step == 1; }
bool IsWhole(const AxisMove& m) { return m.in == m.out && StartsInOrder(m); }
bool IsReversed(const AxisMove& m) {
  return m.in == m.out && m.step == -1 && m.first == m.in - 1;
}

// Two neighbors as one axis; nullopt: it has no such form.
std::optional<AxisMove> Joined(const AxisMove& a, const AxisMove& b) {
  if (IsSingle(a)) return b;
  if (IsSingle(b)) return a;
  AxisMove both{a.in * b.in, a.out * b.out};
  if (IsReversed(a) && IsReversed(b)) {
    both.first = both.in - 1;
    both.step = -1;
    return both;
  }
  // Runs of b.
  if (IsWhole(b) && a.step == 1) {
    both.first = a.first * b.in;
    return both;
  }
  // Within one run of b.
  if (a.out == 1 && b.out <= b.in) {
    both.first = a.first * b.in + b.first;
    both.step = b.step;
    return both;
  }
  // Repetitions of b's repetitions.
  if (a.in == 1 && StartsInOrder(b) && b.out % b.in == 0) return both;
  return std::nullopt;
}

std::optional<AxisMove> JoinedAll(absl::Span<const AxisMove> axes) {
  std::optional<AxisMove> joined = AxisMove{};
  for (const AxisMove& axis : axes) {
    joined = Joined(*joined, axis);
    if (!joined) break;
  }
  return joined;
}

// Five axes of more: those before the last three become two; nullopt: they
// cannot.
std::optional<std::vector<AxisMove>> FoldedToFive(
    const std::vector<AxisMove>& axes) {
  const size_t rest = axes.size() - 3;
  const auto span = absl::MakeConstSpan(axes);
  for (size_t split = 0; split <= rest; ++split) {
    const auto outer = JoinedAll(span.first(split));
    const auto batch = JoinedAll(span.subspan(split, rest - split));
    if (!outer || !batch) continue;
    std::vector<AxisMove> folded = {*outer, *batch};
    folded.insert(folded.end(), axes.end() - 3, axes.end());
    return folded;
  }
  return std::nullopt;
}

}  // namespace

std::vector<int> LinearSources(absl::Span<const AxisMove> axes) {
  std::vector<int> sources = {0};
  for (const AxisMove& axis : axes) {
    std::vector<int> longer;
    for (int source : sources) {
      for (int i = 0; i < axis.out; ++i) {
        longer.push_back(source * axis.in +
                         (axis.first + axis.step * i) % axis.in);
      }
    }
    sources = std::move(longer);
  }
  return sources;
}

namespace {

// The attributes of a node that moves its input by `axes`, those of the output.
// The input may lack leading ones. Above rank 5, the axes before the last three
// become two if neighbors can be merged, and else a table.
RemapAttributes MoveAxes(std::vector<AxisMove> axes, int input_rank) {
  RemapAttributes a{{Remap::Constant()}};
  Remap& remap = a.remaps[0];
  for (AxisMove& axis : axes) {
    if (axis.out == 1) axis.step = 1;
  }
  const bool folds = axes.size() > 5;
  if (folds) {
    if (auto folded = FoldedToFive(axes)) {
      axes = *std::move(folded);
    } else {
      a.batches =
          LinearSources(absl::MakeConstSpan(axes).first(axes.size() - 3));
      const int batches = static_cast<int>(a.batches.size());
      axes = {{},
              {batches, batches},
              axes.end()[-3],
              axes.end()[-2],
              axes.end()[-1]};
    }
    remap.src_outer = axes[0].in;
    remap.dst_outer = axes[0].out;
  }
  const int rank = static_cast<int>(axes.size());
  for (int i = 0; i < rank; ++i) {
    const AxisMove& axis = axes[i];
    const bool is_folded = folds && i < 2;
    const bool is_missing = !is_folded && rank - i > input_rank;
    const int to = BhwcAxis(i, rank);
    if (axis.out > axis.in && axis.in > 1) remap.edge = Edge::kWrap;
    if (is_missing || (axis.in == 1 && axis.out > 1)) continue;
    const int from =
        is_folded ? to : BhwcAxis(i - rank, std::min(input_rank, 5));
    remap.Follow(from, to, axis.step, axis.first);
  }
  return a;
}

// SLICE: `size` elements from `begin` on each axis (size -1: to the end).
// STRIDED_SLICE: every stride-th element from begin to end, in either
// direction, with all masks: begin, end, ellipsis, new axis, shrink axis. Rank
// <= 5 (SLICE: or more, if axes before the last three fold into two); constant
// begin, end, size, strides. kInvalidArgument: a slice outside
// the input, or a wrong output shape.

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
    return Invalid("slices ", named, " axes of an input of rank ", rank);
  }
  AxisSlice whole;
  whole.begin_mask = whole.end_mask = true;
  std::vector<AxisSlice> slices;
  bool ellipsis = false;
  for (int i = 0; i < entries; ++i) {
    if (Bit(p.ellipsis_mask, i)) {
      if (ellipsis) return Invalid("has two ellipses");
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
  if (s->stride == 0) return Invalid("has a stride of 0");
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
      return Invalid("index ", asked, " is outside an axis of ", extent,
                     " elements");
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
      return Invalid("begin ", from, " and size ", size[i], " leave axis ", i,
                     ", which has ", input.dims[i], " elements");
    }
    axes.push_back({input.dims[i], want[i], from});
  }
  // TFLite 2.21 takes the output's shape from the file.
  RETURN_IF_ERROR(CheckOutputDims(*node.outputs[0], want));
  return ParsedNode{MoveAxes(std::move(axes), rank)};
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
  RemapAttributes a{{Remap::Constant()}};
  Remap& remap = a.remaps[0];
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
    remap.offset[from] = s.begin;
    if (s.shrink) continue;
    // An axis beyond the output's rank is refused when shapes are compared
    // below.
    const int to = static_cast<int>(want.size());
    const int length = Length(s);
    // One element takes no step. So each step is within its axis, and so is
    // the product of the steps of several slices.
    if (length <= 1) s.stride = 1;
    if (to < out_rank) {
      remap.Follow(from, BhwcAxis(to, out_rank), s.stride, s.begin);
    }
    want.push_back(length);
  }
  RETURN_IF_ERROR(CheckOutputDims(*node.outputs[0], want));
  return ParsedNode{a};
}

// --- TILE, BROADCAST_TO, MATRIX_DIAG, FILL, ZEROS_LIKE -----------------------

// Copies of the input's elements, by constant parameters.
//   TILE          repeats the input along each axis.
//   BROADCAST_TO  repeats axes of extent 1, and missing leading axes.
//   MATRIX_DIAG   makes matrices with vectors as diagonals, 0 elsewhere:
//                 [..., M] -> [..., M, M]; not of quantized tensors.
//   FILL          fills constant dimensions (input 0) with a scalar (input 1).
//   ZEROS_LIKE    fills the input's shape with zeros.

absl::StatusOr<ParsedNode> ParseTile(const NodeView& node) {
  const std::vector<int>& from = node.inputs[0]->dims;
  const std::vector<int>& to = node.outputs[0]->dims;
  const int rank = static_cast<int>(from.size());
  const int missing = static_cast<int>(to.size()) - rank;
  std::vector<AxisMove> axes(to.size());
  for (int i = 0; i < static_cast<int>(to.size()); ++i) {
    axes[i] = {i < missing ? 1 : from[i - missing], to[i]};
  }
  return ParsedNode{MoveAxes(std::move(axes), rank)};
}

absl::StatusOr<ParsedNode> ParseMatrixDiag(const NodeView& node) {
  const Tensor& input = *node.inputs[0];
  for (const Tensor* t : {&input, node.outputs[0]}) {
    if (!t->is_float_view()) continue;
    return Unimplemented(
        t->ToString(),
        " is quantized, and TFLite's kernel fills in 0 as a quantized value");
  }
  const int rank = static_cast<int>(input.dims.size());
  RemapAttributes a{{Remap::Constant()}};
  Remap& remap = a.remaps[0];
  remap.edge = Edge::kFill;
  remap.Follow(kChannelAxis, kChannelAxis);
  // An axis of one element that the input has, or that is made for it. Its
  // index is row - column, which is outside off the diagonal.
  int single = rank == 3 ? kHeightAxis : kWidthAxis;
  int row = BhwcAxis(rank - 1, rank + 1);
  if (rank < 4) {
    for (int i = 0; i + 1 < rank; ++i) {
      remap.Follow(BhwcAxis(i, rank), BhwcAxis(i, rank + 1));
    }
  } else {
    single = kOuterAxis;
    row = kWidthAxis;
    remap.Follow(kBatchAxis, kOuterAxis)
        .Follow(kHeightAxis, kBatchAxis)
        .Follow(kWidthAxis, kHeightAxis);
    remap.src_outer = 1;
    remap.dst_outer = input.shape.b;
  }
  remap.per[single][row] = 1;
  remap.per[single][kChannelAxis] = -1;
  return ParsedNode{a};
}

absl::StatusOr<ParsedNode> ParseFill(const NodeView& node) {
  ElementwiseAttributes a;
  a.source = 1;
  a.source_shape = node.inputs[1]->shape;
  return ParsedNode{a};
}

absl::StatusOr<ParsedNode> ParseZerosLike(const NodeView& node) {
  ElementwiseAttributes a;
  a.source_shape = node.inputs[0]->shape;
  return ParsedNode{a, {PostOp{"zeros_like"}}};
}

// --- REVERSE_V2, REVERSE_SEQUENCE --------------------------------------------

// REVERSE_V2: reverses the order of elements along constant axes, each given
// once.
absl::StatusOr<ParsedNode> ParseReverse(const NodeView& node) {
  const Tensor& input = *node.inputs[0];
  ASSIGN_OR_RETURN(auto axes, IntsOfInput(node, 1));
  const int rank = static_cast<int>(input.dims.size());
  std::vector<AxisMove> moves;
  for (int extent : input.dims) moves.push_back({extent, extent});
  std::vector<bool> taken(rank, false);
  for (int i : axes) {
    ASSIGN_OR_RETURN(auto axis, NormalAxis(i, rank));
    if (taken[axis]) return Invalid("axis ", axis, " is named twice");
    taken[axis] = true;
    moves[axis].first = input.dims[axis] - 1;
    moves[axis].step = -1;
  }
  return ParsedNode{MoveAxes(std::move(moves), rank)};
}

namespace {

// kInvalidArgument: a length is past the axis.
absl::Status CheckConstantLengths(const Tensor& lengths, int extent) {
  if (!lengths.is_constant()) return absl::OkStatus();
  ASSIGN_OR_RETURN(auto values, ConstantInts(lengths));
  for (int length : values) {
    if (length > extent) {
      return Invalid("length ", length, " is past an axis of ", extent,
                     " elements");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ParsedNode> ParseReverseSequence(const NodeView& node) {
  ASSIGN_OR_RETURN(auto params, node.Get<ReverseSequenceParams>());
  const Tensor& input = *node.inputs[0];
  const Tensor& lengths = *node.inputs[1];
  if (input.quantized == DataType::kInt8) {
    return Unimplemented("input is int8, which TFLite's kernel does not take");
  }
  const int rank = static_cast<int>(input.dims.size());
  const int sequence = params->seq_dim;
  const int batch = params->batch_dim;
  if (sequence < 0 || sequence >= rank || batch < 0 || batch >= rank ||
      sequence == batch) {
    return Invalid("seq_dim ", sequence, " and batch_dim ", batch,
                   " must be two axes of a tensor of rank ", rank);
  }
  if (lengths.dims != std::vector<int>{input.dims[batch]}) {
    return Invalid("the lengths are ", DimsString(lengths.dims), ", must be ",
                   input.dims[batch], " as axis ", batch, " of ",
                   DimsString(input.dims));
  }
  RETURN_IF_ERROR(CheckConstantLengths(lengths, input.dims[sequence]));
  return ParsedNode{ReverseSequenceAttributes{BhwcAxis(sequence, rank),
                                              BhwcAxis(batch, rank)}};
}

absl::Status PlanReverseSequence(const Node& node, Planner* planner) {
  const auto& a = node.Get<ReverseSequenceAttributes>();
  ASSIGN_OR_RETURN(auto lengths, IndicesAsInt32(planner, node.inputs[1]));
  Dispatch d = TexelDispatch("reverse_sequence", node, *planner);
  if (a.sequence_axis != kChannelAxis && a.batch_axis != kChannelAxis) {
    d.Define("WHOLE");
  }
  d.Read("lengths", lengths);
  BindAxes("along", AlongAxis(a.sequence_axis, 1), &d);
  BindAxes("by", AlongAxis(a.batch_axis, 1), &d);
  d.uniforms.Int("extent",
                 ExtentsOf(planner->tensor(node.inputs[0]))[a.sequence_axis]);
  return AddInLightGroups(std::move(d), planner);
}

}  // namespace gles_delegate

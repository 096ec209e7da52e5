#include "delegate/ops/movement/remap.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/graph/constant_values.h"
#include "delegate/graph/op.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/movement/gather.h"
#include "delegate/ops/work_group.h"
#include "delegate/plan/planner.h"

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

void AddRemapToBox(Planner* planner, TensorId src, TensorId dst, const Remap& r,
                   const AxisArray& extent, const AxisArray& at) {
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
  UseLightWorkGroup(planner->profile(), &d);
  planner->Add(std::move(d));
}

void AddRemap(Planner* planner, TensorId src, TensorId dst,
              const Remap& remap) {
  AddRemapToBox(planner, src, dst, remap,
                ExtentsOf(planner->tensor(dst), remap.dst_outer), {});
}

absl::Status PlanRemap(const Node& node, Planner* planner) {
  const auto& a = node.Get<RemapAttributes>();
  const TensorId dst = node.outputs[0];
  TensorId src = node.inputs[0];
  if (!a.batches.empty()) {
    Shape shape = planner->tensor(src).shape;
    shape.b = static_cast<int>(a.batches.size());
    const Remap identity;
    const bool is_all = shape == planner->tensor(dst).shape &&
                        a.remap.per == identity.per &&
                        a.remap.offset == identity.offset;
    const TensorId picked =
        is_all ? dst
               : planner->AddTemporary("picked batches", shape,
                                       planner->tensor(dst).type);
    AddGather(planner, src, picked, kBatchAxis, a.batches);
    if (is_all) return absl::OkStatus();
    src = picked;
  }
  AddRemap(planner, src, dst, a.remap);
  return absl::OkStatus();
}

void AddReshape(Planner* planner, TensorId src, TensorId dst) {
  const Shape from = planner->tensor(src).shape;
  const Shape to = planner->tensor(dst).shape;
  if (from == to) {
    Dispatch copy("copy");
    copy.Read("src", src).Write("dst", dst);
    copy.OverTexels(to);
    return planner->Add(std::move(copy));
  }
  Dispatch d("reshape");
  if (from.c == to.c || (from.c % 4 == 0 && to.c % 4 == 0)) d.Define("WHOLE");
  d.Read("src", src).Write("dst", dst);
  d.OverTexels(to);
  AddInLightGroups(std::move(d), planner);
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
    return planner->AddConstantTensor(name, shape, std::move(values));
  }
  const TensorId copy = planner->AddTemporary(name, shape, tensor.type);
  AddReshape(planner, id, copy);
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
    return absl::UnimplementedError(absl::StrCat(
        "input is ", DataTypeName(input.stored()), ", output ",
        DataTypeName(output.stored()),
        ": TFLite's kernel copies the bytes, here values are moved"));
  }
  if (input.shape.elements() == output.shape.elements()) return ParsedNode{};
  return absl::InvalidArgumentError(
      absl::StrCat("input ", DimsString(input.dims), " has ",
                   input.shape.elements(), " elements, output ",
                   DimsString(output.dims), " has ", output.shape.elements()));
}

absl::Status PlanReshape(const Node& node, Planner* planner) {
  AddReshape(planner, node.inputs[0], node.outputs[0]);
  return absl::OkStatus();
}

// --- PAD, PADV2, MIRROR_PAD --------------------------------------------------

namespace {

using Edge = Remap::Edge;

constexpr int kReflectMode = 1;
constexpr int kSymmetricMode = 2;

// Shared by PAD, PADV2 and MIRROR_PAD: input 0, paddings, output.
absl::StatusOr<PadAttributes> ParsePaddings(const NodeView& node) {
  const Tensor& input = *node.inputs[0];
  const int rank = static_cast<int>(input.dims.size());
  ASSIGN_OR_RETURN(auto paddings, IntsOfInput(node, 1));
  PadAttributes a;
  for (int axis = 0; axis < rank; ++axis) {
    const int before = paddings[2 * axis];
    const int after = paddings[2 * axis + 1];
    const int64_t padded = int64_t{input.dims[axis]} + before + after;
    if (before < 0 || after < 0 || padded > std::numeric_limits<int>::max()) {
      return absl::InvalidArgumentError(
          absl::StrCat("paddings ", before, " and ", after, " of axis ", axis,
                       " give it ", padded, " elements"));
    }
    a.before[BhwcAxis(axis, rank)] = before;
    a.after[BhwcAxis(axis, rank)] = after;
  }
  return a;
}

}  // namespace

// kInvalidArgument: mirrored paddings that exceed the extent.
absl::StatusOr<ParsedNode> ParsePad(const NodeView& node) {
  ASSIGN_OR_RETURN(auto a, ParsePaddings(node));
  return ParsedNode{a, {}};
}

absl::StatusOr<ParsedNode> ParsePadV2(const NodeView& node) {
  // PADV2 without a value is PAD.
  if (node.input(2) == nullptr) return ParsePad(node);
  ASSIGN_OR_RETURN(auto a, ParsePaddings(node));
  const Tensor& value = *node.inputs[2];
  if (value.shape.elements() != 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the pad value is ", DimsString(value.dims), ", wants one element"));
  }
  // A float does not hold every int32.
  a.runtime_value = !value.is_constant() || IsIntegers(value);
  if (!a.runtime_value) {
    ASSIGN_OR_RETURN(auto values, ConstantFloats(value));
    a.value = values[0];
    constexpr float kExact = 1 << 24;  // integers past it are not all floats
    if (value.type == DataType::kInt32 && std::abs(a.value) > kExact) {
      return absl::UnimplementedError(
          absl::StrCat("the pad value ", a.value, " is past 2^24"));
    }
  }
  return ParsedNode{a, {}};
}

absl::StatusOr<ParsedNode> ParseMirrorPad(const NodeView& node) {
  ASSIGN_OR_RETURN(auto params, node.Get<MirrorPadParams>());
  ASSIGN_OR_RETURN(auto a, ParsePaddings(node));
  const int mode = params->mode;
  if (mode != kReflectMode && mode != kSymmetricMode) {
    return absl::UnimplementedError(absl::StrCat(
        "mode ", mode, " is not supported; REFLECT (1) and SYMMETRIC (2) are"));
  }
  a.edge = mode == kReflectMode ? Edge::kReflect : Edge::kSymmetric;
  const AxisArray extent = ExtentsOf(*node.inputs[0]);
  for (size_t i = 0; i < extent.size(); ++i) {
    const int max = mode == kReflectMode ? extent[i] - 1 : extent[i];
    if (a.before[i] > max || a.after[i] > max) {
      return absl::InvalidArgumentError(absl::StrCat(
          "paddings ", a.before[i], " and ", a.after[i], " of an axis of ",
          extent[i], " elements: the mirror holds ", max));
    }
  }
  return ParsedNode{a, {}};
}

absl::Status PlanPad(const Node& node, Planner* planner) {
  const auto& a = node.Get<PadAttributes>();
  Remap remap;
  for (size_t i = 0; i < a.before.size(); ++i) {
    remap.offset[i] = -a.before[i];
  }
  remap.edge = a.edge;
  remap.fill = a.value;
  if (a.runtime_value) remap.fill_tensor = node.inputs[2];
  AddRemap(planner, node.inputs[0], node.outputs[0], remap);
  return absl::OkStatus();
}

}  // namespace gles_delegate

#include "delegate/ops/remap.h"

#include "absl/strings/str_cat.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/work_group.h"

namespace gles_delegate {
namespace {

using Edge = Remap::Edge;

constexpr int kB = 0, kH = 1, kW = 2, kC = 3;

// Whether destination channels follow source channels one for one, from any
// offset on, and where none does there is zero.
bool KeepsChannelsInOrder(const Remap& r) {
  for (int axis : {kB, kH, kW}) {
    if (r.per[kC][axis] != 0 || r.per[axis][kC] != 0) return false;
  }
  if (r.per[kC][kC] != 1) return false;
  return r.edge == Edge::kNone ||
         (r.edge == Edge::kFill && r.fill == 0 && r.fill_tensor == kNoTensor);
}

// Whether four channels of one destination texel come from one source texel.
bool KeepsTexelsWhole(const Remap& r, const Shape& src, const Shape& extent) {
  for (int d : {kB, kH, kW}) {
    if (r.per[kC][d] != 0) return false;
  }
  if (r.offset[kC] % 4 != 0) return false;
  // One channel: it stays first, wherever else it goes.
  const bool single = extent.c == 1 && src.c == 1;
  for (int s : {kB, kH, kW}) {
    if (r.per[s][kC] != 0 && !single) return false;
  }
  if (r.per[kC][kC] != 1 && !single) return false;
  const bool channels_stay = r.offset[kC] == 0 && extent.c == src.c;
  switch (r.edge) {
    case Edge::kNone:
      return true;
    case Edge::kFill:
      // Past the source's last channel lie zeros, which do for a fill of zero.
      return channels_stay || src.c % 4 == 0 ||
             (r.fill == 0 && r.fill_tensor == kNoTensor);
    case Edge::kReflect:
    case Edge::kSymmetric:
    case Edge::kWrap:
      return channels_stay;
  }
  return false;
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
                   const Shape& extent, const std::array<int, 4>& at) {
  const Shape from = planner->tensor(src).shape;
  const bool whole = KeepsTexelsWhole(r, from, extent);
  Dispatch d("remap");
  if (whole) {
    d.Define("WHOLE");
  } else if (KeepsChannelsInOrder(r)) {
    d.Define("SHIFTED");
  }
  if (r.edge == Edge::kFill) d.Define("FILL");
  if (r.edge == Edge::kReflect || r.edge == Edge::kSymmetric)
    d.Define("MIRROR");
  if (r.edge == Edge::kWrap) d.Define("WRAP");
  d.Read("src", src);
  if (r.fill_tensor != kNoTensor) {
    d.Define("FILL_TENSOR");
    d.Read("fill_value", r.fill_tensor);
  }
  d.Write("dst", dst);
  // The shader's order is x, y, channel (slice where whole), batch.
  const int unit = whole ? 4 : 1;
  const auto column = [&](const char* name, int axis) {
    d.uniforms.Int4(name, r.per[kW][axis], r.per[kH][axis], r.per[kC][axis],
                    r.per[kB][axis]);
  };
  d.uniforms.Int4("offset", r.offset[kW], r.offset[kH], r.offset[kC] / unit,
                  r.offset[kB]);
  column("per_x", kW);
  column("per_y", kH);
  column("per_channel", kC);
  column("per_batch", kB);
  d.uniforms.Int4("at", at[kW], at[kH], at[kC] / 4, at[kB]);
  d.uniforms.Int("box_slices", extent.slices());
  d.uniforms.Int("box_channels", extent.c);
  d.uniforms.Int("mirror", r.edge == Edge::kSymmetric ? 1 : 0);
  d.uniforms.Float("fill", r.fill);
  d.Grid(extent.w, extent.h, extent.slices() * extent.b);
  UseLightWorkGroup(planner->profile(), &d);
  d.partial_write = extent != planner->tensor(dst).shape;
  planner->Add(std::move(d));
}

void AddRemap(Planner* planner, TensorId src, TensorId dst,
              const Remap& remap) {
  const Shape extent = planner->tensor(dst).shape;
  AddRemapToBox(planner, src, dst, remap, extent, {0, 0, 0, 0});
}

void AddReshape(Planner* planner, TensorId src, TensorId dst) {
  const Shape from = planner->tensor(src).shape;
  const Shape to = planner->tensor(dst).shape;
  if (from == to) return AddRemap(planner, src, dst, Remap());
  Dispatch d("reshape");
  if (from.c == to.c || (from.c % 4 == 0 && to.c % 4 == 0)) d.Define("WHOLE");
  d.Read("src", src).Write("dst", dst);
  d.Grid(to.w, to.h, to.slices() * to.b);
  UseLightWorkGroup(planner->profile(), &d);
  planner->Add(std::move(d));
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
    auto values = ConstantFloats(tensor);
    if (!values.ok()) return values.status();
    return planner->AddConstantTensor(name, shape, *std::move(values));
  }
  const TensorId copy = planner->AddTemporary(name, shape, tensor.type);
  AddReshape(planner, id, copy);
  return copy;
}

}  // namespace gles_delegate

// The ops of the self-check's reference that move values or apply functions to
// them.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "delegate/partition/self_check_ops.h"

namespace gles_delegate {

using Value = Reference::Value;

Value ReferenceOps::Resize(const ResizeAttributes& a, const Place& p,
                           bool nearest) {
  const Shape& from = ShapeOf(0);
  const Shape& to = Output().shape;
  const auto scale = [&](int in, int out) {
    return a.align_corners && out > 1
               ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
               : static_cast<float>(in) / static_cast<float>(out);
  };
  const float shift = a.half_pixel_centers ? 0.5f : 0.0f;
  const float sy = scale(from.h, to.h), sx = scale(from.w, to.w);
  if (nearest) {
    const auto at = [&](int i, float s, int in) {
      const float v = (static_cast<float>(i) + shift) * s;
      const float r = a.align_corners ? std::round(v) : std::floor(v);
      return std::clamp(static_cast<int>(r), 0, in - 1);
    };
    return In(0, ElementOf({p.b, at(p.h, sy, from.h), at(p.w, sx, from.w), p.c},
                           from));
  }
  const float y = (static_cast<float>(p.h) + shift) * sy - shift;
  const float x = (static_cast<float>(p.w) + shift) * sx - shift;
  ReferenceValue sum;
  for (const int dy : {0, 1}) {
    for (const int dx : {0, 1}) {
      const int fy = static_cast<int>(std::floor(y));
      const int fx = static_cast<int>(std::floor(x));
      const double wy = dy == 0 ? 1 - (y - fy) : y - fy;
      const double wx = dx == 0 ? 1 - (x - fx) : x - fx;
      const Value v = In(0, ElementOf({p.b, std::clamp(fy + dy, 0, from.h - 1),
                                       std::clamp(fx + dx, 0, from.w - 1), p.c},
                                      from));
      if (!v) return v;
      sum.value += wy * wx * v->value;
      // Of all four: the place itself is rounded.
      sum.magnitude += v->magnitude;
    }
  }
  return sum;
}

Value ReferenceOps::Concatenation(int axis, const Place& p) {
  if (axis < 0 || axis > 3) return std::nullopt;
  std::array<int, 4> at = {p.b, p.h, p.w, p.c};
  for (size_t i = 0; i < node_.inputs.size(); ++i) {
    const Shape& s = ShapeOf(static_cast<int>(i));
    const int extent = std::array{s.b, s.h, s.w, s.c}[axis];
    if (at[axis] < extent) {
      return In(static_cast<int>(i),
                ElementOf({at[0], at[1], at[2], at[3]}, s));
    }
    at[axis] -= extent;
  }
  return std::nullopt;
}

Value ReferenceOps::Pad(const PadAttributes& a, const Place& p) {
  if (a.edge != Remap::Edge::kFill || a.runtime_value ||
      a.before[kOuterAxis] != 0 || a.after[kOuterAxis] != 0) {
    return std::nullopt;
  }
  const Shape& s = ShapeOf(0);
  // The outer axis of rank 5 stands in the batch, which must then not be
  // padded.
  const Place at = {p.b - a.before[kBatchAxis], p.h - a.before[kHeightAxis],
                    p.w - a.before[kWidthAxis], p.c - a.before[kChannelAxis]};
  if (graph_.tensor(node_.inputs[0]).dims.size() > 4) return std::nullopt;
  if (Inside(at.b, s.b) && Inside(at.h, s.h) && Inside(at.w, s.w) &&
      Inside(at.c, s.c)) {
    return In(0, ElementOf(at, s));
  }
  return ReferenceValue{a.value, std::abs(a.value)};
}

Value ReferenceOps::Elementwise(const ElementwiseAttributes& a,
                                const Place& p) {
  Value v = In(a.source, Broadcast(p, a.source_shape));
  for (const RealignedFunction& f : a.functions) {
    if (!v) return v;
    if (f.function.operand == kNoTensor) {
      v = InFloat(ApplyFunction(f.function, *v, nullptr));
      continue;
    }
    const Value y = In(f.function.operand, Broadcast(p, f.operand_shape));
    if (!y) return y;
    v = InFloat(ApplyFunction(f.function, *v, &*y));
  }
  return v;
}

}  // namespace gles_delegate

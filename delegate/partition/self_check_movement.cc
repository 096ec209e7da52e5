// The ops of the self-check's reference that move values or apply functions to
// them.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "delegate/graph/op.h"
#include "delegate/ops/movement/concatenation.h"
#include "delegate/ops/movement/space_depth.h"
#include "delegate/ops/op_list.h"
#include "delegate/partition/self_check_ops.h"

namespace gles_delegate {

using Value = Reference::Value;

namespace {

// As elements follow one another in memory.
constexpr std::array<int, 5> kFastestFirst = {
    kChannelAxis, kWidthAxis, kHeightAxis, kBatchAxis, kOuterAxis};

Tensor Folded(const std::vector<int>& dims) {
  Tensor tensor;
  tensor.dims = dims;
  tensor.shape = Shape::FromDims(dims);
  return tensor;
}

}  // namespace

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
  // TFLite's integer kernels step by whole 1024ths of a pixel, from a whole
  // one.
  const auto off_by = [](float step) {
    return std::abs(step * 1024 - std::round(step * 1024)) / 1024;
  };
  const double off =
      Output().is_float_view()
          ? (p.h * off_by(sy) + p.w * off_by(sx) + 2.0 / 1024) / kRelativeError
          : 0;
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
      sum.magnitude += v->magnitude * (1 + off);
    }
  }
  return sum;
}

AxisArray AxesOf(int64_t element, const AxisArray& extents) {
  AxisArray at = {};
  for (int axis : kFastestFirst) {
    at[axis] = static_cast<int>(element % extents[axis]);
    element /= extents[axis];
  }
  return at;
}

int64_t ElementAt(const AxisArray& at, const AxisArray& extents) {
  int64_t element = 0;
  for (size_t i = kFastestFirst.size(); i-- > 0;) {
    const int axis = kFastestFirst[i];
    element = element * extents[axis] + at[axis];
  }
  return element;
}

// Any op that moves values by an affine function of their places.
Value ReferenceOps::Remapped(int input, const Remap& r, const AxisArray& from,
                             const AxisArray& at,
                             absl::Span<const int> batches) {
  AxisArray source = r.offset;
  for (size_t s = 0; s < source.size(); ++s) {
    for (size_t d = 0; d < at.size(); ++d) source[s] += r.per[s][d] * at[d];
    if (s == kBatchAxis && !batches.empty()) source[s] = batches[source[s]];
    if (Inside(source[s], from[s])) continue;
    const int extent = from[s];
    switch (r.edge) {
      case Remap::Edge::kNone:
        return std::nullopt;
      case Remap::Edge::kFill:
        return ReferenceValue{r.fill, std::abs(r.fill)};
      case Remap::Edge::kReflect:
        source[s] = source[s] < 0 ? -source[s] : 2 * extent - 2 - source[s];
        break;
      case Remap::Edge::kSymmetric:
        source[s] = source[s] < 0 ? -1 - source[s] : 2 * extent - 1 - source[s];
        break;
      case Remap::Edge::kWrap:
        source[s] = (source[s] % extent + extent) % extent;
        break;
    }
  }
  return In(input, ElementAt(source, from));
}

Value ReferenceOps::Concatenation(const ConcatenationAttributes& a,
                                  int64_t element) {
  AxisArray at = AxesOf(element, ExtentsOf(Output(), a.outer));
  for (int i = 0; i < static_cast<int>(node_.inputs.size()); ++i) {
    const AxisArray extents = ExtentsOf(Input(i), a.outer);
    if (at[a.axis] < extents[a.axis]) return In(i, ElementAt(at, extents));
    at[a.axis] -= extents[a.axis];
  }
  return std::nullopt;
}

Value ReferenceOps::Transpose(const TransposeAttributes& a, int64_t element) {
  if (a.steps.empty()) {
    return Remapped(0, a.remap, ExtentsOf(Input(0)),
                    AxesOf(element, ExtentsOf(Output())));
  }
  return In(0, ElementBefore(a.steps, element));
}

int64_t ReferenceOps::ElementBefore(absl::Span<const TransposeStep> steps,
                                    int64_t element) {
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    const AxisArray at = AxesOf(element, ExtentsOf(Folded(step->output)));
    AxisArray source = {};
    for (size_t s = 0; s < source.size(); ++s) {
      for (size_t d = 0; d < at.size(); ++d) {
        source[s] += step->remap.per[s][d] * at[d];
      }
    }
    element = ElementAt(source, ExtentsOf(Folded(step->input)));
  }
  return element;
}

Value ReferenceOps::Pack(const PackAttributes& a, int64_t element) {
  AxisArray at = AxesOf(element, ExtentsOf(Output(), a.remap.dst_outer));
  const int input = at[a.axis] / a.step;
  at[a.axis] %= a.step;
  return Remapped(input, a.remap, ExtentsOf(Input(input), a.remap.src_outer),
                  at);
}

Value ReferenceOps::Gather(const GatherAttributes& a, int64_t element) {
  if (a.linear) return LinearlyGathered(*a.linear, element, 0, 1);
  const Place p = PlaceOf(element, a.picked);
  std::array<int, 4> at = {p.b, p.h, p.w, p.c};
  at[a.axis] = a.indices[at[a.axis]];
  return In(0, ElementOf({at[0], at[1], at[2], at[3]}, ShapeOf(0)));
}

Value ReferenceOps::LinearlyGathered(const LinearGather& a, int64_t element,
                                     int source, int indices) {
  const int64_t inner = element % a.inner;
  element /= a.inner;
  const int64_t count = element % a.count;
  element /= a.count;
  const int64_t outer = element % a.outer;
  const int64_t batch = element / a.outer;
  int64_t from = batch * a.outer + outer;
  for (int i = 0; i < a.depth; ++i) {
    const Value index = In(indices, (batch * a.count + count) * a.depth + i);
    if (!index) return index;
    const int extent = a.extents[i];
    from = from * extent +
           std::clamp(static_cast<int>(index->value), 0, extent - 1);
  }
  return In(source, from * a.inner + inner);
}

Value ReferenceOps::SpaceDepth(int block, const Place& p, bool to_depth) {
  const Shape& s = ShapeOf(0);
  if (to_depth) {
    const int within = p.c / s.c;
    return In(0, ElementOf({p.b, p.h * block + within / block,
                            p.w * block + within % block, p.c % s.c},
                           s));
  }
  const int within = p.h % block * block + p.w % block;
  return In(0, ElementOf({p.b, p.h / block, p.w / block,
                          within * Output().shape.c + p.c},
                         s));
}

Value ReferenceOps::SpaceBatch(const SpaceBatchAttributes& a, const Place& p,
                               bool to_batch) {
  const Shape& s = ShapeOf(0);
  Place from = p;
  const int batches = to_batch ? s.b : Output().shape.b;
  if (to_batch) {
    const int within = p.b / batches;
    from.b = p.b % batches;
    from.h = p.h * a.block_h + within / a.block_w - a.top;
    from.w = p.w * a.block_w + within % a.block_w - a.left;
    if (!Inside(from.h, s.h) || !Inside(from.w, s.w)) {
      return ReferenceValue{a.fill, std::abs(a.fill)};
    }
  } else {
    const int h = p.h + a.top, w = p.w + a.left;
    const int within = h % a.block_h * a.block_w + w % a.block_w;
    from = {within * batches + p.b, h / a.block_h, w / a.block_w, p.c};
  }
  return In(0, ElementOf(from, s));
}

Value ReferenceOps::Moved(int64_t element, const Place& p) {
  const auto plan = node_.op->plan;
  if (const auto* a = Attributes<RemapAttributes>()) {
    Remap r = a->remaps[output_];
    if (a->fill_input >= 0) {
      const Value fill = In(a->fill_input, 0);
      if (!fill || Input(a->fill_input).is_float_view()) return std::nullopt;
      r.fill = static_cast<float>(fill->value);
    }
    return Remapped(a->source, r, ExtentsOf(Input(a->source), r.src_outer),
                    AxesOf(element, ExtentsOf(Output(), r.dst_outer)),
                    a->batches);
  }
  if (const auto* a = Attributes<ConcatenationAttributes>()) {
    return Concatenation(*a, element);
  }
  if (const auto* a = Attributes<TransposeAttributes>()) {
    return Transpose(*a, element);
  }
  if (const auto* a = Attributes<PackAttributes>()) return Pack(*a, element);
  if (const auto* a = Attributes<GatherAttributes>()) {
    return Gather(*a, element);
  }
  if (const auto* a = Attributes<LinearGather>()) {
    const int source = plan == &PlanEmbeddingLookup ? 1 : 0;
    return LinearlyGathered(*a, element, source, 1 - source);
  }
  if (const auto* a = Attributes<SpaceDepthAttributes>()) {
    return SpaceDepth(a->block, p, plan == &PlanSpaceToDepth);
  }
  if (const auto* a = Attributes<SpaceBatchAttributes>()) {
    return SpaceBatch(*a, p, plan == &PlanSpaceToBatch);
  }
  if (const auto* a = Attributes<DilateAttributes>()) {
    AxisArray at = AxesOf(element, ExtentsOf(Output()));
    for (size_t axis = 0; axis < at.size(); ++axis) {
      if (at[axis] % a->steps[axis] != 0) return In(2, 0);
      at[axis] /= a->steps[axis];
    }
    return In(0, ElementAt(at, ExtentsOf(Input(0))));
  }
  if (const auto* a = Attributes<UpdateSlice>()) return Updated(*a, element);
  return node_.op->Has(kKeepsOrder) ? In(0, element) : std::nullopt;
}

Value ReferenceOps::Elementwise(const ElementwiseAttributes& a,
                                const Place& p) {
  Value v = Aligned(a.source, p, a.source_shape);
  for (const RealignedFunction& f : a.functions) {
    if (!v) return v;
    if (f.function.operand == kNoTensor) {
      v = Applied(f.function, *v, nullptr);
      continue;
    }
    const Value y = Aligned(f.function.operand, p, f.operand_shape);
    if (!y) return y;
    v = Applied(f.function, *v, &*y);
  }
  return v;
}

}  // namespace gles_delegate

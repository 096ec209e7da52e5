// The ops of the self-check's reference that move values: by their places, or
// by integers that say from where or to where.
#include <algorithm>
#include <array>
#include <vector>

#include "absl/algorithm/container.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/movement/gather.h"
#include "delegate/ops/movement/remap.h"
#include "delegate/ops/movement/transpose.h"
#include "delegate/ops/op_list.h"
#include "delegate/ops/reduction/rows.h"
#include "delegate/partition/self_check_ops.h"

namespace gles_delegate {
namespace {

// As elements follow one another in memory.
constexpr std::array<int, 5> kFastestFirst = {
    kChannelAxis, kWidthAxis, kHeightAxis, kBatchAxis, kOuterAxis};

AxisArray FoldedExtents(const std::vector<int>& dims) {
  Tensor tensor;
  tensor.SetDims(dims);
  return ExtentsOf(tensor);
}

// PlaceOf() and ElementOf() for AxisArrays, for tensors of up to rank 5.
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
  for (auto axis = kFastestFirst.rbegin(); axis != kFastestFirst.rend();
       ++axis) {
    element = element * extents[*axis] + at[*axis];
  }
  return element;
}

}  // namespace

int64_t ElementBefore(absl::Span<const TransposeStep> steps, int64_t element) {
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    const AxisArray at = AxesOf(element, FoldedExtents(step->output));
    AxisArray source = {};
    for (size_t s = 0; s < source.size(); ++s) {
      for (size_t d = 0; d < at.size(); ++d) {
        source[s] += step->remap.per[s][d] * at[d];
      }
    }
    element = ElementAt(source, FoldedExtents(step->input));
  }
  return element;
}

Along::Along(const Tensor& tensor, const AxisView& view) {
  const Shape& s = view.shape ? *view.shape : tensor.shape;
  const int64_t extents[] = {s.b, s.h, s.w, s.c};
  extent = extents[view.axis];
  inner = 1;
  for (int axis = view.axis + 1; axis < 4; ++axis) inner *= extents[axis];
}

// --- By an affine function of places -----------------------------------------

namespace {

// `batches`: RemapAttributes'.
Value Remapped(NodeReference& n, int input, const Remap& r,
               const AxisArray& from, const AxisArray& at,
               absl::Span<const int> batches = {}) {
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
        return Exactly(r.fill);
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
  return n.In(input, ElementAt(source, from));
}

Value Mapped(NodeReference& n, const RemapAttributes& a, int64_t element) {
  Remap r = a.remaps[n.output()];
  if (a.fill_input >= 0) {
    const Value fill = n.In(a.fill_input, 0);
    if (!fill || n.Input(a.fill_input).is_float_view()) return std::nullopt;
    r.fill = static_cast<float>(fill->value);
  }
  return Remapped(n, a.source, r, ExtentsOf(n.Input(a.source), r.src_outer),
                  AxesOf(element, ExtentsOf(n.Output(), r.dst_outer)),
                  a.batches);
}

Value Concatenated(NodeReference& n, const ConcatenationAttributes& a,
                   int64_t element) {
  AxisArray at = AxesOf(element, ExtentsOf(n.Output(), a.outer));
  for (int i = 0; i < static_cast<int>(n.node().inputs.size()); ++i) {
    const AxisArray extents = ExtentsOf(n.Input(i), a.outer);
    if (at[a.axis] < extents[a.axis]) return n.In(i, ElementAt(at, extents));
    at[a.axis] -= extents[a.axis];
  }
  return std::nullopt;
}

Value Transposed(NodeReference& n, const TransposeAttributes& a,
                 int64_t element) {
  if (!a.steps.empty()) return n.In(0, ElementBefore(a.steps, element));
  return Remapped(n, 0, a.remap, ExtentsOf(n.Input(0)),
                  AxesOf(element, ExtentsOf(n.Output())));
}

Value Packed(NodeReference& n, const PackAttributes& a, int64_t element) {
  AxisArray at = AxesOf(element, ExtentsOf(n.Output(), a.remap.dst_outer));
  const int input = at[a.axis] / a.step;
  at[a.axis] %= a.step;
  return Remapped(n, input, a.remap,
                  ExtentsOf(n.Input(input), a.remap.src_outer), at);
}

Value Dilated(NodeReference& n, const DilateAttributes& a, int64_t element) {
  AxisArray at = AxesOf(element, ExtentsOf(n.Output()));
  for (size_t axis = 0; axis < at.size(); ++axis) {
    if (at[axis] % a.steps[axis] != 0) return n.In(2, 0);
    at[axis] /= a.steps[axis];
  }
  return n.In(0, ElementAt(at, ExtentsOf(n.Input(0))));
}

// --- Between planes, channels and batches ------------------------------------

Value SpaceDepth(NodeReference& n, const SpaceDepthParams& a, int64_t element) {
  const Shape& s = n.ShapeOf(0);
  const Place p = n.Where(element);
  const int block = a.block_size;
  if (n.node().op->name == "SPACE_TO_DEPTH") {
    const int within = p.c / s.c;
    return n.In(0, ElementOf({p.b, p.h * block + within / block,
                              p.w * block + within % block, p.c % s.c},
                             s));
  }
  const int within = p.h % block * block + p.w % block;
  return n.In(0, ElementOf({p.b, p.h / block, p.w / block,
                            within * n.Output().shape.c + p.c},
                           s));
}

Value SpaceBatch(NodeReference& n, const SpaceBatchAttributes& a,
                 int64_t element) {
  const Shape& s = n.ShapeOf(0);
  const Place p = n.Where(element);
  Place from = p;
  if (n.node().op->name == "SPACE_TO_BATCH_ND") {
    const int within = p.b / s.b;
    from.b = p.b % s.b;
    from.h = p.h * a.block_h + within / a.block_w - a.top;
    from.w = p.w * a.block_w + within % a.block_w - a.left;
    if (!Inside(from.h, s.h) || !Inside(from.w, s.w)) return Exactly(a.fill);
  } else {
    const int h = p.h + a.top, w = p.w + a.left;
    const int within = h % a.block_h * a.block_w + w % a.block_w;
    from = {within * n.Output().shape.b + p.b, h / a.block_h, w / a.block_w,
            p.c};
  }
  return n.In(0, ElementOf(from, s));
}

// --- By indices --------------------------------------------------------------

Value GatheredLinearly(NodeReference& n, const LinearGather& a,
                       int64_t element) {
  const int64_t inner = element % a.inner;
  element /= a.inner;
  const int64_t count = element % a.count;
  element /= a.count;
  const int64_t batch = element / a.outer;
  int64_t from = element;
  for (int i = 0; i < a.depth; ++i) {
    const Value index =
        n.In(1 - a.source, (batch * a.count + count) * a.depth + i);
    if (!index) return index;
    const int extent = a.extents[i];
    from = from * extent +
           std::clamp(static_cast<int>(index->value), 0, extent - 1);
  }
  return n.In(a.source, from * a.inner + inner);
}

Value Gathered(NodeReference& n, const GatherAttributes& a, int64_t element) {
  if (a.linear) return GatheredLinearly(n, *a.linear, element);
  const Place p = PlaceOf(element, a.picked);
  std::array<int, 4> at = {p.b, p.h, p.w, p.c};
  at[a.axis] = a.indices[at[a.axis]];
  return n.In(0, ElementOf({at[0], at[1], at[2], at[3]}, n.ShapeOf(0)));
}

Value Updated(NodeReference& n, const UpdateSlice& a, int64_t element) {
  AxisArray at = AxesOf(element, a.extents);
  for (int axis = 0; axis < 5; ++axis) {
    if (a.which[axis] < 0) continue;
    const Value start = n.In(2, a.which[axis]);
    if (!start) return start;
    at[axis] -= static_cast<int>(std::clamp(
        start->value, 0.0, double{1} * (a.extents[axis] - a.box[axis])));
    if (!Inside(at[axis], a.box[axis])) return n.In(0, element);
  }
  return n.In(1, ElementAt(at, a.box));
}

Value OneHot(NodeReference& n, const OneHotAttributes& a, int64_t element) {
  const int64_t inner = element % a.inner;
  element /= a.inner;
  const Value index = n.In(0, element / a.depth * a.inner + inner);
  if (!index) return index;
  return n.In(index->value == static_cast<double>(element % a.depth) ? 2 : 3,
              0);
}

Value Scattered(NodeReference& n, const Scatter& a, int64_t element) {
  Value result = OfNone(a.reducer);
  int count = 0;
  for (int64_t i = 0; i < a.count; ++i) {
    int64_t at = 0;
    bool inside = true;
    for (int d = 0; d < a.depth; ++d) {
      const Value index = n.In(a.indices_input, i * a.depth + d);
      if (!index) return index;
      inside &= index->value >= 0 && index->value < a.extents[d];
      at = at * a.extents[d] + static_cast<int64_t>(index->value);
    }
    if (!inside || at != element / a.inner) continue;
    const Value x = n.In(a.updates_input, i * a.inner + element % a.inner);
    if (!x) return x;
    result = Combined(a.reducer, result, *x);
    ++count;
  }
  if (a.reducer == Reducer::kProduct) result->magnitude *= 1 + count;
  return result;
}

Value ReversedSequence(NodeReference& n, const ReverseSequenceAttributes& a,
                       int64_t element) {
  const AxisArray extents = ExtentsOf(n.Output());
  AxisArray at = AxesOf(element, extents);
  const Value length = n.In(1, at[a.batch_axis]);
  if (!length) return length;
  const int reversed =
      std::min(static_cast<int>(length->value), extents[a.sequence_axis]);
  int& place = at[a.sequence_axis];
  if (place < reversed) place = reversed - 1 - place;
  return n.In(0, ElementAt(at, extents));
}

// --- Positions ---------------------------------------------------------------

Value ArgExtreme(NodeReference& n, const ArgExtremeAttributes& a,
                 int64_t element) {
  const Along along(n.Input(0), a);
  const double sign = n.node().op->name == "ARG_MIN" ? -1 : 1;
  const auto row = RowOf(n, 0,
                         element / along.inner * along.extent * along.inner +
                             element % along.inner,
                         along.extent, along.inner);
  if (!row) return std::nullopt;
  const auto best =
      absl::c_max_element(*row, [sign](const auto& x, const auto& y) {
        return sign * x.value < sign * y.value;
      });
  for (auto x = row->begin(); x != row->end(); ++x) {
    if (x != best && !IsSure(*x, *best)) return std::nullopt;
  }
  return Exactly(static_cast<double>(best - row->begin()));
}

Value TopK(NodeReference& n, int64_t element) {
  const int64_t count = n.ShapeOf(0).c, k = n.Output().shape.c;
  const auto row = RowOf(n, 0, element / k * count, count);
  if (!row) return std::nullopt;
  std::vector<int> order(row->size());
  absl::c_iota(order, 0);
  absl::c_stable_sort(
      order, [&](int a, int b) { return (*row)[a].value > (*row)[b].value; });
  const int64_t place = element % k;
  const ReferenceValue& x = (*row)[order[place]];
  if (n.output() == 0) return x;
  for (const int64_t beside : {place - 1, place + 1}) {
    if (beside < 0 || beside >= count) continue;
    if (!IsSure((*row)[order[beside]], x)) return std::nullopt;
  }
  return Exactly(order[place]);
}

}  // namespace

bool ComputeMoved(NodeReference& n, int64_t element, Value* value) {
  if (n.node().op->plan == &PlanTopK) {
    *value = TopK(n, element);
    return true;
  }
  return n.ByAttributes(element, value, Mapped, Concatenated, Transposed,
                        Packed, Dilated, SpaceDepth, SpaceBatch,
                        GatheredLinearly, Gathered, Updated, OneHot, Scattered,
                        ReversedSequence, ArgExtreme);
}

}  // namespace gles_delegate

#include "delegate/partition/self_check_reference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "delegate/graph/op.h"
#include "delegate/ops/conv/conv_2d.h"
#include "delegate/ops/conv/depthwise_conv_2d.h"
#include "delegate/ops/conv/transpose_conv.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/image/resize.h"
#include "delegate/ops/matmul/fully_connected.h"
#include "delegate/ops/movement/concatenation.h"
#include "delegate/ops/movement/pad.h"
#include "delegate/ops/pooling/pool_2d.h"
#include "delegate/ops/reduction/reduce.h"
#include "delegate/ops/reduction/softmax.h"

namespace gles_delegate {
namespace {

using Value = Reference::Value;

struct Place {
  int b, h, w, c;
};

Place PlaceOf(int64_t element, const Shape& s) {
  Place p;
  p.c = static_cast<int>(element % s.c);
  element /= s.c;
  p.w = static_cast<int>(element % s.w);
  element /= s.w;
  p.h = static_cast<int>(element % s.h);
  p.b = static_cast<int>(element / s.h);
  return p;
}

int64_t ElementOf(const Place& p, const Shape& s) {
  return ((int64_t{p.b} * s.h + p.h) * s.w + p.w) * s.c + p.c;
}

// Where an operand of shape `s` is read for place `p` of what it is broadcast
// to.
int64_t Broadcast(const Place& p, const Shape& s) {
  return ElementOf({s.b == 1 ? 0 : p.b, s.h == 1 ? 0 : p.h, s.w == 1 ? 0 : p.w,
                    s.c == 1 ? 0 : p.c},
                   s);
}

bool Inside(int at, int extent) { return at >= 0 && at < extent; }

}  // namespace

// The ops, each for one element of output 0. Made for one call.
class ReferenceOps {
 public:
  ReferenceOps(Reference* reference, const Node& node)
      : ref_(*reference), graph_(reference->graph_), node_(node) {}

  Value Element(int64_t element) {
    const Shape& to = Output().shape;
    Value v = Base(element, PlaceOf(element, to));
    for (const PostOp& op : node_.post_ops) {
      if (!v) return v;
      v = Apply(op, *v, PlaceOf(element, to));
    }
    return v;
  }

 private:
  const Tensor& Output() const { return graph_.tensor(node_.outputs[0]); }
  const Shape& ShapeOf(int input) const {
    return graph_.tensor(node_.inputs[input]).shape;
  }
  bool Has(size_t input) const {
    return input < node_.inputs.size() && node_.inputs[input] != kNoTensor;
  }
  Value In(int input, int64_t element) {
    return ref_.At(node_.inputs[input], element);
  }
  template <typename T>
  const T* Attributes() const {
    return std::any_cast<T>(&node_.attributes);
  }

  Value Apply(const PostOp& op, const ReferenceValue& x, const Place& p) {
    if (op.operand == kNoTensor) return ApplyFunction(op, x, nullptr);
    const Shape& s = graph_.tensor(op.operand).shape;
    if (op.operand_zero_extend && p.c >= s.c) {
      const ReferenceValue zero;
      return ApplyFunction(op, x, &zero);
    }
    const Value y = ref_.At(op.operand, Broadcast(p, s));
    return y ? ApplyFunction(op, x, &*y) : y;
  }

  // Adds `weight` * input 0's element to `sum`. False: not known.
  bool AddTerm(int input, int64_t element, const Value& weight,
               ReferenceValue* sum) {
    const Value x = In(input, element);
    if (!x || !weight) return false;
    sum->value += x->value * weight->value;
    sum->magnitude += x->magnitude * weight->magnitude;
    return true;
  }
  Value WithBias(ReferenceValue sum, size_t bias, int channel) {
    if (!Has(bias)) return sum;
    const Value b = In(static_cast<int>(bias), channel);
    if (!b) return b;
    return ReferenceValue{sum.value + b->value, sum.magnitude + b->magnitude};
  }

  Value Base(int64_t element, const Place& p);
  Value Conv2d(const Conv2dAttributes& a, const Place& p);
  Value Depthwise(const DepthwiseConv2dAttributes& a, const Place& p);
  Value TransposeConv(const TransposeConvAttributes& a, const Place& p);
  Value FullyConnected(int64_t element);
  Value Pool(const PoolAttributes& a, const Place& p, bool max);
  Value Reduce(const ReduceAttributes& a, int64_t element);
  Value Softmax(const SoftmaxAttributes& a, const Place& p);
  Value Resize(const ResizeAttributes& a, const Place& p, bool nearest);
  Value Concatenation(int axis, const Place& p);
  Value Pad(const PadAttributes& a, const Place& p);
  Value Elementwise(const ElementwiseAttributes& a, const Place& p);

  Reference& ref_;
  const Graph& graph_;
  const Node& node_;
};

Value ReferenceOps::Base(int64_t element, const Place& p) {
  const auto plan = node_.op->plan;
  if (const auto* a = Attributes<Conv2dAttributes>()) return Conv2d(*a, p);
  if (const auto* a = Attributes<DepthwiseConv2dAttributes>()) {
    return Depthwise(*a, p);
  }
  if (const auto* a = Attributes<TransposeConvAttributes>()) {
    return TransposeConv(*a, p);
  }
  if (plan == &PlanFullyConnected) return FullyConnected(element);
  if (const auto* a = Attributes<PoolAttributes>()) {
    return Pool(*a, p, plan == &PlanMaxPool2d);
  }
  if (const auto* a = Attributes<ReduceAttributes>()) {
    return Reduce(*a, element);
  }
  if (const auto* a = Attributes<SoftmaxAttributes>()) return Softmax(*a, p);
  if (const auto* a = Attributes<ResizeAttributes>()) {
    return Resize(*a, p, plan == &PlanResizeNearestNeighbor);
  }
  if (const auto* a = Attributes<ConcatenationAttributes>()) {
    return Concatenation(a->axis, p);
  }
  if (const auto* a = Attributes<PadAttributes>()) return Pad(*a, p);
  if (const auto* a = Attributes<ElementwiseAttributes>()) {
    return Elementwise(*a, p);
  }
  if (node_.op->Has(kKeepsOrder) || node_.op->Has(kDequantizes)) {
    return In(0, element);
  }
  return std::nullopt;
}

Value ReferenceOps::Conv2d(const Conv2dAttributes& a, const Place& p) {
  const Shape& from = ShapeOf(0);
  const Shape& filter = ShapeOf(1);
  const int group = p.c / (filter.b / a.groups);
  ReferenceValue sum;
  for (int ky = 0; ky < filter.h; ++ky) {
    const int y = p.h * a.stride_h - a.pad_top + ky * a.dilation_h;
    for (int kx = 0; kx < filter.w; ++kx) {
      const int x = p.w * a.stride_w - a.pad_left + kx * a.dilation_w;
      if (!Inside(y, from.h) || !Inside(x, from.w)) continue;
      for (int i = 0; i < filter.c; ++i) {
        const Value weight = In(1, ElementOf({p.c, ky, kx, i}, filter));
        const Place at = {p.b, y, x, group * filter.c + i};
        if (!AddTerm(0, ElementOf(at, from), weight, &sum)) return std::nullopt;
      }
    }
  }
  return WithBias(sum, 2, p.c);
}

Value ReferenceOps::Depthwise(const DepthwiseConv2dAttributes& a,
                              const Place& p) {
  const Shape& from = ShapeOf(0);
  const Shape& filter = ShapeOf(1);
  ReferenceValue sum;
  for (int ky = 0; ky < filter.h; ++ky) {
    const int y = p.h * a.stride_h - a.pad_top + ky * a.dilation_h;
    for (int kx = 0; kx < filter.w; ++kx) {
      const int x = p.w * a.stride_w - a.pad_left + kx * a.dilation_w;
      if (!Inside(y, from.h) || !Inside(x, from.w)) continue;
      const Value weight = In(1, ElementOf({0, ky, kx, p.c}, filter));
      const Place at = {p.b, y, x, p.c / a.multiplier};
      if (!AddTerm(0, ElementOf(at, from), weight, &sum)) return std::nullopt;
    }
  }
  return WithBias(sum, 2, p.c);
}

Value ReferenceOps::TransposeConv(const TransposeConvAttributes& a,
                                  const Place& p) {
  const Shape& from = ShapeOf(a.data_input);
  const Shape& filter = ShapeOf(a.filter_input);
  ReferenceValue sum;
  for (int ky = 0; ky < filter.h; ++ky) {
    const int y = p.h + a.pad_top - ky;
    for (int kx = 0; kx < filter.w; ++kx) {
      const int x = p.w + a.pad_left - kx;
      if (y % a.stride_h != 0 || x % a.stride_w != 0 ||
          !Inside(y / a.stride_h, from.h) || !Inside(x / a.stride_w, from.w)) {
        continue;
      }
      for (int i = 0; i < from.c; ++i) {
        const Value weight =
            In(a.filter_input, ElementOf({p.c, ky, kx, i}, filter));
        const Place at = {p.b, y / a.stride_h, x / a.stride_w, i};
        if (!AddTerm(a.data_input, ElementOf(at, from), weight, &sum)) {
          return std::nullopt;
        }
      }
    }
  }
  return WithBias(sum, a.bias_input, p.c);
}

Value ReferenceOps::FullyConnected(int64_t element) {
  const std::vector<int>& dims = graph_.tensor(node_.inputs[1]).dims;
  if (dims.size() != 2) return std::nullopt;
  const int64_t n = dims[0], k = dims[1];
  const int64_t row = element / n, column = element % n;
  ReferenceValue sum;
  for (int64_t i = 0; i < k; ++i) {
    if (!AddTerm(0, row * k + i, In(1, column * k + i), &sum)) {
      return std::nullopt;
    }
  }
  return WithBias(sum, 2, static_cast<int>(column));
}

Value ReferenceOps::Pool(const PoolAttributes& a, const Place& p, bool max) {
  const Shape& from = ShapeOf(0);
  if (a.zeros) return std::nullopt;
  ReferenceValue result;
  int count = 0;
  for (int ky = 0; ky < a.h.size; ++ky) {
    const int y = p.h * a.h.stride - a.pad_h.before + ky;
    for (int kx = 0; kx < a.w.size; ++kx) {
      const int x = p.w * a.w.stride - a.pad_w.before + kx;
      if (!Inside(y, from.h) || !Inside(x, from.w)) continue;
      const Value v = In(0, ElementOf({p.b, y, x, p.c}, from));
      if (!v) return v;
      result.value = !max         ? result.value + v->value
                     : count == 0 ? v->value
                                  : std::max(result.value, v->value);
      result.magnitude = max ? std::max(result.magnitude, v->magnitude)
                             : result.magnitude + v->magnitude;
      ++count;
    }
  }
  if (count == 0) return std::nullopt;
  if (max) return result;
  return ReferenceValue{result.value / count, result.magnitude / count};
}

Value ReferenceOps::Reduce(const ReduceAttributes& a, int64_t element) {
  const auto plan = node_.op->plan;
  if (!a.folded.empty() || plan == &PlanReduceProd) return std::nullopt;
  const Shape& from = ShapeOf(0);
  const Shape kept = {a.over[0] ? 1 : from.b, a.over[1] ? 1 : from.h,
                      a.over[2] ? 1 : from.w, a.over[3] ? 1 : from.c};
  const Shape over = {from.b / kept.b, from.h / kept.h, from.w / kept.w,
                      from.c / kept.c};
  const Place at = PlaceOf(element, kept);
  ReferenceValue sum, most, least;
  for (int64_t i = 0; i < over.elements(); ++i) {
    const Place o = PlaceOf(i, over);
    const Value v = In(
        0, ElementOf({at.b + o.b, at.h + o.h, at.w + o.w, at.c + o.c}, from));
    if (!v) return v;
    if (i == 0) most = least = *v;
    sum.value += v->value;
    sum.magnitude += v->magnitude;
    most.value = std::max(most.value, v->value);
    least.value = std::min(least.value, v->value);
    most.magnitude = std::max(most.magnitude, v->magnitude);
  }
  least.magnitude = most.magnitude;
  const double count = static_cast<double>(over.elements());
  if (plan == &PlanReduceMax) return most;
  if (plan == &PlanReduceMin) return least;
  if (plan == &PlanMean) {
    return ReferenceValue{sum.value / count, sum.magnitude / count};
  }
  if (plan == &PlanSum) return sum;
  return std::nullopt;
}

Value ReferenceOps::Softmax(const SoftmaxAttributes& a, const Place& p) {
  const Shape& from = ShapeOf(0);
  std::vector<ReferenceValue> row(from.c);
  double most = -std::numeric_limits<double>::infinity();
  double error = 0;
  for (int c = 0; c < from.c; ++c) {
    const Value v = In(0, ElementOf({p.b, p.h, p.w, c}, from));
    if (!v) return v;
    row[c] = *v;
    most = std::max(most, v->value);
    error = std::max(error, a.beta * v->magnitude);
  }
  double sum = 0;
  for (const ReferenceValue& v : row) {
    sum += std::exp(a.beta * (v.value - most));
  }
  const double log = a.beta * (row[p.c].value - most) - std::log(sum);
  if (a.log) return ReferenceValue{log, std::abs(log) + 2 * error + 1};
  const double y = std::exp(log);
  return ReferenceValue{y, y * (1 + 2 * error)};
}

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
      v = ApplyFunction(f.function, *v, nullptr);
      continue;
    }
    const Value y = In(f.function.operand, Broadcast(p, f.operand_shape));
    if (!y) return y;
    v = ApplyFunction(f.function, *v, &*y);
  }
  return v;
}

Reference::Reference(const Graph& graph)
    : graph_(graph),
      producer_(graph.tensors.size(), -1),
      values_(graph.tensors.size()) {
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    for (TensorId id : graph.nodes[i].outputs) {
      producer_[id] = static_cast<int>(i);
    }
  }
}

void Reference::Know(TensorId id, std::vector<float> values) {
  values_[id] = std::make_unique<const std::vector<float>>(std::move(values));
}

const std::vector<float>* Reference::ConstantOf(TensorId id) {
  TensorId constant = id;
  if (!graph_.tensor(id).is_constant()) {
    if (producer_[id] < 0) return nullptr;
    const Node& node = graph_.nodes[producer_[id]];
    if (!node.op->Has(kDequantizes) || !node.post_ops.empty()) return nullptr;
    constant = node.inputs[0];
    if (!graph_.tensor(constant).is_constant()) return nullptr;
  }
  auto values = ConstantFloats(graph_.tensor(constant));
  if (!values.ok()) return nullptr;
  Know(id, *std::move(values));
  return values_[id].get();
}

Value Reference::At(TensorId id, int64_t element) {
  if (id < 0 || id >= static_cast<TensorId>(producer_.size()) ||
      --terms_left_ < 0) {
    return std::nullopt;
  }
  const std::vector<float>* values = values_[id].get();
  if (values == nullptr) values = ConstantOf(id);
  if (values == nullptr) return Expect(id, element);
  if (element < 0 || element >= static_cast<int64_t>(values->size())) {
    return std::nullopt;
  }
  const double v = (*values)[element];
  return ReferenceValue{v, std::abs(v)};
}

Value Reference::Expect(TensorId id, int64_t element) {
  constexpr int kMostNodes = 24;  // that passes may have made one of
  if (id < 0 || id >= static_cast<TensorId>(producer_.size()) ||
      producer_[id] < 0 || depth_ >= kMostNodes) {
    return std::nullopt;
  }
  const Node& node = graph_.nodes[producer_[id]];
  if (node.outputs[0] != id || graph_.tensor(id).type != DataType::kFloat32) {
    return std::nullopt;
  }
  ++depth_;
  Value value = ReferenceOps(this, node).Element(element);
  --depth_;
  if (value &&
      !(std::isfinite(value->value) && std::isfinite(value->magnitude)))
    return std::nullopt;
  return value;
}

}  // namespace gles_delegate

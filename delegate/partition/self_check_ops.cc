#include "delegate/partition/self_check_ops.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "delegate/graph/op.h"
#include "delegate/ops/all_ops.h"
#include "delegate/ops/elementwise/elementwise.h"

namespace gles_delegate {

using Value = Reference::Value;

namespace {

// One tap of a window, and the pixel of the input that it reads.
struct Tap {
  int ky, kx, y, x;
};

// Calls `visit` for each tap of output `p` whose pixel lies inside the input,
// until it returns false; true where it never did.
template <typename Visit>
bool ForEachTap(const SlidingWindow& a, const Place& p, const Shape& filter,
                const Shape& input, const Visit& visit) {
  for (int ky = 0; ky < filter.h; ++ky) {
    const int y = p.h * a.stride_h - a.pad_top + ky * a.dilation_h;
    for (int kx = 0; kx < filter.w; ++kx) {
      const int x = p.w * a.stride_w - a.pad_left + kx * a.dilation_w;
      if (!Inside(y, input.h) || !Inside(x, input.w)) continue;
      if (!visit(Tap{ky, kx, y, x})) return false;
    }
  }
  return true;
}

// The magnitude that allows for TFLite's rounding after each factor of a
// quantized product, to the output's step for all factors together.
double RoundingOfProducts(const Tensor& output,
                          const std::vector<double>& factors) {
  if (!output.is_float_view() || output.quantization.empty()) return 0;
  const double scale = output.quantization.scale[0];
  const auto count = static_cast<double>(factors.size());
  const double step = std::pow(scale, 1 / count);
  double error = 0.5 * scale * count;
  for (double factor : factors) error *= std::max(1.0, factor / step);
  return error / kRelativeError;
}

}  // namespace

Value ReferenceOps::Base(int64_t element, const Place& p) {
  if (Value sum = Sum(element, p)) return sum;
  if (const auto* a = Attributes<SoftmaxAttributes>()) return Softmax(*a, p);
  if (const auto* a = Attributes<ResizeAttributes>()) {
    return Resize(*a, p, node_.op->plan == &PlanResizeNearestNeighbor);
  }
  if (const auto* a = Attributes<ElementwiseAttributes>()) {
    return Elementwise(*a, p);
  }
  if (node_.op->Has(kDequantizes)) return In(0, element);
  return OfAnyType(element);
}

Value ReferenceOps::Sum(int64_t element, const Place& p) {
  const auto plan = node_.op->plan;
  if (const auto* a = Attributes<Conv2dAttributes>()) return Conv2d(*a, p);
  if (const auto* a = Attributes<DepthwiseConv2dAttributes>()) {
    return Depthwise(*a, p);
  }
  if (const auto* a = Attributes<TransposeConvAttributes>()) {
    return TransposeConv(*a, p);
  }
  if (const auto* a = Attributes<BatchMatMulAttributes>()) {
    return MatMul(*a, element);
  }
  if (const auto* a = Attributes<PoolAttributes>()) {
    return Pool(*a, p, plan == &PlanMaxPool2d);
  }
  if (const auto* a = Attributes<ReduceAttributes>()) {
    return Reduce(*a, element);
  }
  if (const auto* a = Attributes<LocalResponseNormalizationAttributes>()) {
    return LocalResponse(*a, p);
  }
  if (const auto* a = Attributes<CumsumAttributes>()) {
    return Cumsum(*a, element);
  }
  if (const auto* a = Attributes<Conv3dAttributes>()) return Conv3d(*a, p);
  if (const auto* a = Attributes<Rfft2dAttributes>()) return Transform(*a, p);
  if (node_.op->function == "length") return Absolute(element);
  if (node_.op->function == "real_of") return In(0, 2 * element);
  if (node_.op->function == "imaginary_of") {
    return In(0, 2 * element + 1);
  }
  if (const auto* a = Attributes<LstmAttributes>()) return Lstm(*a, p);
  if (Attributes<BasicLstmAttributes>() != nullptr) return BasicLstm(p);
  if (const auto* a = Attributes<SvdfAttributes>()) return Svdf(*a, p);
  if (plan == &PlanFullyConnected) return FullyConnected(element);
  if (plan == &PlanAddN) return AddN(element);
  if (plan == &PlanL2Normalization && !node_.attributes.has_value()) {
    return L2Normalization(element);
  }
  return std::nullopt;
}

Value ReferenceOps::Conv2d(const Conv2dAttributes& a, const Place& p) {
  const Shape& from = ShapeOf(0);
  const Shape& filter = ShapeOf(1);
  const int group = p.c / (filter.b / a.groups);
  ReferenceValue sum;
  const bool known = ForEachTap(a, p, filter, from, [&](const Tap& t) {
    for (int i = 0; i < filter.c; ++i) {
      const Value weight = In(1, ElementOf({p.c, t.ky, t.kx, i}, filter));
      const Place at = {p.b, t.y, t.x, group * filter.c + i};
      if (!AddTerm(0, ElementOf(at, from), weight, &sum)) return false;
    }
    return true;
  });
  return known ? WithBias(sum, 2, p.c) : std::nullopt;
}

Value ReferenceOps::Depthwise(const DepthwiseConv2dAttributes& a,
                              const Place& p) {
  const Shape& from = ShapeOf(0);
  const Shape& filter = ShapeOf(1);
  ReferenceValue sum;
  const bool known = ForEachTap(a, p, filter, from, [&](const Tap& t) {
    const Value weight = In(1, ElementOf({0, t.ky, t.kx, p.c}, filter));
    const Place at = {p.b, t.y, t.x, p.c / a.multiplier};
    return AddTerm(0, ElementOf(at, from), weight, &sum);
  });
  return known ? WithBias(sum, 2, p.c) : std::nullopt;
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
  // Not its dims: a RESHAPE to them that moves nothing is removed.
  const int64_t n = ShapeOf(1).b, k = ShapeOf(1).c;
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
  ReferenceValue result;
  int count = 0;
  for (int ky = 0; ky < a.h.size; ++ky) {
    const int y = p.h * a.h.stride - a.pad_h.before + ky;
    for (int kx = 0; kx < a.w.size; ++kx) {
      const int x = p.w * a.w.stride - a.pad_w.before + kx;
      const bool inside = Inside(y, from.h) && Inside(x, from.w);
      if (!inside && !a.zeros) continue;
      const Value v =
          inside ? In(0, ElementOf({p.b, y, x, p.c}, from)) : ReferenceValue();
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
  const Shape from = a.folded.empty() ? ShapeOf(0) : Shape::FromDims(a.folded);
  const Shape kept = {a.over[0] ? 1 : from.b, a.over[1] ? 1 : from.h,
                      a.over[2] ? 1 : from.w, a.over[3] ? 1 : from.c};
  const Shape over = {from.b / kept.b, from.h / kept.h, from.w / kept.w,
                      from.c / kept.c};
  const Place at = PlaceOf(element, kept);
  ReferenceValue sum, most, min, product{1, 1};
  std::vector<double> factors;
  for (int64_t i = 0; i < over.elements(); ++i) {
    const Place o = PlaceOf(i, over);
    const int64_t moved =
        ElementOf({at.b + o.b, at.h + o.h, at.w + o.w, at.c + o.c}, from);
    const Value v = In(0, ElementBefore(a.moves, moved));
    if (!v) return v;
    if (i == 0) most = min = *v;
    product.value *= v->value;
    product.magnitude *= v->magnitude;
    factors.push_back(v->magnitude);
    sum.value += v->value;
    sum.magnitude += v->magnitude;
    most.value = std::max(most.value, v->value);
    min.value = std::min(min.value, v->value);
    most.magnitude = std::max(most.magnitude, v->magnitude);
  }
  min.magnitude = most.magnitude;
  const double count = static_cast<double>(over.elements());
  switch (ReducerOf(*node_.op)) {
    case Reducer::kAny:
    case Reducer::kMax:
      return most;
    case Reducer::kAll:
    case Reducer::kMin:
      return min;
    case Reducer::kMean:
      if (!IsFloat()) sum.value = std::trunc(sum.value / count) * count;
      return ReferenceValue{sum.value / count, sum.magnitude / count};
    case Reducer::kSum:
      return sum;
    case Reducer::kProduct:
      return ReferenceValue{product.value,
                            product.magnitude * (1 + count) +
                                RoundingOfProducts(Output(), factors)};
  }
  return std::nullopt;
}

// Once a row: all of its values need it.
std::optional<Reference::SoftmaxRow> ReferenceOps::RowOfSoftmax(
    double beta, const Place& p) {
  const Shape& from = ShapeOf(0);
  const auto key = std::pair(&node_, ElementOf({p.b, p.h, p.w, 0}, from));
  const auto found = ref_.softmax_rows_.find(key);
  if (found != ref_.softmax_rows_.end()) return found->second;
  std::vector<double> values(from.c);
  Reference::SoftmaxRow row;
  for (int c = 0; c < from.c; ++c) {
    const Value v = In(0, key.second + c);
    if (!v) return std::nullopt;
    values[c] = v->value;
    row.most = std::max(row.most, v->value);
    row.error = std::max(row.error, beta * v->magnitude);
  }
  for (double v : values) row.sum += std::exp(beta * (v - row.most));
  ref_.softmax_rows_[key] = row;
  return row;
}

Value ReferenceOps::Softmax(const SoftmaxAttributes& a, const Place& p) {
  const auto row = RowOfSoftmax(a.beta, p);
  const Value x = In(0, ElementOf(p, ShapeOf(0)));
  if (!row || !x) return std::nullopt;
  const double log = a.beta * (x->value - row->most) - std::log(row->sum);
  if (a.log) return ReferenceValue{log, std::abs(log) + 2 * row->error + 1};
  const double y = std::exp(log);
  return ReferenceValue{y, y * (1 + 2 * row->error)};
}

}  // namespace gles_delegate

// The ops of the self-check's reference that go along rows or axes, and those
// that compare, choose and convert.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "delegate/graph/op.h"
#include "delegate/ops/op_list.h"
#include "delegate/partition/self_check_ops.h"

namespace gles_delegate {

using Value = Reference::Value;

namespace {

// The matrix of `dims` that belongs to a product of `leading` axes; its first
// element.
int64_t MatrixAt(const std::vector<int>& dims, const std::vector<int>& leading,
                 int64_t product) {
  const size_t own = dims.size() - 2;
  std::vector<int64_t> at(leading.size());
  for (size_t i = leading.size(); i-- > 0;) {
    at[i] = product % leading[i];
    product /= leading[i];
  }
  int64_t matrix = 0;
  for (size_t i = 0; i < own; ++i) {
    const int64_t index = at[leading.size() - own + i];
    matrix = matrix * dims[i] + (dims[i] == 1 ? 0 : index);
  }
  return matrix * dims[own] * dims[own + 1];
}

// Moved or chosen, never computed: float32 holds it as it is.
bool IsExact(const ReferenceValue& v) {
  return std::abs(v.value) == v.magnitude;
}

}  // namespace

Along::Along(const Tensor& tensor, const AxisView& view) {
  const Shape& s = view.shape ? *view.shape : tensor.shape;
  const int64_t extents[] = {s.b, s.h, s.w, s.c};
  extent = extents[view.axis];
  inner = 1;
  for (int axis = view.axis + 1; axis < 4; ++axis) inner *= extents[axis];
}

bool IsSure(const ReferenceValue& x, const ReferenceValue& y) {
  const bool exact = IsExact(x) && IsExact(y);
  if (x.value == y.value) return exact;
  // Halves of the two differ, too: they round by less than half of this.
  const double apart = exact ? 1e-3 : kSure;
  return std::abs(x.value - y.value) > apart * (x.magnitude + y.magnitude);
}

Value ReferenceOps::MatMul(const BatchMatMulAttributes& a, int64_t element) {
  const std::vector<int>& x = a.x;
  const std::vector<int>& y = a.y;
  const std::vector<int>& out = a.product;
  const int64_t m = out[out.size() - 2], n = out[out.size() - 1];
  const int64_t terms = a.adj_x ? x[x.size() - 2] : x[x.size() - 1];
  const std::vector<int> leading(out.begin(), out.end() - 2);
  const int64_t row = element / n % m, column = element % n;
  const int64_t of_x = MatrixAt(x, leading, element / (m * n));
  const int64_t of_y = MatrixAt(y, leading, element / (m * n));
  ReferenceValue sum;
  for (int64_t k = 0; k < terms; ++k) {
    const int64_t at_x = a.adj_x ? k * m + row : row * terms + k;
    const int64_t at_y = a.adj_y ? column * terms + k : k * n + column;
    if (!AddTerm(0, of_x + at_x, In(1, of_y + at_y), &sum)) return std::nullopt;
  }
  return sum;
}

Value ReferenceOps::L2Normalization(int64_t element) {
  const int64_t c = Output().shape.c;
  ReferenceValue squares;
  for (int64_t i = 0; i < c; ++i) {
    const Value x = In(0, element / c * c + i);
    if (!x) return x;
    squares.value += x->value * x->value;
    squares.magnitude += x->magnitude * x->magnitude;
  }
  const double length = std::max(std::sqrt(squares.value), 1e-6);
  const Value x = In(0, element);
  if (!x) return x;
  const double y = x->value / length;
  const double part = squares.magnitude / (length * length);
  return ReferenceValue{y, (x->magnitude / length) * (1 + part)};
}

Value ReferenceOps::LocalResponse(const LocalResponseNormalizationAttributes& a,
                                  const Place& p) {
  const Shape& s = ShapeOf(0);
  ReferenceValue sum = {a.bias, std::abs(a.bias)};
  for (int c = std::max(0, p.c - a.radius);
       c <= std::min(s.c - 1, p.c + a.radius); ++c) {
    const Value x = In(0, ElementOf({p.b, p.h, p.w, c}, s));
    if (!x) return x;
    sum.value += a.alpha * x->value * x->value;
    sum.magnitude += std::abs(a.alpha) * x->magnitude * x->magnitude;
  }
  const Value x = In(0, ElementOf(p, s));
  if (!x) return x;
  const double factor = std::pow(sum.value, -double{a.beta});
  const double part = std::abs(a.beta) * sum.magnitude / std::abs(sum.value);
  return ReferenceValue{x->value * factor, x->magnitude * factor * (1 + part)};
}

Value ReferenceOps::Cumsum(const CumsumAttributes& a, int64_t element) {
  const Along along(Output(), a.view);
  const int64_t at = element / along.inner % along.extent;
  const int64_t base = element - at * along.inner;
  ReferenceValue sum;
  for (int64_t i = 0; i < along.extent; ++i) {
    const bool before = a.reverse ? i > at : i < at;
    if (!before && (a.exclusive || i != at)) continue;
    const Value x = In(0, base + i * along.inner);
    if (!x) return x;
    sum.value += x->value;
    sum.magnitude += x->magnitude;
  }
  return sum;
}

Value ReferenceOps::AddN(int64_t element) {
  ReferenceValue sum;
  for (size_t i = 0; i < node_.inputs.size(); ++i) {
    const Value x = In(static_cast<int>(i), element);
    if (!x) return x;
    sum.value += x->value;
    sum.magnitude += x->magnitude;
  }
  return sum;
}

// An input of an elementwise op in its aligned shape. Nothing, if planning
// repeats it.
Value ReferenceOps::Aligned(int input, const Place& p, const Shape& shape) {
  if (ShapeOf(input).elements() != shape.elements()) return std::nullopt;
  return In(input, Broadcast(p, shape));
}

Value ReferenceOps::Comparison(const ComparisonAttributes& a, const Place& p) {
  const Value x = Aligned(0, p, a.aligned[0]);
  const Value y = Aligned(1, p, a.aligned[1]);
  if (!x || !y || a.of_quantized || !IsSure(*x, *y)) return std::nullopt;
  const double d = x->value - y->value;
  const auto is = [&](absl::string_view name) { return a.function == name; };
  const bool holds = is("equal")           ? d == 0
                     : is("notEqual")      ? d != 0
                     : is("lessThan")      ? d < 0
                     : is("lessThanEqual") ? d <= 0
                     : is("greaterThan")   ? d > 0
                                           : d >= 0;
  return ReferenceValue{holds ? 1.0 : 0.0, 0};
}

Value ReferenceOps::Select(const SelectAttributes& a, const Place& p) {
  const Value condition = Aligned(0, p, a.aligned[0]);
  if (!condition) return condition;
  const int input = condition->value != 0 ? 1 : 2;
  return Aligned(input, p, a.aligned[input]);
}

Value ReferenceOps::Cast(int64_t element) {
  const Value x = In(0, element);
  if (!x || Output().is_host_view()) return std::nullopt;
  if (Output().type == DataType::kFloat32) return x;
  if (Output().type == DataType::kBool) {
    return ReferenceValue{x->value != 0 ? 1.0 : 0.0, 0};
  }
  const double whole = std::trunc(x->value);
  const double rest = std::abs(x->value - std::round(x->value));
  if (rest != 0 && rest < kSure * x->magnitude) return std::nullopt;
  return ReferenceValue{whole, std::abs(whole)};
}

Value ReferenceOps::OfAnyType(int64_t element) {
  const Place p = PlaceOf(element, Output().shape);
  if (const auto* a = Attributes<ComparisonAttributes>()) {
    return Comparison(*a, p);
  }
  if (const auto* a = Attributes<SelectAttributes>()) return Select(*a, p);
  if (node_.op->plan == &PlanCast) return Cast(element);
  if (Value picked = Picked(element)) return picked;
  return Moved(element, p);
}

// --- Sums --------------------------------------------------------------------

using Value = Reference::Value;

Value ReferenceOps::Conv3d(const Conv3dAttributes& a, const Place& p) {
  const Shape& from = ShapeOf(a.data_input);
  const int outputs = Output().shape.c;
  const std::array<int, 3> to = {p.w, p.h, p.b % a.dst_depth};
  const std::array<int, 3> extents = {from.w, from.h, a.src_depth};
  const int taps = a.window[0].size * a.window[1].size * a.window[2].size;
  ReferenceValue sum;
  for (int tap = 0; tap < taps; ++tap) {
    std::array<int, 3> at = {};
    bool inside = true;
    for (int i = 0, rest = tap; i < 3; ++i) {
      const Window& w = a.window[i];
      const int step = rest % w.size * w.dilation;
      rest /= w.size;
      if (a.transposed) {
        const int spread = to[i] + a.pad[i] - step;
        inside &= spread >= 0 && spread % w.stride == 0;
        at[i] = spread / w.stride;
      } else {
        at[i] = to[i] * w.stride - a.pad[i] + step;
      }
      inside &= Inside(at[i], extents[i]);
    }
    if (!inside) continue;
    const int layer = p.b / a.dst_depth * a.src_depth + at[2];
    for (int i = 0; i < from.c; ++i) {
      const int64_t weight = a.transposed
                                 ? (int64_t{tap} * outputs + p.c) * from.c + i
                                 : (int64_t{tap} * from.c + i) * outputs + p.c;
      if (!AddTerm(a.data_input, ElementOf({layer, at[1], at[0], i}, from),
                   In(a.filter_input, weight), &sum)) {
        return std::nullopt;
      }
    }
  }
  return WithBias(sum, a.bias_input, p.c);
}

Value ReferenceOps::Transform(const Rfft2dAttributes& a, const Place& p) {
  const Shape& from = ShapeOf(0);
  ReferenceValue sum;
  for (int n = 0; n < std::min(from.c, a.length); ++n) {
    const int64_t turns = int64_t{p.c / 2} * n % a.length;
    const double angle = 2 * 3.14159265358979323846 * turns / a.length;
    const ReferenceValue weight = {
        p.c % 2 == 0 ? std::cos(angle) : -std::sin(angle), 1};
    if (!AddTerm(0, ElementOf({p.b, p.h, p.w, n}, from), weight, &sum)) {
      return std::nullopt;
    }
  }
  return sum;
}

Value ReferenceOps::Absolute(int64_t element) {
  const Value re = In(0, 2 * element);
  const Value im = In(0, 2 * element + 1);
  if (!re || !im) return std::nullopt;
  return ReferenceValue{std::hypot(re->value, im->value),
                        std::hypot(re->magnitude, im->magnitude)};
}

Value ReferenceOps::Updated(const UpdateSlice& a, int64_t element) {
  AxisArray at = AxesOf(element, a.extents);
  for (int axis = 0; axis < 5; ++axis) {
    if (a.which[axis] < 0) continue;
    const Value start = In(2, a.which[axis]);
    if (!start) return start;
    at[axis] -= static_cast<int>(std::clamp(
        start->value, 0.0, double{1} * (a.extents[axis] - a.box[axis])));
    if (!Inside(at[axis], a.box[axis])) return In(0, element);
  }
  return In(1, ElementAt(at, a.box));
}

}  // namespace gles_delegate

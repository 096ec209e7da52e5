#include "delegate/partition/self_check_ops.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "delegate/graph/op.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/matmul/matrix_product.h"
#include "delegate/ops/op_list.h"
#include "delegate/partition/self_check_reference.h"

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
  if (Attributes<FullyConnectedAttributes>()) return FullyConnected(element);
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

// --- Functions of one value --------------------------------------------------

namespace {

using Value = Reference::Value;

// A function of steps, each of which is 1.
Value Stepped(double y, double to_step, const ReferenceValue& x) {
  if (to_step <= kSure * x.magnitude) return std::nullopt;
  return ReferenceValue{y, std::abs(y)};
}
double ToWhole(double v) { return std::abs(v - std::round(v)); }

// |f'| <= slope wherever x may be: an error of x grows by that.
ReferenceValue Sloped(double y, double slope, const ReferenceValue& x) {
  return {y, std::abs(y) + slope * x.magnitude};
}

Value Unary(absl::string_view f, const PostOp& op, const ReferenceValue& x) {
  const double v = x.value;
  if (f == "clamp") {
    return ReferenceValue{std::clamp<double>(v, op.params[0], op.params[1]),
                          x.magnitude};
  }
  // Rounding to the output's quantized values is the caller's to allow for;
  // their ends are not. Where functions follow, in a node that others were
  // fused into, they scale the rounding, too: it is an error of up to one code,
  // as integer kernels round twice.
  if (f == "quantize") {
    const double scale = op.params[0];
    const double low = (op.params[2] - op.params[1]) * scale;
    const double high = (op.params[3] - op.params[1]) * scale;
    return ReferenceValue{std::clamp(v, low, high),
                          x.magnitude + scale / kRelativeError};
  }
  if (f == "abs") return ReferenceValue{std::abs(v), x.magnitude};
  if (f == "neg") return ReferenceValue{-v, x.magnitude};
  if (f == "zeros_like") return ReferenceValue{};
  if (f == "square") return Sloped(v * v, 2 * std::abs(v), x);
  if (f == "tanh") return Sloped(std::tanh(v), 1, x);
  if (f == "logistic") return Sloped(1 / (1 + std::exp(-v)), 1, x);
  if (f == "sin") return Sloped(std::sin(v), 1, x);
  if (f == "cos") return Sloped(std::cos(v), 1, x);
  if (f == "elu") return Sloped(v < 0 ? std::expm1(v) : v, 1, x);
  if (f == "exp") return Sloped(std::exp(v), std::exp(v), x);
  if (f == "log") return Sloped(std::log(v), 1 / std::abs(v), x);
  if (f == "sqrt") return Sloped(std::sqrt(v), 0.5 / std::sqrt(v), x);
  if (f == "rsqrt") {
    return Sloped(1 / std::sqrt(v), 0.5 / (v * std::sqrt(v)), x);
  }
  if (f == "floor") return Stepped(std::floor(v), ToWhole(v), x);
  if (f == "ceil") return Stepped(std::ceil(v), ToWhole(v), x);
  if (f == "round") return Stepped(std::nearbyint(v), ToWhole(v + 0.5), x);
  if (f == "sign") return Stepped(v < 0 ? -1 : v > 0 ? 1 : 0, std::abs(v), x);
  if (f == "leaky_relu") {
    const double a = op.params[0];
    return Sloped(v < 0 ? v * a : v, std::max(1.0, std::abs(a)), x);
  }
  if (f == "hard_swish") {
    return Sloped(v * std::clamp(v + 3, 0.0, 6.0) / 6, 1.5, x);
  }
  if (f == "silu") return Sloped(v / (1 + std::exp(-v)), 1.1, x);
  if (f == "gelu") {
    return Sloped(0.5 * v * (1 + std::erf(v / std::sqrt(2.0))), 1.2, x);
  }
  if (f == "gelu_tanh") {
    const double z = std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v);
    return Sloped(0.5 * v * (1 + std::tanh(z)), 1.2, x);
  }
  return std::nullopt;
}

Value Binary(absl::string_view f, const ReferenceValue& x,
             const ReferenceValue& y) {
  const double sum = x.magnitude + y.magnitude;
  if (f == "add") return ReferenceValue{x.value + y.value, sum};
  if (f == "sub") return ReferenceValue{x.value - y.value, sum};
  if (f == "maximum") return ReferenceValue{std::max(x.value, y.value), sum};
  if (f == "minimum") return ReferenceValue{std::min(x.value, y.value), sum};
  if (f == "mul") {
    return ReferenceValue{x.value * y.value, x.magnitude * y.magnitude};
  }
  if (f == "div") {
    const double d = std::abs(y.value);
    return ReferenceValue{x.value / y.value,
                          x.magnitude / d + x.magnitude * y.magnitude / d / d};
  }
  if (f == "squared_difference") {
    const double d = x.value - y.value;
    return ReferenceValue{d * d, 2 * std::abs(d) * sum + d * d};
  }
  if (f == "pow") {
    const double v = std::pow(x.value, y.value), size = std::abs(x.value);
    return ReferenceValue{
        v, std::abs(v) * (1 + std::abs(y.value) * x.magnitude / size +
                          std::abs(std::log(size)) * y.magnitude)};
  }
  if (f == "floor_div" || f == "floor_mod") {
    const double quotient = x.value / y.value, size = std::abs(y.value);
    const Value whole =
        Stepped(std::floor(quotient), ToWhole(quotient),
                {quotient,
                 x.magnitude / size + x.magnitude * y.magnitude / size / size});
    if (!whole || f == "floor_div") return whole;
    return ReferenceValue{x.value - whole->value * y.value,
                          x.magnitude + whole->magnitude * y.magnitude};
  }
  if (f == "atan2") {
    const double v = std::atan2(x.value, y.value);
    const double r = std::hypot(x.value, y.value);
    if (std::abs(x.value) <= kSure * x.magnitude && y.value < kSure * r) {
      return std::nullopt;  // where it leaps
    }
    return ReferenceValue{v, std::abs(v) + (x.magnitude + y.magnitude) / r};
  }
  if (f == "prelu") {
    return ReferenceValue{x.value < 0 ? x.value * y.value : x.value,
                          x.magnitude * std::max(1.0, y.magnitude)};
  }
  return std::nullopt;
}

}  // namespace

Value ApplyFunction(const PostOp& op, const ReferenceValue& x,
                    const ReferenceValue* y) {
  if (op.operand_as == OperandAs::kTable) return std::nullopt;
  if (y != nullptr) {
    return op.operand_first ? Binary(op.function, *y, x)
                            : Binary(op.function, x, *y);
  }
  if (Value unary = Unary(op.function, op, x); unary) return unary;
  // A constant of one element stands in the params.
  const ReferenceValue scalar = {op.params[0], std::abs(op.params[0])};
  return op.params[1] != 0 ? Binary(op.function, scalar, x)
                           : Binary(op.function, x, scalar);
}

// --- Integers ----------------------------------------------------------------

namespace {

using Value = Reference::Value;

ReferenceValue Of(double v) { return {v, std::abs(v)}; }

Value UnaryOfIntegers(absl::string_view f, const PostOp& op, double x) {
  if (f == "clamp") {
    return Of(std::clamp<double>(x, op.params[0], op.params[1]));
  }
  if (f == "abs") return Of(std::abs(x));
  if (f == "neg") return Of(-x);
  if (f == "sign") return Of(x < 0 ? -1 : x > 0 ? 1 : 0);
  if (f == "zeros_like") return Of(0);
  if (f == "logical_not") return Of(x == 0 ? 1 : 0);
  return std::nullopt;
}

Value Quotient(absl::string_view f, double x, double y) {
  if (y == 0) return std::nullopt;  // TFLite fails
  if (f == "div") return Of(std::trunc(x / y));
  const double floor = std::floor(x / y);
  return Of(f == "floor_div" ? floor : x - floor * y);
}

Value BinaryOfIntegers(absl::string_view f, double x, double y) {
  if (f == "add") return Of(x + y);
  if (f == "sub") return Of(x - y);
  if (f == "mul") return Of(x * y);
  if (f == "maximum") return Of(std::max(x, y));
  if (f == "minimum") return Of(std::min(x, y));
  if (f == "squared_difference") return Of((x - y) * (x - y));
  if (f == "div" || f == "floor_div" || f == "floor_mod") {
    return Quotient(f, x, y);
  }
  if (f == "pow" && y >= 0) return Of(std::pow(x, y));
  if (f == "logical_or") return Of(x != 0 || y != 0 ? 1 : 0);
  if (f == "logical_and") return Of(x != 0 && y != 0 ? 1 : 0);
  const auto a = static_cast<int64_t>(x), b = static_cast<int64_t>(y);
  if (f == "bitwise_xor") return Of(static_cast<double>(a ^ b));
  if (f == "right_shift" && b >= 0 && b < 32) {
    return Of(static_cast<double>(a >> b));
  }
  return std::nullopt;
}

}  // namespace

Value InInteger(Value v) {
  if (!v || std::abs(v->value) > kMaxWhole || v->value != std::trunc(v->value))
    return std::nullopt;
  return Of(v->value);
}

Value ApplyToIntegers(const PostOp& op, const ReferenceValue& x,
                      const ReferenceValue* y) {
  if (op.operand_as == OperandAs::kTable) return std::nullopt;
  if (y != nullptr) {
    return InInteger(op.operand_first
                         ? BinaryOfIntegers(op.function, y->value, x.value)
                         : BinaryOfIntegers(op.function, x.value, y->value));
  }
  if (Value unary = UnaryOfIntegers(op.function, op, x.value); unary)
    return InInteger(unary);
  // A constant of one element stands in the params.
  return InInteger(op.params[1] != 0
                       ? BinaryOfIntegers(op.function, op.params[0], x.value)
                       : BinaryOfIntegers(op.function, x.value, op.params[0]));
}

}  // namespace gles_delegate

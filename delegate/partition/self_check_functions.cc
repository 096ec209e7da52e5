// The elementwise functions of delegate/partition/self_check_reference.h.
#include <algorithm>
#include <cmath>

#include "absl/strings/string_view.h"
#include "delegate/partition/self_check_reference.h"

namespace gles_delegate {
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
  if (op.operand_table) return std::nullopt;
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

}  // namespace gles_delegate

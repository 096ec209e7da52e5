// The functions of integers and bools of
// delegate/partition/self_check_reference.h.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "delegate/partition/self_check_reference.h"

namespace gles_delegate {
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
  if (op.operand_table) return std::nullopt;
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

// Builders for ops that work element by element: binary, unary, PRELU, and the
// constants that pass through DEQUANTIZE and DENSIFY.
// Longer than 300 lines: tables of functions and their domains.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tools/op_models/op_variant.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

Op SchemaOp(BinaryOp op) {
  switch (op) {
    case BinaryOp::kAdd:
      return Op::ADD;
    case BinaryOp::kSub:
      return Op::SUB;
    case BinaryOp::kMul:
      return Op::MUL;
    case BinaryOp::kDiv:
      return Op::DIV;
    case BinaryOp::kMaximum:
      return Op::MAXIMUM;
    case BinaryOp::kMinimum:
      return Op::MINIMUM;
    case BinaryOp::kPow:
      return Op::POW;
    case BinaryOp::kSquaredDifference:
      return Op::SQUARED_DIFFERENCE;
    case BinaryOp::kFloorDiv:
      return Op::FLOOR_DIV;
    case BinaryOp::kFloorMod:
      return Op::FLOOR_MOD;
    case BinaryOp::kStablehloAdd:
      return Op::STABLEHLO_ADD;
    case BinaryOp::kStablehloMultiply:
      return Op::STABLEHLO_MULTIPLY;
    case BinaryOp::kStablehloMaximum:
      return Op::STABLEHLO_MAXIMUM;
    case BinaryOp::kStablehloMinimum:
      return Op::STABLEHLO_MINIMUM;
  }
  return Op::ADD;
}

Op SchemaOp(UnaryOp op) {
  switch (op) {
    case UnaryOp::kRelu:
      return Op::RELU;
    case UnaryOp::kReluN1To1:
      return Op::RELU_N1_TO_1;
    case UnaryOp::kRelu6:
      return Op::RELU6;
    case UnaryOp::kLogistic:
      return Op::LOGISTIC;
    case UnaryOp::kTanh:
      return Op::TANH;
    case UnaryOp::kHardSwish:
      return Op::HARD_SWISH;
    case UnaryOp::kElu:
      return Op::ELU;
    case UnaryOp::kLeakyRelu:
      return Op::LEAKY_RELU;
    case UnaryOp::kAbs:
      return Op::ABS;
    case UnaryOp::kNeg:
      return Op::NEG;
    case UnaryOp::kExp:
      return Op::EXP;
    case UnaryOp::kLog:
      return Op::LOG;
    case UnaryOp::kSqrt:
      return Op::SQRT;
    case UnaryOp::kRsqrt:
      return Op::RSQRT;
    case UnaryOp::kSquare:
      return Op::SQUARE;
    case UnaryOp::kSin:
      return Op::SIN;
    case UnaryOp::kCos:
      return Op::COS;
    case UnaryOp::kFloor:
      return Op::FLOOR;
    case UnaryOp::kCeil:
      return Op::CEIL;
    case UnaryOp::kRound:
      return Op::ROUND;
  }
  return Op::RELU;
}

// OpenGL ES 3.1 (GLSL ES 3.10, 4.5.1): division is within 2.5 ULP, pow is
// exp2(y * log2(x)), of 3 + 2|x| ULP and 3 ULP; a ULP is two units of 2^-24.
Accuracy BinaryAccuracy(BinaryOp op) {
  Accuracy accuracy;
  switch (op) {
    case BinaryOp::kAdd:
    case BinaryOp::kSub:
    case BinaryOp::kStablehloAdd:
      accuracy.terms = 2;
      break;
    case BinaryOp::kDiv:
      accuracy.ulps = 8;
      break;
    case BinaryOp::kPow:
      // |y log2 x| is at most 7 in the data below: 17 ULP, and 3 ULP of log2
      // grow by 7 ln 2.
      accuracy.ulps = 64;
      break;
    case BinaryOp::kMaximum:
    case BinaryOp::kMinimum:
    case BinaryOp::kStablehloMaximum:
    case BinaryOp::kStablehloMinimum:
      accuracy.terms = 0;
      break;
    case BinaryOp::kFloorDiv:
    case BinaryOp::kFloorMod:
      accuracy.terms = 0;
      accuracy.rounds_to_half = true;
      break;
    default:
      break;
  }
  return accuracy;
}

// Operands in the op's domain, away from its poles.
std::vector<float> BinaryData(OpVariant& v, BinaryOp op, bool first,
                              size_t count) {
  Random& random = v.random();
  if (op == BinaryOp::kPow) {
    return first ? random.Uniform(count, 0.1f, 3)
                 : random.Uniform(count, -2, 2);
  }
  if (op == BinaryOp::kFloorDiv || op == BinaryOp::kFloorMod) {
    // Quotients stay a quarter away from integers, where floor would jump: odd
    // quarters over powers of two, exact in half.
    std::vector<float> values(count);
    for (float& value : values) {
      value = first ? 0.25f * (2 * random.NextInt(-20, 19) + 1)
                    : (random.NextInt(0, 1) != 0 ? 0.5f : -0.5f);
    }
    return values;
  }
  if (op == BinaryOp::kDiv && !first) {
    std::vector<float> values = random.Uniform(count, 0.5f, 2);
    for (float& value : values) {
      if (random.NextInt(0, 1) != 0) value = -value;
    }
    return values;
  }
  return random.Gaussian(count, 0, 2);
}

// The op on absolute values whose result is the sum of absolute terms.
Op MagnitudeOp(BinaryOp op) {
  return op == BinaryOp::kSub ? Op::ADD : SchemaOp(op);
}

int AddBinary(OpVariant& v, const BinaryParams& params,
              std::vector<int> inputs) {
  const Op op = v.absolute() ? MagnitudeOp(params.op) : SchemaOp(params.op);
  const schema::ActivationFunctionType fused = v.Fused(params.activation);
  switch (op) {
    case Op::ADD: {
      schema::AddOptionsT options;
      options.fused_activation_function = fused;
      return v.Op(op, 1, inputs, options);
    }
    case Op::SUB: {
      schema::SubOptionsT options;
      options.fused_activation_function = fused;
      return v.Op(op, 1, inputs, options);
    }
    case Op::MUL: {
      schema::MulOptionsT options;
      options.fused_activation_function = fused;
      return v.Op(op, 1, inputs, options);
    }
    case Op::DIV: {
      schema::DivOptionsT options;
      options.fused_activation_function = fused;
      return v.Op(op, 1, inputs, options);
    }
    default:
      return v.Op(op, 1, inputs);
  }
}

std::string ConstantName(Constant constant) {
  switch (constant) {
    case Constant::kFirst:
      return " first constant";
    case Constant::kSecond:
      return " second constant";
    default:
      return "";
  }
}

// The precision of each function by GLSL ES 3.10 (section 4.5.1), on the data
// below; if it promises none (sin, cos), the precision that drivers reach.
Accuracy UnaryAccuracy(UnaryOp op) {
  Accuracy accuracy;
  switch (op) {
    case UnaryOp::kRelu:
    case UnaryOp::kReluN1To1:
    case UnaryOp::kRelu6:
    case UnaryOp::kAbs:
    case UnaryOp::kNeg:
    case UnaryOp::kFloor:
    case UnaryOp::kCeil:
    case UnaryOp::kRound:
      accuracy.terms = 0;
      break;
    case UnaryOp::kLogistic:
      // exp(-x) of 3 + 2|x| ULP counts where it is not small beside 1.
      accuracy.ulps = 32;
      accuracy.absolute = 0x1p-23;
      break;
    case UnaryOp::kTanh:
    case UnaryOp::kElu:
      // Near zero, exp(x) - 1 keeps exp's absolute error: 3 ULP of 1.
      accuracy.ulps = 32;
      accuracy.absolute = 0x1p-21;
      break;
    case UnaryOp::kExp:
      accuracy.ulps = 48;  // 3 + 2|x| ULP, |x| up to 8, and TFLite's own
      break;
    case UnaryOp::kLog:
      accuracy.ulps = 8;
      accuracy.absolute = 0x1p-21;  // in [0.5, 2]
      break;
    case UnaryOp::kSqrt:
      accuracy.ulps = 12;  // 1 / inversesqrt(x): 2 + 2.5 ULP
      break;
    case UnaryOp::kRsqrt:
      accuracy.ulps = 8;  // 2 ULP
      break;
    case UnaryOp::kSin:
    case UnaryOp::kCos:
      accuracy.absolute = 0x1p-20;  // NVIDIA's fast sine on [-pi, pi]
      break;
    default:
      break;
  }
  return accuracy;
}

std::vector<float> UnaryData(OpVariant& v, UnaryOp op, size_t count) {
  Random& random = v.random();
  switch (op) {
    case UnaryOp::kExp:
      return random.Uniform(count, -8, 8);
    case UnaryOp::kLog:
    case UnaryOp::kSqrt:
    case UnaryOp::kRsqrt:
      return random.Uniform(count, 0.05f, 20);
    case UnaryOp::kSin:
    case UnaryOp::kCos:
      return random.Uniform(count, -3, 3);
    case UnaryOp::kRound: {
      // Halves too: they go to the even neighbour.
      std::vector<float> values(count);
      for (float& value : values) value = 0.25f * random.NextInt(-40, 40);
      return values;
    }
    default:
      return random.WithCorners(count);
  }
}

}  // namespace

std::string BinaryOpName(BinaryOp op) {
  return schema::EnumNameBuiltinOperator(SchemaOp(op));
}

std::string UnaryOpName(UnaryOp op) {
  return schema::EnumNameBuiltinOperator(SchemaOp(op));
}

Shape BroadcastShape(const Shape& a, const Shape& b) {
  Shape out(std::max(a.size(), b.size()), 1);
  for (size_t i = 0; i < out.size(); ++i) {
    const int32_t da = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int32_t db = i < b.size() ? b[b.size() - 1 - i] : 1;
    out[out.size() - 1 - i] = da == 1 ? db : da;
  }
  return out;
}

SingleOpModel Binary(const BinaryParams& params) {
  const std::string description = absl::StrCat(
      BinaryOpName(params.op), " ", ShapeString(params.a), " and ",
      ShapeString(params.b), " ", ActivationName(params.activation),
      ConstantName(params.constant));
  const bool sum = params.op == BinaryOp::kAdd || params.op == BinaryOp::kSub;
  // An activation hides how large the result was before it.
  const bool with_magnitude = sum || params.activation != Activation::kNone;
  return MakeModel(
      description, BinaryAccuracy(params.op), with_magnitude,
      [&](OpVariant& v) {
        const auto operand = [&](const char* name, const Shape& shape,
                                 bool first, Constant constant) {
          return v.Constant(
              name, shape, BinaryData(v, params.op, first, ElementCount(shape)),
              params.constant == constant ? Weights::kFloat
                                          : Weights::kRuntime);
        };
        const int a = operand("a", params.a, true, Constant::kFirst);
        const int b = operand("b", params.b, false, Constant::kSecond);
        return AddBinary(v, params, {a, b});
      });
}

SingleOpModel Unary(UnaryOp op, const Shape& input, float alpha) {
  const std::string description =
      absl::StrCat(UnaryOpName(op), " ", ShapeString(input));
  return MakeModel(description, UnaryAccuracy(op), [&](OpVariant& v) {
    const int x =
        v.Input("input", input, UnaryData(v, op, ElementCount(input)));
    if (op != UnaryOp::kLeakyRelu) return v.Op(SchemaOp(op), 1, {x});
    schema::LeakyReluOptionsT options;
    options.alpha = alpha;
    return v.Op(SchemaOp(op), 1, {x}, options);
  });
}

SingleOpModel Gelu(const Shape& input, bool approximate) {
  // Both kernels compute 1 + erf or 1 + tanh with an error of some 2^-23 beside
  // 1, times x / 2: up to 4 of 2^-24 of |x|, which is below 8.
  Accuracy accuracy;
  accuracy.ulps = 16;
  accuracy.magnitude_of_inputs = true;
  const std::string description =
      absl::StrCat(approximate ? "GELU by tanh " : "GELU ", ShapeString(input));
  return MakeModel(description, accuracy, [&](OpVariant& v) {
    const int x =
        v.Input("x", input, v.random().WithCorners(ElementCount(input)));
    schema::GeluOptionsT options;
    options.approximate = approximate;
    return v.Op(Op::GELU, 1, {x}, options);
  });
}

SingleOpModel Prelu(const Shape& input, const Shape& alpha, Weights weights) {
  const std::string description =
      absl::StrCat("PRELU ", ShapeString(input), " alpha ", ShapeString(alpha),
                   " ", WeightsName(weights));
  return MakeModel(description, Accuracy(), [&](OpVariant& v) {
    const int x =
        v.Input("input", input, v.random().WithCorners(ElementCount(input)));
    const int a =
        v.Constant("alpha", alpha,
                   v.random().Gaussian(ElementCount(alpha), 0, 0.5f), weights);
    return v.Op(Op::PRELU, 1, {x, a});
  });
}

}  // namespace gles_delegate::testing

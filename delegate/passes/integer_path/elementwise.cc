// Functions of one tensor and of two, each of which may be broadcast: tables,
// rescaled values, sums and products.
#include "delegate/ops/elementwise/elementwise.h"

#include <cmath>
#include <utility>

#include "absl/base/casts.h"
#include "absl/functional/function_ref.h"
#include "base/format.h"
#include "delegate/passes/integer_path/recipe.h"

namespace gles_delegate::integer_path {
namespace {

// All that a table depends on, for its name.
std::string Text(const quant::AffineQuantized& q) {
  return Formatted("%a from %d at %d", q.scale, q.range.low, q.zero_point);
}

// The bits of a multiplier as those of a float.
float AsBits(const quant::Multiplier& m) {
  // Multipliers are 0 or 2^30 to 2^31 - 1: 2^29 less are the bits of a number
  // that no driver takes for denormal, infinite or none.
  return absl::bit_cast<float>(m.value - (1 << 29));
}

// Two multipliers in one set of params: for non-negative and negative values.
std::array<float, 4> BySign(const quant::Multiplier& positive,
                            const quant::Multiplier& negative) {
  return {AsBits(positive), static_cast<float>(positive.shift),
          AsBits(negative), static_cast<float>(negative.shift)};
}

// --- One tensor --------------------------------------------------------------

// A function between quantized values of one type: the first of the node's
// post-ops. nullptr: the node is something else.
const PostOp* FunctionOfOne(const QuantizedNode& q) {
  return q.node.inputs.size() == 1 && q.EndsAfter(1) && q.Holds()
             ? &q.node.post_ops[0]
             : nullptr;
}

Nodes Rescaled(QuantizedNode& q, double scale,
               quant::Ties ties = quant::Ties::kAwayFromZero) {
  const quant::Multiplier m = quant::MultiplierOf(scale);
  const std::optional<PostOp> clamp = q.Clamp();
  if (!clamp || !q.Fits(m)) return {};
  return q.Function({q.Requantize({m}, ties), *clamp});
}

// A float times 1 / scale in float32, ties to even.
Nodes QuantizedByInverse(QuantizedNode& q) {
  const quant::AffineQuantized to = AffineQuantizedOf(q.out());
  return q.Function({PostOpOf("quantized_by_inverse", 1 / to.scale,
                              to.zero_point, to.range.low, to.range.high)});
}

}  // namespace

Nodes Table(QuantizedNode& q) {
  const PostOp* f = FunctionOfOne(q);
  if (f == nullptr) return {};
  const quant::AffineQuantized from = AffineQuantizedOf(q.in());
  const quant::AffineQuantized to = AffineQuantizedOf(q.out());
  const auto table = quant::TableOf(f->function, from, to, f->params[0]);
  if (!table) return {};
  return q.Function(
      {q.Lookup(*table, Formatted("%s by %a of %s to %s", f->function,
                                  f->params[0], Text(from), Text(to)))});
}

Nodes Abs(QuantizedNode& q) {
  if (!q.is_int16()) return Table(q);
  const PostOp* f = FunctionOfOne(q);
  const std::optional<PostOp> clamp = q.Clamp(1);
  if (f == nullptr || !clamp) return {};
  const quant::Multiplier m =
      quant::MultiplierOf(quant::ReluScale(q.scale(), q.out_scale()));
  if (!q.Fits(m)) return {};
  if (q.scale() == q.out_scale()) return q.Function({*f, *clamp});
  return q.Function({*f, q.Requantize({m}), *clamp});
}

Nodes LeakyRelu(QuantizedNode& q) {
  const PostOp* f = FunctionOfOne(q);
  const std::optional<PostOp> clamp = q.Clamp(1);
  if (f == nullptr || !clamp) return {};
  const float alpha = f->params[0], from = q.scale(), to = q.out_scale();
  if (q.by_xnnpack() && !q.is_int16()) {
    if (const auto m = quant::FactorsIn256ths(from, to, alpha)) {
      return q.Function(
          {PostOpOf("leaky_by_256ths", m->positive, m->negative), *clamp});
    }
  }
  if (alpha < 0) return Table(q);  // multipliers in params have no sign
  const auto positive = quant::MultiplierOf(quant::ReluScale(from, to));
  const auto negative = quant::MultiplierOf(double{from * alpha / to});
  if (!q.Fits(positive) || !q.Fits(negative)) return {};
  return q.Function({{"leaky_requantize", BySign(positive, negative)}, *clamp});
}

Nodes Relu(QuantizedNode& q) {
  if (!q.Holds()) return {};
  return Rescaled(q, quant::ReluScale(q.scale(), q.out_scale()));
}
// TFLite has no kernel of 16 bits.
Nodes ReluOfEightBits(QuantizedNode& q) {
  return q.is_int16() ? Nodes() : Relu(q);
}

Nodes Quantize(QuantizedNode& q) {
  if (!q.ends_in_quantized) return {};
  if (IsFloat(q.in())) {
    const bool multiplies = q.c.traits.quantize_multiplies && q.EndsAfter(0);
    return multiplies ? QuantizedByInverse(q) : Nodes();
  }
  const bool to_more_bits = q.is_int16() && !IsInt16(q.in());
  if (to_more_bits || (!q.in().holds_quantized && !IsInt16(q.in()))) return {};
  if (IsInt16(q.in())) {
    return Rescaled(q, quant::QuantizeScale(q.scale(), q.out_scale()));
  }
  const std::optional<PostOp> clamp = q.Clamp();
  const float scale = q.scale() / q.out_scale();
  // XNNPACK takes scales of 2^-8 to 2^7, in 256ths.
  if (clamp && q.by_xnnpack() && q.Holds() && scale >= 1.0f / 256 &&
      scale <= 128) {
    return q.Function(
        {PostOpOf("rescale_by_256ths", quant::In256ths(scale)), *clamp});
  }
  // Newer built-in kernels, and those for ARM, round ties up in blocks of 16
  // values, and the remaining values at the tensor's end away from zero; these
  // are not distinguished here.
  constexpr int kBlock = 16;
  const bool in_blocks = q.c.cpu == quant::CpuKernels::kTfliteArm ||
                         q.c.cpu == quant::CpuKernels::kLitert ||
                         q.by_xnnpack();
  return Rescaled(q, quant::QuantizeScale(q.scale(), q.out_scale()),
                  in_blocks && q.out().shape.elements() >= kBlock
                      ? quant::Ties::kUp
                      : quant::Ties::kAwayFromZero);
}

// --- Two tensors -------------------------------------------------------------

namespace {

using Functions = std::vector<PostOp>;

// The scales of inputs 0 and 1 and of the output, and how the node ends.
struct Two {
  float a = 0, b = 0, out = 0;
  PostOp clamp;
  bool asks_for_shifts = false;  // pot_scale_int16
};

// The node with the functions that `make` gives it, the first of them of both
// tensors. Empty: the node is something else, or `make` gives none.
Nodes OfTwo(QuantizedNode& q,
            absl::FunctionRef<Functions(const Two& two)> make) {
  const Node& node = q.node;
  const auto* a = node.As<ElementwiseAttributes>();
  if (a == nullptr || node.inputs.size() != 2) return {};
  // The function is the first of the node's post-ops, or of its attributes' if
  // an operand is seen in another shape.
  const bool among = a->functions.empty();
  const std::optional<PostOp> clamp = q.Clamp(among ? 1 : 0);
  if (!clamp || (!among && a->functions.size() != 1) ||
      !q.HoldsOrIsConstant(node.inputs[0]) ||
      !q.HoldsOrIsConstant(node.inputs[1]) ||
      !q.Holds(node.inputs[a->source]) ||
      (q.is_int16() && (!IsPlainElementwise(q.graph, node) ||
                        node.post_ops[0].operand == kNoTensor))) {
    return {};
  }
  Functions functions = make(
      {q.scale(0), q.scale(1), q.out_scale(), *clamp, a->shifts_quantized});
  if (functions.empty()) return {};
  Node last = node;
  auto& attributes = last.Get<ElementwiseAttributes>();
  for (const int i : {a->source, 1 - a->source}) {
    last.inputs[i] = q.Read(node.inputs[i]);
  }
  PostOp& function = functions[0];
  function.operand_first = a->source == 1;
  if (among) {
    // A constant of one element, too: the params have multipliers.
    function.operand = last.inputs[1 - a->source];
  } else {
    function.operand = 1 - a->source;
    attributes.functions[0].function = std::move(function);
    functions.erase(functions.begin());
  }
  return q.End(std::move(last), std::move(functions));
}

// The flags of op_add_quantized.
constexpr int kAIsFiner = 1, kNegateB = 2, kSubtract = 4, kRoundOnce = 8,
              kSquare = 16, kExtraBit = 32;

// TFLite's kernels end the process on a sum that is scaled up, or overflow.
Functions Added(const Two& two, const quant::AddMultipliers& m, int flags) {
  const bool a_is_finer = two.a < two.b;
  const quant::Multiplier& finer = a_is_finer ? m.a : m.b;
  if (m.sum.shift > 0) return {};
  return {PostOpOf("add_quantized", AsBits(finer), AsBits(m.sum),
                   -finer.shift * 64 - m.sum.shift,
                   flags + (a_is_finer ? kAIsFiner : 0)),
          two.clamp};
}

Functions SumOfEightBits(const Two& two, bool subtract, bool by_xnnpack) {
  if (by_xnnpack) {
    if (const auto s = quant::FloatSumOf(two.a, two.b, two.out, subtract)) {
      return {PostOpOf("add_as_xnnpack", s->a, s->b, s->shift), two.clamp};
    }
  }
  return Added(
      two, quant::AddMultipliersOf(two.a, two.b, two.out),
      (subtract ? kNegateB : 0) + kExtraBit * quant::AddMultipliers::kMoreBits);
}

// Of powers of two: the output's scale is the larger input's, which is not
// shifted. TFLite's kernel refuses others.
Functions ShiftedSum(const Two& two, int a, int b, int out, bool subtract) {
  const int right_a = out - a, right_b = out - b;
  if (right_a < 0 || right_b < 0 || (right_a > 0 && right_b > 0)) return {};
  return {PostOpOf("add_shifted", std::ldexp(1.0f, -right_a),
                   std::ldexp(1.0f, -right_b), subtract ? -1.0f : 1.0f),
          two.clamp};
}

Functions SumOfInt16(const Two& two, bool subtract, bool rounds_once) {
  if (two.asks_for_shifts) {
    const auto a = quant::ExponentOf(two.a), b = quant::ExponentOf(two.b),
               out = quant::ExponentOf(two.out);
    if (a && b && out) return ShiftedSum(two, *a, *b, *out, subtract);
  }
  constexpr int kBits = quant::AddMultipliers::kMoreBitsOfSixteen;
  const auto m = quant::AddMultipliersOf(two.a, two.b, two.out, kBits);
  if (m.a.value == 0 || m.b.value == 0 || m.sum.value == 0) return {};
  return Added(two, m,
               (subtract ? kSubtract : 0) + (rounds_once ? kRoundOnce : 0) +
                   kExtraBit * kBits);
}

Nodes Sum(QuantizedNode& q, bool subtract, bool rounds_once) {
  return OfTwo(q, [&](const Two& two) {
    return q.is_int16() ? SumOfInt16(two, subtract, rounds_once)
                        : SumOfEightBits(two, subtract, q.by_xnnpack());
  });
}

// Whether TFLite adds vectors of 16 codes. It adds the rest of the tensor one
// by one, and rounds otherwise there, which is not followed: near a tie, a code
// of the rest may differ by one.
bool FillsVectors(const QuantizedNode& q) {
  constexpr int kQuantized = 16;
  return q.node.inputs.size() == 2 && q.in(0).dims == q.in(1).dims &&
         q.out().shape.elements() >= kQuantized;
}

// TFLite's kernels take quantized values for numbers, and ask for no one
// quantization.
Nodes ExtremeOfTwo(QuantizedNode& q, const char* function,
                   const char* of_quantized) {
  const auto zero = [](const Tensor& t) {
    return static_cast<float>(t.quantization.zero_point[0]);
  };
  return OfTwo(q, [&](const Two& two) -> Functions {
    if (q.is_int16()) return {{function}, two.clamp};
    return {{of_quantized, {zero(q.in(0)), zero(q.in(1)), zero(q.out()), 0}}};
  });
}

}  // namespace

Nodes Add(QuantizedNode& q) {
  return Sum(q, /*subtract=*/false,
             q.c.traits.int16_adds_round_once && FillsVectors(q));
}
Nodes Sub(QuantizedNode& q) {
  return Sum(q, /*subtract=*/true, /*rounds_once=*/false);
}
Nodes Maximum(QuantizedNode& q) {
  return ExtremeOfTwo(q, "maximum", "maximum_of_quantized");
}
Nodes Minimum(QuantizedNode& q) {
  return ExtremeOfTwo(q, "minimum", "minimum_of_quantized");
}

Nodes SquaredDifference(QuantizedNode& q) {
  return OfTwo(q, [&](const Two& two) {
    if (q.is_int16()) return Functions();
    return Added(two,
                 quant::SquaredDifferenceMultipliersOf(two.a, two.b, two.out),
                 kNegateB + kSquare +
                     kExtraBit * quant::AddMultipliers::kMoreBitsOfSquares);
  });
}

Nodes Mul(QuantizedNode& q) {
  return OfTwo(q, [&](const Two& two) -> Functions {
    const auto m =
        quant::MultiplierOf(quant::ProductScale(two.a, two.b, two.out));
    if (q.is_int16()) {
      if (m.value == 0 || m.shift > 0) return {};  // a product has 31 bits
      return {{"mul_int16", AsParams(m, 0)}, two.clamp};
    }
    if (!q.Fits(m)) return {};
    const quant::Rounding rounding = quant::RoundingOf(
        q.c.cpu, q.c.traits, quant::ProductOp::kMul, q.is_uint8());
    return {
        {"mul"},
        rounding == quant::Rounding::kOnceToEven
            ? q.RequantizeAsFloat({quant::FloatScale(two.a, two.b, two.out)})
            : q.Requantize({m}, quant::TiesOf(rounding)),
        two.clamp};
  });
}

Nodes Div(QuantizedNode& q) {
  return OfTwo(q, [&](const Two& two) -> Functions {
    if (q.is_int16()) return {};
    const quant::AffineQuantized a = AffineQuantizedOf(q.in(0));
    const quant::AffineQuantized b = AffineQuantizedOf(q.in(1));
    const quant::AffineQuantized to = AffineQuantizedOf(q.out());
    const auto table = quant::QuotientTable(a, b, to);
    if (!table) return {};
    return {PostOpOf("pair_of_quantized", a.zero_point - a.range.low,
                     b.zero_point - b.range.low),
            q.Lookup(*table, Formatted("quotients of %s, %s to %s", Text(a),
                                       Text(b), Text(to))),
            two.clamp};
  });
}

Nodes Prelu(QuantizedNode& q) {
  return OfTwo(q, [&](const Two& two) -> Functions {
    const auto positive = quant::MultiplierOf(quant::ReluScale(two.a, two.out));
    const auto negative =
        quant::MultiplierOf(quant::ProductScale(two.a, two.b, two.out));
    if (q.is_int16() || !q.Fits(positive) || !q.Fits(negative)) return {};
    return {{"prelu_requantize", BySign(positive, negative)}, two.clamp};
  });
}

// Both sides are scaled in integers.
Nodes Comparison(QuantizedNode& q) {
  if (!q.node.Get<ComparisonAttributes>().of_quantized) return {};
  Node comparison = q.node;
  for (TensorId& id : comparison.inputs) {
    if (!q.graph.tensor(id).is_constant() && !HoldsQuantized(q.graph, id)) {
      return {};
    }
    id = q.Read(id);
  }
  return q.End(std::move(comparison), {});
}

}  // namespace gles_delegate::integer_path

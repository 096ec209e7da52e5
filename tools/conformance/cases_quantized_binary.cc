// Functions of two 8-bit tensors and SELECT, which TFLite computes in integers:
// no code may differ, whatever the scales and zero points, and whichever side
// is broadcast or constant.
#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "tools/conformance/cases.h"
#include "tools/conformance/quantized_series.h"
#include "tools/op_models/op_builders.h"

namespace gles_delegate::conformance {
namespace {

// How the second operand goes with the first, and which one is a constant.
struct Pair {
  const char* name;
  Shape a, b;
  bool a_constant = false, b_constant = false;
};

const std::vector<Pair>& Pairs() {
  static const auto& pairs = *new std::vector<Pair>{
      {"same", {2, 5, 8, 13}, {2, 5, 8, 13}},
      {"channels", {2, 5, 8, 13}, {13}},
      {"channels_first", {1, 1, 1, 13}, {2, 5, 8, 13}},
      {"channels_constant", {2, 5, 8, 13}, {1, 1, 1, 13}, false, true},
      {"constant_channels", {13}, {2, 5, 8, 13}, true},
      {"scalar_constant", {2, 5, 8, 13}, {}, false, true},
      {"constant_scalar", {1}, {2, 5, 8, 13}, true},
      {"scalar", {2, 5, 8, 13}, {1, 1, 1, 1}},
      {"row", {2, 5, 8, 13}, {8, 13}},
      {"row_constant", {2, 5, 8, 13}, {8, 13}, false, true},
      {"constant_plane", {5, 8, 1}, {2, 5, 8, 13}, true},
      {"plane", {2, 5, 8, 13}, {1, 5, 8, 1}},
      {"both", {2, 5, 1, 13}, {1, 1, 8, 13}},
      {"both_one_channel", {2, 5, 8, 1}, {1, 5, 1, 13}},
      {"batch", {2, 5, 8, 13}, {2, 1, 1, 1}},
      {"constant_of_all", {2, 1, 8, 1}, {2, 5, 8, 13}, false, true},
      {"gates", {2, 5, 8, 16}, {2, 1, 1, 16}},
  };
  return pairs;
}

struct PairQuantizations {
  ModelQuantization a, b, y;
};
// Draws quantizations that TFLite's kernel takes.
using DrawPair = std::function<PairQuantizations(QuantizedBuilder& b)>;
using AddPairNode = std::function<void(QuantizedBuilder& b, int number,
                                       std::vector<int> inputs, int output)>;

// Goes through all pairs twice, which makes 34 families a type.
void AddQuantizedPairs(CaseList* list, Op op, const DrawPair& draw,
                       const AddPairNode& node,
                       SeriesTypes types = SeriesTypes::kBoth) {
  for (const Pair& pair : Pairs()) {
    const Shape shape = testing::BroadcastShape(pair.a, pair.b);
    AddSeries(
        list, op, pair.name, shape,
        [=](QuantizedBuilder& b, int number) {
          const PairQuantizations q = draw(b);
          const int x = Operand(b, "a", pair.a, q.a, pair.a_constant, 37);
          const int z =
              Operand(b, "b", pair.b, q.b, pair.b_constant, 91 + 2 * number);
          const int y = b.Output("y", shape, q.y);
          node(b, number, {x, z}, y);
          return b.Finish({y});
        },
        types, 2);
  }
  // Every code meets every code.
  const Shape all = {1, 16, 64, 64};
  AddSeries(
      list, op, "every_pair", all,
      [=](QuantizedBuilder& b, int number) {
        const PairQuantizations q = draw(b);
        std::vector<int> first(65536), second(65536);
        for (int i = 0; i < 65536; ++i) {
          first[i] = b.min() + i % 256;
          second[i] = b.min() + i / 256;
        }
        const int x = b.InputOfQuantized("a", all, q.a, first);
        const int z = b.InputOfQuantized("b", all, q.b, second);
        const int y = b.Output("y", all, q.y);
        node(b, number, {x, z}, y);
        return b.Finish({y});
      },
      types, 2);
}

template <typename Options>
AddPairNode NodeWithActivation(Op op, int version) {
  return [=](QuantizedBuilder& b, int number, std::vector<int> inputs,
             int output) {
    constexpr Act kActs[] = {Act::NONE, Act::RELU, Act::RELU6,
                             Act::RELU_N1_TO_1};
    Options options;
    options.fused_activation_function =
        number % 2 == 0 ? Act::NONE : kActs[b.random().NextInt(0, 3)];
    b.builder().AddOp(op, version, std::move(inputs), {output}, options);
  };
}

AddPairNode PlainNode(Op op, int version) {
  return [=](QuantizedBuilder& b, int, std::vector<int> inputs, int output) {
    b.builder().AddOp(op, version, std::move(inputs), {output});
  };
}

PairQuantizations DrawSum(QuantizedBuilder& b) {
  const float a = DrawScale(b);
  const float other = DrawBeside(b, a, -8, 8);
  const float y = DrawBeside(b, std::max(a, other), -6, 6);
  return {WithZeroPoint(b, a), WithZeroPoint(b, other), WithZeroPoint(b, y)};
}

// TFLite's MUL for ARM adds the zero point in 16 bits, where products of more
// overflow (docs/boards.md).
#if defined(__aarch64__)
constexpr int kFinestProduct = 2;
#else
constexpr int kFinestProduct = -2;
#endif

PairQuantizations DrawProduct(QuantizedBuilder& b) {
  const float a = DrawScale(b);
  const float other = DrawScale(b);
  const float y = DrawBeside(b, a * other, kFinestProduct, 14);
  return {WithZeroPoint(b, a), WithZeroPoint(b, other), WithZeroPoint(b, y)};
}

// The output is never so fine that TFLite ends the process.
PairQuantizations DrawSquaredDifference(QuantizedBuilder& b) {
  const float a = DrawScale(b);
  const float other = DrawBeside(b, a, -8, 8);
  const float max = std::max(a, other);
  const float y = DrawBeside(b, max * max, -11, 14);
  return {WithZeroPoint(b, a), WithZeroPoint(b, other), WithZeroPoint(b, y)};
}

// MAXIMUM and MINIMUM compare the quantized values, whatever these stand for.
PairQuantizations DrawExtreme(QuantizedBuilder& b) {
  const ModelQuantization q = WithZeroPoint(b, DrawScale(b));
  return {q, q, q};
}

void AddPrelu(CaseList* list) {
  struct Alpha {
    const char* name;
    Shape shape;
    bool constant;
  };
  const Shape shape = {2, 5, 8, 13};
  const Alpha alphas[] = {{"channels", {1, 1, 13}, true},
                          {"scalar", {1, 1, 1}, true},
                          {"all", {5, 8, 13}, true},
                          {"rows", {5, 1, 13}, true},
                          {"runtime_channels", {1, 1, 13}, false},
                          {"runtime_all", {2, 5, 8, 13}, false}};
  for (const Alpha& alpha : alphas) {
    AddSeries(
        list, Op::PRELU, alpha.name, shape,
        [=](QuantizedBuilder& b, int) {
          const PairQuantizations q = DrawProduct(b);
          const int x = Operand(b, "x", shape, q.a, false, 37);
          const int a =
              Operand(b, "alpha", alpha.shape, q.b, alpha.constant, 91);
          const int y = b.Output(
              "y", shape, WithZeroPoint(b, DrawBeside(b, q.a.scale[0], -6, 6)));
          b.builder().AddOp(Op::PRELU, 1, {x, a}, {y});
          return b.Finish({y});
        },
        SeriesTypes::kBoth, 6);
  }
}

void AddComparison(CaseList* list, Op op, int version) {
  for (const Pair& pair : Pairs()) {
    const Shape shape = testing::BroadcastShape(pair.a, pair.b);
    AddSeries(
        list, op, pair.name, shape,
        [=](QuantizedBuilder& b, int number) {
          // Half of them have one quantization, as converters give them.
          const float scale = std::min(DrawScale(b), 0.99f);
          const ModelQuantization q = WithZeroPoint(b, scale);
          const ModelQuantization r =
              number % 2 == 0
                  ? q
                  : WithZeroPoint(b,
                                  std::min(DrawBeside(b, scale, -3, 3), 0.99f));
          const int x = Operand(b, "a", pair.a, q, pair.a_constant, 37);
          const int z = Operand(b, "b", pair.b, r, pair.b_constant, 91);
          const int y = b.BoolOutput("y", shape);
          b.builder().AddOp(op, version, {x, z}, {y});
          return b.Finish({y});
        },
        SeriesTypes::kBoth, 2);
  }
}

// TFLite's kernel takes uint8 alone, and no divisor that is zero.
void AddDiv(CaseList* list) {
  static const auto& shape = *new Shape{1, 16, 16, 3};
  AddSeries(
      list, Op::DIV, "quantized", shape,
      [](QuantizedBuilder& b, int number) {
        const float a_scale = DrawScale(b), b_scale = DrawScale(b);
        const ModelQuantization q = WithZeroPoint(b, b_scale);
        std::vector<int> divisors = AllQuantized(b, 91);
        for (int& code : divisors) {
          if (code == q.zero_point[0]) code += code == b.max() ? -1 : 1;
        }
        const int x = Operand(b, "a", shape, WithZeroPoint(b, a_scale),
                              /*constant=*/false, 37);
        const Shape other = number % 3 == 1 ? Shape{1, 1, 1, 3} : shape;
        const int z = number % 4 == 3
                          ? b.Constant("b", other, q, divisors)
                          : b.InputOfQuantized("b", other, q, divisors);
        const int y =
            b.Output("y", shape,
                     WithZeroPoint(b, DrawBeside(b, a_scale / b_scale, -6, 3)));
        schema::DivOptionsT options;
        options.fused_activation_function =
            number % 5 == 0 ? Act::RELU : Act::NONE;
        b.builder().AddOp(Op::DIV, 2, {x, z}, {y}, options);
        return b.Finish({y});
      },
      SeriesTypes::kUint8);
}

// SELECT moves codes. All three tensors have one zero point, and any scales.
void AddQuantizedSelect(CaseList* list, Op op, int version) {
  struct Kind {
    const char* name;
    Shape condition, a, b;
    bool a_constant, b_constant;
  };
  const Shape shape = {2, 5, 8, 13};
  std::vector<Kind> kinds = {{"same", shape, shape, shape, false, false},
                             {"a_constant", shape, shape, shape, true, false},
                             {"b_constant", shape, shape, shape, false, true}};
  if (op == Op::SELECT_V2) {
    kinds.push_back({"rows", {8, 1}, shape, {13}, false, true});
    kinds.push_back({"channels", {13}, {2, 5, 1, 13}, {8, 1}, false, false});
  } else {
    kinds.push_back({"batch", {2}, shape, shape, false, false});
  }
  for (const Kind& kind : kinds) {
    AddSeries(
        list, op, kind.name, shape,
        [=](QuantizedBuilder& b, int) {
          const ModelQuantization q = WithZeroPoint(b, DrawScale(b));
          const int condition = b.BoolInput("condition", kind.condition);
          const int x = Operand(b, "a", kind.a, q, kind.a_constant, 37);
          const int z = Operand(b, "b", kind.b, q, kind.b_constant, 91);
          const int y = b.Output("y", shape, q);
          b.builder().AddOp(op, version, {condition, x, z}, {y});
          return b.Finish({y});
        },
        SeriesTypes::kBoth, op == Op::SELECT_V2 ? 7 : 9);
  }
}

}  // namespace

void AddQuantizedBinaryCases(CaseList* list) {
  AddQuantizedPairs(list, Op::ADD, DrawSum,
                    NodeWithActivation<schema::AddOptionsT>(Op::ADD, 2));
  AddQuantizedPairs(list, Op::SUB, DrawSum,
                    NodeWithActivation<schema::SubOptionsT>(Op::SUB, 2));
  AddQuantizedPairs(list, Op::MUL, DrawProduct,
                    NodeWithActivation<schema::MulOptionsT>(Op::MUL, 2));
  AddQuantizedPairs(list, Op::SQUARED_DIFFERENCE, DrawSquaredDifference,
                    PlainNode(Op::SQUARED_DIFFERENCE, 2), SeriesTypes::kInt8);
  AddQuantizedPairs(list, Op::MAXIMUM, DrawExtreme, PlainNode(Op::MAXIMUM, 2));
  AddQuantizedPairs(list, Op::MINIMUM, DrawExtreme, PlainNode(Op::MINIMUM, 2));
  AddDiv(list);
  AddPrelu(list);
  for (Op op : {Op::EQUAL, Op::NOT_EQUAL, Op::LESS, Op::LESS_EQUAL, Op::GREATER,
                Op::GREATER_EQUAL}) {
    AddComparison(list, op, 2);
  }
  AddQuantizedSelect(list, Op::SELECT, 1);
  AddQuantizedSelect(list, Op::SELECT_V2, 1);
}

}  // namespace gles_delegate::conformance

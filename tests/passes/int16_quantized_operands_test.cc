// labels: op quant oldest_tflite
// int16 values (16x8 models) of several operands, or between widths: ADD and
// SUB of powers of two, PADV2, and QUANTIZE to 8 bits. TFLite's codes,
// every one; 208 cases an op.
#include <cmath>
#include <cstdint>
#include <vector>

#include "tests/testing/code_cases.h"
#include "tests/testing/device_test.h"
#include "tests/testing/int16_values.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

using Cases = CodeCases<int16_t>;
using Dims = ModelBuilder::Shape;

// The flag asks for shifts, which TFLite does where all scales are powers of
// two, or next to it; then the output's must be the larger input's.
void AddShifted(Cases* cases, Op op, int i) {
  const Dims dims = {1, 8, 8, 5 + i % 4};
  const int exponent = cases->Int(-14, -4), apart = cases->Int(0, 9);
  const float nearly = i % 5 == 0 ? 1.0004f : 1.0f;
  ModelQuantization coarse = WideScale(nearly * std::ldexp(1.0f, exponent));
  ModelQuantization fine = WideScale(std::ldexp(1.0f, exponent - apart));
  ModelQuantization out = coarse;
  const bool shifts = i % 4 != 3;
  if (!shifts && i % 8 == 3) out = WideScale(2 * coarse.scale[0]);
  if (i % 7 == 6) {
    coarse = WideScale(1.1f * coarse.scale[0]);  // no power of two
  }
  if (i % 2 == 1) std::swap(coarse, fine);
  const int x = cases->Input(dims, coarse);
  // Shifted operands have one shape: otherwise TFLite ends the process.
  const int z =
      i % 3 == 0 ? cases->Constant(dims, fine) : cases->Input(dims, fine);
  const int y = cases->Output(dims, out);
  const auto activation = i % 6 == 1 ? schema::ActivationFunctionType::RELU
                                     : schema::ActivationFunctionType::NONE;
  AddInt16Sum(&cases->b, op, {x, z}, y, activation, shifts);
}

class Int16OperandsTest : public DeviceTest {};

TEST_F(Int16OperandsTest, SumsOfPowersOfTwoAreTflites) {
  for (Op op : {Op::ADD, Op::SUB}) {
    ExpectCases<int16_t>(
        schema::EnumNameBuiltinOperator(op),
        [op](Cases& cases, int i) { AddShifted(&cases, op, i); });
  }
}

// The value is of the output's quantization, as TFLite asks; the input is not.
TEST_F(Int16OperandsTest, PadsByARuntimeValueAreTflites) {
  ExpectCases<int16_t>("PADV2", [](Cases& cases, int i) {
    const ModelQuantization in = cases.Draw(cases.Power(-5, -2));
    const ModelQuantization out =
        WideScale(in.scale[0] * (i % 2 == 0 ? 1.37f : 0.003f));
    const int x = cases.Input({2, 4, 5, 8}, in);
    const int paddings = cases.Ints({4, 2}, {0, 0, 1, 2, 0, 1, i % 3, 0});
    const int value = cases.Input({1}, out);
    cases.b.AddOp(Op::PADV2, 2, {x, paddings, value},
                  {cases.Output({2, 7, 6, 8 + i % 3}, out)},
                  schema::PadV2OptionsT());
  });
}

TEST_F(Int16OperandsTest, QuantizeToEightBitsIsTflites) {
  ExpectCases<int16_t>("QUANTIZE to int8", [](Cases& cases, int i) {
    const Dims dims = {1, 16, 16, 5};
    const ModelQuantization in = cases.Draw(cases.Power(-5, -1));
    const float ratio = std::exp2(static_cast<float>(cases.Int(-3, 9)));
    const ModelQuantization out = ModelQuantization::PerTensor(
        in.scale[0] * ratio * (i % 4 == 0 ? 1.0f : 1.13f),
        cases.Int(-128, 127));
    const int x = cases.Input(dims, in);
    const int y = cases.Output(dims, out, TensorType::INT8);
    cases.b.AddOp(Op::QUANTIZE, 2, {x}, {y});
  });
}

}  // namespace
}  // namespace gles_delegate::testing

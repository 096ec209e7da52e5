// labels: op quant
// QUANTIZE between any two types of quantized values that TFLite's kernel
// takes, FILL, and ARG_MAX and ARG_MIN with ties and at the ends of the range.
// TFLite's codes, every one; 208 cases an op and type.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "tests/testing/code_cases.h"
#include "tests/testing/device.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

using Type = TensorType;

// --- QUANTIZE ----------------------------------------------------------------

struct Range {
  int min = 0, max = 0;
};
Range RangeOf(Type type) {
  if (type == Type::INT8) return {-128, 127};
  if (type == Type::UINT8) return {0, 255};
  if (type == Type::INT16) return {0, 0};  // zero points of int16 are 0
  return {-100000, 100000};
}

// Ratios of powers of two make ties; others do not. Zero points at either end.
template <typename Code>
ModelQuantization Beside(CodeCases<Code>* cases, float in_scale, Type to,
                         int i) {
  const Range range = RangeOf(to);
  const int zeros[] = {range.min, range.max, 0,
                       cases->Int(range.min, range.max)};
  const int zero = to == Type::UINT8 && i % 4 == 2 ? 128 : zeros[i % 4];
  const int low = to == Type::INT32 ? -12 : -8;
  const float power = std::exp2(static_cast<float>(cases->Int(low, 9)));
  const float odd = i % 3 == 0 ? 1.0f : i % 3 == 1 ? 1.13f : 0.77f;
  return ModelQuantization::PerTensor(in_scale * power * odd, zero);
}

// One model of 52 nodes; `taken`: by TFLite 2.9's kernel.
template <typename Code>
void ExpectConversions(Type to, bool taken) {
  for (int seed = 1; seed <= (taken ? kCaseSeeds : 1); ++seed) {
    CodeCases<Code> cases(seed);
    for (int i = 0; i < kCasesOfOne; ++i) {
      const ModelBuilder::Shape dims = {1, 16, 16, 1 + i % 5};
      const ModelQuantization in = cases.Draw(cases.Power(-5, -1));
      const int x = cases.Input(dims, in);
      const int y = cases.Output(dims, Beside(&cases, in.scale[0], to, i), to);
      cases.b.AddOp(Op::QUANTIZE, 2, {x}, {y});
    }
    const std::string what = absl::StrCat(
        "QUANTIZE to ", schema::EnumNameTensorType(to), ", seed ", seed);
    if (taken) {
      cases.ExpectQuantized(what, to == Type::INT32 ? 0 : -1);
    } else {
      EXPECT_FALSE(cases.RunsOnCpu()) << what;
    }
  }
}

TEST(ConversionTest, OfEveryPairThatTfliteTakesIsTflites) {
  GLES_SKIP_WITHOUT_DEVICE();
  ExpectConversions<int8_t>(Type::INT8, true);
  ExpectConversions<int8_t>(Type::UINT8, true);
  ExpectConversions<int8_t>(Type::INT16, false);
  ExpectConversions<int8_t>(Type::INT32, false);
  ExpectConversions<uint8_t>(Type::INT8, true);
  ExpectConversions<uint8_t>(Type::UINT8, true);
  ExpectConversions<uint8_t>(Type::INT16, false);
  ExpectConversions<uint8_t>(Type::INT32, false);
  ExpectConversions<int16_t>(Type::INT8, true);
  ExpectConversions<int16_t>(Type::UINT8, false);
  ExpectConversions<int16_t>(Type::INT16, true);
  ExpectConversions<int16_t>(Type::INT32, true);
}

// --- FILL --------------------------------------------------------------------

// The value computed at run time or a constant, the ends of the range among
// them.
template <typename Code>
void ExpectFills(int integer_path) {
  using Cases = CodeCases<Code>;
  ExpectCases<Code>(
      "FILL",
      [](CodeCases<Code>& cases, int i) {
        const ModelQuantization q = cases.Draw(cases.Power(-5, 1));
        const std::vector<Code> code = {static_cast<Code>(
            i % 5 == 0   ? Cases::kLow
            : i % 5 == 1 ? Cases::kHigh
                         : cases.Int(Cases::kLow, Cases::kHigh))};
        const int value =
            i % 2 == 0 ? cases.b.template AddConstant<Code>("v", {}, code, q)
                       : cases.Input({}, q, code);
        const int dims = cases.Ints({4}, {1, 3, 2, 1 + i % 5});
        cases.b.AddOp(Op::FILL, 3, {dims, value},
                      {cases.Output({1, 3, 2, 1 + i % 5}, q)},
                      schema::FillOptionsT());
      },
      integer_path);
}

TEST(FillQuantizedTest, AreTflites) {
  GLES_SKIP_WITHOUT_DEVICE();
  ExpectFills<int8_t>(-1);
  // int16 values of one scale are moved as the real values that they are.
  ExpectFills<int16_t>(0);
}

// --- ARG_MAX and ARG_MIN -----------------------------------------------------

// Codes with many ties: of few values, all alike, or the ends of the range
// alone.
template <typename Code>
std::vector<Code> Tied(CodeCases<Code>* cases, int i, int count) {
  using Cases = CodeCases<Code>;
  const int any = cases->Int(Cases::kLow, Cases::kHigh - 2);
  std::vector<Code> quantized(count);
  for (Code& code : quantized) {
    const int drawn = cases->Int(0, 2);
    switch (i % 5) {
      case 0:
        code = static_cast<Code>(drawn == 0 ? Cases::kLow : Cases::kHigh);
        break;
      case 1:
        code = static_cast<Code>(any);
        break;
      case 2:
        code = static_cast<Code>(Cases::kLow);
        break;
      case 3:
        code = static_cast<Code>(Cases::kHigh);
        break;
      default:
        code = static_cast<Code>(any + drawn);
    }
  }
  return quantized;
}

template <typename Code>
void ExpectPositions(Op op) {
  ExpectCases<Code>(
      schema::EnumNameBuiltinOperator(op), [op](CodeCases<Code>& cases, int i) {
        const ModelQuantization q = cases.Draw(cases.Power(-5, 1));
        const bool channels = i % 2 == 0;
        const ModelBuilder::Shape dims = {2, 5, 7, i % 3 == 0 ? 37 : 1 + i % 6};
        int count = 1;
        for (int d : dims) count *= d;
        const int x = i % 4 == 3 ? cases.Input(dims, q)
                                 : cases.Input(dims, q, Tied(&cases, i, count));
        const int axis = cases.Ints({}, {channels ? 3 : 1});
        const int y =
            cases.Output(channels ? ModelBuilder::Shape{2, 5, 7}
                                  : ModelBuilder::Shape{2, 7, dims[3]},
                         {}, Type::INT32);
        if (op == Op::ARG_MAX) {
          schema::ArgMaxOptionsT options;
          options.output_type = Type::INT32;
          cases.b.AddOp(op, 2, {x, axis}, {y}, options);
        } else {
          schema::ArgMinOptionsT options;
          options.output_type = Type::INT32;
          cases.b.AddOp(op, 2, {x, axis}, {y}, options);
        }
      });
}

TEST(ArgExtremeQuantizedTest, AreTflites) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (Op op : {Op::ARG_MAX, Op::ARG_MIN}) {
    ExpectPositions<int8_t>(op);
    ExpectPositions<uint8_t>(op);
  }
}

}  // namespace
}  // namespace gles_delegate::testing

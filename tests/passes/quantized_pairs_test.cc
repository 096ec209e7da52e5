// labels: op quant softpipe
// Functions of two tensors, rescaling, pooling and moves in integers: TFLite's
// integer kernels' own quantized values, every one.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/testing/code_model.h"
#include "tests/testing/device_test.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

using Dims = ModelBuilder::Shape;

enum class Other { kSameShape, kBroadcast, kConstant, kRow, kScalarConstant };

std::string CaseName(Op op, int seed) {
  return absl::StrCat(schema::EnumNameBuiltinOperator(op), " case ", seed);
}

template <typename Code>
void ExpectFunctionOfTwo(Op op, const Dims& dims,
                         schema::ActivationFunctionType activation, Other other,
                         int seed) {
  CodeModel<Code> m(seed);
  const Dims channels = other == Other::kRow ? Dims{dims[2], dims[3]}
                        : other == Other::kScalarConstant
                            ? Dims{}
                            : Dims{1, 1, 1, dims[3]};
  int a = m.Input(dims, m.Draw(0.05f));
  int b = 0;
  if (other == Other::kConstant || other == Other::kScalarConstant) {
    b = m.b.template AddConstant<Code>(
        "b", channels,
        RandomQuantized<Code>(ElementCount(channels), m.random()),
        m.Draw(0.02f));
  } else {
    b = m.Input(other == Other::kSameShape ? dims : channels, m.Draw(0.02f));
  }
  if (seed % 3 == 0) std::swap(a, b);
  const int y = m.Output(dims, m.Draw(0.06f));
  const auto add = [&](auto options) {
    options.fused_activation_function = activation;
    m.b.AddOp(op, 2, {a, b}, {y}, options);
  };
  if (op == Op::ADD) {
    add(schema::AddOptionsT());
  } else if (op == Op::SUB) {
    add(schema::SubOptionsT());
  } else {
    add(schema::MulOptionsT());
  }
  m.ExpectQuantized(CaseName(op, seed));
}

class IntegerPathOpsTest : public DeviceTest {};

TEST_F(IntegerPathOpsTest, FunctionsOfTwo) {
  int seed = 0;
  for (auto op : {Op::ADD, Op::SUB, Op::MUL}) {
    for (Act activation : {Act::NONE, Act::RELU6}) {
      for (Other other :
           {Other::kSameShape, Other::kBroadcast, Other::kConstant}) {
        const Dims dims = seed % 2 == 0 ? Dims{1, 16, 16, 8} : Dims{3, 5, 7, 5};
        ExpectFunctionOfTwo<int8_t>(op, dims, activation, other, ++seed);
        ExpectFunctionOfTwo<uint8_t>(op, dims, activation, other, seed);
      }
    }
  }
}

// An operand broadcast in another shape than its own, and a constant of one
// element, which float models have in the params.
TEST_F(IntegerPathOpsTest, FunctionsOfTwoInOtherShapes) {
  int seed = 0;
  for (auto op : {Op::ADD, Op::SUB, Op::MUL}) {
    for (Other other : {Other::kRow, Other::kScalarConstant}) {
      ExpectFunctionOfTwo<int8_t>(op, {3, 5, 7, 5},
                                  schema::ActivationFunctionType::NONE, other,
                                  ++seed);
    }
  }
}

template <typename Code>
void ExpectRescaled(Op op, int seed) {
  CodeModel<Code> m(seed);
  const Dims dims = {2, 3, 8, 17};
  const int x = m.Input(dims, m.Draw(0.08f));
  const int y = m.Output(dims, m.Draw(0.06f));
  const bool first_version = op == Op::RELU_N1_TO_1 || op == Op::HARD_SWISH;
  m.b.AddOp(op, first_version ? 1 : 2, {x}, {y});
  m.ExpectQuantized(CaseName(op, seed));
}

TEST_F(IntegerPathOpsTest, Rescaling) {
  int seed = 0;
  for (Op op :
       {Op::RELU, Op::RELU6, Op::RELU_N1_TO_1, Op::QUANTIZE, Op::HARD_SWISH}) {
    ExpectRescaled<int8_t>(op, ++seed);
    ExpectRescaled<uint8_t>(op, seed);
  }
}

template <typename Code>
void ExpectPool(Op op, int window, int stride, int seed) {
  CodeModel<Code> m(seed);
  const ModelQuantization q = m.Draw(0.05f);
  const Dims dims = {2, 9, 8, 5};
  const int x = m.Input(dims, q);
  schema::Pool2DOptionsT options;
  options.padding =
      seed % 2 == 0 ? schema::Padding::SAME : schema::Padding::VALID;
  options.filter_width = options.filter_height = window;
  options.stride_w = options.stride_h = stride;
  const auto size = [&](int in) {
    return seed % 2 == 0 ? (in + stride - 1) / stride
                         : (in - window) / stride + 1;
  };
  const int y = m.Output({2, size(9), size(8), 5}, q);
  m.b.AddOp(op, 2, {x}, {y}, options);
  m.ExpectQuantized(
      absl::StrCat(schema::EnumNameBuiltinOperator(op), " by ", window));
}

TEST_F(IntegerPathOpsTest, Pooling) {
  int seed = 0;
  for (auto op : {Op::AVERAGE_POOL_2D, Op::MAX_POOL_2D}) {
    for (int window : {2, 3, 8}) {
      ExpectPool<int8_t>(op, window, 1 + window % 2, ++seed);
      ExpectPool<uint8_t>(op, window, 1 + window % 2, seed);
    }
  }
}

TEST_F(IntegerPathOpsTest, Moves) {
  for (int seed = 1; seed <= 3; ++seed) {
    CodeModel<int8_t> m(seed);
    const ModelQuantization q = m.Draw(0.05f);
    const int a = m.Input({1, 3, 5, 3}, q);
    const int b = m.Input({1, 3, 5, 6}, q);
    const int y = m.Output({1, 3, 5, 9}, q);
    schema::ConcatenationOptionsT options;
    options.axis = 3;
    m.b.AddOp(Op::CONCATENATION, 2, {a, b}, {y}, options);
    m.ExpectQuantized("CONCATENATION");
  }
  for (int seed = 1; seed <= 3; ++seed) {
    CodeModel<uint8_t> m(seed);
    const ModelQuantization q = m.Draw(0.05f);
    const int x = m.Input({1, 3, 5, 3}, q);
    const int paddings = m.b.template AddConstant<int32_t>(
        "p", {4, 2}, std::vector<int32_t>{0, 0, 1, 2, 0, 1, 0, 2});
    const int y = m.Output({1, 6, 6, 5}, q);
    m.b.AddOp(Op::PAD, 2, {x, paddings}, {y}, schema::PadOptionsT());
    m.ExpectQuantized("PAD");
  }
}

}  // namespace
}  // namespace gles_delegate::testing

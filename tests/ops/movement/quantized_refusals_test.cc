// labels: unit
// Quantized tensors that ops refuse: TFLite's kernels take their quantized
// values for numbers.
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/all_ops.h"
#include "tests/testing/matchers.h"
#include "tests/testing/parse_node.h"

namespace gles_delegate::testing {
namespace {

Tensor Quantized(std::vector<int> dims, DataType type) {
  Tensor tensor = FakeTensor(std::move(dims));
  tensor.quantized = type;
  return tensor;
}

TEST(QuantizedRefusalsTest, MatrixDiag) {
  EXPECT_THAT(Refusal(ParseMatrixDiag, {Quantized({2, 3}, DataType::kInt8)},
                      {FakeTensor({2, 3, 3})}),
              HasSubstr("fills in 0 as a quantized value"));
}

TEST(QuantizedRefusalsTest, ReverseSequence) {
  const ReverseSequenceParams params = {1, 0};
  EXPECT_THAT(Refusal(ParseReverseSequence,
                      {Quantized({2, 5, 4}, DataType::kInt8), FakeInts({3, 5})},
                      {FakeTensor({2, 5, 4})}, &params),
              HasSubstr("input is int8"));
}

TEST(QuantizedRefusalsTest, EmbeddingLookup) {
  Tensor table = Quantized({5, 4}, DataType::kUint8);
  table.quantization = {{0.5f}, {128}, 0};
  EXPECT_THAT(
      Refusal(ParseEmbeddingLookup, {FakeTensor({3}, DataType::kInt32), table},
              {FakeTensor({3, 4})}),
      HasSubstr("zero points of 0"));
}

TEST(QuantizedRefusalsTest, Cumsum) {
  const CumsumParams params = {};
  EXPECT_THAT(
      Refusal(ParseCumsum, {Quantized({2, 3}, DataType::kInt8), FakeInts({0})},
              {FakeTensor({2, 3})}, &params),
      HasSubstr("is quantized, which TFLite's kernel does not take"));
}

// TFLite's kernel copies bytes between types, whatever they stand for.
TEST(QuantizedRefusalsTest, Reshape) {
  const Tensor signed_ones = Quantized({2, 3, 4}, DataType::kInt8);
  const auto refusal = [&](const Tensor& output) {
    return Refusal(ParseReshape, {signed_ones, FakeInts({0})}, {output});
  };
  EXPECT_THAT(refusal(Quantized({3, 8}, DataType::kUint8)),
              HasSubstr("input is int8, output uint8: TFLite's kernel copies"));
  EXPECT_EQ(refusal(Quantized({3, 8}, DataType::kInt8)), "");
  Tensor input = FakeTensor({2, 3, 4}, DataType::kInt32);
  Tensor output = FakeTensor({3, 8}, DataType::kInt32);
  input.host = DataType::kInt8;
  output.host = DataType::kInt16;
  EXPECT_THAT(Refusal(ParseReshape, {input, FakeInts({0})}, {output}),
              HasSubstr("input is int8, output int16"));
}

}  // namespace
}  // namespace gles_delegate::testing

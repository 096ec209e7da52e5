// labels: op unit
// Nodes that the parser of QUANTIZE refuses.
// tests/passes/integer_path_conversion_test.cc has its codes.
#include "delegate/ops/all_ops.h"
#include "tests/testing/matchers.h"
#include "tests/testing/parse_node.h"

namespace gles_delegate::testing {
namespace {

Tensor Quantized(DataType quantized, float scale, int64_t zero_point = 0) {
  Tensor tensor = FakeTensor({1, 2, 2, 4});
  tensor.quantized = quantized;
  tensor.quantization = {{scale}, {zero_point}, 0};
  return tensor;
}

Tensor Int32(float scale) {
  Tensor tensor = FakeTensor({1, 2, 2, 4}, DataType::kInt32);
  tensor.quantization = {{scale}, {-7}, 0};
  return tensor;
}

std::string Refused(const Tensor& from, const Tensor& to) {
  return Refusal(ParseQuantize, {from}, {to});
}

TEST(ParseQuantizeTest, ToQuantized) {
  const Tensor floats = FakeTensor({1, 2, 2, 4});
  const Tensor quantized = Quantized(DataType::kInt8, 0.1f);
  EXPECT_EQ(Refused(floats, quantized), "");
  EXPECT_EQ(Refused(quantized, Quantized(DataType::kUint8, 0.2f, 3)), "");
  EXPECT_THAT(Refused(quantized, floats),
              HasSubstr("carries no quantization parameters"));
  EXPECT_THAT(Refused(FakeTensor({1, 4}), quantized), HasSubstr("output is"));
}

TEST(ParseQuantizeTest, ToInt32) {
  const Tensor quantized = Quantized(DataType::kInt16, 0.5f);
  EXPECT_EQ(Refused(quantized, Int32(1e-4f)), "");
  const auto of_int16_alone =
      HasSubstr("only int16 activations of one scale are quantized");
  EXPECT_THAT(Refused(Quantized(DataType::kInt8, 0.5f), Int32(0.5f)),
              of_int16_alone);
  EXPECT_THAT(Refused(FakeTensor({1, 2, 2, 4}), Int32(0.5f)), of_int16_alone);
  const Tensor no_scale = FakeTensor({1, 2, 2, 4}, DataType::kInt32);
  EXPECT_THAT(Refused(quantized, no_scale), of_int16_alone);
  // Its quantized values, shifted by 16 bits, fit no 32.
  EXPECT_THAT(
      Refused(quantized, Int32(0.5f / 65536)),
      HasSubstr("2^15 or more, on which TFLite's arithmetic overflows"));
}

}  // namespace
}  // namespace gles_delegate::testing

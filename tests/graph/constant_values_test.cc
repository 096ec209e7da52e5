// labels: unit
// Constants as numbers, copied only if they must be.
#include "delegate/graph/constant_values.h"

#include <cstring>
#include <vector>

#include "gmock/gmock.h"
#include "quant/half.h"

namespace gles_delegate {
namespace {

using ::testing::ElementsAre;

Tensor ConstantOf(DataType type, std::vector<int> dims,
                  absl::Span<const uint8_t> bytes) {
  Tensor tensor;
  tensor.type = type;
  tensor.shape = Shape::FromDims(dims);
  tensor.dims = std::move(dims);
  tensor.constant = ConstantData::Borrow(bytes);
  return tensor;
}

TEST(ConstantValuesTest, FloatsAreReadWhereTheyLie) {
  const std::vector<float> values = {1, -2, 3};
  const auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
  std::vector<float> room;
  const auto got =
      ConstantFloats(ConstantOf(DataType::kFloat32, {3}, {bytes, 12}), &room);
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(got->data(), values.data());
  EXPECT_EQ(got->size(), 3u);
  EXPECT_TRUE(room.empty());
}

TEST(ConstantValuesTest, FloatsAtAnyAddressAreCopied) {
  const std::vector<float> values = {1, -2, 3};
  std::vector<uint8_t> file(16);
  std::memcpy(&file[1], values.data(), 12);
  std::vector<float> room;
  const auto got = ConstantFloats(
      ConstantOf(DataType::kFloat32, {3}, absl::MakeSpan(file).subspan(1, 12)),
      &room);
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_THAT(*got, ElementsAre(1, -2, 3));
  EXPECT_EQ(got->data(), room.data());
}

TEST(ConstantValuesTest, OtherTypesAreConverted) {
  const std::vector<uint16_t> halves = {FloatToHalf(0.5f), FloatToHalf(-4)};
  const auto* bytes = reinterpret_cast<const uint8_t*>(halves.data());
  std::vector<float> room;
  auto got =
      ConstantFloats(ConstantOf(DataType::kFloat16, {2}, {bytes, 4}), &room);
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_THAT(*got, ElementsAre(0.5f, -4));

  const std::vector<uint8_t> codes = {1, 2, 0xff, 4};
  Tensor quantized = ConstantOf(DataType::kInt8, {2, 2}, codes);
  quantized.quantization.scale = {0.5f, 2};
  got = ConstantFloats(quantized, &room);
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_THAT(*got, ElementsAre(0.5f, 1, -2, 8));
  EXPECT_EQ(ConstantFloat(quantized, 2), -2);
}

TEST(ConstantValuesTest, TooFewBytesAreRefused) {
  const std::vector<float> values = {1, -2, 3};
  const auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
  std::vector<float> room;
  const auto got =
      ConstantFloats(ConstantOf(DataType::kFloat32, {4}, {bytes, 12}), &room);
  EXPECT_EQ(got.status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace gles_delegate

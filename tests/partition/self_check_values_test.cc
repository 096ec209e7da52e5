// labels: unit sanitize
// The self-check's random inputs, and its values of views.
#include <cstdint>
#include <vector>

#include "delegate/partition/self_check_reference.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gles_delegate::testing {
namespace {

using Kind = MemoryView::Kind;
using ::testing::ElementsAre;
using ::testing::Ne;

// The values of `view` of a tensor of 0, 1, 2, ...
std::vector<float> ViewOfCounted(const gles_delegate::Shape& of,
                                 const Tensor& view) {
  const ValueAt values = ViewOf(
      [](int64_t element) { return static_cast<float>(element); }, of, view);
  std::vector<float> result;
  for (int64_t i = 0; i < view.shape.elements(); ++i) {
    result.push_back(values(i));
  }
  return result;
}

Tensor View(Kind kind, const gles_delegate::Shape& shape) {
  Tensor tensor;
  tensor.shape = shape;
  tensor.view.of = 0;
  tensor.view.kind = kind;
  return tensor;
}

TEST(SelfCheckValuesTest, ABox) {
  const gles_delegate::Shape of = {2, 2, 3, 8};
  Tensor box = View(Kind::kBox, {1, 1, 2, 2});
  box.view.at = {1, 1, 1, 4};  // pixel 10 of 12, of 8 values each
  EXPECT_THAT(ViewOfCounted(of, box), ElementsAre(84, 85, 92, 93));
}

TEST(SelfCheckValuesTest, PixelsInARow) {
  const gles_delegate::Shape of = {1, 1, 9, 4};
  Tensor rows = View(Kind::kRows, {1, 1, 2, 8});
  rows.view.at = {0, 0, 3, 0};
  EXPECT_THAT(ViewOfCounted(of, rows),
              ElementsAre(12, 13, 14, 15, 16, 17, 18, 19,  //
                          20, 21, 22, 23, 24, 25, 26, 27));
  // With room behind the channels, of which there are two a pixel.
  const gles_delegate::Shape narrow = {1, 1, 4, 2};
  EXPECT_THAT(ViewOfCounted(narrow, View(Kind::kRows, {1, 2, 1, 8})),
              ElementsAre(0, 1, 0, 0, 2, 3, 0, 0, 4, 5, 0, 0, 6, 7, 0, 0));
}

TEST(SelfCheckValuesTest, BlocksOfChannels) {
  Tensor blocks = View(Kind::kDepthToSpace, {1, 2, 4, 1});
  blocks.view.block = 2;
  const gles_delegate::Shape of = {1, 1, 2, 4};
  EXPECT_THAT(ViewOfCounted(of, blocks), ElementsAre(0, 1, 4, 5, 2, 3, 6, 7));
}

TEST(SelfCheckValuesTest, Interpolated) {
  const auto resized = [](float shift) {
    const gles_delegate::Shape of = {1, 2, 2, 1};
    Tensor tensor = View(Kind::kBilinear, {1, 2, 4, 1});
    tensor.view.scale_x = 0.5f;
    tensor.view.shift = shift;
    return ViewOfCounted(of, tensor);
  };
  EXPECT_THAT(resized(0), ElementsAre(0, 0.5f, 1, 1, 2, 2.5f, 3, 3));
  // From -0.25 on, in steps of 0.5.
  EXPECT_THAT(resized(0.5f),
              ElementsAre(0, 0.25f, 0.75f, 1, 2, 2.25f, 2.75f, 3));
}

TEST(SelfCheckValuesTest, TheLargest) {
  const gles_delegate::Shape of = {1, 3, 4, 1};
  Tensor largest = View(Kind::kMaxPool, {1, 2, 2, 1});
  largest.view.step = largest.view.window = {2, 2};
  EXPECT_THAT(ViewOfCounted(of, largest), ElementsAre(5, 7, 9, 11));
  largest.view.window = {1, 2};
  EXPECT_THAT(ViewOfCounted(of, largest), ElementsAre(4, 6, 8, 10));
}

TEST(SelfCheckValuesTest, ASeedGivesTheSameValues) {
  Tensor tensor;
  tensor.shape = {1, 1, 1, 100};
  for (const DataType type :
       {DataType::kFloat32, DataType::kInt32, DataType::kBool}) {
    tensor.type = type;
    const auto once = RandomPattern(tensor, 1);
    EXPECT_EQ(once.size(), 400u);
    EXPECT_EQ(RandomPattern(tensor, 1), once);
    EXPECT_THAT(RandomPattern(tensor, 2), Ne(once));
  }
}

TEST(SelfCheckValuesTest, LargeTensorsRepeat) {
  Tensor tensor;
  tensor.shape = {1, 500, 500, 1};
  const auto pattern = RandomPattern(tensor, 1);
  ASSERT_LT(pattern.size(), 1000000u);
  std::vector<uint8_t> all(1000000);
  Repeat(pattern, absl::MakeSpan(all));
  for (size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(all[i], pattern[i % pattern.size()]) << i;
  }
  std::vector<uint8_t> few(3);
  Repeat(pattern, absl::MakeSpan(few));
  EXPECT_THAT(few, ElementsAre(pattern[0], pattern[1], pattern[2]));
}

TEST(SelfCheckValuesTest, Quantized) {
  Tensor tensor;
  tensor.shape = {1, 1, 1, 2};
  tensor.holds_quantized = true;
  tensor.quantization.scale = {0.5f};
  tensor.quantization.zero_point = {3};
  const std::vector<uint8_t> bytes = {5, 253};
  for (const DataType type : {DataType::kInt8, DataType::kUint8}) {
    tensor.quantized = type;
    EXPECT_EQ(ValueIn(tensor, bytes, 0), 1);
    EXPECT_EQ(ValueIn(tensor, bytes, 1),
              type == DataType::kInt8 ? -3.0f : 125.0f);
  }
}

}  // namespace
}  // namespace gles_delegate::testing

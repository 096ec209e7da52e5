// labels: unit sanitize
// Images that the tools read: good ones, and files made to break the decoder.
#include "tools/common/image.h"

#include <malloc.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stb/stb_image_write.h"

namespace gles_delegate {
namespace {

using ::testing::HasSubstr;
using Bytes = std::vector<uint8_t>;

void Append(void* to, void* data, int size) {
  const auto* bytes = static_cast<const uint8_t*>(data);
  static_cast<Bytes*>(to)->insert(static_cast<Bytes*>(to)->end(), bytes,
                                  bytes + size);
}

Bytes Pixels() {
  Bytes pixels(6 * 5 * 3);
  for (size_t i = 0; i < pixels.size(); ++i) {
    pixels[i] = static_cast<uint8_t>(i * 2);
  }
  return pixels;
}

Bytes Jpeg() {
  Bytes file;
  stbi_write_jpg_to_func(Append, &file, 6, 5, 3, Pixels().data(), 95);
  return file;
}

std::string Refusal(const Bytes& file) {
  return std::string(DecodeImage(file).status().message());
}

TEST(ImageTest, FormatsWithoutLossGiveTheirPixels) {
  Bytes png, bmp;
  stbi_write_png_to_func(Append, &png, 6, 5, 3, Pixels().data(), 18);
  stbi_write_bmp_to_func(Append, &bmp, 6, 5, 3, Pixels().data());
  for (const Bytes& file : {png, bmp}) {
    const auto image = DecodeImage(file);
    ASSERT_TRUE(image.ok()) << image.status();
    EXPECT_EQ(image->width, 6);
    EXPECT_EQ(image->height, 5);
    EXPECT_EQ(image->rgb, Pixels());
  }
}

// Its height is negative. libFuzzer found that a vector of as many bytes was
// asked for.
TEST(ImageTest, ABmpWhoseRowsGoFromTopToBottom) {
  Bytes bmp;
  stbi_write_bmp_to_func(Append, &bmp, 6, 5, 3, Pixels().data());
  const auto upright = DecodeImage(bmp);
  ASSERT_TRUE(upright.ok()) << upright.status();
  const int32_t height = -5;
  std::memcpy(&bmp[22], &height, sizeof(height));
  const auto image = DecodeImage(bmp);
  ASSERT_TRUE(image.ok()) << image.status();
  EXPECT_EQ(image->height, 5);
  // The rows that came last are first.
  const size_t row = 6 * 3;
  ASSERT_EQ(image->rgb.size(), 5 * row);
  EXPECT_EQ(Bytes(image->rgb.begin(), image->rgb.begin() + row),
            Bytes(upright->rgb.end() - row, upright->rgb.end()));
}

TEST(ImageTest, AJpegIsReadWithWhatFollowsItsEnd) {
  Bytes file = Jpeg();
  file.insert(file.end(), {0, 1, 2, 0xff});
  const auto image = DecodeImage(file);
  ASSERT_TRUE(image.ok()) << image.status();
  EXPECT_EQ(image->rgb.size(), Pixels().size());
}

// stb_image 2.27 wrote past its tables, and read where these then pointed.
TEST(ImageTest, AHuffmanTableOfTooManyCodesIsRefused) {
  Bytes file = Jpeg();
  size_t tables = 0;
  for (size_t at = 2; at + 21 < file.size(); ++at) {
    if (file[at] != 0xff || file[at + 1] != 0xc4) continue;
    // The counts of quantized values of lengths 9 to 16, in the segment's first
    // table.
    for (size_t k = at + 13; k < at + 21; ++k) file[k] = 255;
    ++tables;
    break;
  }
  ASSERT_EQ(tables, 1u);
  EXPECT_THAT(Refusal(file),
              HasSubstr("Huffman table of more than 256 quantized values"));
}

TEST(ImageTest, WhatIsNoImageIsRefusedWithTheReason) {
  EXPECT_THAT(Refusal({}), HasSubstr("PNG, JPEG and BMP are known"));
  EXPECT_THAT(Refusal({'G', 'I', 'F', '8', '9', 'a', 1, 0, 1, 0, 0, 0, 0}),
              HasSubstr("PNG, JPEG and BMP are known"));
  for (size_t size = 0; size < Jpeg().size(); size += 7) {
    const Bytes all = Jpeg();
    // Cut anywhere, it is refused or read, never more than the file.
    (void)DecodeImage(Bytes(all.begin(), all.begin() + size));
  }
}

TEST(ImageTest, AHeaderThatAsksForGigabytesIsRefused) {
  Bytes bmp;
  stbi_write_bmp_to_func(Append, &bmp, 6, 5, 3, Pixels().data());
  for (size_t at : {18, 22}) {  // width and height, 32 bits each
    bmp[at] = 0;
    bmp[at + 1] = 0x40;  // 16,384
  }
  EXPECT_THAT(Refusal(bmp), HasSubstr("16384x16384 pixels"));
}

TEST(ImageTest, ErrorsNameTheFile) {
  const auto image = ReadImage("/nonexistent/a.png");
  EXPECT_EQ(image.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(image.status().message()),
              HasSubstr("/nonexistent/a.png"));
}

// Found by libFuzzer: a scan that names a table which no segment filled.
// stb_image 2.27 read whatever the memory held, and where that led to. Zeros,
// as it finds now, are a table of one code, whatever the heap holds.
TEST(ImageTest, ATableThatNothingFilledIsTheSameInEveryHeap) {
  std::ifstream file(GLES_DELEGATE_SOURCE_DIR
                     "/tests/fuzz/corpus/tools/unfilled_table",
                     std::ios::binary);
  Bytes bytes{std::istreambuf_iterator<char>(file), {}};
  ASSERT_GT(bytes.size(), 1u);
  bytes.erase(bytes.begin());  // says which of the tools reads the rest
  std::vector<Bytes> results;
  for (int fill : {0x00, 0x5a, 0x01, 0xff}) {
    mallopt(M_PERTURB, fill);  // what malloc() gives holds this
    const auto image = DecodeImage(bytes);
    mallopt(M_PERTURB, 0);
    ASSERT_TRUE(image.ok()) << fill << ": " << image.status();
    results.push_back(image->rgb);
  }
  for (const Bytes& rgb : results) EXPECT_EQ(rgb, results[0]);
}

}  // namespace
}  // namespace gles_delegate

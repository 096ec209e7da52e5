// labels: unit sanitize
// The flexbuffers of custom ops, whole and with bytes changed.
#include "delegate/graph/custom_params.h"

#include <vector>

#include "flatbuffers/flexbuffers.h"
#include "gtest/gtest.h"

// AddressSanitizer's: strings that are compared are checked up to their zero,
// also where they differ before.
extern "C" __attribute__((visibility("default"))) const char*
__asan_default_options() {
  return "strict_string_checks=1";
}

namespace gles_delegate {
namespace {

std::vector<uint8_t> Valid() {
  flexbuffers::Builder builder;
  builder.Map([&] {
    builder.Int("output_height", 4);
    builder.Int("output_width", 5);
  });
  builder.Finish();
  return builder.GetBuffer();
}

TEST(CustomParamsTest, AMapIsRead) {
  const auto params = ReadTransformTensorParams(Valid(), /*version=*/2);
  ASSERT_TRUE(params.ok()) << params.status();
  EXPECT_EQ(params->output_height, 4);
  EXPECT_EQ(params->output_width, 5);
}

// libFuzzer found a key that ends behind the bytes: FlexBuffers' verifier lets
// it through, and its search read on there. AddressSanitizer watches.
TEST(CustomParamsTest, NoChangeOfTwoBytesReadsPastTheEnd) {
  const std::vector<uint8_t> valid = Valid();
  int read = 0;
  for (size_t first = 0; first < valid.size(); ++first) {
    for (size_t second = first; second < valid.size(); ++second) {
      for (int value : {0, 1, 2, 5, 0x24, 0x7f, 0x80, 0xff}) {
        std::vector<uint8_t> bytes = valid;
        bytes[first] = static_cast<uint8_t>(value);
        bytes[second] = static_cast<uint8_t>(value);
        bytes.shrink_to_fit();
        for (int version : {1, 2}) {
          read += ReadTransformTensorParams(bytes, version).ok();
        }
      }
    }
  }
  EXPECT_GT(read, 0);
}

}  // namespace
}  // namespace gles_delegate

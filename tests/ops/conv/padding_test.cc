// labels: unit sanitize
// SAME and VALID against TFLite's formulas written out by hand.
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/sliding_window.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gles_delegate {
namespace {

using ::testing::HasSubstr;

void ExpectPadding(int padding, int in, const Window& window, int before,
                   int after, int out) {
  SCOPED_TRACE(::testing::Message()
               << "padding " << padding << " in " << in << " size "
               << window.size << " stride " << window.stride << " dilation "
               << window.dilation);
  const auto got = ComputePadding(padding, in, window, "width");
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(got->before, before);
  EXPECT_EQ(got->after, after);
  EXPECT_EQ(got->out, out);
}

TEST(PaddingTest, Same) {
  ExpectPadding(kPaddingSame, 224, {3, 2, 1}, 0, 1, 112);
  ExpectPadding(kPaddingSame, 7, {3, 1, 1}, 1, 1, 7);
  ExpectPadding(kPaddingSame, 7, {3, 2, 1}, 1, 1, 4);
  ExpectPadding(kPaddingSame, 33, {3, 1, 4}, 4, 4, 33);
  ExpectPadding(kPaddingSame, 8, {2, 1, 1}, 0, 1, 8);
  // Windows that leave gaps need no padding.
  ExpectPadding(kPaddingSame, 5, {1, 3, 1}, 0, 0, 2);
}

TEST(PaddingTest, Valid) {
  ExpectPadding(kPaddingValid, 7, {3, 1, 1}, 0, 0, 5);
  ExpectPadding(kPaddingValid, 7, {3, 2, 1}, 0, 0, 3);
  ExpectPadding(kPaddingValid, 8, {3, 2, 1}, 0, 0, 3);
  ExpectPadding(kPaddingValid, 5, {3, 1, 2}, 0, 0, 1);
}

TEST(PaddingTest, RefusesWindowsThatDoNotFit) {
  const auto got = ComputePadding(kPaddingValid, 4, {3, 1, 2}, "height");
  EXPECT_EQ(got.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(got.status().message(),
              HasSubstr("height: a window of 5 does not fit an input of 4"));
  // C++ division would make one window of this.
  EXPECT_FALSE(ComputePadding(kPaddingValid, 2, {5, 4, 1}, "height").ok());
}

TEST(PaddingTest, RefusesSizesBelowOne) {
  for (const Window& window :
       {Window{0, 1, 1}, Window{3, 0, 1}, Window{3, 1, 0}}) {
    const auto got = ComputePadding(kPaddingSame, 4, window, "height");
    EXPECT_EQ(got.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(got.status().message(), HasSubstr("must all be positive"));
  }
}

TEST(PaddingTest, RefusesOtherPaddings) {
  EXPECT_EQ(
      ComputePadding(kPaddingUnknown, 4, {3, 1, 1}, "width").status().code(),
      absl::StatusCode::kUnimplemented);
}

TEST(PaddingTest, ExtentMustAgree) {
  const AxisPadding padding = {0, 0, 5};
  EXPECT_TRUE(CheckExtent(padding, 5, "width").ok());
  EXPECT_THAT(CheckExtent(padding, 6, "width").message(),
              HasSubstr("output width is 6"));
}

}  // namespace
}  // namespace gles_delegate

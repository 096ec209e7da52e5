// labels: op llvmpipe softpipe
// DEPTHWISE_CONV_2D against TFLite's own kernel, in the ways that rows of the
// tuning table ask for.
#include "delegate/ops/conv/depthwise_conv_2d.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/testing/matchers.h"
#include "tests/testing/precision_test.h"
#include "tests/testing/scoped_environment.h"
#include "tools/cases/model.h"
#include "tools/op_models/shapes.h"

namespace gles_delegate::testing {
namespace {

class DepthwiseConv2dTest : public PrecisionTest {
 protected:
  // `window` is height, width and channels.
  void Check(const std::string& x, const std::string& window, int stride,
             int dilation = 1) {
    const std::string channels = window.substr(window.rfind(',') + 1);
    PrecisionTest::Check(cases::ModelOf(absl::StrCat(
        "DEPTHWISE_CONV_2D@2 x=", x, " w=const:[1,", window, "] b=const:[",
        channels, "] depth_multiplier=1 stride=", stride,
        " dilation=", dilation)));
  }
};

// The window's rows as a loop, or its taps: a row of the tuning table may ask
// for it.
TEST_P(DepthwiseConv2dTest, RowsThatAreNotWrittenOut) {
  const ScopedEnvironment tuning(
      "GLES_DELEGATE_TUNING",
      "simd_lanes=1,depthwise_unrolled_taps=5,depthwise_tile_rows=4,"
      "depthwise_tile_pixels=2");
  for (int channels : StandardChannels()) {
    for (int kernel : {1, 3, 5}) {
      for (int stride : {1, 2}) {
        Check(absl::StrCat("[1,9,7,", channels, "]"),
              absl::StrCat("5,", kernel, ",", channels), stride);
      }
    }
  }
}

// Texel by texel, with rows written out and in a loop.
TEST_P(DepthwiseConv2dTest, ByColumns) {
  for (const char* tile : {"tile_pixels=1", "tile_pixels=2",
                           "tile_pixels=3,depthwise_unrolled_taps=5"}) {
    SCOPED_TRACE(tile);
    const ScopedEnvironment tuning(
        "GLES_DELEGATE_TUNING",
        absl::StrCat("simd_lanes=1,depthwise_by_columns=1,"
                     "depthwise_tile_rows=1,depthwise_",
                     tile));
    for (int kernel : {2, 3, 5}) {
      for (int stride : {1, 2, 3}) {
        Check("[1,9,11,5]", absl::StrCat(kernel, ",", kernel, ",5"), stride);
      }
    }
  }
}

// As processors take them that run invocations abreast, in strips of rows.
TEST_P(DepthwiseConv2dTest, Strips) {
  const ScopedEnvironment tuning("GLES_DELEGATE_TUNING", "simd_lanes=8");
  for (const auto& [stride, dilation] :
       {std::pair(1, 1), std::pair(2, 1), std::pair(1, 2), std::pair(1, 3)}) {
    for (const auto& [height, width] :
         {std::pair(1, 3), std::pair(2, 2), std::pair(3, 3), std::pair(5, 4)}) {
      Check("[2,41,14,9]", absl::StrCat(height, ",", width, ",9"), stride,
            dilation);
    }
  }
}

GLES_AT_EACH_PRECISION(DepthwiseConv2dTest);

}  // namespace
}  // namespace gles_delegate::testing

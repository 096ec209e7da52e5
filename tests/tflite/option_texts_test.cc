// labels: unit
// Options as texts: tuning files, shapes, ranges of nodes, and
// GLES_DELEGATE_DEBUG.
#include <fstream>
#include <string>

#include "delegate/tflite/options.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/scoped_environment.h"
#include "tests/testing/scratch_directory.h"

namespace gles_delegate {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<Options> FromNoKeys() {
  return OptionsFrom(
      absl::Span<const std::pair<absl::string_view, absl::string_view>>());
}

TEST(InputShapesTest, AreNamesWithShapes) {
  const auto shapes = ParseInputShapes("ids=1x128, a=b:0=3");
  ASSERT_TRUE(shapes.ok()) << shapes.status();
  ASSERT_EQ(shapes->size(), 2u);
  EXPECT_EQ((*shapes)[0].second, (std::vector<int>{1, 128}));
  EXPECT_TRUE(ParseInputShapes("")->empty());
  for (const char* bad : {"ids", "=3", "ids=", "ids=1x", "ids=0", "ids=-1x3",
                          "ids=1x99999999999", "ids=ax3"}) {
    EXPECT_THAT(std::string(ParseInputShapes(bad).status().message()),
                HasSubstr("is not an input with its shape"))
        << bad;
  }
}

TEST(OptionsTest, ATuningFileIsReadAndChecked) {
  const testing::ScratchDirectory scratch;
  const std::string path = scratch.path() + "/a.tuning";
  const auto from = [&path](const char* text) {
    std::ofstream(path) << text;
    return OptionsFrom({{"tuning_file", path}});
  };
  const auto options =
      from("# gles_tune\nconv_tile_pixels=2 # fast\n\n split_k_target = 7\n");
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->planning.tuning, "conv_tile_pixels=2,split_k_target = 7");
  EXPECT_EQ(from("")->planning.tuning, "");
  EXPECT_THAT(std::string(from("conv_tile_pixel=2").status().message()),
              HasSubstr("did you mean 'conv_tile_pixels'"));
  EXPECT_THAT(
      std::string(
          OptionsFrom({{"tuning_file", "/no/such"}}).status().message()),
      HasSubstr("cannot read '/no/such'"));
}

TEST(OptionsTest, AnUnknownDebugItemIsRefused) {
  const testing::ScopedEnvironment debug("GLES_DELEGATE_DEBUG",
                                         "validate,validat");
  EXPECT_THAT(std::string(FromNoKeys().status().message()),
              HasSubstr("'validat' is not one of its items (did you mean "
                        "'validate'?)"));
}

TEST(OptionsTest, DebugItemsWithAndWithoutAValue) {
  for (const char* wrong : {"plan", "plan=", "validate=1", "=", "validate;x"}) {
    const testing::ScopedEnvironment debug("GLES_DELEGATE_DEBUG", wrong);
    EXPECT_FALSE(FromNoKeys().ok()) << wrong;
  }
  const testing::ScopedEnvironment right("GLES_DELEGATE_DEBUG",
                                         " plan=/tmp/x , rounding=xnnpack");
  const auto options = FromNoKeys();
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->integer_rounding, quant::CpuKernels::kXnnpack);
}

TEST(NodeRangesTest, ParsesSinglesAndRanges) {
  const auto ranges = ParseNodeRanges("exclude_nodes", "3, 17-20");
  ASSERT_TRUE(ranges.ok());
  EXPECT_THAT(*ranges,
              ::testing::ElementsAre(std::pair(3, 3), std::pair(17, 20)));
  EXPECT_TRUE(ParseNodeRanges("exclude_nodes", "")->empty());
  EXPECT_FALSE(ParseNodeRanges("exclude_nodes", "a").ok());
  EXPECT_FALSE(ParseNodeRanges("exclude_nodes", "1-").ok());
  EXPECT_THAT(
      std::string(ParseNodeRanges("float32_nodes", "x").status().message()),
      HasSubstr("option float32_nodes: 'x'"));
}

}  // namespace
}  // namespace gles_delegate

// labels: model egl llvmpipe
// The apps of examples/textures: their pictures' contents, as the apps tell
// them.
#include <sys/stat.h>

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <string>

#include "tests/testing/command.h"
#include "tests/testing/device.h"
#include "tests/testing/real_model.h"
#include "tests/testing/scratch_directory.h"

namespace gles_delegate::testing {
namespace {

class TexturesTest : public ::testing::Test {
 protected:
  // What `app` prints with the picture's and its own output's path after
  // `models`; "" where it fails.
  std::string RunApp(const std::string& app, const std::string& models,
                     const std::string& rest = "") {
    const CommandResult run = RunCommand(
        std::string(GLES_DELEGATE_BUILD_DIR) + "/bin/" + app + models + " '" +
        SharedFile("images/face.jpg") + "' '" + png_ + "' " + rest);
    EXPECT_EQ(run.exit_status, 0) << run.output;
    return run.output;
  }
  static bool IsThere(const std::string& path) {
    struct stat facts;
    return stat(path.c_str(), &facts) == 0 && facts.st_size > 1000;
  }
  static std::string Model(const std::string& name) {
    return " '" + SharedFile("models/" + name + ".tflite") + "'";
  }
  void SetUp() override {
    GLES_SKIP_WITHOUT_DEVICE();
    if (SharedFile("images/face.jpg").empty()) {
      GTEST_SKIP() << "NO PHOTOGRAPHS (GLES_DELEGATE_SHARED_DIR), NOTHING "
                      "TESTED";
    }
    if (!IsThere(std::string(GLES_DELEGATE_BUILD_DIR) + "/bin/faces_app")) {
      GTEST_SKIP() << "THE APPS ARE NOT BUILT (libEGL's and libGLESv2's "
                      "development files), NOTHING TESTED";
    }
  }

  const ScratchDirectory scratch_;
  const std::string png_ = scratch_.path() + "/out.png";
};

// By hand: gcc 12 warns of std::regex under the sanitizers.
float NumberAt(const std::string& text, size_t at) {
  const char* begin = text.c_str() + at;
  char* end = nullptr;
  const float number = std::strtof(begin, &end);
  EXPECT_NE(end, begin) << "no number in: " << begin;
  return end == begin ? std::numeric_limits<float>::quiet_NaN() : number;
}

// NaN, of which no comparison holds, if the words are missing.
float NumberBehind(const std::string& text, const std::string& words) {
  const size_t at = text.find(words);
  EXPECT_NE(at, std::string::npos) << text;
  return NumberAt(text,
                  at == std::string::npos ? text.size() : at + words.size());
}

TEST_F(TexturesTest, AMaskIsWrittenToATexture) {
  const std::string output =
      RunApp("overlay_app", Model("selfie_segmentation"));
  const size_t end = output.find("% of the picture is in");
  ASSERT_NE(end, std::string::npos) << output;
  const float share = NumberAt(output, output.find_last_of(" \n", end) + 1);
  EXPECT_GT(share, 5);
  EXPECT_LT(share, 95);
  EXPECT_TRUE(IsThere(png_));
}

// By textures and by way of the CPU's memory the chain finds the same points:
// texture units interpolate nothing here, so that a hundredth of a pixel is
// the float arithmetic's.
TEST_F(TexturesTest, AChainOfTwoModelsReadsOneTexture) {
  const std::string output =
      RunApp("faces_app",
             Model("face_detection_short_range") + Model("face_landmark"), "1");
  EXPECT_LT(NumberBehind(output, "points are "), 0.01f);
  EXPECT_GT(NumberBehind(output, "a face of "), 20);
  EXPECT_TRUE(IsThere(png_));
}

}  // namespace
}  // namespace gles_delegate::testing

// labels: model egl llvmpipe
// The apps of tools/textures: their pictures' contents, as the apps tell them.
#include <sys/stat.h>

#include <regex>
#include <string>

#include "gtest/gtest.h"
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

TEST_F(TexturesTest, AMaskIsWrittenToATexture) {
  const std::string output =
      RunApp("overlay_app", Model("selfie_segmentation"));
  std::smatch found;
  ASSERT_TRUE(std::regex_search(output, found,
                                std::regex("(\\S+)% of the picture is in")))
      << output;
  EXPECT_GT(std::stof(found[1]), 5);
  EXPECT_LT(std::stof(found[1]), 95);
  EXPECT_TRUE(IsThere(png_));
}

// By textures and by way of the CPU's memory the chain finds the same points:
// texture units interpolate nothing here, so that a hundredth of a pixel is
// the float arithmetic's.
TEST_F(TexturesTest, AChainOfTwoModelsReadsOneTexture) {
  const std::string output =
      RunApp("faces_app",
             Model("face_detection_short_range") + Model("face_landmark"), "1");
  std::smatch found;
  ASSERT_TRUE(
      std::regex_search(output, found, std::regex("points are (\\S+) pixels")))
      << output;
  EXPECT_LT(std::stof(found[1]), 0.01f);
  ASSERT_TRUE(
      std::regex_search(output, found, std::regex("a face of (\\d+) pixels")))
      << output;
  EXPECT_GT(std::stoi(found[1]), 20);
  EXPECT_TRUE(IsThere(png_));
}

}  // namespace
}  // namespace gles_delegate::testing

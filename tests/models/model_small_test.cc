// labels: model delegate llvmpipe softpipe
// The float models that are small enough for a driver that interprets its
// shaders, whole, against TFLite's CPU (tests/testing/real_model.h).
#include "gtest/gtest.h"
#include "tests/testing/real_model.h"

namespace gles_delegate::testing {
namespace {

class SmallModelTest : public ::testing::TestWithParam<RealModel> {};

TEST_P(SmallModelTest, RunsWholeAndAgreesWithTheCpu) {
  ExpectRunsWholeAndAgrees(GetParam());
}

constexpr RealModel kModels[] = {
    {"mobilenet_v1_0.25_224", "cat.bmp", -1, 1},
    {"face_detection_short_range", "face.jpg", -1, 1},
};
INSTANTIATE_TEST_SUITE_P(Models, SmallModelTest, ::testing::ValuesIn(kModels),
                         RealModelName);

}  // namespace
}  // namespace gles_delegate::testing

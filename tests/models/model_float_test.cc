// labels: model delegate llvmpipe slow
// The larger float models, whole, against TFLite's CPU: tests/testing/
// real_model.h says within what. The small ones are in model_small_test.cc.
#include "gtest/gtest.h"
#include "tests/testing/real_model.h"

namespace gles_delegate::testing {
namespace {

class FloatModelTest : public ::testing::TestWithParam<RealModel> {};

TEST_P(FloatModelTest, RunsWholeAndAgreesWithTheCpu) {
  ExpectRunsWholeAndAgrees(GetParam());
}

constexpr RealModel kModels[] = {
    {"mobilenet_v1_1.0_224_features_float", "cat.bmp", -1, 1},
    {"deeplabv3_257_mv_gpu", "cat.bmp", -1, 1},
    {"posenet_mobilenet_v1_075_353_481_float", "face.jpg", -1, 1},
    {"face_landmark", "face.jpg", 0, 1},
    {"pose_detection", "face.jpg", -1, 1},
    {"selfie_segmentation", "face.jpg", 0, 1, /*ends_in_logistic=*/true},
};
INSTANTIATE_TEST_SUITE_P(Models, FloatModelTest, ::testing::ValuesIn(kModels),
                         RealModelName);

}  // namespace
}  // namespace gles_delegate::testing

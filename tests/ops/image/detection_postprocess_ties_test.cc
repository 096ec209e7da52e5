// labels: op llvmpipe softpipe oldest_tflite
// TFLite_Detection_PostProcess of chosen boxes: scores that are equal, overlaps
// at the threshold, boxes of no area.
#include <algorithm>
#include <array>

#include "absl/functional/function_ref.h"
#include "tests/testing/detections.h"
#include "tests/testing/device_test.h"
#include "tests/testing/single_op.h"
#include "tools/op_models/op_builders_detection.h"

namespace gles_delegate::testing {
namespace {

class DetectionTiesTest : public DeviceTest {};

using Box = std::array<float, 4>;  // y, x of its middle, height, width

// A model of `c` that finds box_of(i) at anchor i: encodings of zeros leave
// the anchors, an input, as they are.
SingleOpModel DetectionOfBoxes(const DetectionCase& c,
                               absl::FunctionRef<Box(int i)> box_of) {
  DetectionCase with_anchors = c;
  with_anchors.constant_anchors = false;
  SingleOpModel model = Detection(with_anchors);
  std::fill(model.inputs[0].begin(), model.inputs[0].end(), 0.0f);
  for (int i = 0; i < c.anchors; ++i) {
    const Box box = box_of(i);
    std::copy(box.begin(), box.end(), model.inputs[2].begin() + 4 * i);
  }
  return model;
}

// Anchors that do not meet, all scores equal: ties alone make the order.
TEST_F(DetectionTiesTest, EqualScores) {
  for (int each : {1, 2, 4, 7, 16}) {
    for (bool regular : {false, true}) {
      DetectionCase c;
      c.anchors = 30;
      c.classes = 17;
      c.max = 12;
      c.classes_of_each = each;
      c.regular = regular;
      SingleOpModel model = DetectionOfBoxes(c, [](int i) {
        return Box{static_cast<float>(i) / 32, 0.5f, 0x1p-6f, 0.25f};
      });
      std::fill(model.inputs[1].begin(), model.inputs[1].end(), 0.5f);
      ExpectSameDetections(c, model);
    }
  }
}

// Boxes of exact coordinates, of which some overlap by exactly the threshold:
// they stay. Some are the same box.
TEST_F(DetectionTiesTest, OverlapsAtTheThreshold) {
  for (float overlap : {0.25f, 0.5f, 1.0f}) {
    DetectionCase c;
    c.anchors = 40;
    c.iou_threshold = overlap;
    c.max = 40;
    // Sides of 3 / 16, shifted by sixteenths; those of 4 and 2 share a half.
    ExpectSameDetections(
        c, DetectionOfBoxes(c, [](int i) {
          const float height = (i % 4 < 2 ? 3.0f : 1.5f) / 16;
          return Box{static_cast<float>(i / 4) / 16, 0.5f, height, 0.25f};
        }));
  }
}

// A box of no area overlaps nothing.
TEST_F(DetectionTiesTest, BoxesOfNoArea) {
  DetectionCase c;
  c.anchors = 12;
  c.max = 12;
  ExpectSameDetections(c, DetectionOfBoxes(c, [](int i) {
                         return Box{0.5f, 0.5f, i % 3 == 0 ? 0.0f : 0.5f,
                                    i % 4 == 0 ? 0.0f : 0.5f};
                       }));
}

// A box that ends before it begins makes TFLite's Invoke fail; here the others
// are found all the same.
TEST_F(DetectionTiesTest, ABoxThatEndsBeforeItBeginsIsNoError) {
  DetectionCase c;
  c.anchors = 3;
  c.classes = 1;
  c.background = false;
  constexpr Box kFound[] = {{0.5f, 0.5f, 0.25f, 0.25f},
                            {0.25f, 0.25f, 0.125f, 0.125f},
                            {0.5f, 0.5f, -0.25f, 0.25f}};
  SingleOpModel model = DetectionOfBoxes(c, [&](int i) { return kFound[i]; });
  model.inputs[1] = {0.5f, 0.75f, 0.125f};
  EXPECT_FALSE(RunOnCpu(model).status.ok());
  const auto got = DetectionsOf(RunOnDelegate(model));
  ASSERT_EQ(got[kCount][0], 2);
  EXPECT_EQ(got[kScores][0], 0.75f);
  EXPECT_EQ(got[kScores][1], 0.5f);
}

}  // namespace
}  // namespace gles_delegate::testing

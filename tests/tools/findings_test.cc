// labels: unit tools sanitize
// What gles_demo reads from a model's outputs.
#include "tools/gles_demo/findings.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/gles_demo/canvas.h"
#include "tools/gles_demo/poster.h"

namespace gles_delegate::demo {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::SizeIs;
using Kind = Finding::Kind;

TensorValues Filled(std::vector<int> dims, float value) {
  size_t size = 1;
  for (int extent : dims) size *= static_cast<size_t>(extent);
  return {"t", std::move(dims), std::vector<float>(size, value)};
}

TEST(FindingsTest, PostprocessedBoxesBelowTheMinimalScoreAreLeftOut) {
  TensorValues boxes = Filled({1, 3, 4}, 0), classes = Filled({1, 3}, 7),
               scores = Filled({1, 3}, 0.9f), count = Filled({1}, 2);
  boxes.values[0] = 0.25f;
  scores.values[1] = 0.4f;
  const auto finding = FindingOf({boxes, classes, scores, count}, 300, 300, 0);
  ASSERT_TRUE(finding && finding->kind == Kind::kBoxes);
  ASSERT_THAT(finding->boxes, SizeIs(1));
  EXPECT_EQ(finding->boxes[0].top, 0.25f);
  EXPECT_EQ(finding->boxes[0].label, 7);
}

// 896 anchors of a picture of 128 x 128: 16 x 16 x 2, then 8 x 8 x 6.
TEST(FindingsTest, AnchorsOfTwoStridesPlaceBoxesAndMarks) {
  TensorValues places = Filled({1, 896, 16}, 0);
  TensorValues scores = Filled({1, 896, 1}, -9);
  const auto put = [&](size_t anchor, float score) {
    scores.values[anchor] = score;
    float* place = &places.values[anchor * 16];
    place[0] = 4;  // of the 128 pixels
    place[2] = 32;
    place[3] = 64;
    place[5] = -8;  // the first mark's y
  };
  put(2 * (3 * 16 + 5), 2);             // row 3, column 5 of the fine cells
  put(2 * (3 * 16 + 5) + 1, 1);         // overlaps a better one
  put(512 + 6 * (7 * 8 + 1) + 4, 0.5);  // row 7, column 1 of the coarse cells
  const auto finding = FindingOf({places, scores}, 128, 128, 0);
  ASSERT_TRUE(finding && finding->kind == Kind::kBoxes);
  ASSERT_THAT(finding->boxes, SizeIs(2));
  EXPECT_THAT(finding->boxes[0].left, FloatEq((44 + 4 - 16) / 128.0f));
  EXPECT_THAT(finding->boxes[0].top, FloatEq((28 - 32) / 128.0f));
  EXPECT_THAT(finding->boxes[1].left, FloatEq((24 + 4 - 16) / 128.0f));
  EXPECT_THAT(finding->boxes[1].bottom, FloatEq((120 + 32) / 128.0f));
  ASSERT_THAT(finding->points, SizeIs(12));  // six of each
  EXPECT_THAT(finding->points[0].x, FloatEq(44 / 128.0f));
  EXPECT_THAT(finding->points[0].y, FloatEq((28 - 8) / 128.0f));
  // Outputs of another count have no anchors.
  EXPECT_FALSE(FindingOf({Filled({1, 895, 16}, 0), Filled({1, 895, 1}, -9)},
                         128, 128, 0));
}

// Two people in a picture of 161 x 161, cells of 16 pixels: each one's points
// are found along the bones, and not those of the other.
TEST(FindingsTest, PosesFollowTheOffsetsFromTheMostLikelyPoint) {
  constexpr int kCells = 11;
  TensorValues heat = Filled({1, kCells, kCells, 17}, -5);
  TensorValues near = Filled({1, kCells, kCells, 34}, 0);
  TensorValues mid = Filled({1, kCells, kCells, 64}, 0);
  const auto index = [](int y, int x) {
    return static_cast<size_t>(y) * kCells + x;
  };
  // Nose, left eye, left ear, right eye, left shoulder: bones 0, 1, 2 and 4.
  for (int x : {2, 8}) {
    heat.values[index(2, x) * 17 + 0] = x == 2 ? 4.0f : 3.0f;
    for (size_t k : {1, 2, 3}) heat.values[index(1, x) * 17 + k] = 2;
    heat.values[index(4, x) * 17 + 5] = 1;
    mid.values[index(2, x) * 64 + 0] = -16;       // nose to left eye, y
    mid.values[index(2, x) * 64 + 2] = -16;       // nose to right eye
    mid.values[index(2, x) * 64 + 4] = 32;        // nose to left shoulder
    near.values[index(4, x) * 34 + 5] = 3;        // y of the shoulder
    near.values[index(4, x) * 34 + 17 + 5] = -2;  // its x
  }
  const auto finding = FindingOf({heat, near, mid}, 161, 161, 0);
  ASSERT_TRUE(finding && finding->kind == Kind::kPoints);
  ASSERT_THAT(finding->points, SizeIs(10));
  EXPECT_THAT(finding->bones, SizeIs(8));
  EXPECT_THAT(finding->points[4].x, FloatEq((2 * 16 - 2) / 161.0f));
  EXPECT_THAT(finding->points[4].y, FloatEq((4 * 16 + 3) / 161.0f));
  EXPECT_THAT(finding->points[9].x, FloatEq((8 * 16 - 2) / 161.0f));
}

TEST(FindingsTest, AMeshIsInPixelsOfTheInput) {
  TensorValues mesh = Filled({1, 1, 1, 1404}, 0);
  mesh.values[3] = 96;
  mesh.values[4] = 48;
  const auto finding = FindingOf({mesh, Filled({1}, 0)}, 192, 192, 0);
  ASSERT_TRUE(finding && finding->kind == Kind::kPoints);
  ASSERT_THAT(finding->points, SizeIs(468));
  EXPECT_EQ(finding->points[1].x, 0.5f);
  EXPECT_EQ(finding->points[1].y, 0.25f);
}

TEST(FindingsTest, MasksAreClassesOrOneProbability) {
  TensorValues mask = Filled({1, 64, 64, 2}, 0);
  mask.values[1] = 5;
  const auto classes = FindingOf({mask}, 64, 64, 0);
  ASSERT_TRUE(classes && classes->kind == Kind::kMask);
  EXPECT_EQ(classes->classes[0], 1);
  EXPECT_EQ(classes->classes[1], 0);
  TensorValues one = Filled({1, 64, 64, 1}, 0.2f);
  one.values[1] = 0.8f;
  const auto probability = FindingOf({one}, 64, 64, 0);
  ASSERT_TRUE(probability && probability->kind == Kind::kMask);
  EXPECT_EQ(probability->classes[0], 0);
  EXPECT_EQ(probability->classes[1], 1);
  one.values[2] = 17;  // a depth, say
  EXPECT_FALSE(FindingOf({one}, 64, 64, 0));
  EXPECT_FALSE(FindingOf({Filled({1, 64, 64, 3}, 0)}, 64, 64, 0));
}

TEST(FindingsTest, ClassesAreSharesOrHaveLabels) {
  EXPECT_TRUE(FindingOf({Filled({1, 4}, 0.25f)}, 8, 8, 0));
  EXPECT_FALSE(FindingOf({Filled({1, 4}, 3)}, 8, 8, 0));
  EXPECT_TRUE(FindingOf({Filled({1, 4}, 3)}, 8, 8, 4));
  EXPECT_FALSE(FindingOf({Filled({1, 4}, 0.25f)}, 0, 0, 4));  // no picture
}

TEST(FindingsTest, DrawingsHaveThePicturesShapeAndTheFinding) {
  const Canvas picture(20, 10, {10, 20, 30});
  Finding box;
  box.kind = Kind::kBoxes;
  box.boxes = {{0.5f, 0.5f, 1, 1, 0, 0.9f}};
  const Canvas drawn = DrawFinding(picture, box, {}, 200);
  EXPECT_EQ(drawn.width(), 200);
  EXPECT_EQ(drawn.height(), 100);
  const auto rgb = [](const Color& c) {
    return std::vector<int>{c.r, c.g, c.b};
  };
  EXPECT_THAT(rgb(drawn.at(0, 0)), ElementsAre(10, 20, 30));
  EXPECT_EQ(rgb(drawn.at(100, 70)), rgb(ClassColor(1)));
  Finding mask;
  mask.kind = Kind::kMask;
  mask.classes = {0, 1};
  mask.mask_width = 2;
  const Canvas tinted = DrawFinding(picture, mask, {}, 200);
  EXPECT_GT(tinted.height(), 100);  // and the classes' names
  EXPECT_THAT(rgb(tinted.at(99, 50)), ElementsAre(10, 20, 30));
  EXPECT_EQ(tinted.at(101, 50).r, (10 + ClassColor(1).r) / 2);
  // One probability cuts out what it covers.
  mask.shares = {0, 1};
  const Canvas cut = DrawFinding(picture, mask, {}, 200);
  EXPECT_THAT(rgb(cut.at(199, 50)), ElementsAre(10, 20, 30));
  EXPECT_GT(cut.at(0, 50).r, 200);
}

TEST(ViewsTest, LongLabelsLeaveTheValueInThePicture) {
  const std::vector<std::string> labels = {std::string(99, 'x')};
  const auto bars = [&](float value) {
    const TensorValues tensor = Filled({1, 1}, value);
    return BarsOf(tensor, tensor, {0, 1000}, labels, 200, 200);
  };
  const Canvas a = bars(0.25f), b = bars(0.5f);
  int different = 0;
  for (int x = 0; x < a.width(); ++x) {
    for (int y = 0; y < 20; ++y) different += a.at(x, y).r != b.at(x, y).r;
  }
  EXPECT_GT(different, 0);
}

}  // namespace
}  // namespace gles_delegate::demo

// labels: unit tools sanitize
// What gles_demo reads from a model's outputs.
#include "tools/gles_demo/findings.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/gles_demo/poster.h"

namespace gles_delegate::demo {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::HasSubstr;
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

// A picture of one color with what was found in it.
std::string PosterOf(const Finding& finding) {
  PosterContent content;
  content.input = {20, 10, std::vector<uint8_t>(20 * 10 * 3, 77)};
  content.cpu_found = content.gles_found = finding;
  content.labels = {"a <cat>", "a dog"};
  content.notes = {"a note"};
  return DrawPoster(content);
}

// The pictures in it, in order.
std::vector<Image> PicturesOf(const std::string& svg) {
  std::vector<Image> pictures;
  for (absl::string_view part : absl::StrSplit(svg, "base64,")) {
    std::string png;
    if (pictures.empty() && absl::StartsWith(part, "<svg")) continue;
    EXPECT_TRUE(absl::Base64Unescape(part.substr(0, part.find('"')), &png));
    const std::vector<uint8_t> bytes(png.begin(), png.end());
    auto image = DecodeImage(bytes);
    EXPECT_TRUE(image.ok()) << image.status();
    pictures.push_back(image.ok() ? *std::move(image) : Image());
  }
  return pictures;
}

TEST(PosterTest, ThePictureHasBoxesWithTheirLabels) {
  Finding box;
  box.kind = Kind::kBoxes;
  box.boxes = {{0.5f, 0.5f, 1, 1, 0, 0.9f}};
  const std::string svg = PosterOf(box);
  const auto pictures = PicturesOf(svg);
  ASSERT_THAT(pictures, SizeIs(1));
  EXPECT_EQ(pictures[0].width, 2 * pictures[0].height);
  EXPECT_EQ(pictures[0].rgb[0], 77);
  EXPECT_THAT(svg, HasSubstr(absl::StrFormat(
                       "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"",
                       pictures[0].width / 2, pictures[0].height / 2,
                       pictures[0].width / 2, pictures[0].height / 2)));
  EXPECT_THAT(svg, HasSubstr(">a &lt;cat&gt; 0.90</text>"));
  EXPECT_THAT(svg, HasSubstr(">a note</text>"));
}

TEST(PosterTest, MasksTintTheirClassesOrHideTheRest) {
  Finding mask;
  mask.kind = Kind::kMask;
  mask.classes = {0, 1};
  mask.mask_width = 2;
  std::string svg = PosterOf(mask);
  EXPECT_THAT(svg, HasSubstr(">a dog 50%  </tspan>"));
  auto pictures = PicturesOf(svg);
  ASSERT_THAT(pictures, SizeIs(3));  // the photograph, a mask of each
  EXPECT_EQ(pictures[1].width, 2);
  // One probability hides what it does not cover.
  mask.shares = {0.25f, 1};
  svg = PosterOf(mask);
  EXPECT_THAT(svg, HasSubstr(">62%  </tspan>"));
  pictures = PicturesOf(svg);
  ASSERT_THAT(pictures, SizeIs(3));
  EXPECT_THAT(pictures[1].rgb, ElementsAre(214, 226, 240, 214, 226, 240));
}

TEST(PosterTest, OutputsThatNoOneKnowsAreDrawnBesideTheirDifference) {
  PosterContent content;
  content.cpu = {Filled({1, 2, 3, 1}, 0.5f), Filled({1, 2}, 3)};
  content.gles = content.cpu;
  content.gles[0].values[4] = 0.503f;
  content.labels = {"cat", "dog"};
  const std::string svg = DrawPoster(content);
  const auto pictures = PicturesOf(svg);
  ASSERT_THAT(pictures, SizeIs(4));
  EXPECT_EQ(pictures[0].width, 3);
  EXPECT_EQ(pictures[0].rgb[0], 204);  // 1.6 times 0.5
  EXPECT_THAT(svg, HasSubstr(">difference x 3.3e+02</text>"));
  EXPECT_EQ(pictures[2].rgb[4 * 3], 255);
  EXPECT_EQ(pictures[2].rgb[0], 0);
  EXPECT_THAT(svg, HasSubstr(">3        dog</text>"));
  EXPECT_THAT(svg, HasSubstr(">no difference</text>"));
}

}  // namespace
}  // namespace gles_delegate::demo

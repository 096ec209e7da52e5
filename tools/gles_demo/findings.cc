#include "tools/gles_demo/findings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>
#include <vector>

#include "absl/types/span.h"

namespace gles_delegate::demo {
namespace {

// The indices of the scores, the largest first.
std::vector<int> Sorted(const std::vector<float>& scores) {
  return Top(scores, static_cast<int>(scores.size()));
}

// The poses in PoseNet's outputs.

using Outputs = absl::Span<const TensorValues>;

// COCO's 17 points: nose, eyes, ears, shoulders, elbows, wrists, hips, knees,
// ankles; left before right.
constexpr size_t kPosePoints = 17;
// In the order of the offsets, which have all of them from the first point to
// the second, and then all of them back.
constexpr size_t kBones[16][2] = {
    {0, 1},   {1, 3},   {0, 2}, {2, 4}, {0, 5},  {5, 7},  {7, 9},   {5, 11},
    {11, 13}, {13, 15}, {0, 6}, {6, 8}, {8, 10}, {6, 12}, {12, 14}, {14, 16}};
constexpr float kSamePoint = 20;  // pixels of the model's input
constexpr int kMinPosePoints = 5;

// Places in pixels of the model's input.
struct Place {
  float x = 0, y = 0;
  float heat = 0;  // a logit
};
using Skeleton = std::array<Place, kPosePoints>;

// PersonLab's poses: from a point that is likely, along the bones.
class PoseDecoder {
 public:
  PoseDecoder(Outputs outputs, int width, int height)
      : heat_(outputs[0]),
        short_(outputs[1]),
        mid_(outputs[2]),
        stride_x_(static_cast<float>(width - 1) /
                  static_cast<float>(heat_.width() - 1)),
        stride_y_(static_cast<float>(height - 1) /
                  static_cast<float>(heat_.height() - 1)) {}

  std::vector<Skeleton> Poses() const {
    std::vector<Skeleton> poses;
    for (size_t i : Sorted(heat_.values)) {
      if (!(heat_.values[i] > 0)) break;  // less likely than not
      const size_t k = i % kPosePoints;
      const Place root = Refined(i / kPosePoints, k);
      if (std::any_of(poses.begin(), poses.end(), [&](const Skeleton& pose) {
            return std::hypot(pose[k].x - root.x, pose[k].y - root.y) <
                   kSamePoint;
          })) {
        continue;
      }
      const Skeleton pose = Grown(root, k);
      const auto likely = std::count_if(
          pose.begin(), pose.end(), [](const Place& p) { return p.heat > 0; });
      if (likely >= kMinPosePoints) poses.push_back(pose);
    }
    return poses;
  }

 private:
  static float At(const TensorValues& tensor, size_t cell, size_t channel) {
    return tensor
        .values[cell * static_cast<size_t>(tensor.channels()) + channel];
  }
  size_t CellOf(const Place& place) const {
    const auto cell = [](float at, float stride, int cells) {
      return static_cast<size_t>(
          std::clamp<int64_t>(std::lround(at / stride), 0, cells - 1));
    };
    return cell(place.y, stride_y_, heat_.height()) *
               static_cast<size_t>(heat_.width()) +
           cell(place.x, stride_x_, heat_.width());
  }
  Place Refined(size_t cell, size_t k) const {
    const size_t width = static_cast<size_t>(heat_.width());
    const size_t row = cell / width;
    return {static_cast<float>(cell % width) * stride_x_ +
                At(short_, cell, kPosePoints + k),
            static_cast<float>(row) * stride_y_ + At(short_, cell, k),
            At(heat_, cell, k)};
  }
  Skeleton Grown(const Place& root, size_t k) const {
    Skeleton pose;
    std::array<bool, kPosePoints> placed = {};
    pose[k] = root;
    placed[k] = true;
    // The bones are a tree: a round over all of them places one more, or more.
    for (size_t round = 0; round < std::size(kBones); ++round) {
      for (size_t e = 0; e < 2 * std::size(kBones); ++e) {
        const auto& bone = kBones[e % std::size(kBones)];
        const bool forth = e < std::size(kBones);
        const size_t from = bone[forth ? 0 : 1], to = bone[forth ? 1 : 0];
        if (!placed[from] || placed[to]) continue;
        const size_t cell = CellOf(pose[from]);
        const Place moved = {
            pose[from].x + At(mid_, cell, 2 * std::size(kBones) + e),
            pose[from].y + At(mid_, cell, e)};
        pose[to] = Refined(CellOf(moved), to);
        placed[to] = true;
      }
    }
    return pose;
  }

  const TensorValues &heat_, &short_, &mid_;
  const float stride_x_, stride_y_;
};

// Every pose of five likely points or more. nullopt: the outputs are not
// heatmaps, short offsets and mid offsets for 17 points.
std::optional<Finding> PosesOf(Outputs outputs, int width, int height) {
  if (outputs.size() != 3 ||
      !std::all_of(outputs.begin(), outputs.end(),
                   [](const TensorValues& t) { return t.is_picture(); }) ||
      outputs[0].channels() != kPosePoints ||
      outputs[1].values.size() != 2 * outputs[0].values.size() ||
      outputs[2].values.size() * kPosePoints !=
          4 * std::size(kBones) * outputs[0].values.size()) {
    return std::nullopt;
  }
  Finding finding(Finding::Kind::kPoints);
  for (const Skeleton& pose : PoseDecoder(outputs, width, height).Poses()) {
    const auto point = [&](const Place& place) {
      return Point{place.x / static_cast<float>(width),
                   place.y / static_cast<float>(height)};
    };
    for (const Place& place : pose) {
      if (place.heat > 0) finding.points.push_back(point(place));
    }
    for (const auto& [from, to] : kBones) {
      if (pose[from].heat > 0 && pose[to].heat > 0) {
        finding.bones.emplace_back(point(pose[from]), point(pose[to]));
      }
    }
  }
  return finding;
}

constexpr int kMinMaskSize = 64;
constexpr int kMaxMaskClasses = 64;
constexpr size_t kMeshPoints = 468;

float Sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

std::optional<Finding> Postprocessed(Outputs outputs) {
  if (outputs.size() != 4 || outputs[0].dims.size() != 3 ||
      outputs[0].dims[2] != 4 || outputs[3].values.size() != 1 ||
      outputs[1].values.size() * 4 != outputs[0].values.size() ||
      outputs[2].values.size() != outputs[1].values.size()) {
    return std::nullopt;
  }
  Finding finding(Finding::Kind::kBoxes);
  finding.boxes = BoxesOf(outputs[0].values, outputs[1].values,
                          outputs[2].values, outputs[3].values);
  return finding;
}

// The middles of the anchors of MediaPipe's detectors for a square picture: two
// in each cell of each layer, those of layers with one stride cell by cell.
// Empty: `count` belongs to no such detector.
std::vector<Point> AnchorsOf(size_t count, int size) {
  static constexpr std::array<std::array<int, 5>, 2> kStrides = {
      {{8, 16, 16, 16, 0}, {8, 16, 32, 32, 32}}};
  for (const auto& strides : kStrides) {
    std::vector<Point> anchors;
    for (size_t i = 0; i < strides.size() && strides[i] > 0;) {
      const int stride = strides[i];
      const auto same = std::count(strides.begin(), strides.end(), stride);
      const int cells = size / stride;
      for (int cell = 0; cell < cells * cells; ++cell) {
        const auto middle = [&](int at) {
          return (static_cast<float>(at) + 0.5f) / static_cast<float>(cells);
        };
        anchors.insert(anchors.end(), static_cast<size_t>(2 * same),
                       {middle(cell % cells), middle(cell / cells)});
      }
      i += static_cast<size_t>(same);
    }
    if (anchors.size() == count) return anchors;
  }
  return {};
}

// Boxes and marks of the anchors, the best first, without those that overlap a
// better one.
std::optional<Finding> Anchored(Outputs outputs, int width, int height) {
  if (outputs.size() != 2 || width != height) return std::nullopt;
  const bool scores_first = outputs[0].values.size() < outputs[1].values.size();
  const TensorValues& scores = outputs[scores_first ? 0 : 1];
  const TensorValues& places = outputs[scores_first ? 1 : 0];
  const auto anchors = AnchorsOf(scores.values.size(), width);
  if (anchors.empty()) return std::nullopt;
  const size_t step = places.values.size() / anchors.size();
  if (step < 4 || step * anchors.size() != places.values.size()) {
    return std::nullopt;
  }
  Finding finding(Finding::Kind::kBoxes);
  for (size_t i : Sorted(scores.values)) {
    const float score = Sigmoid(scores.values[i]);
    if (!(score >= BoxAgreement::kMinScore)) break;
    const float* place = &places.values[i * step];
    const auto at = [&](size_t k) {
      return Point{anchors[i].x + place[k] / static_cast<float>(width),
                   anchors[i].y + place[k + 1] / static_cast<float>(width)};
    };
    const Point middle = at(0);
    const float w = place[2] / static_cast<float>(2 * width);
    const float h = place[3] / static_cast<float>(2 * width);
    const Box box = {middle.y - h, middle.x - w, middle.y + h, middle.x + w, 0,
                     score};
    if (std::any_of(finding.boxes.begin(), finding.boxes.end(),
                    [&](const Box& better) {
                      return IntersectionOverUnion(box, better) > 0.3f;
                    })) {
      continue;
    }
    finding.boxes.push_back(box);
    for (size_t k = 4; k + 1 < step; k += 2) finding.points.push_back(at(k));
  }
  return finding;
}

std::optional<Finding> Mesh(Outputs outputs, int width, int height) {
  for (const TensorValues& output : outputs) {
    if (output.values.size() != 3 * kMeshPoints) continue;
    Finding finding(Finding::Kind::kPoints);
    for (size_t i = 0; i < output.values.size(); i += 3) {
      finding.points.push_back(
          {output.values[i] / static_cast<float>(width),
           output.values[i + 1] / static_cast<float>(height)});
    }
    return finding;
  }
  return std::nullopt;
}

bool IsProbability(float value) { return value > -0.01f && value < 1.01f; }

std::optional<Finding> Mask(Outputs outputs) {
  if (outputs.size() != 1 || !outputs[0].is_picture()) return std::nullopt;
  const TensorValues& mask = outputs[0];
  if (mask.channels() > kMaxMaskClasses || mask.height() < kMinMaskSize ||
      mask.width() < kMinMaskSize) {
    return std::nullopt;
  }
  Finding finding(Finding::Kind::kMask);
  finding.mask_width = mask.width();
  if (mask.channels() == 1) {
    if (!std::all_of(mask.values.begin(), mask.values.end(), IsProbability)) {
      return std::nullopt;
    }
    for (float value : mask.values) {
      finding.classes.push_back(value > 0.5f ? 1 : 0);
    }
    finding.shares = mask.values;
    return finding;
  }
  if (mask.channels() == 3) return std::nullopt;  // a picture
  const size_t channels = static_cast<size_t>(mask.channels());
  for (size_t at = 0; at + channels <= mask.values.size(); at += channels) {
    const auto pixel = absl::MakeConstSpan(mask.values).subspan(at, channels);
    finding.classes.push_back(static_cast<int>(
        std::max_element(pixel.begin(), pixel.end()) - pixel.begin()));
  }
  return finding;
}

std::optional<Finding> Classes(Outputs outputs, size_t labels) {
  if (outputs.size() != 1 || outputs[0].values.size() < 2 ||
      outputs[0].dims.empty() ||
      outputs[0].dims.back() != static_cast<int>(outputs[0].values.size())) {
    return std::nullopt;
  }
  const std::vector<float>& values = outputs[0].values;
  const float sum = std::accumulate(values.begin(), values.end(), 0.0f);
  const bool are_shares =
      std::abs(sum - 1) < 0.1f &&
      std::all_of(values.begin(), values.end(), IsProbability);
  if (!are_shares && values.size() != labels) return std::nullopt;
  Finding finding(Finding::Kind::kClasses);
  finding.scores = outputs[0];
  return finding;
}

}  // namespace

std::optional<Finding> FindingOf(Outputs outputs, int input_width,
                                 int input_height, size_t labels) {
  if (input_width == 0) return std::nullopt;
  if (auto found = Postprocessed(outputs)) return found;
  if (auto found = Anchored(outputs, input_width, input_height)) return found;
  if (auto found = PosesOf(outputs, input_width, input_height)) return found;
  if (auto found = Mesh(outputs, input_width, input_height)) return found;
  if (auto found = Mask(outputs)) return found;
  return Classes(outputs, labels);
}

}  // namespace gles_delegate::demo

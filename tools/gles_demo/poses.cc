#include "tools/gles_demo/poses.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

namespace gles_delegate::demo {
namespace {

using Outputs = absl::Span<const TensorValues>;

// COCO's 17 points: nose, eyes, ears, shoulders, elbows, wrists, hips, knees,
// ankles; left before right.
constexpr size_t kPosePoints = 17;
// In the order of the offsets, which have all of them from the first point to
// the second, and then all of them back.
constexpr std::array<std::array<size_t, 2>, 16> kBones = {{{0, 1},
                                                           {1, 3},
                                                           {0, 2},
                                                           {2, 4},
                                                           {0, 5},
                                                           {5, 7},
                                                           {7, 9},
                                                           {5, 11},
                                                           {11, 13},
                                                           {13, 15},
                                                           {0, 6},
                                                           {6, 8},
                                                           {8, 10},
                                                           {6, 12},
                                                           {12, 14},
                                                           {14, 16}}};
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
    std::vector<size_t> order(heat_.values.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return heat_.values[a] > heat_.values[b];
    });
    std::vector<Skeleton> poses;
    for (size_t i : order) {
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
          std::clamp<long>(std::lround(at / stride), 0, cells - 1));
    };
    return cell(place.y, stride_y_, heat_.height()) *
               static_cast<size_t>(heat_.width()) +
           cell(place.x, stride_x_, heat_.width());
  }
  Place Refined(size_t cell, size_t k) const {
    const size_t width = static_cast<size_t>(heat_.width());
    return {static_cast<float>(cell % width) * stride_x_ +
                At(short_, cell, kPosePoints + k),
            static_cast<float>(cell / width) * stride_y_ + At(short_, cell, k),
            At(heat_, cell, k)};
  }
  Skeleton Grown(const Place& root, size_t k) const {
    Skeleton pose;
    std::array<bool, kPosePoints> placed = {};
    pose[k] = root;
    placed[k] = true;
    // The bones are a tree: a round over all of them places one more, or more.
    for (size_t round = 0; round < kBones.size(); ++round) {
      for (size_t e = 0; e < 2 * kBones.size(); ++e) {
        const auto& bone = kBones[e % kBones.size()];
        const bool forth = e < kBones.size();
        const size_t from = bone[forth ? 0 : 1], to = bone[forth ? 1 : 0];
        if (!placed[from] || placed[to]) continue;
        const size_t cell = CellOf(pose[from]);
        const Place moved = {
            pose[from].x + At(mid_, cell, 2 * kBones.size() + e),
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

}  // namespace

std::optional<Finding> PosesOf(Outputs outputs, int width, int height) {
  if (outputs.size() != 3 ||
      !std::all_of(outputs.begin(), outputs.end(),
                   [](const TensorValues& t) { return t.is_picture(); }) ||
      outputs[0].channels() != kPosePoints ||
      outputs[1].values.size() != 2 * outputs[0].values.size() ||
      outputs[2].values.size() * kPosePoints !=
          4 * kBones.size() * outputs[0].values.size()) {
    return std::nullopt;
  }
  Finding finding;
  finding.kind = Finding::Kind::kPoints;
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

}  // namespace gles_delegate::demo

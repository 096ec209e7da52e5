#include "tools/gles_demo/findings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "tools/gles_demo/poses.h"

namespace gles_delegate::demo {
namespace {

using Outputs = absl::Span<const TensorValues>;

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
  Finding finding;
  finding.kind = Finding::Kind::kBoxes;
  const size_t count =
      std::min(outputs[1].values.size(),
               static_cast<size_t>(std::max(0.0f, outputs[3].values[0])));
  for (size_t i = 0; i < count; ++i) {
    const float* edges = &outputs[0].values[4 * i];
    const float score = outputs[2].values[i];
    if (score < BoxAgreement::kMinScore) continue;
    finding.boxes.push_back({edges[0], edges[1], edges[2], edges[3],
                             static_cast<int>(outputs[1].values[i]), score});
  }
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
  std::vector<size_t> order(anchors.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return scores.values[a] > scores.values[b];
  });
  Finding finding;
  finding.kind = Finding::Kind::kBoxes;
  for (size_t i : order) {
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
    Finding finding;
    finding.kind = Finding::Kind::kPoints;
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
  Finding finding;
  finding.kind = Finding::Kind::kMask;
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
  Finding finding;
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

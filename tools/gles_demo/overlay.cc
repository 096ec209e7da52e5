#include "tools/gles_demo/overlay.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "absl/strings/str_format.h"

namespace gles_delegate::demo {
namespace {

constexpr int kTextHeight = 24;
constexpr int kBarsHeight = 240;
constexpr Color kMark = {255, 235, 59};

void Frame(Canvas& canvas, int left, int top, int right, int bottom,
           Color color) {
  constexpr int kWidth = 3;
  canvas.FillRect(left, top, right - left, kWidth, color);
  canvas.FillRect(left, bottom - kWidth, right - left, kWidth, color);
  canvas.FillRect(left, top, kWidth, bottom - top, color);
  canvas.FillRect(right - kWidth, top, kWidth, bottom - top, color);
}

std::string LabelOf(int index, absl::Span<const std::string> labels) {
  return index >= 0 && index < static_cast<int>(labels.size())
             ? labels[index]
             : absl::StrFormat("#%d", index);
}

int Pixel(float part, int size) {
  return static_cast<int>(std::clamp(part, 0.0f, 1.0f) *
                          static_cast<float>(size));
}

uint8_t Halfway(uint8_t a, uint8_t b) {
  return static_cast<uint8_t>((int{a} + int{b}) / 2);
}

void DrawBoxes(Canvas& canvas, const Finding& finding,
               absl::Span<const std::string> labels) {
  for (const Box& box : finding.boxes) {
    const int left = Pixel(box.left, canvas.width());
    const int top = Pixel(box.top, canvas.height());
    const Color color = ClassColor(box.label + 1);
    Frame(canvas, left, top, Pixel(box.right, canvas.width()),
          Pixel(box.bottom, canvas.height()), color);
    const std::string text = absl::StrFormat(
        "%s%.2f", labels.empty() ? "" : LabelOf(box.label, labels) + " ",
        box.score);
    // Above the box, so that it hides nothing of it, if there is room.
    const int y = top >= kTextHeight ? top - kTextHeight : top;
    const int text_width = Canvas::TextWidth(text, 2) + 8;
    const int x = std::max(0, std::min(left, canvas.width() - text_width));
    canvas.FillRect(x, y, text_width, kTextHeight, color);
    canvas.Text(x + 4, y + 4, text, {0, 0, 0}, 2);
  }
}

void DrawPoints(Canvas& canvas, const Finding& finding) {
  const float width = static_cast<float>(canvas.width());
  const float height = static_cast<float>(canvas.height());
  for (const auto& [from, to] : finding.bones) {
    const float dx = to.x - from.x, dy = to.y - from.y;
    const int steps = static_cast<int>(std::hypot(dx * width, dy * height)) + 1;
    for (int i = 0; i <= steps; ++i) {
      const float t = static_cast<float>(i) / static_cast<float>(steps);
      canvas.FillRect(static_cast<int>((from.x + t * dx) * width) - 1,
                      static_cast<int>((from.y + t * dy) * height) - 1, 3, 3,
                      {0, 200, 255});
    }
  }
  const int radius = finding.points.size() > 100 ? 1 : 3;
  for (const Point& point : finding.points) {
    canvas.FillRect(static_cast<int>(point.x * width) - radius,
                    static_cast<int>(point.y * height) - radius, 2 * radius,
                    2 * radius, kMark);
  }
}

// Leaves what the mask of one probability covers, on plain ground.
void CutOut(Canvas& canvas, int height, const Finding& finding) {
  constexpr Color kGround = {214, 226, 240};
  Canvas mask(finding.mask_width,
              static_cast<int>(finding.shares.size()) / finding.mask_width);
  double all = 0;
  for (int i = 0; i < mask.width() * mask.height(); ++i) {
    const float share = std::clamp(finding.shares[i], 0.0f, 1.0f);
    const auto grey = static_cast<uint8_t>(std::lround(255 * share));
    mask.Set(i % mask.width(), i / mask.width(), {grey, grey, grey});
    all += share;
  }
  const std::vector<float> share = mask.Resampled(canvas.width(), height);
  for (int i = 0; i < canvas.width() * height; ++i) {
    const int x = i % canvas.width(), y = i / canvas.width();
    const float kept = share[static_cast<size_t>(i) * 3] / 255;
    const Color color = canvas.at(x, y);
    const auto mix = [kept](uint8_t value, uint8_t ground) {
      return static_cast<uint8_t>(
          std::lround(kept * value + (1 - kept) * ground));
    };
    canvas.Set(x, y,
               {mix(color.r, kGround.r), mix(color.g, kGround.g),
                mix(color.b, kGround.b)});
  }
  canvas.Text(
      4, height + 6,
      absl::StrFormat("%.0f%%", 100 * all / (mask.width() * mask.height())),
      ClassColor(1), 2);
}

void DrawMask(Canvas& canvas, int height, const Finding& finding,
              absl::Span<const std::string> labels) {
  const int mask_height =
      static_cast<int>(finding.classes.size()) / finding.mask_width;
  std::map<int, int> pixels;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < canvas.width(); ++x) {
      const int at = y * mask_height / height * finding.mask_width +
                     x * finding.mask_width / canvas.width();
      const int index = finding.classes[at];
      ++pixels[index];
      if (index == 0) continue;
      const Color color = canvas.at(x, y), tint = ClassColor(index);
      canvas.Set(x, y,
                 {Halfway(color.r, tint.r), Halfway(color.g, tint.g),
                  Halfway(color.b, tint.b)});
    }
  }
  int x = 4;
  const double all = 1.0 * canvas.width() * height;
  for (const auto& [index, count] : pixels) {
    if (index == 0) continue;
    x = canvas.Text(x, height + 6,
                    absl::StrFormat("%s %.0f%%  ", LabelOf(index, labels),
                                    100 * count / all),
                    ClassColor(index), 2);
  }
}

int HeightBelow(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::kBoxes:
    case Finding::Kind::kPoints:
      break;
    case Finding::Kind::kMask:
      return kTextHeight;
    case Finding::Kind::kClasses:
      return kBarsHeight;
  }
  return 0;
}

}  // namespace

Canvas DrawFinding(const Canvas& picture, const Finding& finding,
                   absl::Span<const std::string> labels, int width) {
  const int height = picture.height() * width / picture.width();
  Canvas canvas(width, height + HeightBelow(finding.kind));
  const std::vector<float> rgb = picture.Resampled(width, height);
  for (int i = 0; i < width * height; ++i) {
    const float* pixel = &rgb[static_cast<size_t>(i) * 3];
    const auto byte = [](float value) {
      return static_cast<uint8_t>(std::lround(value));
    };
    canvas.Set(i % width, i / width,
               {byte(pixel[0]), byte(pixel[1]), byte(pixel[2])});
  }
  switch (finding.kind) {
    case Finding::Kind::kBoxes:
      DrawBoxes(canvas, finding, labels);
      DrawPoints(canvas, finding);
      break;
    case Finding::Kind::kPoints:
      DrawPoints(canvas, finding);
      break;
    case Finding::Kind::kMask:
      if (finding.shares.empty()) {
        DrawMask(canvas, height, finding, labels);
      } else {
        CutOut(canvas, height, finding);
      }
      break;
    case Finding::Kind::kClasses:
      canvas.Draw(BarsOf(finding.scores, finding.scores,
                         RangeOf(finding.scores), labels, width, kBarsHeight),
                  0, height, width, kBarsHeight);
      break;
  }
  return canvas;
}

}  // namespace gles_delegate::demo

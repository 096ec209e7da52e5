#include "tools/gles_demo/poster.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace gles_delegate::demo {
namespace {

constexpr int kPanel = 224;
constexpr int kGap = 12;
constexpr int kCaption = 22;
constexpr int kLine = 24;
constexpr size_t kMaxRows = 4;
constexpr Color kPaper = {250, 250, 248};
constexpr Color kText = {30, 32, 40};

double MaxDifference(const TensorValues& a, const TensorValues& b) {
  double largest = 0;
  for (size_t i = 0; i < std::min(a.values.size(), b.values.size()); ++i) {
    largest = std::max<double>(largest, std::abs(a.values[i] - b.values[i]));
  }
  return largest;
}

// Draws the picture as large as fits into a panel, in its own proportions.
void DrawPanel(Canvas& poster, const Canvas& picture, int column, int top,
               const std::string& caption) {
  const int left = kGap + column * (kPanel + kGap);
  std::string text = caption;
  while (text.size() > 1 && Canvas::TextWidth(text) > kPanel) {
    text.pop_back();
  }
  poster.Text(left, top, text, kText);
  if (picture.width() == 0) return;
  const double scale =
      static_cast<double>(kPanel) / std::max(picture.width(), picture.height());
  const int width = std::max(1, static_cast<int>(picture.width() * scale));
  const int height = std::max(1, static_cast<int>(picture.height() * scale));
  poster.Draw(picture, left + (kPanel - width) / 2,
              top + kCaption + (kPanel - height) / 2, width, height);
}

void DrawNotes(const PosterContent& content, int y, Canvas& poster) {
  for (const std::string& note : content.notes) {
    poster.Text(kGap, y, note, kText);
    y += kLine;
  }
}

// Two panels, as wide as the four.
Canvas DrawFindings(const PosterContent& content) {
  constexpr int kWide = 2 * kPanel + kGap;
  const auto drawn = [&](const Finding& finding) {
    return DrawFinding(content.input, finding, content.labels, kWide);
  };
  const Canvas cpu = drawn(*content.cpu_found);
  const int end = 2 * kGap + kCaption + cpu.height();
  Canvas poster(kGap + 2 * (kWide + kGap),
                end + static_cast<int>(content.notes.size()) * kLine, kPaper);
  int x = kGap;
  for (const auto& [name, picture] :
       {std::pair("CPU", cpu), {"GLES", drawn(*content.gles_found)}}) {
    poster.Text(x, kGap, name, kText);
    poster.Draw(picture, x, kGap + kCaption, kWide, picture.height());
    x += kGap + kWide;
  }
  DrawNotes(content, end, poster);
  return poster;
}

Canvas DrawOutputs(const PosterContent& content) {
  const size_t rows = std::min(content.cpu.size(), kMaxRows);
  const int row_height = kCaption + kPanel + kGap;
  Canvas poster(kGap + 4 * (kPanel + kGap),
                kGap + static_cast<int>(rows) * row_height +
                    static_cast<int>(content.notes.size()) * kLine,
                kPaper);
  for (size_t i = 0; i < rows; ++i) {
    const TensorValues& cpu = content.cpu[i];
    const TensorValues& gles = content.gles[i];
    const int top = kGap + static_cast<int>(i) * row_height;
    // Of "MobilenetV1/Predictions/Reshape_1" the last part.
    const std::string name = cpu.name.substr(cpu.name.rfind('/') + 1);
    const Range range = RangeOf(cpu);
    const auto view = [&](const TensorValues& tensor) {
      return tensor.is_picture()
                 ? PictureOf(tensor, range)
                 : BarsOf(tensor, cpu, range, content.labels, kPanel, kPanel);
    };
    const double largest = MaxDifference(cpu, gles);
    const float factor = DifferenceFactor(largest);
    DrawPanel(poster, content.input, 0, top, "input");
    DrawPanel(poster, view(cpu), 1, top, absl::StrCat("CPU: ", name));
    DrawPanel(poster, view(gles), 2, top, absl::StrCat("GLES: ", name));
    DrawPanel(poster, DifferenceOf(cpu, gles, factor), 3, top,
              largest == 0 ? "no difference"
                           : absl::StrFormat("difference x %g", factor));
  }
  DrawNotes(content, kGap + static_cast<int>(rows) * row_height, poster);
  return poster;
}

}  // namespace

float DifferenceFactor(double max_error) {
  constexpr double kLargest = 1e9;
  if (!(max_error > 0) || !std::isfinite(max_error)) return 1;
  const double power = std::pow(10.0, std::floor(-std::log10(max_error)));
  double factor = power;
  for (double step : {2.0, 5.0}) {
    if (step * power * max_error <= 1) factor = step * power;
  }
  return static_cast<float>(std::clamp(factor, 1e-9, kLargest));
}

Canvas DrawPoster(const PosterContent& content) {
  return content.gles_found ? DrawFindings(content) : DrawOutputs(content);
}

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

int Pixel(float part, int size) {
  return static_cast<int>(std::clamp(part, 0.0f, 1.0f) *
                          static_cast<float>(size));
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
    const int text_width = Canvas::TextWidth(text) + 8;
    const int x = std::max(0, std::min(left, canvas.width() - text_width));
    canvas.FillRect(x, y, text_width, kTextHeight, color);
    canvas.Text(x + 4, y + 4, text, {0, 0, 0});
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
  mask.Paint(0, 0, mask.width(), mask.height(), [&](int x, int y) {
    const float share =
        std::clamp(finding.shares[y * mask.width() + x], 0.0f, 1.0f);
    all += share;
    const auto grey = static_cast<uint8_t>(std::lround(255 * share));
    return Color{grey, grey, grey};
  });
  const std::vector<float> share = mask.Resampled(canvas.width(), height);
  canvas.Paint(0, 0, canvas.width(), height, [&](int x, int y) {
    const float kept =
        share[(static_cast<size_t>(y) * canvas.width() + x) * 3] / 255;
    const auto mix = [kept](uint8_t value, uint8_t ground) {
      return static_cast<uint8_t>(
          std::lround(kept * value + (1 - kept) * ground));
    };
    const Color color = canvas.at(x, y);
    return Color{mix(color.r, kGround.r), mix(color.g, kGround.g),
                 mix(color.b, kGround.b)};
  });
  canvas.Text(
      4, height + 6,
      absl::StrFormat("%.0f%%", 100 * all / (mask.width() * mask.height())),
      ClassColor(1));
}

void DrawMask(Canvas& canvas, int height, const Finding& finding,
              absl::Span<const std::string> labels) {
  const int mask_height =
      static_cast<int>(finding.classes.size()) / finding.mask_width;
  std::map<int, int> pixels;
  canvas.Paint(0, 0, canvas.width(), height, [&](int x, int y) {
    const int index =
        finding.classes[y * mask_height / height * finding.mask_width +
                        x * finding.mask_width / canvas.width()];
    ++pixels[index];
    const Color color = canvas.at(x, y), tint = ClassColor(index);
    const auto halfway = [](int a, int b) {
      return static_cast<uint8_t>((a + b) / 2);
    };
    return index == 0
               ? color
               : Color{halfway(color.r, tint.r), halfway(color.g, tint.g),
                       halfway(color.b, tint.b)};
  });
  int x = 4;
  const double all = 1.0 * canvas.width() * height;
  for (const auto& [index, count] : pixels) {
    if (index == 0) continue;
    x = canvas.Text(x, height + 6,
                    absl::StrFormat("%s %.0f%%  ", LabelOf(index, labels),
                                    100 * count / all),
                    ClassColor(index));
  }
}

}  // namespace

Canvas DrawFinding(const Canvas& picture, const Finding& finding,
                   absl::Span<const std::string> labels, int width) {
  const int height = picture.height() * width / picture.width();
  const int below = finding.kind == Finding::Kind::kMask      ? kTextHeight
                    : finding.kind == Finding::Kind::kClasses ? kBarsHeight
                                                              : 0;
  Canvas canvas(width, height + below);
  const std::vector<float> rgb = picture.Resampled(width, height);
  canvas.Paint(0, 0, width, height, [&](int x, int y) {
    const float* pixel = &rgb[(static_cast<size_t>(y) * width + x) * 3];
    const auto byte = [&](int c) {
      return static_cast<uint8_t>(std::lround(pixel[c]));
    };
    return Color{byte(0), byte(1), byte(2)};
  });
  switch (finding.kind) {
    case Finding::Kind::kBoxes:
      DrawBoxes(canvas, finding, labels);
      [[fallthrough]];
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

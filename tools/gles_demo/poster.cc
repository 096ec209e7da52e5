#include "tools/gles_demo/poster.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/gles_demo/overlay.h"

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
  while (text.size() > 1 && Canvas::TextWidth(text, 2) > kPanel) {
    text.pop_back();
  }
  poster.Text(left, top, text, kText, 2);
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
    poster.Text(kGap, y, note, kText, 2);
    y += kLine;
  }
}

// Two panels, as wide as the four.
Canvas DrawFindings(const PosterContent& content) {
  constexpr int kWide = 2 * kPanel + kGap;
  const Canvas cpu =
      DrawFinding(content.input, *content.cpu_found, content.labels, kWide);
  const Canvas gles =
      DrawFinding(content.input, *content.gles_found, content.labels, kWide);
  const int end = 2 * kGap + kCaption + cpu.height();
  Canvas poster(kGap + 2 * (kWide + kGap),
                end + static_cast<int>(content.notes.size()) * kLine, kPaper);
  poster.Text(kGap, kGap, "CPU", kText, 2);
  poster.Draw(cpu, kGap, kGap + kCaption, kWide, cpu.height());
  poster.Text(2 * kGap + kWide, kGap, "GLES", kText, 2);
  poster.Draw(gles, 2 * kGap + kWide, kGap + kCaption, kWide, gles.height());
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

}  // namespace gles_delegate::demo

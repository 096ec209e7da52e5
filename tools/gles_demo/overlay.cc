#include "tools/gles_demo/overlay.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_format.h"

namespace gles_delegate::demo {
namespace {

constexpr int kMinOverlayMaskSize = 64;
constexpr int kMaxOverlayClasses = 64;
constexpr int kTextHeight = 12;  // of scale 1, with its margin

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

uint8_t Halfway(uint8_t a, uint8_t b) {
  return static_cast<uint8_t>((int{a} + int{b}) / 2);
}

}  // namespace

std::vector<Box> BoxesOf(absl::Span<const TensorValues> outputs) {
  std::vector<Box> boxes;
  if (outputs.size() != 4 || outputs[0].dims.size() != 3 ||
      outputs[0].dims[2] != 4 || outputs[3].values.size() != 1 ||
      outputs[1].values.size() * 4 != outputs[0].values.size() ||
      outputs[2].values.size() != outputs[1].values.size()) {
    return boxes;
  }
  const size_t count =
      std::min(outputs[1].values.size(),
               static_cast<size_t>(std::max(0.0f, outputs[3].values[0])));
  for (size_t i = 0; i < count; ++i) {
    const float* edges = &outputs[0].values[4 * i];
    boxes.push_back({edges[0], edges[1], edges[2], edges[3],
                     static_cast<int>(outputs[1].values[i]),
                     outputs[2].values[i]});
  }
  return boxes;
}

Canvas DrawBoxes(const Canvas& picture, absl::Span<const Box> boxes,
                 absl::Span<const std::string> labels) {
  Canvas canvas = picture;
  const int scale = std::max(1, picture.width() / 400);
  for (const Box& box : boxes) {
    if (box.score < BoxAgreement::kMinScore) continue;
    const auto pixel = [](float edge, int size) {
      return std::clamp(static_cast<int>(edge * static_cast<float>(size)), 0,
                        size);
    };
    const int left = pixel(box.left, picture.width());
    const int top = pixel(box.top, picture.height());
    const Color color = ClassColor(box.label + 1);
    Frame(canvas, left, top, pixel(box.right, picture.width()),
          pixel(box.bottom, picture.height()), color);
    const std::string text =
        absl::StrFormat("%s %.2f", LabelOf(box.label, labels), box.score);
    canvas.FillRect(left, top, Canvas::TextWidth(text, scale) + 4 * scale,
                    kTextHeight * scale, color);
    canvas.Text(left + 2 * scale, top + 2 * scale, text, {0, 0, 0}, scale);
  }
  return canvas;
}

bool IsMask(const TensorValues& tensor) {
  return tensor.is_picture() && tensor.channels() >= 2 &&
         tensor.channels() <= kMaxOverlayClasses &&
         tensor.height() >= kMinOverlayMaskSize &&
         tensor.width() >= kMinOverlayMaskSize;
}

std::vector<int> ClassesOf(const TensorValues& mask) {
  const size_t channels = static_cast<size_t>(mask.channels());
  std::vector<int> classes;
  for (size_t at = 0; at + channels <= mask.values.size(); at += channels) {
    const auto pixel = absl::MakeConstSpan(mask.values).subspan(at, channels);
    classes.push_back(static_cast<int>(
        std::max_element(pixel.begin(), pixel.end()) - pixel.begin()));
  }
  return classes;
}

Canvas DrawMask(const Canvas& picture, const TensorValues& mask,
                absl::Span<const std::string> labels) {
  const std::vector<int> classes = ClassesOf(mask);
  const int scale = std::max(1, picture.width() / 400);
  std::map<int, int> pixels;
  Canvas canvas(picture.width(), picture.height() + 2 * kTextHeight * scale);
  for (int y = 0; y < picture.height(); ++y) {
    for (int x = 0; x < picture.width(); ++x) {
      const int at = y * mask.height() / picture.height() * mask.width() +
                     x * mask.width() / picture.width();
      Color color = picture.at(x, y);
      ++pixels[classes[at]];
      if (classes[at] != 0) {
        const Color tint = ClassColor(classes[at]);
        color = {Halfway(color.r, tint.r), Halfway(color.g, tint.g),
                 Halfway(color.b, tint.b)};
      }
      canvas.Set(x, y, color);
    }
  }
  int x = 4 * scale;
  const double all = 1.0 * picture.width() * picture.height();
  for (const auto& [index, count] : pixels) {
    if (index == 0) continue;
    x = canvas.Text(x, picture.height() + kTextHeight * scale / 2,
                    absl::StrFormat("%s %.0f%%  ", LabelOf(index, labels),
                                    100 * count / all),
                    ClassColor(index), scale);
  }
  return canvas;
}

}  // namespace gles_delegate::demo

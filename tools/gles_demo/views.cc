#include "tools/gles_demo/views.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "absl/strings/str_format.h"

namespace gles_delegate::demo {
namespace {

constexpr int kBars = 5;

uint8_t ViewByte(float value) {
  // NaN is not greater than 0 either, and becomes 0.
  if (!(value > 0)) return 0;
  return static_cast<uint8_t>(std::lround(std::min(value, 1.0f) * 255));
}

float Normalised(float value, Range range) {
  return (value - range.low) / std::max(range.high - range.low, 1e-30f);
}

// Black, purple, orange, pale yellow: brightness rises all the way.
Color Heat(float t) {
  return {ViewByte(1.6f * t), ViewByte(1.5f * t * t),
          ViewByte(t < 0.5f ? t : 3 * t - 1.9f)};
}

absl::Span<const float> PixelOf(const TensorValues& tensor, int x, int y) {
  const size_t channels = static_cast<size_t>(tensor.channels());
  const size_t pixel = static_cast<size_t>(y) * tensor.width() + x;
  return absl::MakeConstSpan(tensor.values).subspan(pixel * channels, channels);
}

Color PixelColor(absl::Span<const float> pixel, Range range) {
  if (pixel.size() == 3) {
    return {ViewByte(Normalised(pixel[0], range)),
            ViewByte(Normalised(pixel[1], range)),
            ViewByte(Normalised(pixel[2], range))};
  }
  return Heat(Normalised(*std::max_element(pixel.begin(), pixel.end()), range));
}

// The elements of a tensor that is not a picture, as a picture that is nearly
// square: 2x2 at least, with zeros at the end.
TensorValues AsGrid(const TensorValues& tensor) {
  const int n = static_cast<int>(tensor.values.size());
  const int columns = std::max(
      2, static_cast<int>(std::ceil(std::sqrt(static_cast<double>(n)))));
  TensorValues grid = tensor;
  grid.dims = {1, std::max(2, (n + columns - 1) / columns), columns, 1};
  grid.values.resize(static_cast<size_t>(grid.dims[1]) * columns, 0.0f);
  return grid;
}

}  // namespace

Color ClassColor(int index) {
  if (index == 0) return {24, 24, 32};
  const float hue = std::fmod(static_cast<float>(index) * 0.618034f, 1.0f) * 6;
  const auto channel = [hue](float offset) {
    const float k = std::fmod(hue + offset, 6.0f);
    return ViewByte(0.95f - 0.75f * std::clamp(std::min(k, 4 - k), 0.0f, 1.0f));
  };
  return {channel(5), channel(3), channel(1)};
}

bool TensorValues::is_picture() const {
  return dims.size() == 4 && dims[0] == 1 && dims[1] > 1 && dims[2] > 1;
}

Range RangeOf(const TensorValues& tensor) {
  Range range;
  if (tensor.values.empty()) return range;
  const auto [low, high] =
      std::minmax_element(tensor.values.begin(), tensor.values.end());
  if (*low >= 0 && *high <= 1 && *high > 0.1f) return range;
  return {std::min(*low, 0.0f), *high};
}

Canvas PictureOf(const TensorValues& tensor, Range range) {
  Canvas canvas(tensor.width(), tensor.height());
  for (int y = 0; y < tensor.height(); ++y) {
    for (int x = 0; x < tensor.width(); ++x) {
      canvas.Set(x, y, PixelColor(PixelOf(tensor, x, y), range));
    }
  }
  return canvas;
}

Canvas BarsOf(const TensorValues& tensor, const TensorValues& order_by,
              Range range, absl::Span<const std::string> labels, int width,
              int height) {
  std::vector<size_t> order(order_by.values.size());
  std::iota(order.begin(), order.end(), 0);
  const size_t bars = std::min<size_t>(kBars, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(bars),
                    order.end(), [&](size_t a, size_t b) {
                      return order_by.values[a] > order_by.values[b];
                    });
  Canvas canvas(width, height, {24, 26, 34});
  const int step = height / kBars;
  for (size_t i = 0; i < bars; ++i) {
    const size_t element = order[i];
    const int top = static_cast<int>(i) * step;
    const float value = tensor.values[element];
    const float part = std::clamp(Normalised(value, range), 0.0f, 1.0f);
    canvas.FillRect(6, top + step / 2,
                    static_cast<int>(part * static_cast<float>(width - 12)),
                    step / 2 - 6, {86, 156, 214});
    const std::string label = element < labels.size()
                                  ? labels[element]
                                  : absl::StrFormat("#%d", element);
    canvas.Text(6, top + 6, absl::StrFormat("%-8.3g %s", value, label),
                {230, 230, 230}, 2);
  }
  return canvas;
}

Canvas DifferenceOf(const TensorValues& a, const TensorValues& b,
                    float factor) {
  if (!a.is_picture()) return DifferenceOf(AsGrid(a), AsGrid(b), factor);
  Canvas canvas(a.width(), a.height());
  for (int y = 0; y < a.height(); ++y) {
    for (int x = 0; x < a.width(); ++x) {
      const auto pa = PixelOf(a, x, y);
      const auto pb = PixelOf(b, x, y);
      float largest = 0;
      for (size_t c = 0; c < pa.size(); ++c) {
        largest = std::max(largest, std::abs(pa[c] - pb[c]));
      }
      const uint8_t grey = ViewByte(largest * factor);
      canvas.Set(x, y, {grey, grey, grey});
    }
  }
  return canvas;
}

}  // namespace gles_delegate::demo

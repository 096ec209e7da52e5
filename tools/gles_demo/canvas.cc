#include "tools/gles_demo/canvas.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "stb/stb_easy_font.h"
#include "stb/stb_image_write.h"

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

absl::Span<const float> PixelOf(const TensorValues& tensor, int x, int y) {
  const size_t channels = static_cast<size_t>(tensor.channels());
  const size_t pixel = static_cast<size_t>(y) * tensor.width() + x;
  return absl::MakeConstSpan(tensor.values).subspan(pixel * channels, channels);
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

Color Canvas::at(int x, int y) const {
  const uint8_t* p = &image_.rgb[(static_cast<size_t>(y) * width() + x) * 3];
  return {p[0], p[1], p[2]};
}

void Canvas::Paint(int x, int y, int width, int height,
                   absl::FunctionRef<Color(int, int)> color_at) {
  for (int row = std::max(0, -y); row < std::min(height, this->height() - y);
       ++row) {
    for (int column = std::max(0, -x);
         column < std::min(width, this->width() - x); ++column) {
      const Color color = color_at(column, row);
      uint8_t* p = &image_.rgb[((static_cast<size_t>(y) + row) * image_.width +
                                x + column) *
                               3];
      p[0] = color.r;
      p[1] = color.g;
      p[2] = color.b;
    }
  }
}

void Canvas::Draw(const Canvas& picture, int x, int y, int width, int height) {
  Paint(x, y, width, height, [&](int column, int row) {
    return picture.at(column * picture.width() / width,
                      row * picture.height() / height);
  });
}

int Canvas::Text(int x, int y, const std::string& text, Color color) {
  // stb_easy_font gives quads of four vertices (x, y, z, color).
  struct Vertex {
    float x, y, z;
    uint8_t color[4];
  };
  std::vector<Vertex> vertices(text.size() * 60 + 60);
  std::string copy = text;
  const int quads =
      stb_easy_font_print(0, 0, copy.data(), nullptr, vertices.data(),
                          static_cast<int>(vertices.size() * sizeof(Vertex)));
  for (int i = 0; i < quads; ++i) {
    const Vertex& low = vertices[4 * i];
    const Vertex& high = vertices[4 * i + 2];
    FillRect(x + static_cast<int>(low.x) * kDot,
             y + static_cast<int>(low.y) * kDot,
             static_cast<int>(high.x - low.x) * kDot,
             static_cast<int>(high.y - low.y) * kDot, color);
  }
  return x + TextWidth(text);
}

int Canvas::TextWidth(const std::string& text) {
  std::string copy = text;
  return stb_easy_font_width(copy.data()) * kDot;
}

std::vector<float> Canvas::Resampled(int width, int height) const {
  // The two neighbours of the new pixel's centre on an axis of this picture,
  // and the share of the second.
  struct Between {
    int first, second;
    float share;
  };
  const auto between = [](int at, int size, int of) {
    const float place =
        std::clamp((static_cast<float>(at) + 0.5f) * of / size - 0.5f, 0.0f,
                   static_cast<float>(of - 1));
    const int first = static_cast<int>(place);
    return Between{first, std::min(first + 1, of - 1),
                   place - static_cast<float>(first)};
  };
  std::vector<float> out;
  out.reserve(static_cast<size_t>(width) * height * 3);
  for (int y = 0; y < height; ++y) {
    const Between v = between(y, height, this->height());
    for (int x = 0; x < width; ++x) {
      const Between h = between(x, width, this->width());
      for (uint8_t Color::*c : {&Color::r, &Color::g, &Color::b}) {
        const auto mixed = [&](int row) {
          return at(h.first, row).*c * (1 - h.share) +
                 at(h.second, row).*c * h.share;
        };
        out.push_back(mixed(v.first) * (1 - v.share) +
                      mixed(v.second) * v.share);
      }
    }
  }
  return out;
}

absl::Status Canvas::WritePng(const std::string& path) const {
  if (stbi_write_png(path.c_str(), width(), height(), 3, image_.rgb.data(),
                     width() * 3) == 0) {
    return absl::UnavailableError(absl::StrCat("Cannot write ", path));
  }
  return absl::OkStatus();
}

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
  canvas.Paint(0, 0, tensor.width(), tensor.height(), [&](int x, int y) {
    const auto pixel = PixelOf(tensor, x, y);
    const auto byte = [&](int c) {
      return ViewByte(Normalised(pixel[c], range));
    };
    if (pixel.size() == 3) return Color{byte(0), byte(1), byte(2)};
    // Black, purple, orange, pale yellow: brightness rises all the way.
    const float t =
        Normalised(*std::max_element(pixel.begin(), pixel.end()), range);
    return Color{ViewByte(1.6f * t), ViewByte(1.5f * t * t),
                 ViewByte(t < 0.5f ? t : 3 * t - 1.9f)};
  });
  return canvas;
}

std::string LabelOf(int index, absl::Span<const std::string> labels) {
  return index >= 0 && index < static_cast<int>(labels.size())
             ? labels[index]
             : absl::StrFormat("#%d", index);
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
    canvas.Text(6, top + 6,
                absl::StrFormat("%-8.3g %s", value,
                                LabelOf(static_cast<int>(element), labels)),
                {230, 230, 230});
  }
  return canvas;
}

Canvas DifferenceOf(const TensorValues& a, const TensorValues& b,
                    float factor) {
  if (!a.is_picture()) return DifferenceOf(AsGrid(a), AsGrid(b), factor);
  Canvas canvas(a.width(), a.height());
  canvas.Paint(0, 0, a.width(), a.height(), [&](int x, int y) {
    const auto pa = PixelOf(a, x, y), pb = PixelOf(b, x, y);
    float largest = 0;
    for (size_t c = 0; c < pa.size(); ++c) {
      largest = std::max(largest, std::abs(pa[c] - pb[c]));
    }
    const uint8_t grey = ViewByte(largest * factor);
    return Color{grey, grey, grey};
  });
  return canvas;
}

}  // namespace gles_delegate::demo

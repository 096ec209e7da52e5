#include "tools/gles_demo/canvas.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "stb/stb_easy_font.h"
#include "stb/stb_image_write.h"
#include "tools/common/image.h"

namespace gles_delegate::demo {

Canvas::Canvas(int width, int height, Color fill)
    : width_(width),
      height_(height),
      rgb_(static_cast<size_t>(width) * height * 3) {
  FillRect(0, 0, width, height, fill);
}

absl::StatusOr<Canvas> Canvas::FromFile(const std::string& path) {
  ASSIGN_OR_RETURN(auto image, ReadImage(path));
  Canvas canvas;
  canvas.width_ = image.width;
  canvas.height_ = image.height;
  canvas.rgb_ = std::move(image.rgb);
  return canvas;
}

Color Canvas::at(int x, int y) const {
  const uint8_t* p = &rgb_[(static_cast<size_t>(y) * width_ + x) * 3];
  return {p[0], p[1], p[2]};
}

void Canvas::Set(int x, int y, Color color) {
  if (x < 0 || y < 0 || x >= width_ || y >= height_) return;
  uint8_t* p = &rgb_[(static_cast<size_t>(y) * width_ + x) * 3];
  p[0] = color.r;
  p[1] = color.g;
  p[2] = color.b;
}

void Canvas::FillRect(int x, int y, int width, int height, Color color) {
  for (int row = y; row < y + height; ++row) {
    for (int column = x; column < x + width; ++column) Set(column, row, color);
  }
}

void Canvas::Draw(const Canvas& picture, int x, int y, int width, int height) {
  for (int row = 0; row < height; ++row) {
    for (int column = 0; column < width; ++column) {
      Set(x + column, y + row,
          picture.at(column * picture.width() / width,
                     row * picture.height() / height));
    }
  }
}

int Canvas::Text(int x, int y, const std::string& text, Color color,
                 int scale) {
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
    FillRect(x + static_cast<int>(low.x) * scale,
             y + static_cast<int>(low.y) * scale,
             static_cast<int>(high.x - low.x) * scale,
             static_cast<int>(high.y - low.y) * scale, color);
  }
  return x + TextWidth(text, scale);
}

int Canvas::TextWidth(const std::string& text, int scale) {
  std::string copy = text;
  return stb_easy_font_width(copy.data()) * scale;
}

std::vector<float> Canvas::Resampled(int width, int height) const {
  std::vector<float> out(static_cast<size_t>(width) * height * 3);
  size_t i = 0;
  for (int y = 0; y < height; ++y) {
    // Where the centre of the new pixel lies in this picture.
    const float sy =
        std::clamp((static_cast<float>(y) + 0.5f) * height_ / height - 0.5f,
                   0.0f, static_cast<float>(height_ - 1));
    const int y0 = static_cast<int>(sy);
    const int y1 = std::min(y0 + 1, height_ - 1);
    for (int x = 0; x < width; ++x) {
      const float sx =
          std::clamp((static_cast<float>(x) + 0.5f) * width_ / width - 0.5f,
                     0.0f, static_cast<float>(width_ - 1));
      const int x0 = static_cast<int>(sx);
      const int x1 = std::min(x0 + 1, width_ - 1);
      const float fx = sx - static_cast<float>(x0);
      const float fy = sy - static_cast<float>(y0);
      const auto mix = [&](uint8_t Color::*c) {
        const float top = at(x0, y0).*c * (1 - fx) + at(x1, y0).*c * fx;
        const float bottom = at(x0, y1).*c * (1 - fx) + at(x1, y1).*c * fx;
        return top * (1 - fy) + bottom * fy;
      };
      out[i++] = mix(&Color::r);
      out[i++] = mix(&Color::g);
      out[i++] = mix(&Color::b);
    }
  }
  return out;
}

absl::Status Canvas::WritePng(const std::string& path) const {
  if (stbi_write_png(path.c_str(), width_, height_, 3, rgb_.data(),
                     width_ * 3) == 0) {
    return absl::UnavailableError(absl::StrCat("Cannot write ", path));
  }
  return absl::OkStatus();
}

}  // namespace gles_delegate::demo

#include "tools/gles_demo/scene.h"

#include <algorithm>
#include <cmath>

namespace gles_delegate::demo {
namespace {

// Colours and coordinates are in 0..1; y grows downwards.
struct Rgb {
  float r, g, b;
};

Rgb Mix(Rgb a, Rgb b, float t) {
  t = std::clamp(t, 0.0f, 1.0f);
  return {a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t};
}

// How much of a pixel lies inside, from the signed distance to an outline.
float Coverage(float distance, float pixel) { return 0.5f - distance / pixel; }

// The upper outlines of the two mountain ranges.
float FarRidge(float x) {
  return 0.50f - 0.10f * std::abs(std::sin(5.2f * x + 0.6f)) -
         0.02f * std::sin(23.0f * x);
}
float NearRidge(float x) {
  return 0.60f - 0.13f * std::abs(std::sin(3.4f * x + 2.2f)) -
         0.012f * std::sin(41.0f * x + 1.0f);
}

constexpr float kShore = 0.66f;
constexpr float kSunX = 0.74f;
constexpr float kSunY = 0.24f;

Rgb Sky(float x, float y, float pixel) {
  Rgb color = Mix({0.16f, 0.32f, 0.62f}, {0.98f, 0.78f, 0.55f}, y / 0.55f);
  const float from_sun = std::hypot(x - kSunX, y - kSunY);
  color = Mix(color, {1.0f, 0.88f, 0.55f}, 0.55f * std::exp(-6 * from_sun));
  return Mix(color, {1.0f, 0.97f, 0.82f}, Coverage(from_sun - 0.075f, pixel));
}

Rgb Land(float x, float y, float pixel) {
  Rgb color = Sky(x, y, pixel);
  const float far_depth = y - FarRidge(x);
  Rgb rock = Mix({0.93f, 0.94f, 0.98f}, {0.42f, 0.45f, 0.62f},
                 (far_depth - 0.015f) / 0.03f);
  color = Mix(color, rock, Coverage(-far_depth, pixel));
  const float near_depth = y - NearRidge(x);
  Rgb wood =
      Mix({0.16f, 0.36f, 0.26f}, {0.30f, 0.52f, 0.26f}, near_depth / 0.12f);
  return Mix(color, wood, Coverage(-near_depth, pixel));
}

// The land upside down, in waves.
Rgb Lake(float x, float y, float pixel) {
  const float depth = y - kShore;
  const float wave =
      0.012f * std::sin(150 * depth / (0.3f + depth)) * (0.3f + 2.5f * depth);
  const Rgb mirrored = Land(x + wave, kShore - 1.4f * depth, pixel);
  return Mix(mirrored, {0.10f, 0.26f, 0.42f}, 0.35f + 0.9f * depth);
}

Rgb Balloon(Rgb color, float x, float y, float pixel) {
  const float bx = (x - 0.30f) / 0.15f;
  const float by = (y - 0.27f) / 0.15f;
  // Ropes and basket first, the envelope over them.
  const float below = (y - 0.39f) / 0.11f;
  if (below > 0 && below < 1) {
    const float spread = 0.075f * (1 - 0.62f * below);
    const float rope = std::abs(std::abs(x - 0.30f) - spread) - 0.0025f;
    color = Mix(color, {0.25f, 0.17f, 0.12f}, Coverage(rope, pixel));
  }
  const float basket =
      std::max(std::abs(x - 0.30f) - 0.032f, std::abs(y - 0.515f) - 0.024f);
  color = Mix(color, {0.45f, 0.27f, 0.12f}, Coverage(basket, pixel));

  // A sphere that narrows below its middle.
  const float narrow = by > 0 ? 1 - 0.22f * by * by : 1;
  const float radius = std::hypot(bx / narrow, by);
  const float across =
      std::clamp(bx / narrow / std::sqrt(std::max(0.05f, 1 - 0.9f * by * by)),
                 -1.0f, 1.0f);
  const float stripe = std::sin(std::asin(across) * 8);
  Rgb cloth =
      Mix({0.84f, 0.16f, 0.14f}, {0.99f, 0.90f, 0.62f}, 0.5f + 4 * stripe);
  cloth = Mix(cloth, {0.15f, 0.05f, 0.15f},
              0.45f * (0.5f - 0.5f * bx) + 0.12f * by);
  return Mix(color, cloth, Coverage((radius - 1) * 0.15f, pixel));
}

uint8_t Byte(float value) {
  return static_cast<uint8_t>(std::clamp(value, 0.0f, 1.0f) * 255 + 0.5f);
}

}  // namespace

Canvas DrawScene(int width, int height) {
  Canvas canvas(width, height);
  const float pixel = 1.0f / static_cast<float>(height);
  for (int row = 0; row < height; ++row) {
    for (int column = 0; column < width; ++column) {
      const float x =
          (static_cast<float>(column) + 0.5f) / static_cast<float>(width);
      const float y = (static_cast<float>(row) + 0.5f) * pixel;
      Rgb color = y < kShore ? Land(x, y, pixel) : Lake(x, y, pixel);
      color = Balloon(color, x, y, pixel);
      canvas.Set(column, row, {Byte(color.r), Byte(color.g), Byte(color.b)});
    }
  }
  return canvas;
}

}  // namespace gles_delegate::demo

#include "tools/quantized_accuracy/pictures.h"

#include <algorithm>
#include <random>
#include <utility>

#include "base/status_macros.h"

namespace gles_delegate {
namespace {

// mt19937 gives the same numbers everywhere; std's distributions need not.
double Fraction(std::mt19937& random) {
  return static_cast<double>(random()) / 4294967296.0;
}

}  // namespace

absl::StatusOr<Pictures> Pictures::Load(const std::vector<std::string>& files) {
  Pictures pictures;
  for (const std::string& file : files) {
    ASSIGN_OR_RETURN(auto photo, ReadImage(file));
    pictures.photos_.push_back(std::move(photo));
  }
  return pictures;
}

std::vector<uint8_t> Pictures::Resample(const Image& photo, const Rect& part,
                                        int width, int height, int channels) {
  std::vector<uint8_t> out;
  out.reserve(size_t{1} * width * height * channels);
  for (int y = 0; y < height; ++y) {
    const int sy =
        std::clamp(static_cast<int>(part.y + (y + 0.5) * part.height / height),
                   0, photo.height - 1);
    for (int x = 0; x < width; ++x) {
      const int sx =
          std::clamp(static_cast<int>(part.x + (x + 0.5) * part.width / width),
                     0, photo.width - 1);
      const uint8_t* rgb = &photo.rgb[3 * (size_t{1} * sy * photo.width + sx)];
      const int grey = (rgb[0] + rgb[1] + rgb[2] + 1) / 3;
      for (int c = 0; c < channels; ++c) {
        out.push_back(channels == 3 ? rgb[c] : static_cast<uint8_t>(grey));
      }
    }
  }
  return out;
}

std::vector<uint8_t> Pictures::Make(int number, int seed, int width, int height,
                                    int channels) const {
  const int photos = static_cast<int>(photos_.size());
  std::mt19937 random(static_cast<uint32_t>(seed) * 1000003u +
                      static_cast<uint32_t>(number));
  if (number >= photos && number % 6 == 5) {
    std::vector<uint8_t> noise(size_t{1} * width * height * channels);
    for (uint8_t& v : noise) v = static_cast<uint8_t>(random() >> 24);
    return noise;
  }
  const Image& photo = photos_[number % photos];
  Rect part = {0, 0, 1.0 * photo.width, 1.0 * photo.height};
  if (number >= photos) {
    part.width *= (1 + 2 * Fraction(random)) / 3;
    part.height *= (1 + 2 * Fraction(random)) / 3;
    part.x = Fraction(random) * (photo.width - part.width);
    part.y = Fraction(random) * (photo.height - part.height);
  }
  return Resample(photo, part, width, height, channels);
}

}  // namespace gles_delegate

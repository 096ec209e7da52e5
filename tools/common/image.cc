#include "tools/common/image.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "stb/stb_image.h"
#include "tools/common/text_file.h"

namespace gles_delegate {
namespace {

constexpr int64_t kMaxPixels = 64 << 20;
constexpr uint8_t kMarker = 0xff;
constexpr uint8_t kHuffmanTables = 0xc4;

// True of the markers that no segment follows: those of restarts, of the
// image's begin and end, and one for temporary use.
bool StandsAlone(uint8_t marker) {
  return (marker >= 0xd0 && marker <= 0xd9) || marker == 0x01;
}

// Whether no Huffman table in the content of a DHT segment has more quantized
// values than a byte has values. A table is 16 counts, one for each length of
// quantized values, and then as many bytes as the counts add up to (ITU-T T.81,
// B.2.4.2).
bool HuffmanTablesFit(absl::Span<const uint8_t> content) {
  constexpr size_t kCounts = 16;
  while (content.size() > kCounts) {
    const auto counts = content.subspan(1, kCounts);
    const size_t quantized =
        std::accumulate(counts.begin(), counts.end(), size_t{0});
    if (quantized > 256) return false;
    content =
        content.subspan(std::min(content.size(), 1 + kCounts + quantized));
  }
  return true;
}

// stb_image 2.27, which is Debian 12's, writes past its tables where a Huffman
// table has more than 256 codes. So the file's segments are walked first, as
// stb_image walks them: what stands between two segments, e.g. compressed data,
// holds no marker but those of restarts.
bool JpegTablesFit(absl::Span<const uint8_t> file) {
  for (size_t at = 0; at + 1 < file.size();) {
    const uint8_t code = file[at + 1];
    if (file[at] != kMarker || code == 0 || code == kMarker ||
        StandsAlone(code)) {
      ++at;
      continue;
    }
    if (at + 4 > file.size()) return true;
    const size_t length = size_t{file[at + 2]} * 256 + file[at + 3];
    if (length < 2 || at + 2 + length > file.size()) return true;
    if (code == kHuffmanTables &&
        !HuffmanTablesFit(file.subspan(at + 4, length - 2))) {
      return false;
    }
    at += 2 + length;
  }
  return true;
}

bool IsJpeg(absl::Span<const uint8_t> file) {
  return file.size() > 2 && file[0] == kMarker && file[1] == 0xd8;
}

}  // namespace

absl::StatusOr<Image> DecodeImage(absl::Span<const uint8_t> file) {
  const auto refuse = [](absl::string_view why) {
    return absl::InvalidArgumentError(
        absl::StrCat(why, " (PNG, JPEG and BMP are known)"));
  };
  if (file.size() > std::numeric_limits<int>::max()) {
    return refuse("more than 2 GiB");
  }
  if (IsJpeg(file) && !JpegTablesFit(file)) {
    return refuse("a Huffman table of more than 256 quantized values");
  }
  const auto size = static_cast<int>(file.size());
  Image image;
  int channels = 0;
  if (stbi_info_from_memory(file.data(), size, &image.width, &image.height,
                            &channels) == 0) {
    return refuse(stbi_failure_reason());
  }
  // The height is negative where a BMP's rows go from top to bottom.
  const int64_t promised =
      std::abs(int64_t{image.width}) * std::abs(int64_t{image.height});
  if (promised > kMaxPixels) {
    return refuse(absl::StrCat("an image of ", image.width, "x", image.height,
                               " pixels; the most is ", kMaxPixels));
  }
  const std::unique_ptr<stbi_uc, void (*)(void*)> rgb(
      stbi_load_from_memory(file.data(), size, &image.width, &image.height,
                            &channels, 3),
      stbi_image_free);
  if (rgb == nullptr) return refuse(stbi_failure_reason());
  const auto pixels = static_cast<size_t>(image.width) * image.height;
  image.rgb.assign(rgb.get(), rgb.get() + pixels * 3);
  return image;
}

absl::StatusOr<Image> ReadImage(const std::string& path) {
  ASSIGN_OR_RETURN(auto bytes, ReadFile(path));
  auto image = DecodeImage(bytes);
  if (image.ok()) return image;
  return absl::Status(image.status().code(),
                      absl::StrCat("Cannot read the image ", path, ": ",
                                   image.status().message()));
}

std::vector<float> Resampled(const Image& image, int width, int height) {
  // The two neighbours of the new pixel's centre on an axis of the picture, and
  // the share of the second.
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
  out.reserve(size_t{3} * width * height);
  for (int y = 0; y < height; ++y) {
    const Between v = between(y, height, image.height);
    for (int x = 0; x < width; ++x) {
      const Between h = between(x, width, image.width);
      for (size_t c = 0; c < 3; ++c) {
        const auto mixed = [&](size_t row) {
          const uint8_t* pixels = &image.rgb[row * image.width * 3 + c];
          return pixels[3 * h.first] * (1 - h.share) +
                 pixels[3 * h.second] * h.share;
        };
        out.push_back(mixed(v.first) * (1 - v.share) +
                      mixed(v.second) * v.share);
      }
    }
  }
  return out;
}

}  // namespace gles_delegate

#include "tests/testing/photo.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "tools/common/image.h"

namespace gles_delegate::testing {
namespace {

struct Picture {
  Image image;
  int width = image.width;
  int height = image.height;

  float at(int x, int y, int c) const {
    x = std::clamp(x, 0, width - 1);
    y = std::clamp(y, 0, height - 1);
    return image.rgb[(y * width + x) * 3 + c];
  }

  // Bilinear, pixel centres at halves.
  float Sample(float x, float y, int c) const {
    const float left = std::floor(x - 0.5f), top = std::floor(y - 0.5f);
    const float fx = x - 0.5f - left, fy = y - 0.5f - top;
    const int x0 = static_cast<int>(left), y0 = static_cast<int>(top);
    return (1 - fy) * ((1 - fx) * at(x0, y0, c) + fx * at(x0 + 1, y0, c)) +
           fy * ((1 - fx) * at(x0, y0 + 1, c) + fx * at(x0 + 1, y0 + 1, c));
  }
};

}  // namespace

absl::StatusOr<std::vector<float>> LoadPhoto(const std::string& path,
                                             const std::vector<int>& dims,
                                             float low, float high) {
  if (dims.size() != 4 || dims[0] != 1 || (dims[3] != 3 && dims[3] != 4)) {
    return absl::InvalidArgumentError(
        absl::StrCat("no picture fits an input of ", absl::StrJoin(dims, "x")));
  }
  ASSIGN_OR_RETURN(auto image, ReadImage(path));
  const Picture picture{std::move(image)};
  std::vector<float> values;
  for (int y = 0; y < dims[1]; ++y) {
    for (int x = 0; x < dims[2]; ++x) {
      for (int c = 0; c < dims[3]; ++c) {
        const float value =
            c == 3 ? 255
                   : picture.Sample((x + 0.5f) * picture.width / dims[2],
                                    (y + 0.5f) * picture.height / dims[1], c);
        values.push_back(low + (high - low) * value / 255);
      }
    }
  }
  return values;
}

}  // namespace gles_delegate::testing

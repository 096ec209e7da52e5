#include "delegate/texels.h"

#include <algorithm>

namespace gles_delegate {

template <typename T>
std::vector<T> PackTexels(absl::Span<const T> values, const Shape& shape) {
  const int64_t pixels = int64_t{shape.h} * shape.w;
  std::vector<T> texels(shape.b * shape.slices() * pixels * 4, T{0});
  for (int b = 0; b < shape.b; ++b) {
    for (int64_t p = 0; p < pixels; ++p) {
      const T* src = values.data() + (b * pixels + p) * shape.c;
      for (int s = 0; s < shape.slices(); ++s) {
        const int64_t layer = int64_t{b} * shape.slices() + s;
        std::copy_n(src + s * 4, std::min(4, shape.c - s * 4),
                    texels.data() + (layer * pixels + p) * 4);
      }
    }
  }
  return texels;
}

template std::vector<float> PackTexels(absl::Span<const float>, const Shape&);
template std::vector<int32_t> PackTexels(absl::Span<const int32_t>,
                                         const Shape&);

std::vector<uint16_t> ToHalves(absl::Span<const float> values) {
  std::vector<uint16_t> halves(values.size());
  std::transform(values.begin(), values.end(), halves.begin(), FloatToHalf);
  return halves;
}

}  // namespace gles_delegate

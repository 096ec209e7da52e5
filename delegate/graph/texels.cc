#include "delegate/graph/texels.h"

#include <algorithm>
#include <cstring>

namespace gles_delegate {
namespace {

constexpr size_t kElement = 4;  // bytes

// Copies `channels` of each of `pixels` texels in a row; compilers unroll the
// copy. Writes texels in place, since reading one back after two stores stalls
// on both and takes ten times as long.
template <int channels>
void PackRow(const uint8_t* values, int stride, int pixels, uint8_t* texels) {
  for (int x = 0; x < pixels; ++x) {
    uint8_t* texel = texels + x * 4 * kElement;
    std::memcpy(texel, values + x * stride * kElement, channels * kElement);
    std::memset(texel + channels * kElement, 0, (4 - channels) * kElement);
  }
}

template <int channels>
void UnpackRow(const uint8_t* texels, int stride, int pixels, uint8_t* values) {
  for (int x = 0; x < pixels; ++x) {
    std::memcpy(values + x * stride * kElement, texels + x * 4 * kElement,
                channels * kElement);
  }
}

using MoveRow = void (*)(const uint8_t* from, int stride, int pixels,
                         uint8_t* to);
constexpr MoveRow kPackRow[] = {PackRow<1>, PackRow<2>, PackRow<3>, PackRow<4>};
constexpr MoveRow kUnpackRow[] = {UnpackRow<1>, UnpackRow<2>, UnpackRow<3>,
                                  UnpackRow<4>};

// fn(channels, elements of values before it, elements of texels before it) for
// each row of each slice; slices innermost, while the values of their row are
// in the cache.
template <typename Fn>
void ForEachRow(const Shape& s, const Fn& fn) {
  for (int b = 0; b < s.b; ++b) {
    for (int y = 0; y < s.h; ++y) {
      for (int slice = 0; slice < s.slices(); ++slice) {
        const int64_t layer = int64_t{b} * s.slices() + slice;
        const int64_t values = (int64_t{b} * s.h + y) * s.w * s.c + 4 * slice;
        const int64_t texels = (layer * s.h + y) * s.w * 4;
        fn(std::min(4, s.c - 4 * slice), values, texels);
      }
    }
  }
}

}  // namespace

void HostToTexels(const uint8_t* values, const Shape& shape, uint8_t* texels) {
  ForEachRow(shape, [&](int channels, int64_t from, int64_t to) {
    kPackRow[channels - 1](values + from * kElement, shape.c, shape.w,
                           texels + to * kElement);
  });
}

void TexelsToHost(const uint8_t* texels, const Shape& shape, uint8_t* values) {
  ForEachRow(shape, [&](int channels, int64_t to, int64_t from) {
    kUnpackRow[channels - 1](texels + from * kElement, shape.c, shape.w,
                             values + to * kElement);
  });
}

void HostToHalfTexels(const uint8_t* values, const Shape& shape,
                      uint8_t* texels) {
  ForEachRow(shape, [&](int channels, int64_t from, int64_t to) {
    for (int x = 0; x < shape.w; ++x) {
      float floats[4] = {};
      std::memcpy(floats, values + (from + int64_t{x} * shape.c) * kElement,
                  channels * kElement);
      FloatsToHalves(floats, texels + (to + 4 * x) * sizeof(uint16_t), 4);
    }
  });
}

void HalfTexelsToHost(const uint8_t* texels, const Shape& shape,
                      uint8_t* values) {
  constexpr int kAtOnce = 64;  // texels
  float floats[4 * kAtOnce];
  ForEachRow(shape, [&](int channels, int64_t to, int64_t from) {
    for (int x = 0; x < shape.w; x += kAtOnce) {
      const int pixels = std::min(kAtOnce, shape.w - x);
      HalvesToFloats(texels + (from + 4 * x) * sizeof(uint16_t), floats,
                     4 * static_cast<size_t>(pixels));
      kUnpackRow[channels - 1](reinterpret_cast<const uint8_t*>(floats),
                               shape.c, pixels,
                               values + (to + int64_t{x} * shape.c) * kElement);
    }
  });
}

void HostToCodeTexels(const uint8_t* values, const Shape& shape, uint8_t turned,
                      uint8_t zero, uint8_t* texels) {
  ForEachRow(shape, [&](int channels, int64_t from, int64_t to) {
    for (int x = 0; x < shape.w; ++x) {
      uint8_t* const texel = texels + to + 4 * int64_t{x};
      const uint8_t* const pixel = values + from + int64_t{x} * shape.c;
      for (int c = 0; c < 4; ++c) {
        texel[c] = c < channels ? pixel[c] ^ turned : zero;
      }
    }
  });
}

void CodeTexelsToHost(const uint8_t* texels, const Shape& shape, uint8_t turned,
                      uint8_t* values) {
  ForEachRow(shape, [&](int channels, int64_t to, int64_t from) {
    for (int x = 0; x < shape.w; ++x) {
      for (int c = 0; c < channels; ++c) {
        values[to + int64_t{x} * shape.c + c] =
            texels[from + 4 * int64_t{x} + c] ^ turned;
      }
    }
  });
}

bool PaddingIs(uint8_t zero, const uint8_t* texels, const Shape& shape,
               int bytes) {
  bool is_zero = true;
  ForEachRow(shape, [&](int channels, int64_t, int64_t row) {
    for (int x = 0; x < shape.w && channels < 4; ++x) {
      const uint8_t* const texel = texels + (row + 4 * x) * bytes;
      is_zero &= std::all_of(texel + channels * bytes, texel + 4 * bytes,
                             [zero](uint8_t byte) { return byte == zero; });
    }
  });
  return is_zero;
}

std::vector<uint16_t> ToHalves(absl::Span<const float> values) {
  std::vector<uint16_t> halves(values.size());
  FloatsToHalves(values.data(), halves.data(), values.size());
  return halves;
}

}  // namespace gles_delegate

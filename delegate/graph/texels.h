// Host copies of tensors in the GPU's texel order: layer (batch, then slice),
// row, column, four channels; channels past the last are zero.
#ifndef GLES_DELEGATE_DELEGATE_GRAPH_TEXELS_H_
#define GLES_DELEGATE_DELEGATE_GRAPH_TEXELS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

// The bytes of plain values.
template <typename T>
absl::Span<const uint8_t> AsBytes(absl::Span<const T> values) {
  return {reinterpret_cast<const uint8_t*>(values.data()),
          values.size() * sizeof(T)};
}

// `values`: BHWC, shape.elements() of them. T: float or int32_t.
template <typename T>
std::vector<T> PackTexels(absl::Span<const T> values, const Shape& shape);

// HostToTexels() packs BHWC `values`, shape.elements() of them and four bytes
// each, into texels, whose channels past the last become zero. TexelsToHost()
// unpacks them. `values` and `texels` must not overlap.
void HostToTexels(const uint8_t* values, const Shape& shape, uint8_t* texels);
void TexelsToHost(const uint8_t* texels, const Shape& shape, uint8_t* values);
// Likewise of texels of 16-bit floats, which become 32-bit ones.
void HalfTexelsToHost(const uint8_t* texels, const Shape& shape,
                      uint8_t* values);
// Likewise of texels of codes, a byte each; the bits of `turned` are turned.
void CodeTexelsToHost(const uint8_t* texels, const Shape& shape, uint8_t turned,
                      uint8_t* values);

// IEEE halves, rounded to nearest even. `saturate`: a finite value past the
// largest half becomes that half, not an infinity.
std::vector<uint16_t> ToHalves(absl::Span<const float> values,
                               bool saturate = false);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_GRAPH_TEXELS_H_

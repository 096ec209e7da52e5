// Tensors in host memory in the GPU's texel order: layer (batch, then slice),
// row, column, four channels; padding channels are zero.
#ifndef GLES_DELEGATE_DELEGATE_GRAPH_TEXELS_H_
#define GLES_DELEGATE_DELEGATE_GRAPH_TEXELS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

// The bytes of trivially copyable values.
template <typename T>
absl::Span<const uint8_t> AsBytes(absl::Span<const T> values) {
  return {reinterpret_cast<const uint8_t*>(values.data()),
          values.size() * sizeof(T)};
}

// `values`: BHWC, shape.elements() values of float or int32_t.
template <typename T>
std::vector<T> PackTexels(absl::Span<const T> values, const Shape& shape);

// HostToTexels() packs `values` (BHWC, shape.elements() of four bytes) into
// texels with zero padding; TexelsToHost() unpacks them. The arguments must not
// overlap.
void HostToTexels(const uint8_t* values, const Shape& shape, uint8_t* texels);
void TexelsToHost(const uint8_t* texels, const Shape& shape, uint8_t* values);
// Unpacks texels of 16-bit floats to 32-bit floats.
void HalfTexelsToHost(const uint8_t* texels, const Shape& shape,
                      uint8_t* values);
// Unpacks texels of 8-bit quantized values and flips the bits of `turned`.
void CodeTexelsToHost(const uint8_t* texels, const Shape& shape, uint8_t turned,
                      uint8_t* values);

// Rounds to IEEE halves, ties to even. `saturate`: finite values beyond the
// range become the largest half instead of infinity.
std::vector<uint16_t> ToHalves(absl::Span<const float> values,
                               bool saturate = false);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_GRAPH_TEXELS_H_

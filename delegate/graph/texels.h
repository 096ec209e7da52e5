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

// HostToTexels() packs `values` (BHWC, shape.elements() of four bytes) into
// texels with zero padding; TexelsToHost() unpacks them. The arguments must not
// overlap.
void HostToTexels(const uint8_t* values, const Shape& shape, uint8_t* texels);
void TexelsToHost(const uint8_t* texels, const Shape& shape, uint8_t* values);
// `values` of four bytes in texels.
template <typename T>
std::vector<T> PackTexels(const std::vector<T>& values, const Shape& shape) {
  std::vector<T> texels(int64_t{4} * shape.b * shape.slices() * shape.h *
                        shape.w);
  HostToTexels(AsBytes(absl::MakeConstSpan(values)).data(), shape,
               reinterpret_cast<uint8_t*>(texels.data()));
  return texels;
}
// The same for texels of 16-bit floats and 32-bit floats on the host.
void HostToHalfTexels(const uint8_t* values, const Shape& shape,
                      uint8_t* texels);
void HalfTexelsToHost(const uint8_t* texels, const Shape& shape,
                      uint8_t* values);
// The same for 8-bit quantized values; flips the bits of `turned`. `zero`: the
// texels' padding.
void HostToCodeTexels(const uint8_t* values, const Shape& shape, uint8_t turned,
                      uint8_t zero, uint8_t* texels);
void CodeTexelsToHost(const uint8_t* texels, const Shape& shape, uint8_t turned,
                      uint8_t* values);

// Whether each byte of the padding channels is `zero`; a channel has `bytes`.
bool PaddingIs(uint8_t zero, const uint8_t* texels, const Shape& shape,
               int bytes);

// Rounds to IEEE halves, ties to even. Finite values beyond the range become
// the largest half: a mask's -3.4e38 must not become an infinity.
std::vector<uint16_t> ToHalves(absl::Span<const float> values);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_GRAPH_TEXELS_H_

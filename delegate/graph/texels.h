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
template <typename T>
absl::Span<uint8_t> AsWritableBytes(absl::Span<T> values) {
  return {reinterpret_cast<uint8_t*>(values.data()), values.size() * sizeof(T)};
}

// `values`: BHWC, shape.elements() of them. T: float or int32_t.
template <typename T>
std::vector<T> PackTexels(absl::Span<const T> values, const Shape& shape);

// Between BHWC `values`, shape.elements() of four bytes each, and texels of
// them, in memory of their own. Channels past the last become zero.
void HostToTexels(const uint8_t* values, const Shape& shape, uint8_t* texels);
void TexelsToHost(const uint8_t* texels, const Shape& shape, uint8_t* values);

// To IEEE halves, to nearest even. `saturate`: finite values past the largest
// half become that one, not infinities.
std::vector<uint16_t> ToHalves(absl::Span<const float> values,
                               bool saturate = false);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_GRAPH_TEXELS_H_

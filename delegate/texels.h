// Host copies of tensors in the GPU's texel order: layer (batch, then slice),
// row, column, four channels; channels past the last are zero.
#ifndef GLES_DELEGATE_DELEGATE_TEXELS_H_
#define GLES_DELEGATE_DELEGATE_TEXELS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "delegate/graph.h"

namespace gles_delegate {

// `values`: BHWC, shape.elements() of them.
std::vector<float> PackTexels(absl::Span<const float> values, const Shape& shape);

// To IEEE halves, to nearest even.
std::vector<uint16_t> ToHalves(absl::Span<const float> values);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TEXELS_H_

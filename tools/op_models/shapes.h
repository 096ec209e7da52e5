// The shapes that every op is tested on.
#ifndef GLES_DELEGATE_TOOLS_OP_MODELS_SHAPES_H_
#define GLES_DELEGATE_TOOLS_OP_MODELS_SHAPES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gles_delegate::testing {

using Shape = std::vector<int32_t>;

size_t ElementCount(const Shape& shape);

// "1x8x8x3"; "scalar" where the shape is empty.
std::string ShapeString(const Shape& shape);

// Each tail of a texel of four, one slice and several: 1, 3, 4, 5, 8, 17.
const std::vector<int>& StandardChannels();

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TOOLS_OP_MODELS_SHAPES_H_

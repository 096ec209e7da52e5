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

// BHWC: channels 1, 3, 4, 5, 8 and 17 (each tail of a texel of four, one slice
// and several), 1x1, one row, one column, wider than a work group, batch 1
// and 3.
const std::vector<Shape>& StandardShapes();

// The standard shapes of batch 1.
const std::vector<Shape>& StandardShapesBatch1();

// Four of them, for ops with many attributes to go through.
const std::vector<Shape>& FewShapes();

// 1, 3, 4, 5, 8, 17.
const std::vector<int>& StandardChannels();

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TOOLS_OP_MODELS_SHAPES_H_

// The shapes of tensors.
#ifndef GLES_DELEGATE_TOOLS_OP_MODELS_SHAPES_H_
#define GLES_DELEGATE_TOOLS_OP_MODELS_SHAPES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"

namespace gles_delegate::testing {

using Shape = std::vector<int32_t>;

inline size_t ElementCount(const Shape& shape) {
  size_t n = 1;
  for (int32_t d : shape) n *= static_cast<size_t>(d);
  return n;
}

// "1x8x8x3"; "scalar" of no extent.
inline std::string ShapeString(const Shape& shape) {
  return shape.empty() ? "scalar" : absl::StrJoin(shape, "x");
}

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TOOLS_OP_MODELS_SHAPES_H_

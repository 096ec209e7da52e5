#include "tools/op_models/shapes.h"

#include "absl/strings/str_join.h"

namespace gles_delegate::testing {

size_t ElementCount(const Shape& shape) {
  size_t n = 1;
  for (int32_t d : shape) n *= static_cast<size_t>(d);
  return n;
}

std::string ShapeString(const Shape& shape) {
  return shape.empty() ? "scalar" : absl::StrJoin(shape, "x");
}

const std::vector<int>& StandardChannels() {
  static const auto& channels = *new std::vector<int>{1, 3, 4, 5, 8, 17};
  return channels;
}

}  // namespace gles_delegate::testing

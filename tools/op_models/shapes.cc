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

const std::vector<Shape>& StandardShapes() {
  static const auto& shapes = *new std::vector<Shape>{
      {1, 1, 1, 1},   {1, 1, 1, 17}, {1, 5, 7, 1},  {1, 7, 5, 3},
      {1, 6, 6, 4},   {1, 4, 9, 5},  {1, 8, 8, 8},  {1, 3, 4, 17},
      {1, 1, 300, 3}, {1, 70, 1, 4}, {1, 9, 67, 5}, {3, 1, 1, 5},
      {3, 5, 4, 3},   {3, 4, 6, 17},
  };
  return shapes;
}

const std::vector<Shape>& StandardShapesBatch1() {
  static const auto& shapes = *[] {
    auto* batch1 = new std::vector<Shape>;
    for (const Shape& shape : StandardShapes()) {
      if (shape[0] == 1) batch1->push_back(shape);
    }
    return batch1;
  }();
  return shapes;
}

const std::vector<Shape>& FewShapes() {
  static const auto& shapes = *new std::vector<Shape>{
      {1, 1, 1, 3}, {1, 7, 9, 5}, {1, 6, 67, 4}, {3, 5, 4, 17}};
  return shapes;
}

const std::vector<int>& StandardChannels() {
  static const auto& channels = *new std::vector<int>{1, 3, 4, 5, 8, 17};
  return channels;
}

}  // namespace gles_delegate::testing

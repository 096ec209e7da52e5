#include "delegate/ops/matmul/matrix_place.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace gles_delegate {
namespace {

// The place of a tensor whose shape is `s`.
std::string PlaceOf(const std::vector<int>& dims, const Shape& s,
                    int product_rank) {
  const int rank = static_cast<int>(dims.size());
  if (rank == 2) return "ivec4(0, 0, slice, row)";
  if (rank == 3 && product_rank > 3) {
    // Its one leading axis is the product's height.
    return absl::StrCat("ivec4(row, 0, slice, ", s.b > 1 ? "height" : "0", ")");
  }
  return absl::StrCat("ivec4(row, ", s.h > 1 ? "height" : "0", ", slice, ",
                      s.b > 1 ? "batch" : "0", ")");
}

}  // namespace

Matrix MatrixOf(const std::vector<int>& dims, bool transposed) {
  const int rank = static_cast<int>(dims.size());
  Matrix m;
  m.rows = dims[rank - 2];
  m.columns = dims[rank - 1];
  if (transposed) std::swap(m.rows, m.columns);
  for (int axis = 0; axis < rank - 2; ++axis) {
    m.leading[Matrix::kLeadingAxes - (rank - 2) + axis] = dims[axis];
  }
  return m;
}

void AddMatrixPlace(absl::string_view name, const std::vector<int>& dims,
                    const Shape& shape, int rank, Dispatch* d) {
  d->Define(absl::StrCat(name, "_PLACE"), PlaceOf(dims, shape, rank));
}

}  // namespace gles_delegate

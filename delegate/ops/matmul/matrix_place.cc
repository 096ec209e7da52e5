#include "delegate/ops/matmul/matrix_place.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace gles_delegate {
namespace {

// x = r * row_x, y = h * h_y, batch = r * row_b + h * h_b + b * b_b.
struct MatrixPlace {
  int row_x = 0;
  int h_y = 0;
  int row_b = 0;
  int h_b = 0;
  int b_b = 0;
};

MatrixPlace MatrixPlaceOf(const std::vector<int>& dims, const Shape& s,
                          int product_rank) {
  const int rank = static_cast<int>(dims.size());
  MatrixPlace p;
  if (rank == 2) {
    p.row_b = 1;
    return p;
  }
  p.row_x = 1;
  if (rank == 3 && product_rank > 3) {
    p.h_b = s.b > 1 ? 1 : 0;  // its one leading axis is the product's height
  } else {
    p.h_y = s.h > 1 ? 1 : 0;
    p.b_b = s.b > 1 ? 1 : 0;
  }
  return p;
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
  const MatrixPlace p = MatrixPlaceOf(dims, shape, rank);
  d->uniforms.Int4(absl::StrCat(name, "_place"), p.row_x, p.h_y, 0, 0);
  d->uniforms.Int4(absl::StrCat(name, "_batch"), p.row_b, p.h_b, p.b_b, 0);
}

}  // namespace gles_delegate

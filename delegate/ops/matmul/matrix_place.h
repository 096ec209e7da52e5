// The places of the matrices of a product in its tensors.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MATMUL_MATRIX_PLACE_H_
#define GLES_DELEGATE_DELEGATE_OPS_MATMUL_MATRIX_PLACE_H_

#include <array>
#include <vector>

#include "absl/strings/string_view.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/dispatch.h"

namespace gles_delegate {

constexpr int kMaxMatrixRank = 5;

// The last two axes of a matrix, and the leading ones, filled up with 1.
struct Matrix {
  static constexpr int kLeadingAxes = kMaxMatrixRank - 2;
  int rows = 0;
  int columns = 0;
  std::array<int, kLeadingAxes> leading = {1, 1, 1};
};

Matrix MatrixOf(const std::vector<int>& dims, bool transposed);

// Defines `name`_PLACE: the ivec4 (x, y, slice, batch) of a texel by `row` and
// `slice` of the matrix of this shape for the product's matrix (`height`,
// `batch`). `rank`: of the product.
void AddMatrixPlace(absl::string_view name, const std::vector<int>& dims,
                    const Shape& shape, int rank, Dispatch* d);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MATMUL_MATRIX_PLACE_H_

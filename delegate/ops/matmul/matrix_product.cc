#include "delegate/ops/matmul/matrix_product.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "delegate/ops/conv/conv_shared.h"
#include "delegate/ops/conv/conv_strategies.h"
#include "delegate/ops/conv/conv_tile.h"
#include "delegate/plan/planner.h"

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

namespace {

// The profile's tile, or one of up to twice its pixels if that makes fewer past
// the end of a row. Lanes are busy anyhow: tiles of all products are in a row.
ConvTile ProductTile(int pixels, int slices, const DeviceChoices& choices) {
  ConvTile tile = ChooseConvTile(pixels, slices, choices);
  const auto made = [&](int t) { return DivideUp(pixels, t) * t; };
  for (int t = tile.pixels + 1; t <= 2 * choices.conv_tile_pixels; ++t) {
    if (made(t) < made(tile.pixels)) tile.pixels = t;
  }
  return tile;
}

}  // namespace

void PlanMatrixProduct(const MatrixProduct& p, Planner* planner) {
  // kGemvByLanes takes any.
  PlanConvolution(Convolution::OfRows(p.src, p.dst, p.weights, p.outputs, p.k,
                                      planner->graph()),
                  planner)
      .IgnoreError();
}

FilterValues StackedWeights(const MatrixProducts& products, int outputs,
                            const Graph& graph) {
  const Shape& src = graph.tensor(products.src).shape;
  const int rows = graph.tensor(products.dst).shape.c;
  return [weights = products.weights, rows, outputs, count = src.h,
          k = src.c](std::vector<float>* room) {
    std::vector<float> own;
    const absl::Span<const float> values = weights(&own);
    std::vector<float>& stacked = *room;
    stacked.assign(size_t{1} * count * outputs * k, 0.0f);
    for (int i = 0; i < count; ++i) {
      std::copy_n(values.begin() + size_t{1} * i * rows * k,
                  size_t{1} * rows * k,
                  stacked.begin() + size_t{1} * i * outputs * k);
    }
    return absl::MakeConstSpan(stacked);
  };
}

void PlanMatrixProducts(const MatrixProducts& products, Planner* planner) {
  if (auto shared = ProductsShared(products, *planner)) {
    planner->Add(*std::move(shared));
    return;
  }
  const Shape& src = planner->tensor(products.src).shape;
  const Shape& dst = planner->tensor(products.dst).shape;
  const ConvTile tile =
      ProductTile(dst.w, dst.slices(), planner->profile().choices);
  const int padded = 4 * dst.slices();
  PackedConstant weights =
      PackFilter(StackedWeights(products, padded, planner->graph()), nullptr,
                 {/*outputs=*/dst.h * padded, /*taps=*/1, src.c, 1});
  weights.shared_id = products.weights_id;
  Dispatch d("conv_1x1");
  d.Define("PRODUCTS")
      .Define("TILE_PIXELS", tile.pixels)
      .Define("TILE_SLICES", tile.slices)
      .Read("src", products.src)
      .Write("dst", products.dst)
      .Constant(std::move(weights))
      .Grid(dst.h * DivideUp(dst.w, tile.pixels),
            DivideUp(dst.slices(), tile.slices), 1);
  planner->Add(std::move(d));
}

}  // namespace gles_delegate

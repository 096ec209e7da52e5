#include "delegate/ops/matmul/matrix_product.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "delegate/ops/conv/conv_shared.h"
#include "delegate/ops/conv/conv_split.h"
#include "delegate/ops/conv/conv_tile.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

// From so many rows on, each invocation has enough pixels to share its weights
// among, and the device enough invocations.
constexpr int kManyRows = 8;
constexpr int kMaxTileRows = 4;

int Rows(const Shape& dst) { return dst.b * dst.h * dst.w; }

// conv_1x1 takes rows that are pixels, in the same places on both sides.
bool RowsArePixels(const MatrixProduct& p, const Shape& src, const Shape& dst) {
  return src.c == p.k && src.b == dst.b && src.h == dst.h && src.w == dst.w;
}

Dispatch Pixels(const MatrixProduct& p, Planner* planner) {
  const Shape& dst = planner->tensor(p.dst).shape;
  const ConvSplit conv = {p.src, p.dst, p.weights, {}, 1, 1, p.gate};
  if (auto shared = PlanConvShared(conv, planner)) return *std::move(shared);
  if (auto split = PlanConvSplit(conv, planner)) return *std::move(split);
  const ConvTile tile =
      ChooseFlatTile(Rows(dst), dst.slices(), planner->profile());
  Dispatch d("conv_1x1");
  d.Define("TILE_PIXELS", tile.pixels)
      .Define("TILE_SLICES", tile.slices)
      .Read("src", p.src)
      .Write("dst", p.dst)
      .Grid(DivideUp(Rows(dst), tile.pixels),
            DivideUp(dst.slices(), tile.slices), 1);
  BindInputGate(p.gate, &d);
  BindFilter(p.weights, {p.outputs, 1, p.k, 1}, planner, &d);
  return d;
}

// How many invocations share one sum: a power of two, no more than there are
// texels in a row or than one work group may hold.
int Lanes(int row_texels, int tile_rows, const DeviceProfile& profile) {
  const int most =
      std::min({profile.choices.reduction_lanes, row_texels,
                profile.limits.max_work_group_size[0],
                profile.limits.max_work_group_invocations,
                profile.limits.max_shared_memory_bytes / (16 * tile_rows)});
  int lanes = 1;
  while (lanes * 2 <= most) lanes *= 2;
  return lanes;
}

bool IsConstant(const WeightIds& ids, const Planner& planner) {
  return planner.tensor(ids.weights).is_constant() &&
         (ids.bias == kNoTensor || planner.tensor(ids.bias).is_constant());
}

// A slice of outputs an invocation, where invocations run abreast and there are
// slices for several such groups: no sum is shared then, and neighbours read
// neighbouring weights. Nothing where that does not hold.
std::optional<Dispatch> Slices(const MatrixProduct& p, const Planner& planner) {
  const DeviceProfile& profile = planner.profile();
  const Shape& src = planner.tensor(p.src).shape;
  const Shape& dst = planner.tensor(p.dst).shape;
  const int block = profile.choices.simd_lanes;
  if (block == 1 || dst.slices() < 2 * block || p.k % src.c != 0 ||
      !IsConstant(p.weights, planner)) {
    return std::nullopt;
  }
  const int row_pixels = p.k / src.c;
  PackedConstant weights = PackFilterBlocks(
      planner.tensor(p.weights.weights),
      p.weights.bias == kNoTensor ? nullptr : &planner.tensor(p.weights.bias),
      {p.outputs, row_pixels, src.c, 1}, block);
  if (weights.width > profile.limits.max_texture_size) return std::nullopt;
  const int rows = Rows(dst);
  const int tile_rows = Even(rows, kMaxTileRows);
  Dispatch d("fully_connected_slices");
  d.Define("BLOCK", block)
      .Define("TILE_ROWS", tile_rows)
      .Read("src", p.src)
      .Write("dst", p.dst)
      .Constant(std::move(weights))
      .Grid(dst.slices(), DivideUp(rows, tile_rows), 1);
  if (block <= profile.limits.max_work_group_size[0]) d.WorkGroup(block, 1, 1);
  d.uniforms.Int4("row_shape", rows, row_pixels, 0, 0);
  return d;
}

Dispatch FewRows(const MatrixProduct& p, Planner* planner) {
  if (auto slices = Slices(p, *planner)) return *std::move(slices);
  const DeviceProfile& profile = planner->profile();
  const Shape& src = planner->tensor(p.src).shape;
  const Shape& dst = planner->tensor(p.dst).shape;
  const bool elements = p.k % src.c != 0;
  const int row_pixels = elements ? 1 : p.k / src.c;
  const int row_texels =
      elements ? DivideUp(p.k, 4) : row_pixels * src.slices();
  const int rows = Rows(dst);
  const int tile_rows = DivideUp(rows, DivideUp(rows, kMaxTileRows));
  const int lanes = Lanes(row_texels, tile_rows, profile);
  // One lane: no barriers, and the work group is the planner's to choose.
  Dispatch d("fully_connected");
  if (elements) d.Define("ELEMENTS");
  d.Define("LANES", lanes)
      .Define("TILE_ROWS", tile_rows)
      .Read("src", p.src)
      .Write("dst", p.dst)
      .Grid(lanes, dst.slices(), DivideUp(rows, tile_rows));
  BindFilter(p.weights, {p.outputs, row_pixels, p.k / row_pixels, 1}, planner,
             &d);
  if (lanes > 1) {
    d.WorkGroup(lanes, 1, 1).SharedMemory(int64_t{16} * lanes * tile_rows);
  }
  d.uniforms.Int4("row_shape", rows, row_texels, row_pixels, p.k);
  return d;
}

// The profile's tile, or one of up to twice its pixels if that makes fewer past
// the end of a row. Lanes are busy anyhow: tiles of all products are in a row.
ConvTile ProductTile(int pixels, int slices, const DeviceProfile& profile) {
  ConvTile tile = ChooseConvTile(pixels, slices, profile);
  const auto made = [&](int t) { return DivideUp(pixels, t) * t; };
  for (int t = tile.pixels + 1; t <= 2 * profile.choices.conv_tile_pixels;
       ++t) {
    if (made(t) < made(tile.pixels)) tile.pixels = t;
  }
  return tile;
}

}  // namespace

bool IsTiled(const Shape& dst) { return Rows(dst) >= kManyRows; }

void PlanMatrixProduct(const MatrixProduct& product, Planner* planner) {
  const Shape& src = planner->tensor(product.src).shape;
  const Shape& dst = planner->tensor(product.dst).shape;
  const bool tiled = IsTiled(dst) && RowsArePixels(product, src, dst);
  planner->Add(tiled ? Pixels(product, planner) : FewRows(product, planner));
}

FilterValues StackedWeights(const MatrixProducts& products, int outputs,
                            const Graph& graph) {
  const Shape& src = graph.tensor(products.src).shape;
  const int rows = graph.tensor(products.dst).shape.c;
  return [weights = products.weights, rows, outputs, count = src.h, k = src.c] {
    const std::vector<float> values = weights();
    std::vector<float> stacked(size_t{1} * count * outputs * k);
    for (int i = 0; i < count; ++i) {
      std::copy_n(values.begin() + size_t{1} * i * rows * k,
                  size_t{1} * rows * k,
                  stacked.begin() + size_t{1} * i * outputs * k);
    }
    return stacked;
  };
}

void PlanMatrixProducts(const MatrixProducts& products, Planner* planner) {
  if (auto shared = PlanProductsShared(products, planner)) {
    planner->Add(*std::move(shared));
    return;
  }
  const Shape& src = planner->tensor(products.src).shape;
  const Shape& dst = planner->tensor(products.dst).shape;
  const ConvTile tile = ProductTile(dst.w, dst.slices(), planner->profile());
  const int padded = 4 * dst.slices();
  PackedConstant weights =
      PackFilter(StackedWeights(products, padded, planner->graph()),
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

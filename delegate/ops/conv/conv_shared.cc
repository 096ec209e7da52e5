#include "delegate/ops/conv/conv_shared.h"

#include <algorithm>
#include <utility>

#include "delegate/ops/conv/conv_shared_tiling.h"
#include "delegate/ops/conv/conv_strategies.h"
#include "delegate/ops/conv/conv_tile.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/ops/conv/quantized_rows.h"
#include "delegate/ops/quotient.h"
#include "delegate/ops/stages.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

// With fewer terms, packing inputs costs more than products in 16 bits gain
// (measured on an H200).
constexpr int kMinHalfTerms = 16;

// Of a dispatch that has its other defines already.
Dispatch::Tiling TilingOf(const SharedWork& work, const SharedGrid& grid,
                          const Dispatch& dispatch) {
  const SharedTiling& t = grid.tiling;
  Dispatch d("");
  d.Define("TILE_PIXELS", t.pixels)
      .Define("TILE_SLICES", t.slices)
      .Define("CHUNK_TERMS", t.chunk_terms)
      .Grid(int64_t{grid.x} * t.cells_x, int64_t{grid.y} * t.cells_y,
            int64_t{work.products} * t.lanes);
  if (WholeChunks(t, work.terms)) d.Define("WHOLE_CHUNKS");
  if (t.next_pixels > 0) d.Define("NEXT_PIXELS", t.next_pixels);
  d.defines.insert(d.defines.end(), dispatch.defines.begin(),
                   dispatch.defines.end());
  return {std::move(d.defines),
          d.grid,
          {t.cells_x, t.cells_y, t.lanes},
          TilingSharedBytes(t)};
}

void BindTiling(const SharedWork& work, const SharedGrid& grid,
                const DeviceProfile& profile, Dispatch* d) {
  if (const auto more = WithMoreLanes(grid, work, profile)) {
    d->other_tiling = TilingOf(work, *more, *d);
  }
  d->Take(TilingOf(work, grid, *d));
}

// Whether the weights are rows, as products of few rows have them: another
// signature may have such a product. Up to 4% slower than blocks (ViT-B/16 on
// an H200).
bool TakesRows(const Convolution& conv, const Graph& graph) {
  return conv.quantized_rows ||
         (conv.IsPointwise() &&
          graph.tensor(conv.weights.weights).constant.is_in_other_subgraphs());
}

SharedWork WorkOf(const Convolution& conv, const Graph& graph) {
  SharedWork work = {conv.pixels(), conv.dst_shape.slices(),
                     conv.term_texels()};
  work.padded = TakesRows(conv, graph);
  work.fused = conv.kind == Convolution::Kind::kDepthwisePointwise;
  if (conv.next.IsThere()) {
    work.next_slices = DivideUp(conv.next.filter.outputs, 4);
  }
  work.halves = conv.half_arithmetic && !work.fused && work.next_slices == 0 &&
                work.terms >= kMinHalfTerms;
  return work;
}

// Makes the shader also compute the next convolution.
void BindNext(const NextPointwise& next, const SharedWork& work,
              const Graph& graph, Dispatch* d) {
  d->Write("next", next.dst);
  d->write_in_two = true;
  PackedConstant weights =
      PackFilterBlocks(next.weights, next.filter, graph, work.next_slices);
  weights.name = "next_weights";
  d->Constant(std::move(weights));
  d->Apply(kNextStage, next.stage);
}

// Makes the shader also compute the inner depthwise convolution.
void BindInner(const StageConvolution& inner, const Convolution& conv,
               const Graph& graph, Dispatch* d) {
  d->Define("DEPTHWISE")
      .Define("KERNEL_W", conv.window_w)
      .Define("KERNEL_H", conv.window_h);
  PackedConstant weights = PackDepthwiseFilter(
      graph.tensor(inner.weights.weights), inner.weights.Bias(graph));
  weights.name = "depthwise";
  d->Constant(std::move(weights));
  d->Apply(kInnerStage, inner.stage);
}

// The pixels, terms and input slices of each sum, and the divisors of their
// indices.
void BindSums(const SharedWork& work, int src_slices, const Shape& dst,
              int window_w, Dispatch* d, int channels = 0) {
  d->uniforms.Int4("sum_shape", work.pixels, work.terms, src_slices, channels);
  d->uniforms.Float4("reciprocals",
                     {Reciprocal(dst.w), Reciprocal(dst.h),
                      Reciprocal(src_slices), Reciprocal(window_w)});
  BindQuotients(std::max(work.pixels, work.terms), d);
}

bool AppliesConvShared(const Convolution& conv, const Planner& planner) {
  const DeviceProfile& profile = planner.profile();
  const SharedWork work = WorkOf(conv, planner.graph());
  return profile.choices.split_k_target > 0 && conv.constant_weights &&
         (work.fused || conv.IsTiled()) && ChooseSharedGrid(work, profile);
}

void PlanConvShared(const Convolution& conv, Planner* planner) {
  const SharedWork work = WorkOf(conv, planner->graph());
  const auto grid = ChooseSharedGrid(work, planner->profile());
  if (!grid) return;
  Dispatch d("conv_shared");
  d.Read("src", conv.src).Write("dst", conv.dst);
  const bool takes_rows = TakesRows(conv, planner->graph());
  if (takes_rows) d.Define("ROWS");
  if (conv.quantized_rows) {
    BindQuantizedRows(conv, planner->graph(), &d);
  } else if (takes_rows) {
    BindFilter(conv, planner, &d);
  } else {
    d.Constant(
        PackFilterBlocks(conv, planner->graph(), grid->tiling.group_slices()));
  }
  d.half_arithmetic = work.halves;
  if (work.fused) {
    BindInner(conv.inner, conv, planner->graph(), &d);
  } else {
    if (conv.IsPointwise()) d.Define("POINTWISE");
    ApplyInputStage(conv.input_stage, conv.src, &d);
  }
  if (conv.next.IsThere()) {
    BindNext(conv.next, work, planner->graph(), &d);
  }
  BindWindow(conv, &d);
  BindSums(work, conv.src_shape.slices(), conv.dst_shape, conv.window_w, &d);
  BindTiling(work, *grid, planner->profile(), &d);
  planner->Add(std::move(d));
}

}  // namespace

const ConvStrategy kConvShared = {"conv_shared", AppliesConvShared,
                                  PlanConvShared, /*takes_next=*/true};

std::optional<Dispatch> ProductsShared(const MatrixProducts& products,
                                       const Planner& planner) {
  if (planner.profile().choices.split_k_target == 0) return std::nullopt;
  const Shape& src = planner.tensor(products.src).shape;
  const Shape& dst = planner.tensor(products.dst).shape;
  const SharedWork work = {dst.w, dst.slices(), src.slices(),
                           /*products=*/dst.h};
  const auto grid = ChooseSharedGrid(work, planner.profile());
  if (!grid) return std::nullopt;
  const int block_slices = grid->tiling.group_slices();
  const int padded = grid->y * block_slices * 4;
  PackedConstant weights = PackFilterBlocks(
      StackedWeights(products, padded, planner.graph()), nullptr,
      {/*outputs=*/dst.h * padded, /*taps=*/1, src.c, 1}, block_slices);
  weights.shared_id = products.weights_id;
  Dispatch d("conv_shared");
  d.Read("src", products.src).Write("dst", products.dst);
  d.Constant(std::move(weights));
  d.Define("POINTWISE").Define("PRODUCTS");
  BindWindow(Convolution(), &d);  // one tap
  BindSums(work, src.slices(), dst, /*window_w=*/1, &d);
  BindTiling(work, *grid, planner.profile(), &d);
  return d;
}

std::optional<Dispatch> MatricesShared(const MatrixPairs& pairs,
                                       const Planner& planner) {
  const DeviceProfile& profile = planner.profile();
  const Shape& src = planner.tensor(pairs.x).shape;
  const Shape& dst = planner.tensor(pairs.dst).shape;
  SharedWork work = {dst.w, dst.slices(), src.slices(),
                     /*products=*/dst.h * dst.b};
  work.padded = true;
  work.halves = planner.MultipliesHalves(pairs.x, pairs.dst) &&
                planner.MultipliesHalves(pairs.y, pairs.dst) &&
                work.terms >= kMinHalfTerms;
  if (profile.choices.split_k_target == 0) return std::nullopt;
  const auto grid = ChooseSharedGrid(work, profile);
  if (!grid) return std::nullopt;
  Dispatch d("conv_shared");
  d.Read("src", pairs.x).Read("matrix", pairs.y).Write("dst", pairs.dst);
  d.Define("MATRICES");
  if (pairs.adj_y) d.Define("ADJ_Y");
  d.half_arithmetic = work.halves;
  BindWindow(Convolution(), &d);  // one tap
  BindSums(work, src.slices(), dst, /*window_w=*/1, &d, src.c);
  BindTiling(work, *grid, profile, &d);
  return d;
}

}  // namespace gles_delegate

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/status_macros.h"
#include "delegate/ops/conv/conv_strategies.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/ops/dispatches.h"
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
  if (work.terms % (t.lanes * t.chunk_terms) == 0) d.Define("WHOLE_CHUNKS");
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
  d->Constant(PackDepthwiseFilter(inner.weights, graph, "depthwise"));
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

absl::Status PlanConvShared(const Convolution& conv, Planner* planner) {
  const SharedWork work = WorkOf(conv, planner->graph());
  const auto grid = ChooseSharedGrid(work, planner->profile());
  Dispatch d = ConvDispatch("conv_shared", conv);
  if (TakesRows(conv, planner->graph())) {
    d.Define("ROWS");
    RETURN_IF_ERROR(BindFilter(conv, planner, &d));
    if (conv.quantized_rows &&
        planner->graph().tensor(conv.weights.weights).quantization.block > 0) {
      d.Define("BLOCKS");
    }
  } else {
    d.Constant(PackFilterBlocks(conv.weights, conv.filter, planner->graph(),
                                grid->tiling.group_slices()));
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
  return planner->Add(std::move(d));
}

}  // namespace

const ConvStrategy kConvShared = {"conv_shared", AppliesConvShared,
                                  PlanConvShared, /*takes_next=*/true};

std::optional<Dispatch> ProductsShared(const MatrixProducts& products,
                                       const Planner& planner) {
  if (planner.choices().split_k_target == 0) return std::nullopt;
  const Shape& src = planner.shape(products.src);
  const Shape& dst = planner.shape(products.dst);
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
  const Shape& src = planner.shape(pairs.x);
  const Shape& dst = planner.shape(pairs.dst);
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

// --- How a work group divides its tile ---------------------------------------

// The tilings.

namespace {

// Terms that a lane takes from each chunk, at most, and must have at all.
constexpr int kChunkTerms = 2;
constexpr int kMaxSharedLanes = 16;
// Maximum texels of a work group's cells for which a sum may have this many
// lanes.
constexpr int kFewTexels = 32;
constexpr int kMaxLanesOfFewTexels = 32;
// Terms of a short product.
constexpr int kFewTerms = 16;
// With products in 16 bits: terms (of 4 products each) that are summed in 16
// bits.
constexpr int kHalfChunkTerms = 4;
// Minimum invocations of a work group, if there are terms for as many lanes.
constexpr int kMinInvocations = 128;
// Maximum slices of a convolution with a next one, since one work group
// computes all of them; with more, two dispatches are faster.
constexpr int kMaxNextSource = 16;
// Minimum number of work groups, if there are enough texels.
constexpr int kMinGroups = 64;
// A device runs split_k_target / kInvocationsOfAGroup work groups at once: 132
// on an H200, which has as many processors. Of more, some processors have one
// more than the others.
constexpr int kInvocationsOfAGroup = 372;
// Minimum cells along pixels of a work group with a fused depthwise
// convolution.
constexpr int kMinCellsX = 4;
// Minimum output slices for a wide tile.
constexpr int kMinWideSlices = 16;
// FusedTiling() is for outputs of more slices than this; a work group of it
// makes 24 at most.
constexpr int kFewSlices = 8;
constexpr int kMaxFusedSlices = 24;
// Maximum pixels of the next convolution per invocation.
constexpr int kMaxNextPixels = 8;

// Lanes are doubled up to this multiple of split_k_target invocations.
constexpr int kMostOfMoreLanes = 4;

bool TilingFits(const SharedTiling& t, const DeviceLimits& limits) {
  const std::array<int, 3>& max = limits.max_work_group_size;
  return t.cells_x <= max[0] && t.cells_y <= max[1] && t.lanes <= max[2] &&
         t.cells() * t.lanes <= limits.max_work_group_invocations &&
         TilingSharedBytes(t) <= limits.max_shared_memory_bytes;
}

// The most terms of a chunk, up to `most`, that the terms are whole chunks of.
int ChunkTerms(int terms, int max) {
  for (int chunk = max; chunk > 1; --chunk) {
    if (terms % chunk == 0) return chunk;
  }
  return std::min(terms, kChunkTerms);
}

// True for a few groups more than the device runs at once, which take as long
// as twice as many.
bool NeedsSecondRound(int64_t groups, int64_t at_once) {
  return groups > at_once && 2 * groups <= 3 * at_once;
}

// The time of all work groups, in tenths of a slice. In each round a work group
// computes its slices, and its loads of inputs cost as much as 0.4 (H200).
int64_t LargeCost(const SharedTiling& t, const SharedWork& work,
                  const DeviceProfile& profile) {
  return RoundsOf(t.groups(work), profile) * (10 * t.slices + 4);
}

// The best for large outputs on an H200.
std::optional<SharedTiling> LargeTiling(const SharedWork& work,
                                        const DeviceProfile& profile) {
  const int slices = work.slices;
  if (slices <= 4) return std::nullopt;
  SharedTiling t;
  t.cells_x = 16;
  t.cells_y = slices >= 16 ? 8 : 4;
  t.pixels = 4;
  t.halves = work.halves;
  t.padded = work.padded;
  // Sums of halves take additional registers, and products of few terms mostly
  // write.
  const bool are_short = work.products > 1 && work.terms <= kFewTerms;
  const int max_slices = slices >= 32 && !work.halves && !are_short ? 4 : 2;
  t.chunk_terms = work.halves ? kHalfChunkTerms
                              : ChunkTerms(work.terms, slices >= 32 ? 4 : 3);
  const int64_t texels = int64_t{work.pixels} * work.slices * work.products;
  std::optional<SharedTiling> best;
  for (t.slices = max_slices; t.slices >= 2; --t.slices) {
    // Cells past the last pixel or slice do not count.
    const bool large =
        texels / (t.pixels * t.slices) >= profile.choices.split_k_target / 2;
    if (!large || !TilingFits(t, profile.limits)) continue;
    // Fewer slices have to save a twentieth.
    if (!best || 20 * LargeCost(t, work, profile) <
                     19 * LargeCost(*best, work, profile)) {
      best = t;
    }
  }
  return best;
}

// The most rounds for FewRoundsTiling(), and what a chunk costs beside the
// products of a texel with a texel that a work group makes (regression over 177
// tilings of ViT-B/16's and a decoder's products on an H200, within 14%).
constexpr int kFewRounds = 3;
constexpr int64_t kChunkCost = 1700;

// True if the last round has work for nearly all processors.
bool FillsRounds(int64_t groups, int64_t rounds, const DeviceProfile& profile) {
  return 20 * groups >= 17 * rounds * GroupsAtOnce(profile);
}

// For products in few, full rounds of work groups (a vision transformer's): the
// busiest processor determines their time. A cell has 4 pixels, or 5 if fewer
// are then past the last one, and lanes enough to hide loads. nullopt: others,
// and products in 16 bits, which it makes slower.
std::optional<SharedTiling> FewRoundsTiling(const SharedWork& work,
                                            const DeviceProfile& profile) {
  if (work.fused || work.halves) return std::nullopt;
  std::optional<SharedTiling> best;
  int64_t least = std::numeric_limits<int64_t>::max();
  for (int cells_y : {4, 8}) {
    for (int pixels : {4, 5}) {
      for (int lanes : {8, 4, 2}) {
        SharedTiling t;
        t.cells_x = 8;
        t.cells_y = cells_y;
        t.pixels = pixels;
        t.slices = 2;
        t.lanes = lanes;
        t.padded = work.padded;
        const int invocations = t.cells() * lanes;
        const int each = work.terms / lanes;
        t.chunk_terms = each % 3 == 0 ? 3 : ChunkTerms(each, 4);
        const int64_t rounds = RoundsOf(t.groups(work), profile);
        if (invocations < kMinInvocations ||
            invocations > 2 * kMinInvocations || work.terms % lanes != 0 ||
            t.chunk_terms == 1 || each % t.chunk_terms != 0 ||
            rounds > kFewRounds ||
            !FillsRounds(t.groups(work), rounds, profile) ||
            !TilingFits(t, profile.limits)) {
          continue;
        }
        const int64_t cost =
            rounds * t.cells() * t.pixels * t.slices * work.terms +
            kChunkCost * each / t.chunk_terms;
        if (cost >= least) continue;
        least = cost;
        best = t;
      }
    }
  }
  return best;
}

// For a fused depthwise convolution, which is recomputed for each group of
// slices: as few groups as registers allow. nullopt: too few work groups, or
// chunks that are not whole.
std::optional<SharedTiling> FusedTiling(const SharedWork& work,
                                        const DeviceProfile& profile) {
  if (!work.fused || work.slices <= kFewSlices) return std::nullopt;
  SharedTiling t;
  t.cells_x = 16;
  t.cells_y = 8;
  const int parts = DivideUp(work.slices, kMaxFusedSlices);
  t.slices = DivideUp(DivideUp(work.slices, parts), t.cells_y);
  // No more than a quarter of the slices is past the last one.
  if (3 * parts * t.group_slices() > 4 * work.slices) return std::nullopt;
  t.pixels = t.slices > 2 ? 2 : 4;
  t.chunk_terms = t.slices > 2 ? 4 : kChunkTerms;
  const int64_t min_groups = 2 * GroupsAtOnce(profile);
  if (t.groups(work) < min_groups) {
    t.cells_x /= 2;
    t.lanes = 2;
  }
  const bool fits = t.groups(work) >= min_groups &&
                    WholeChunks(t, work.terms) && TilingFits(t, profile.limits);
  return fits ? std::optional(t) : std::nullopt;
}

// A work group makes all slices, and there are groups enough for the device,
// as nothing else shares out the next convolution's sums.
void SetCellsWithNext(const SharedWork& work, SharedTiling* t) {
  while (t->group_slices() < work.slices) t->cells_y *= 2;
  while (t->groups(work) < kMinGroups && t->cells_x > 2) t->cells_x /= 2;
}

// A smaller tile reads more shared memory per product, but more processors
// share the work. A fused depthwise convolution keeps its slices, since it is
// recomputed for each group of these.
void ShrinkTile(const SharedWork& work, SharedTiling* t) {
  const auto are_few = [&] { return t->groups(work) < kMinGroups; };
  if (!work.fused && are_few()) t->slices = 1;
  while (are_few() && t->pixels > 1) t->pixels /= 2;
  while (work.fused && are_few() && t->cells_x > kMinCellsX) t->cells_x /= 2;
}

void AvoidSecondRound(const SharedWork& work, const DeviceProfile& profile,
                      SharedTiling* t) {
  if (!work.fused && NeedsSecondRound(t->groups(work), GroupsAtOnce(profile))) {
    t->pixels *= 2;
  }
}

// Four pixels per cell, if at least half as many cells remain as fill the
// device: a larger tile reads less shared memory per product.
bool MayBeWide(const SharedWork& work, const DeviceProfile& profile,
               const SharedTiling& wide) {
  return !work.fused && work.slices >= kMinWideSlices &&
         wide.groups(work) * wide.cells() >= profile.choices.split_k_target / 2;
}

// The cells of SmallTiling.
SharedTiling SmallCells(const SharedWork& work, const DeviceProfile& profile) {
  const int slices = work.slices;
  SharedTiling t;
  if (slices <= 4) t.slices = 1;
  if (work.fused && slices > 8) t.cells_y = 8;
  while (t.cells_y * t.slices >= 2 * slices && t.cells_y > 1) {
    t.cells_y /= 2;
    t.cells_x *= 2;
  }
  if (work.next_slices > 0) {
    SetCellsWithNext(work, &t);
    return t;
  }
  SharedTiling wide = t;
  wide.pixels = 4;
  if (MayBeWide(work, profile, wide)) return wide;
  ShrinkTile(work, &t);
  AvoidSecondRound(work, profile, &t);
  return t;
}

// How many pixels of the next convolution an invocation makes at a time, so
// that the work group reads the fewest texels one after the other: in each
// round, one of the weights and one of each pixel.
int NextPixels(const SharedTiling& t, int next_slices) {
  int best = 0;
  int64_t min = std::numeric_limits<int64_t>::max();
  for (int pixels = 1; pixels <= std::min(kMaxNextPixels, t.group_pixels());
       pixels *= 2) {
    const int tasks = t.group_pixels() / pixels * next_slices;
    const int64_t reads =
        int64_t{DivideUp(tasks, t.cells() * t.lanes)} * (pixels + 1);
    if (reads >= min) continue;
    best = pixels;
    min = reads;
  }
  return best;
}

// 32 cells of 2x2 texels if there are enough for many work groups, and enough
// lanes to fill the device. With a fused depthwise convolution, which is
// recomputed for each group of slices, 64 cells if there are enough slices.
std::optional<SharedTiling> SmallTiling(const SharedWork& work,
                                        const DeviceProfile& profile) {
  const int terms = work.terms;
  SharedTiling t = SmallCells(work, profile);
  if (work.next_slices > 0) t.next_pixels = 1;
  const int64_t cells = t.groups(work) * t.cells();
  const auto wanted = [&] {
    return t.cells() * t.lanes < kMinInvocations ||
           cells * t.lanes < profile.choices.split_k_target;
  };
  t.halves = work.halves;
  t.padded = work.padded;
  t.chunk_terms = work.halves ? kHalfChunkTerms : std::min(terms, kChunkTerms);
  const int texels = t.cells() * t.pixels * t.slices;
  const int max_lanes = texels <= kFewTexels && work.next_slices == 0
                            ? kMaxLanesOfFewTexels
                            : kMaxSharedLanes;
  while (wanted() && t.lanes * 2 <= max_lanes &&
         t.lanes * 2 * t.chunk_terms <= terms) {
    t.lanes *= 2;
    if (!TilingFits(t, profile.limits)) {
      t.lanes /= 2;
      break;
    }
  }
  if (!TilingFits(t, profile.limits)) return std::nullopt;
  if (work.next_slices > 0) t.next_pixels = NextPixels(t, work.next_slices);
  return t;
}

}  // namespace

int64_t GroupsAtOnce(const DeviceProfile& profile) {
  return profile.choices.split_k_target / kInvocationsOfAGroup;
}

int64_t RoundsOf(int64_t groups, const DeviceProfile& profile) {
  const int64_t at_once = std::max<int64_t>(1, GroupsAtOnce(profile));
  return (groups + at_once - 1) / at_once;
}

bool WholeChunks(const SharedTiling& t, int terms) {
  const int chunk = t.lanes * t.chunk_terms;
  const int invocations = t.cells() * t.lanes * (t.halves ? 2 : 1);
  return terms % chunk == 0 && chunk * t.group_pixels() % invocations == 0 &&
         chunk * 4 * t.group_slices() % invocations == 0;
}

int TilingSharedBytes(const SharedTiling& t) {
  const int chunk = t.lanes * t.chunk_terms;
  const int row = t.group_slices() + (t.padded ? 1 : 0);
  const int staged = chunk * (t.group_pixels() + 4 * row);
  const int sums = t.lanes > 1 ? t.pixels * t.slices * t.lanes * t.cells() : 1;
  // The source of the next convolution.
  const int between =
      t.next_pixels > 0 ? t.group_pixels() * t.group_slices() : 0;
  return 16 * (std::max(t.halves ? staged / 2 : staged, sums) + between);
}

std::optional<SharedGrid> ChooseSharedGrid(const SharedWork& work,
                                           const DeviceProfile& profile) {
  if (work.next_slices > 0 && work.slices > kMaxNextSource) return std::nullopt;
  std::optional<SharedTiling> t;
  if (work.next_slices == 0) t = FusedTiling(work, profile);
  if (!t && work.next_slices == 0) t = FewRoundsTiling(work, profile);
  if (!t && work.next_slices == 0) t = LargeTiling(work, profile);
  if (!t) t = SmallTiling(work, profile);
  if (!t) return std::nullopt;
  const SharedGrid grid = {*t, DivideUp(work.pixels, t->group_pixels()),
                           DivideUp(work.slices, t->group_slices())};
  const auto& max = profile.limits.max_work_group_count;
  if (grid.x > max[0] || grid.y > max[1] || work.products > max[2]) {
    return std::nullopt;
  }
  return grid;
}

std::optional<SharedGrid> WithMoreLanes(const SharedGrid& grid,
                                        const SharedWork& work,
                                        const DeviceProfile& profile) {
  SharedGrid more = grid;
  SharedTiling& t = more.tiling;
  t.lanes *= 2;
  const int64_t invocations = t.groups(work) * t.cells() * t.lanes;
  // At most half of the lanes have no term.
  const bool idle = t.lanes * t.chunk_terms > 2 * work.terms;
  if (grid.tiling.lanes == 1 || idle || t.lanes > kMaxLanesOfFewTexels ||
      invocations >
          kMostOfMoreLanes * int64_t{profile.choices.split_k_target} ||
      !TilingFits(t, profile.limits)) {
    return std::nullopt;
  }
  if (work.next_slices > 0) t.next_pixels = NextPixels(t, work.next_slices);
  return more;
}

}  // namespace gles_delegate

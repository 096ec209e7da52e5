#include "delegate/ops/conv/conv_shared.h"

#include <algorithm>
#include <utility>

#include "delegate/ops/conv/conv_strategies.h"
#include "delegate/ops/conv/conv_tile.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

// Terms that a lane takes from each chunk, at most, and must have at all.
constexpr int kChunkTerms = 2;
constexpr int kMaxSharedLanes = 16;
// Where products are made in 16 bits: those of so many terms are added in 16
// bits (4 products each), and a sum of fewer terms than kMinHalfTerms gains
// less than it costs to pack its inputs (measured on an H200).
constexpr int kHalfChunkTerms = 4;
constexpr int kMinHalfTerms = 16;
// A work group has this many invocations at least, where there are terms for
// as many lanes.
constexpr int kMinInvocations = 128;

// What a dispatch computes: so many products of one size.
struct Work {
  int pixels = 1;
  int slices = 1;  // of the output
  int terms = 1;
  int products = 1;
  bool fused = false;   // with a depthwise convolution
  bool halves = false;  // multiplied in 16 bits
};

// How a work group's part of the output is shared out.
struct Tiling {
  int cells_x = 8;  // invocations along pixels, slices, and of one sum
  int cells_y = 4;
  int lanes = 1;
  int pixels = 2;  // of an invocation
  int slices = 2;
  int chunk_terms = kChunkTerms;
  bool halves = false;  // shared memory holds pairs of texels in 16 bits

  int cells() const { return cells_x * cells_y; }
  int group_pixels() const { return cells_x * pixels; }
  int group_slices() const { return cells_y * slices; }
  int64_t groups(const Work& work) const {
    return int64_t{DivideUp(work.pixels, group_pixels())} *
           DivideUp(work.slices, group_slices()) * work.products;
  }
};

// True where all chunks are full, and each invocation brings as much of one.
bool WholeChunks(const Tiling& t, int terms) {
  const int chunk = t.lanes * t.chunk_terms;
  const int invocations = t.cells() * t.lanes * (t.halves ? 2 : 1);
  return terms % chunk == 0 && chunk * t.group_pixels() % invocations == 0 &&
         chunk * 4 * t.group_slices() % invocations == 0;
}

int TilingSharedBytes(const Tiling& t) {
  const int chunk = t.lanes * t.chunk_terms;
  const int staged = chunk * (t.group_pixels() + 4 * t.group_slices());
  const int sums = t.lanes > 1 ? t.pixels * t.slices * t.lanes * t.cells() : 1;
  return 16 * std::max(t.halves ? staged / 2 : staged, sums);
}

bool TilingFits(const Tiling& t, const DeviceLimits& limits) {
  const std::array<int, 3>& most = limits.max_work_group_size;
  return t.cells_x <= most[0] && t.cells_y <= most[1] && t.lanes <= most[2] &&
         t.cells() * t.lanes <= limits.max_work_group_invocations &&
         TilingSharedBytes(t) <= limits.max_shared_memory_bytes;
}

// The most terms of a chunk, up to `most`, that the terms are whole chunks of.
int ChunkTerms(int terms, int most) {
  for (int chunk = most; chunk > 1; --chunk) {
    if (terms % chunk == 0) return chunk;
  }
  return std::min(terms, kChunkTerms);
}

// Measured best on an H200 where the output is large: 25 to 32 TFLOP/s.
std::optional<Tiling> LargeTiling(const Work& work,
                                  const DeviceProfile& profile) {
  const int slices = work.slices;
  if (slices <= 4) return std::nullopt;
  Tiling t;
  t.cells_x = 16;
  t.cells_y = slices >= 16 ? 8 : 4;
  t.pixels = 4;
  t.halves = work.halves;
  // Sums of halves take registers of their own.
  t.slices = slices >= 32 && !work.halves ? 4 : 2;
  t.chunk_terms = work.halves ? kHalfChunkTerms
                              : ChunkTerms(work.terms, slices >= 32 ? 4 : 3);
  const bool large =
      t.groups(work) * t.cells() >= profile.choices.split_target / 2;
  if (!large || !TilingFits(t, profile.limits)) return std::nullopt;
  return t;
}

// Of 32 cells, each 2x2 texels where there are slices enough; as many lanes as
// fill the device. A fused depthwise convolution is computed anew for each
// group of slices: 64 cells then, where there are slices for them.
std::optional<Tiling> SmallTiling(const Work& work,
                                  const DeviceProfile& profile) {
  const int slices = work.slices;
  const int terms = work.terms;
  Tiling t;
  if (slices <= 4) t.slices = 1;
  if (work.fused && slices > 8) t.cells_y = 8;
  while (t.cells_y * t.slices >= 2 * slices && t.cells_y > 1) {
    t.cells_y /= 2;
    t.cells_x *= 2;
  }
  const int64_t cells = t.groups(work) * t.cells();
  const auto wanted = [&] {
    return t.cells() * t.lanes < kMinInvocations ||
           cells * t.lanes < profile.choices.split_target;
  };
  t.halves = work.halves;
  t.chunk_terms = work.halves ? kHalfChunkTerms : std::min(terms, kChunkTerms);
  while (wanted() && t.lanes * 2 <= kMaxSharedLanes &&
         t.lanes * 2 * t.chunk_terms <= terms) {
    t.lanes *= 2;
    if (!TilingFits(t, profile.limits)) {
      t.lanes /= 2;
      break;
    }
  }
  if (!TilingFits(t, profile.limits)) return std::nullopt;
  return t;
}

// The output's part of each work group, and how many of those there are.
struct Grid {
  Tiling tiling;
  int x = 1;
  int y = 1;
};

std::optional<Grid> ChooseGrid(const Work& work, const DeviceProfile& profile) {
  std::optional<Tiling> t = LargeTiling(work, profile);
  if (!t) t = SmallTiling(work, profile);
  if (!t) return std::nullopt;
  const Grid grid = {*t, DivideUp(work.pixels, t->group_pixels()),
                     DivideUp(work.slices, t->group_slices())};
  const auto& most = profile.limits.max_work_group_count;
  if (grid.x > most[0] || grid.y > most[1] || work.products > most[2]) {
    return std::nullopt;
  }
  return grid;
}

Dispatch DispatchOf(const Work& work, const Grid& grid, TensorId src,
                    TensorId dst, PackedConstant weights) {
  const Tiling& t = grid.tiling;
  Dispatch d("conv_shared");
  d.Define("TILE_PIXELS", t.pixels)
      .Define("TILE_SLICES", t.slices)
      .Define("CHUNK_TERMS", t.chunk_terms)
      .Read("src", src)
      .Write("dst", dst)
      .Constant(std::move(weights))
      .Grid(int64_t{grid.x} * t.cells_x, int64_t{grid.y} * t.cells_y,
            int64_t{work.products} * t.lanes)
      .WorkGroup(t.cells_x, t.cells_y, t.lanes)
      .SharedMemory(TilingSharedBytes(t));
  if (WholeChunks(t, work.terms)) d.Define("WHOLE_CHUNKS");
  d.half_arithmetic = work.halves;
  return d;
}

Work WorkOf(const Convolution& conv) {
  Work work = {conv.pixels(), conv.dst_shape.slices(), conv.term_texels()};
  work.fused = conv.kind == Convolution::Kind::kDepthwisePointwise;
  work.halves =
      conv.half_arithmetic && !work.fused && work.terms >= kMinHalfTerms;
  return work;
}

// Has the shader compute the depthwise convolution on its way.
void BindInner(const InnerDepthwise& inner, const Convolution& conv,
               const Graph& graph, Dispatch* d) {
  d->Define("DEPTHWISE")
      .Define("KERNEL_W", conv.window_w)
      .Define("KERNEL_H", conv.window_h);
  PackedConstant weights = PackDepthwiseFilter(
      graph.tensor(inner.weights.weights), inner.weights.Bias(graph));
  weights.name = "depthwise";
  d->Constant(std::move(weights));
  BindInnerScaling(inner.function, d);
}

// The pixels, terms and input slices of each sum.
void BindSums(const Work& work, int src_slices, Dispatch* d) {
  d->uniforms.Int4("sum_shape", work.pixels, work.terms, src_slices, 0);
}

bool AppliesConvShared(const Convolution& conv, const Planner& planner) {
  const DeviceProfile& profile = planner.profile();
  const Work work = WorkOf(conv);
  return profile.choices.split_target > 0 && conv.constant_weights &&
         (work.fused || conv.IsTiled()) && ChooseGrid(work, profile);
}

void PlanConvShared(const Convolution& conv, Planner* planner) {
  const Work work = WorkOf(conv);
  const auto grid = ChooseGrid(work, planner->profile());
  if (!grid) return;
  Dispatch d = DispatchOf(
      work, *grid, conv.src, conv.dst,
      PackFilterBlocks(conv, planner->graph(), grid->tiling.group_slices()));
  if (work.fused) {
    BindInner(conv.inner, conv, planner->graph(), &d);
  } else {
    if (conv.IsPointwise()) d.Define("POINTWISE");
    BindInputGate(conv.gate, &d);
  }
  BindWindow(conv, &d);
  BindSums(work, conv.src_shape.slices(), &d);
  if (work.fused) BindInnerParams(conv.inner.function, &d);
  planner->Add(std::move(d));
}

}  // namespace

const ConvStrategy kConvShared = {"conv_shared", AppliesConvShared,
                                  PlanConvShared};

std::optional<Dispatch> ProductsShared(const MatrixProducts& products,
                                       const Planner& planner) {
  if (planner.profile().choices.split_target == 0) return std::nullopt;
  const Shape& src = planner.tensor(products.src).shape;
  const Shape& dst = planner.tensor(products.dst).shape;
  const Work work = {dst.w, dst.slices(), src.slices(), /*products=*/dst.h};
  const auto grid = ChooseGrid(work, planner.profile());
  if (!grid) return std::nullopt;
  const int block_slices = grid->tiling.group_slices();
  const int padded = grid->y * block_slices * 4;
  PackedConstant weights = PackFilterBlocks(
      StackedWeights(products, padded, planner.graph()), nullptr,
      {/*outputs=*/dst.h * padded, /*taps=*/1, src.c, 1}, block_slices);
  weights.shared_id = products.weights_id;
  Dispatch d =
      DispatchOf(work, *grid, products.src, products.dst, std::move(weights));
  d.Define("POINTWISE").Define("PRODUCTS");
  BindWindow(Convolution(), &d);  // one tap
  BindSums(work, src.slices(), &d);
  return d;
}

}  // namespace gles_delegate

#include "delegate/ops/conv/conv_shared.h"

#include <algorithm>
#include <utility>

#include "delegate/ops/conv/conv_tile.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

// Terms that a lane takes from each chunk, at most, and must have at all.
constexpr int kChunkTerms = 2;
constexpr int kMaxLanes = 16;
// A work group has this many invocations at least, where there are terms for
// as many lanes.
constexpr int kMinInvocations = 128;

// What a dispatch computes: so many products of one size.
struct Work {
  int pixels = 1;
  int slices = 1;  // of the output
  int terms = 1;
  int products = 1;
  bool fused = false;  // with a depthwise convolution
};

// How a work group's part of the output is shared out.
struct Tiling {
  int cells_x = 8;  // invocations along pixels, slices, and of one sum
  int cells_y = 4;
  int lanes = 1;
  int pixels = 2;  // of an invocation
  int slices = 2;
  int chunk_terms = kChunkTerms;

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
  const int invocations = t.cells() * t.lanes;
  return terms % chunk == 0 && chunk * t.group_pixels() % invocations == 0 &&
         chunk * 4 * t.group_slices() % invocations == 0;
}

int SharedBytes(const Tiling& t) {
  const int chunk = t.lanes * t.chunk_terms;
  const int staged = chunk * (t.group_pixels() + 4 * t.group_slices());
  const int sums = t.lanes > 1 ? t.pixels * t.slices * t.lanes * t.cells() : 1;
  return 16 * std::max(staged, sums);
}

bool Fits(const Tiling& t, const DeviceProfile& profile) {
  const std::array<int, 3>& most = profile.limits.max_work_group_size;
  return t.cells_x <= most[0] && t.cells_y <= most[1] && t.lanes <= most[2] &&
         t.cells() * t.lanes <= profile.limits.max_work_group_invocations &&
         SharedBytes(t) <= profile.limits.max_shared_memory_bytes;
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
  t.slices = slices >= 32 ? 4 : 2;
  t.chunk_terms = ChunkTerms(work.terms, slices >= 32 ? 4 : 3);
  const bool large =
      t.groups(work) * t.cells() >= profile.choices.split_target / 2;
  if (!large || !Fits(t, profile)) return std::nullopt;
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
  t.chunk_terms = std::min(terms, kChunkTerms);
  while (wanted() && t.lanes * 2 <= kMaxLanes &&
         t.lanes * 2 * t.chunk_terms <= terms) {
    t.lanes *= 2;
    if (!Fits(t, profile)) {
      t.lanes /= 2;
      break;
    }
  }
  if (!Fits(t, profile)) return std::nullopt;
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
      .Grid(grid.x * t.cells_x, grid.y * t.cells_y, work.products * t.lanes)
      .WorkGroup(t.cells_x, t.cells_y, t.lanes)
      .SharedMemory(SharedBytes(t));
  if (WholeChunks(t, work.terms)) d.Define("WHOLE_CHUNKS");
  return d;
}

bool IsConstant(const WeightIds& ids, const Planner& planner) {
  return planner.tensor(ids.weights).is_constant() &&
         (ids.bias == kNoTensor || planner.tensor(ids.bias).is_constant());
}

const Tensor* BiasOf(const WeightIds& ids, const Planner& planner) {
  return ids.bias == kNoTensor ? nullptr : &planner.tensor(ids.bias);
}

// How the .comp finds what a term reads.
void DefineSource(const ConvSplit& conv, const FusedDepthwise* depthwise,
                  const Planner& planner, Dispatch* d) {
  const Shape& src = planner.tensor(conv.src).shape;
  const Shape& dst = planner.tensor(conv.dst).shape;
  const auto geometry = [d](const auto& a, int window_w, int window_h) {
    d->uniforms.Int4("stride_pad", a.stride_w, a.stride_h, a.pad_left,
                     a.pad_top);
    d->uniforms.Int4("window", window_w, window_h, a.dilation_w, a.dilation_h);
  };
  if (depthwise != nullptr) {
    d->Define("DEPTHWISE")
        .Define("KERNEL_W", depthwise->window_w)
        .Define("KERNEL_H", depthwise->window_h);
    PackedConstant weights =
        PackDepthwiseFilter(planner.tensor(depthwise->weights.weights),
                            BiasOf(depthwise->weights, planner));
    weights.name = "depthwise";
    d->Constant(std::move(weights));
    geometry(depthwise->attributes, depthwise->window_w, depthwise->window_h);
    return;
  }
  const Conv2dAttributes& a = conv.attributes;
  if (IsPointwise(a, conv.window_w, conv.window_h, src, dst)) {
    d->Define("POINTWISE");
  }
  BindInputGate(conv.gate, d);
  geometry(a, conv.window_w, conv.window_h);
}

}  // namespace

std::optional<Dispatch> PlanConvShared(const ConvSplit& conv, Planner* planner,
                                       const FusedDepthwise* depthwise) {
  const DeviceProfile& profile = planner->profile();
  if (profile.choices.split_target == 0 ||
      !IsConstant(conv.weights, *planner)) {
    return std::nullopt;
  }
  const Shape& src = planner->tensor(conv.src).shape;
  const Shape& dst = planner->tensor(conv.dst).shape;
  const int taps = conv.window_w * conv.window_h;
  const Work work = {dst.b * dst.h * dst.w, dst.slices(), taps * src.slices(),
                     /*products=*/1, depthwise != nullptr};
  const auto grid = ChooseGrid(work, profile);
  if (!grid) return std::nullopt;
  Dispatch d = DispatchOf(
      work, *grid, conv.src, conv.dst,
      PackFilterBlocks(planner->tensor(conv.weights.weights),
                       BiasOf(conv.weights, *planner), {dst.c, taps, src.c, 1},
                       grid->tiling.group_slices()));
  DefineSource(conv, depthwise, *planner, &d);
  d.uniforms.Int4("sum_shape", work.pixels, work.terms, src.slices(), 0);
  if (depthwise != nullptr) {
    d.uniforms.Float4("inner_clamp", {depthwise->low, depthwise->high, 0, 0});
  }
  return d;
}

std::optional<Dispatch> PlanProductsShared(const MatrixProducts& products,
                                           Planner* planner) {
  if (planner->profile().choices.split_target == 0) return std::nullopt;
  const Shape& src = planner->tensor(products.src).shape;
  const Shape& dst = planner->tensor(products.dst).shape;
  const Work work = {dst.w, dst.slices(), src.slices(), /*products=*/dst.h};
  const auto grid = ChooseGrid(work, planner->profile());
  if (!grid) return std::nullopt;
  const int block_slices = grid->tiling.group_slices();
  const int padded = grid->y * block_slices * 4;
  PackedConstant weights = PackFilterBlocks(
      StackedWeights(products, padded, planner->graph()),
      {/*outputs=*/dst.h * padded, /*taps=*/1, src.c, 1}, block_slices);
  weights.shared_id = products.weights_id;
  Dispatch d =
      DispatchOf(work, *grid, products.src, products.dst, std::move(weights));
  d.Define("POINTWISE").Define("PRODUCTS");
  // The window of a 1x1 convolution.
  d.uniforms.Int4("stride_pad", 1, 1, 0, 0);
  d.uniforms.Int4("window", 1, 1, 1, 1);
  d.uniforms.Int4("sum_shape", work.pixels, work.terms, src.slices(), 0);
  return d;
}

}  // namespace gles_delegate

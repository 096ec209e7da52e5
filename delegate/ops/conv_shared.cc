#include "delegate/ops/conv_shared.h"

#include <algorithm>

#include "delegate/ops/conv_tile.h"

namespace gles_delegate {
namespace {

// Terms that a lane takes from each chunk, at most, and must have at all.
constexpr int kChunkTerms = 2;
constexpr int kMaxLanes = 16;
// A work group has this many invocations at least, where there are terms for
// as many lanes.
constexpr int kMinInvocations = 128;

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
  int64_t groups(int all_pixels, int all_slices) const {
    return int64_t{DivideUp(all_pixels, group_pixels())} *
           DivideUp(all_slices, group_slices());
  }
};

int SharedBytes(const Tiling& t) {
  const int chunk = t.lanes * t.chunk_terms;
  const int staged = chunk * (t.group_pixels() + 4 * t.group_slices());
  const int sums = t.lanes > 1 ? t.pixels * t.slices * t.lanes * t.cells() : 1;
  return 16 * std::max(staged, sums);
}

bool Fits(const Tiling& t, const DeviceProfile& profile) {
  const std::array<int, 3>& most = profile.max_work_group_size;
  return t.cells_x <= most[0] && t.cells_y <= most[1] && t.lanes <= most[2] &&
         t.cells() * t.lanes <= profile.max_work_group_invocations &&
         SharedBytes(t) <= profile.max_shared_memory_bytes;
}

// Measured best on an H200 where the output is large: 25 to 32 TFLOP/s.
std::optional<Tiling> LargeTiling(int pixels, int slices, int terms,
                                  const DeviceProfile& profile) {
  Tiling t;
  t.cells_x = 16;
  t.cells_y = 8;
  t.pixels = 4;
  t.slices = slices >= 32 ? 4 : 2;
  t.chunk_terms = terms >= 16 && slices >= 32 ? 4 : 2;
  const bool large = slices >= 16 && t.groups(pixels, slices) * t.cells() >=
                                         profile.split_target / 2;
  if (!large || !Fits(t, profile)) return std::nullopt;
  return t;
}

// Of 32 cells, each 2x2 texels where there are slices enough; as many lanes as
// fill the device.
std::optional<Tiling> SmallTiling(int pixels, int slices, int terms,
                                  const DeviceProfile& profile) {
  Tiling t;
  if (slices <= 4) t.slices = 1;
  while (t.cells_y * t.slices >= 2 * slices && t.cells_y > 1) {
    t.cells_y /= 2;
    t.cells_x *= 2;
  }
  const int64_t cells = t.groups(pixels, slices) * t.cells();
  const auto wanted = [&] {
    return t.cells() * t.lanes < kMinInvocations ||
           cells * t.lanes < profile.split_target;
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

}  // namespace

std::optional<Dispatch> PlanConvShared(const ConvSplit& conv,
                                       Planner* planner) {
  const DeviceProfile& profile = planner->profile();
  const Tensor& weights = planner->tensor(conv.weights.weights);
  const Tensor* bias = conv.weights.bias == kNoTensor
                           ? nullptr
                           : &planner->tensor(conv.weights.bias);
  const bool constant =
      weights.is_constant() && (bias == nullptr || bias->is_constant());
  if (profile.split_target == 0 || !constant) return std::nullopt;
  const Shape& src = planner->tensor(conv.src).shape;
  const Shape& dst = planner->tensor(conv.dst).shape;
  const int taps = conv.window_w * conv.window_h;
  const int terms = taps * src.slices();
  const int pixels = dst.b * dst.h * dst.w;
  std::optional<Tiling> t = LargeTiling(pixels, dst.slices(), terms, profile);
  if (!t) t = SmallTiling(pixels, dst.slices(), terms, profile);
  if (!t) return std::nullopt;
  const int groups_x = DivideUp(pixels, t->group_pixels());
  const int groups_y = DivideUp(dst.slices(), t->group_slices());
  if (groups_x > profile.max_work_group_count[0] ||
      groups_y > profile.max_work_group_count[1]) {
    return std::nullopt;
  }

  const Conv2dAttributes& a = conv.attributes;
  Dispatch d("conv_shared");
  const bool pointwise = taps == 1 && a.stride_w == 1 && a.stride_h == 1 &&
                         a.pad_left == 0 && a.pad_top == 0 && src.h == dst.h &&
                         src.w == dst.w;
  if (pointwise) d.Define("POINTWISE");
  d.Define("TILE_PIXELS", t->pixels)
      .Define("TILE_SLICES", t->slices)
      .Define("CHUNK_TERMS", t->chunk_terms)
      .Read("src", conv.src)
      .Write("dst", conv.dst)
      .Constant(PackFilterBlocks(weights, bias, {dst.c, taps, src.c, 1},
                                 t->group_slices()))
      .Grid(groups_x * t->cells_x, groups_y * t->cells_y, t->lanes)
      .WorkGroup(t->cells_x, t->cells_y, t->lanes);
  d.uniforms.Int4("stride_pad", a.stride_w, a.stride_h, a.pad_left, a.pad_top);
  d.uniforms.Int4("window", conv.window_w, conv.window_h, a.dilation_w,
                  a.dilation_h);
  d.uniforms.Int4("sum_shape", pixels, terms, src.slices(), 0);
  return d;
}

}  // namespace gles_delegate

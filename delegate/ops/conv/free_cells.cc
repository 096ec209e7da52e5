#include "delegate/ops/conv/free_cells.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"

namespace gles_delegate {
namespace {

constexpr int kFreePixels = 2;  // of an invocation
constexpr int kFreeChunkTerms = 2;
// Invocations of a work group: of two slices, or of one.
constexpr int kFreeInvocations = 256;
constexpr int kFreeInvocationsOfASlice = 512;
constexpr int kMostLanes = 16;
constexpr int kMostLanesOfASlice = 32;
// Cells along pixels: with fewer an invocation brings eight weights of a chunk.
// Beside a next convolution there are no registers for them (131 in place of 99
// for mobilenet_v2, by Mesa's compiler for a Kepler).
constexpr int kLeastFreeCellsX = 2;
constexpr int kLeastFreeCellsXWithNext = 4;
// Where there are fewer groups, more lanes share a sum.
constexpr int kFewGroups = 128;
// Cells along pixels, past which lanes without a term cost less.
constexpr int kManyCellsX = 16;
// So many times split_target invocations are no more than the device has room
// for. A layer of more keeps its own tiling.
constexpr int kMostRounds = 4;

int LogarithmOf(int power_of_two) {
  int bits = 0;
  while (1 << bits < power_of_two) ++bits;
  return bits;
}

// A chunk of inputs and weights, or the lanes' sums.
int SharedTexels(const SharedTiling& t) {
  const int staged =
      t.lanes * t.chunk_terms * (t.group_pixels() + 4 * t.group_slices());
  return std::max(staged, t.pixels * t.slices * t.lanes * t.cells());
}

// What the next convolution reads.
int BetweenTexels(const SharedTiling& t) {
  return t.next_pixels > 0 ? t.group_pixels() * t.group_slices() : 0;
}

int LeastCellsX(const SharedTiling& t) {
  return t.next_pixels > 0 ? kLeastFreeCellsXWithNext : kLeastFreeCellsX;
}

bool Fits(const SharedTiling& t, const DeviceLimits& limits) {
  const int invocations = t.cells() * t.lanes;
  return invocations <= limits.max_work_group_invocations &&
         invocations <= limits.max_work_group_size[0] &&
         t.cells_x >= LeastCellsX(t) &&
         16 * (SharedTexels(t) + BetweenTexels(t)) <=
             limits.max_shared_memory_bytes;
}

// Of as many invocations, those along pixels become lanes, or lanes these.
void TradeLanes(const SharedWork& work, int64_t most_invocations,
                SharedTiling* t) {
  const int most_lanes = t->slices == 1 ? kMostLanesOfASlice : kMostLanes;
  const int invocations = t->cells() * t->lanes;
  const auto chunk = [&] { return t->lanes * t->chunk_terms; };
  const auto groups = [&] { return t->groups(work); };
  while (groups() < kFewGroups && t->lanes < most_lanes &&
         t->cells_x > LeastCellsX(*t) &&
         (chunk() < work.terms || t->cells_x > kManyCellsX)) {
    t->lanes *= 2;
    t->cells_x /= 2;
  }
  const auto are_idle = [&] {
    return chunk() >= 2 * work.terms && groups() >= 2 * kFewGroups;
  };
  while (t->lanes > 1 &&
         (are_idle() || groups() * invocations > most_invocations)) {
    t->lanes /= 2;
    t->cells_x *= 2;
  }
}

}  // namespace

std::optional<SharedGrid> WithFreeCells(const SharedGrid& grid,
                                        const SharedWork& work,
                                        const DeviceProfile& profile) {
  const SharedTiling& own = grid.tiling;
  const int64_t room = int64_t{kMostRounds} * profile.choices.split_target;
  // The tiling of large outputs is much faster where there is much to do.
  const bool is_large = own.pixels > kFreePixels && own.lanes == 1;
  if (work.halves || (is_large && !work.fused) ||
      own.groups(work) * own.cells() * own.lanes >
          (is_large ? room / kMostRounds : room)) {
    return std::nullopt;
  }
  SharedTiling t;
  t.pixels = kFreePixels;
  t.slices = work.fused || own.slices > 1 ? 2 : 1;
  t.chunk_terms = kFreeChunkTerms;
  t.next_pixels = own.next_pixels > 0 ? kFreePixels : 0;
  t.cells_y = own.group_slices() / t.slices;
  t.lanes = own.lanes;
  // The shader has the cells' logarithms.
  const bool is_power = (t.cells_y & (t.cells_y - 1)) == 0;
  if (t.group_slices() != own.group_slices() || !is_power ||
      (!work.fused && t.cells_y == 1)) {
    return std::nullopt;
  }
  const int invocations =
      t.slices == 1 ? kFreeInvocationsOfASlice : kFreeInvocations;
  while (t.lanes > 1 && t.cells_y * t.lanes * LeastCellsX(t) > invocations) {
    t.lanes /= 2;
  }
  t.cells_x = invocations / (t.cells_y * t.lanes);
  const bool is_own = own.pixels == t.pixels && own.slices == t.slices &&
                      own.cells_x == t.cells_x;
  if (!is_own) TradeLanes(work, room, &t);
  while (t.lanes > 1 && !Fits(t, profile.limits)) {
    t.lanes /= 2;
    t.cells_x *= 2;
  }
  if (!Fits(t, profile.limits)) return std::nullopt;
  return SharedGrid{t, DivideUp(work.pixels, t.group_pixels()), grid.y};
}

void BindFreeCells(const SharedWork& work, const SharedGrid& grid,
                   Dispatch::General* general) {
  const SharedTiling& t = grid.tiling;
  const int invocations = t.cells() * t.lanes;
  const int chunk = t.lanes * t.chunk_terms;
  for (const char* name : {"TILE_PIXELS", "TILE_SLICES", "CHUNK_TERMS",
                           "WHOLE_CHUNKS", "NEXT_PIXELS"}) {
    general->without.push_back(name);
  }
  const auto define = [&](const char* name, int value) {
    general->defines.emplace_back(name, absl::StrCat(value));
  };
  define("FREE_CELLS", 1);
  define("TILE_PIXELS", t.pixels);
  define("TILE_SLICES", t.slices);
  define("CHUNK_TERMS", t.chunk_terms);
  if (t.next_pixels > 0) define("NEXT_PIXELS", t.next_pixels);
  // Each invocation brings four inputs, for which others have no registers.
  if (t.cells_y == 1) define("ONE_CELL_ALONG_SLICES", 1);
  general->sizes = {
      {"INPUTS_EACH", DivideUp(chunk * t.group_pixels(), invocations)}};
  // Two weights have registers in any case. Convolutions with a depthwise one
  // inside have registers for the most that one of them brings, as they would
  // be too many texts otherwise.
  const int weights_each =
      std::max(2, DivideUp(chunk * 4 * t.group_slices(), invocations));
  if (work.fused) {
    general->sizes.emplace_back("WEIGHTS_EACH", weights_each);
  } else {
    define("WEIGHTS_EACH", weights_each);
  }
  general->shared_texels = {{"SHARED_TEXELS", SharedTexels(t)}};
  if (t.next_pixels > 0) {
    general->shared_texels.emplace_back("BETWEEN_TEXELS", BetweenTexels(t));
  }
  general->grid = {grid.x * invocations, grid.y, work.products};
  general->work_group = {invocations, 1, 1};
  general->variant[0] = LogarithmOf(t.cells_x);
  general->variant[1] = LogarithmOf(t.cells_y);
  general->variant[2] = LogarithmOf(t.lanes);
}

}  // namespace gles_delegate

#include "delegate/ops/matmul/attention_tiling.h"

#include <algorithm>
#include <limits>

#include "delegate/ops/conv/conv_shared_tiling.h"
#include "delegate/ops/conv/conv_tile.h"

namespace gles_delegate {
namespace {

constexpr int kMaxTileThreads = 384;
// Of a chunk of keys at most. In 16 bits they are half the bytes and take less
// time to multiply while the next ones arrive.
constexpr int kTermsOfKeys = 4;
constexpr int kTermsOfHalves = 16;
constexpr int kMaxResultSlices = 4;
// Texels of an invocation's scores and results that fit its registers.
constexpr int kMaxTexels = 12;
// The shader interleaves a multiple of this many cells along the rows.
constexpr int kRowCells = 4;
// Loads of keys and values cost a work group as much as this many rows
// (H200).
constexpr int kRowsOfLoads = 24;

// As few cells past the last slice as registers allow.
AttentionTiling CellsFor(int results) {
  AttentionTiling t;
  const int sixteens = DivideUp(results, 16), eights = DivideUp(results, 8);
  const bool wide = 16 * sixteens <= 8 * eights || eights > kMaxResultSlices;
  t.cells_x = wide ? 16 : 8;
  t.slices = wide ? sixteens : eights;
  return t;
}

bool Fits(const AttentionTiling& t, const AttentionWork& work,
          const DeviceLimits& limits) {
  const int threads =
      std::min({kMaxTileThreads, limits.max_work_group_invocations,
                limits.max_work_group_size[0]});
  return t.threads() <= threads && t.rows * (1 + t.slices) <= kMaxTexels &&
         t.SharedBytes(work.terms) <= limits.max_shared_memory_bytes;
}

// With as many lanes as there are tiles of keys for, and room.
AttentionTiling WithLanes(const AttentionTiling& t, const AttentionWork& work,
                          const DeviceLimits& limits) {
  AttentionTiling more = t;
  more.lanes *= 2;
  const int tiles = DivideUp(work.keys, 4 * t.cells_x);
  return more.lanes <= tiles && Fits(more, work, limits)
             ? WithLanes(more, work, limits)
             : t;
}

}  // namespace

int64_t AttentionTiling::groups(const AttentionWork& work) const {
  return int64_t{DivideUp(work.rows, group_rows())} * work.matrices;
}

int AttentionTiling::value_keys() const {
  // A power of two, as the keys of a tile are.
  int keys = 4;
  while (2 * keys * slices <= 4 * chunk_terms && keys < 4 * cells_x) {
    keys *= 2;
  }
  return keys;
}

int64_t AttentionTiling::SharedBytes(int terms) const {
  const int keys = chunk_terms * 4 * (cells_x + 2);
  const int values = value_keys() * (cells_x * slices + 1);
  const int sums = lanes > 1 ? cells_x * cells_y * (halves ? 2 : 1) : 0;
  const int of_lane =
      cells_x * (group_rows() + 1) + std::max({keys, values, sums});
  const int texels = terms * group_rows() + lanes * of_lane;
  const int totals = lanes * group_rows() * (lanes > 1 ? 2 : 1);
  return int64_t{halves ? 8 : 16} * texels + int64_t{4} * totals;
}

std::optional<AttentionTiling> ChooseAttentionTiling(
    const AttentionWork& work, const DeviceProfile& profile) {
  AttentionTiling t = CellsFor(work.results);
  t.halves = work.halves;
  t.chunk_terms =
      std::min(work.terms, work.halves ? kTermsOfHalves : kTermsOfKeys);
  if (GroupsAtOnce(profile) == 0 || t.slices > kMaxResultSlices) {
    return std::nullopt;
  }
  std::optional<AttentionTiling> best;
  int64_t min = std::numeric_limits<int64_t>::max();
  for (t.rows = 1; t.rows <= kMaxTexels / 2; ++t.rows) {
    for (t.cells_y = kRowCells; Fits(t, work, profile.limits);
         t.cells_y += kRowCells) {
      const int64_t groups = t.groups(work);
      const int64_t cost =
          RoundsOf(groups, profile) * (t.group_rows() + kRowsOfLoads);
      // At least half of the processors need work.
      if (cost > min || 2 * groups < GroupsAtOnce(profile)) continue;
      const AttentionTiling with_lanes = WithLanes(t, work, profile.limits);
      // The most invocations, then the most rows of each, as more rows share
      // what an invocation loads (H200).
      if (cost == min && with_lanes.threads() < best->threads()) continue;
      best = with_lanes;
      min = cost;
    }
  }
  return best;
}

}  // namespace gles_delegate

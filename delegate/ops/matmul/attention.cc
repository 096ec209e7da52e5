#include "delegate/ops/matmul/attention.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/ops/conv/conv_strategies.h"
#include "delegate/ops/dispatches.h"
#include "delegate/ops/reduction/rows.h"
#include "delegate/plan/planner.h"

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

constexpr int kInputs = 3;  // before the operands
constexpr int kMinThreads = 8;
constexpr int kMaxThreads = 1024;
// Rows that do not share tiles of keys and values.
constexpr int kMaxFewRows = 8;
// On processors: enough rows for vectors with several in each lane.
constexpr int kMinRows = 32;
// On processors: slices of a row of queries and of results that fit an
// invocation's registers and stack.
constexpr int kMaxRowSlices = 32;

// How many of `threads` invocations share a score.
int SharersOf(int terms, int scores, int threads) {
  int sharers = 1;
  while (sharers * 2 <= terms && sharers * 8 * DivideUp(scores, 4) <= threads) {
    sharers *= 2;
  }
  return sharers;
}

// Slices of scores; and sums, a largest score and a share of each invocation.
int64_t SharedBytes(const AttentionWork& work, int scores, int threads) {
  const int slice_floats =
      std::max(6, 4 * SharersOf(work.terms, scores, threads));
  return int64_t{4} * slice_floats * DivideUp(scores, 4) +
         int64_t{24} * threads;
}

// One for each score, or texel of values, if a work group may have that many:
// there are few groups, each of which waits for memory.
int ThreadsOf(const AttentionWork& work, int scores,
              const DeviceProfile& profile) {
  const DeviceLimits& limits = profile.limits;
  if (!RunsAbreast(profile.choices)) return 1;
  const int useful = std::max(scores, work.results * DivideUp(scores, 4));
  const int max =
      std::min({useful, kMaxThreads, limits.max_work_group_invocations,
                limits.max_work_group_size[1]});
  int threads = 1;
  while (threads * 2 <= max && SharedBytes(work, scores, threads * 2) <=
                                   limits.max_shared_memory_bytes) {
    threads *= 2;
  }
  return threads;
}

// Rows of an invocation, so that vectors with a tile in each lane take least.
int RowsOfTile(int rows, const DeviceChoices& choices) {
  // A sixth gains 1% of a model, and LLVM takes half a second longer for it.
  constexpr int kMaxRows = 5;
  // Keys and values that are loaded for a tile cost as much as this many rows.
  constexpr int kLoads = 8;
  int best = 1;
  int64_t min = std::numeric_limits<int64_t>::max();
  for (int tile = 1; tile <= kMaxRows; ++tile) {
    const int64_t vectors = DivideUp(DivideUp(rows, tile), choices.simd_lanes);
    if (vectors * (tile + kLoads) > min) continue;
    min = vectors * (tile + kLoads);
    best = tile;
  }
  return best;
}

// Slices of scores that a work group computes: all of a row, or if that leaves
// processors without work a part.
int SlicesOfPart(const AttentionWork& work, const DeviceProfile& profile) {
  // Fewer parts take as long as the dispatch that joins them, and more make
  // that longer (H200, SmolLM-135M's shape with caches of 1,024 and 2,048).
  constexpr int kBytes = 128 << 10;
  constexpr int kMinParts = 4;
  const int slices = DivideUp(work.keys, 4);
  const int64_t groups = int64_t{work.rows} * work.matrices;
  const int64_t parts = std::min<int64_t>(
      slices * int64_t{64} * (work.terms + work.results) / kBytes,
      2 * GroupsAtOnce(profile) / groups);
  return parts < kMinParts ? slices : DivideUp(slices, static_cast<int>(parts));
}

int PartsOfRow(const AttentionWork& work, const DeviceProfile& profile) {
  return DivideUp(DivideUp(work.keys, 4), SlicesOfPart(work, profile));
}

// Whether a work group of the device can hold its part of a row of scores.
bool HoldsScores(const AttentionWork& work, const DeviceProfile& profile) {
  return ThreadsOf(work, 4 * SlicesOfPart(work, profile), profile) >=
         kMinThreads;
}

// Whether the products and the softmax in dispatches of their own take longer.
// They have more rows for what they load, and scores in memory.
bool TilesAreFaster(const AttentionWork& work, const AttentionTiling& tiling,
                    const DeviceProfile& profile) {
  // A row of one processor in three dispatches, in rows of a work group, and
  // what two more dispatches cost, in rows times keys times terms. Measured on
  // the H200: 384 rows and 1,024 keys take 49 us, and in tiles 74.
  constexpr int64_t kRowsOfProducts = 2;
  constexpr int64_t kDispatches = 100'000;
  const int64_t tiles = RoundsOf(tiling.groups(work), profile) *
                        (tiling.group_rows() + kRowsOfLoads);
  const int64_t rows = RoundsOf(int64_t{work.rows} * work.matrices, profile);
  return (tiles - kRowsOfProducts * rows) * work.keys * work.terms <=
         kDispatches;
}

AttentionWork AttentionWorkOf(const AttentionAttributes& a) {
  const Matrix q = MatrixOf(a.scores.x, false);
  const Matrix v = MatrixOf(a.product.y, a.product.adj_y);
  return {q.rows, MatrixOf(a.scores.y, false).rows, DivideUp(q.columns, 4),
          DivideUp(v.columns, 4), MatrixOf(a.product.product).count()};
}

// The part that all shaders have in common but what they write.
void BindAttention(const AttentionAttributes& a, const Node& node,
                   const Planner& planner, Dispatch* d) {
  if (a.product.adj_y) d->Define("TRANSPOSED");
  const char* const names[kInputs] = {"q", "k", "v"};
  const std::vector<int>* const dims[kInputs] = {&a.scores.x, &a.scores.y,
                                                 &a.product.y};
  const int rank = a.scores.rank();
  for (int i = 0; i < kInputs; ++i) {
    d->Read(names[i], node.inputs[i]);
    AddMatrixPlace(absl::AsciiStrToUpper(names[i]), *dims[i],
                   planner.shape(node.inputs[i]), rank, d);
  }
  d->uniforms.Int("heights", planner.shape(node.inputs[0]).h);
  d->uniforms.Float("beta", a.beta);
  d->Apply(kScoreStage, StageOf(node, kScoreStage));
}

Dispatch AttentionRowsOf(const AttentionWork& work,
                         const DeviceProfile& profile) {
  const int rows = RowsOfTile(work.rows, profile.choices);
  Dispatch d("attention_rows");
  d.Define("TILE_ROWS", rows)
      .Define("TERMS", work.terms)
      .Define("RESULTS", work.results)
      .Grid(DivideUp(work.rows, rows), 1, work.matrices);
  d.uniforms.Int4("extent", work.rows, work.keys, 0, 0);
  return d;
}

Dispatch AttentionTilesOf(const AttentionWork& work, const AttentionTiling& t) {
  Dispatch d("attention_tiles");
  d.half_arithmetic = work.halves;
  d.Define("CELLS_X", t.cells_x)
      .Define("CELLS_Y", t.cells_y)
      .Define("LANES", t.lanes)
      .Define("TILE_ROWS", t.rows)
      .Define("TILE_SLICES", t.slices)
      .Define("TERMS", work.terms)
      .Define("CHUNK_TERMS", t.chunk_terms)
      .Define("VALUE_KEYS", t.value_keys())
      .Grid(int64_t{DivideUp(work.rows, t.group_rows())} * t.threads(), 1,
            work.matrices)
      .WorkGroup(t.threads(), 1, 1)
      .SharedMemory(t.SharedBytes(work.terms));
  d.uniforms.Int4("extent", work.rows, work.keys, work.results, 0);
  return d;
}

// `in_one_row`: AttentionAttributes'.
Dispatch AttentionFewRowsOf(const AttentionWork& work, bool in_one_row,
                            const DeviceProfile& profile) {
  const int slices = SlicesOfPart(work, profile);
  const int parts = PartsOfRow(work, profile);
  const int scores = std::min(work.keys, 4 * slices);
  const int threads = ThreadsOf(work, scores, profile);
  int lanes = 1;
  while (lanes * 2 * work.results <= threads) lanes *= 2;
  Dispatch d("attention");
  d.Define("THREADS", threads)
      .Define("SLICES", slices)
      .Define("SHARERS", SharersOf(work.terms, scores, threads))
      .Define("LANES", lanes)
      .Define("AT_ONCE", SumsAtOnce(profile.choices))
      .Grid(work.rows, threads, int64_t{work.matrices} * parts)
      .WorkGroup(1, threads, 1)
      .SharedMemory(SharedBytes(work, scores, threads));
  if (parts > 1) d.Define("PARTS");
  d.uniforms.Int4("extent", work.rows, work.keys, work.terms, work.results);
  d.uniforms.Int("in_one_row", in_one_row ? 1 : 0);
  d.uniforms.Int("parts", parts);
  return d;
}

// Joins the parts. `heights`: matrices of a batch.
Dispatch JoinOf(const AttentionWork& work, bool in_one_row, int heights) {
  Dispatch d("attention_join");
  d.Grid(work.results, int64_t{work.rows} * work.matrices, 1);
  d.uniforms.Int4("extent", work.rows, heights, work.results, 0);
  d.uniforms.Int("in_one_row", in_one_row ? 1 : 0);
  return d;
}

absl::StatusOr<Dispatch> DispatchOf(const AttentionAttributes& a,
                                    const Node& node, const Planner& planner) {
  const DeviceProfile& profile = planner.profile();
  AttentionWork work = AttentionWorkOf(a);
  if (a.way == AttentionWay::kRows) return AttentionRowsOf(work, profile);
  if (a.way == AttentionWay::kFewRows) {
    return AttentionFewRowsOf(work, a.in_one_row, profile);
  }
  // Not with transposed values, which an invocation would have to load four
  // rows of.
  work.halves =
      !a.product.adj_y &&
      std::all_of(node.inputs.begin(), node.inputs.begin() + kInputs,
                  [&](TensorId id) {
                    return planner.MultipliesHalves(id, node.outputs[0]);
                  });
  const auto tiling = ChooseAttentionTiling(work, profile);
  if (tiling) return AttentionTilesOf(work, *tiling);
  return absl::InternalError(absl::StrCat("attention of ", work.rows,
                                          " rows: no tiling, though the pass "
                                          "fuse_attention found one"));
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

std::optional<AttentionWay> ChooseAttentionWay(const AttentionAttributes& a,
                                               const DeviceProfile& profile) {
  const AttentionWork work = AttentionWorkOf(a);
  if (profile.choices.simd_lanes > 1) {
    const bool holds = work.terms + work.results <= kMaxRowSlices;
    return work.rows >= kMinRows && holds ? std::optional(AttentionWay::kRows)
                                          : std::nullopt;
  }
  if (work.rows <= kMaxFewRows) {
    return HoldsScores(work, profile) ? std::optional(AttentionWay::kFewRows)
                                      : std::nullopt;
  }
  const auto tiling = ChooseAttentionTiling(work, profile);
  return tiling && TilesAreFaster(work, *tiling, profile)
             ? std::optional(AttentionWay::kTiles)
             : std::nullopt;
}

absl::Status PlanAttention(const Node& node, Planner* planner) {
  const auto& a = node.Get<AttentionAttributes>();
  ASSIGN_OR_RETURN(auto d, DispatchOf(a, node, *planner));
  BindAttention(a, node, *planner, &d);
  const TensorId dst = node.outputs[0];
  const AttentionWork work = AttentionWorkOf(a);
  const int parts = a.way == AttentionWay::kFewRows
                        ? PartsOfRow(work, planner->profile())
                        : 1;
  if (parts == 1) return planner->Add(std::move(d.Write("dst", dst)));
  const int rows = work.rows * work.matrices;
  const TensorId of_parts = planner->AddFloat32Temporary(
      "parts", {1, rows, parts, 4 * (work.results + 1)});
  RETURN_IF_ERROR(planner->Add(std::move(d.Write("dst", of_parts))));
  Dispatch join = JoinOf(work, a.in_one_row, planner->shape(node.inputs[0]).h);
  return planner->Add(std::move(join.Read("src", of_parts).Write("dst", dst)));
}

}  // namespace gles_delegate

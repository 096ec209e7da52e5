#include <algorithm>
#include <utility>

#include "delegate/ops/conv/code_weights.h"
#include "delegate/ops/conv/conv_strategies.h"
#include "delegate/ops/conv/conv_tile.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/ops/matmul/row_products.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

// How many invocations share one sum: a power of two, no more than there are
// texels in a row or than one work group may hold.
int Lanes(int row_texels, int tile_rows, const DeviceProfile& profile) {
  const int max =
      std::min({profile.choices.reduction_lanes, row_texels,
                profile.limits.max_work_group_size[0],
                profile.limits.max_work_group_invocations,
                profile.limits.max_shared_memory_bytes / (16 * tile_rows)});
  int lanes = 1;
  while (lanes * 2 <= max) lanes *= 2;
  return lanes;
}

bool AppliesRowsByLanes(const Convolution& conv, const Planner& planner) {
  return IsRowProduct(conv, planner.profile().choices);
}

void PlanRowsByLanes(const Convolution& conv, Planner* planner) {
  const int terms = conv.filter.terms();
  const bool elements = !conv.RowsAreWholePixels();
  const int row_texels = elements ? DivideUp(terms, 4) : conv.term_texels();
  const int rows = conv.pixels();
  const int tile_rows = Even(rows, MaxProductRows(planner->profile().choices));
  const int lanes = Lanes(row_texels, tile_rows, planner->profile());
  Dispatch d("fully_connected");
  if (elements) d.Define("ELEMENTS");
  d.Define("LANES", lanes)
      .Define("TILE_ROWS", tile_rows)
      .Read("src", conv.src)
      .Write("dst", conv.dst)
      .Grid(lanes, conv.dst_shape.slices(), DivideUp(rows, tile_rows));
  if (BindQuantized(conv, *planner, &d)) {
    d.Define("QUANTIZED");
  } else {
    BindFilter(conv, planner, &d);
  }
  // One lane: no barriers, and the work group is the planner's to choose.
  if (lanes > 1) {
    d.WorkGroup(lanes, 1, 1).SharedMemory(int64_t{16} * lanes * tile_rows);
  }
  d.uniforms.Int4("row_shape", rows, row_texels, conv.filter.taps, terms);
  planner->Add(std::move(d));
}

}  // namespace

const ConvStrategy kRowsByLanes = {"rows_by_lanes", AppliesRowsByLanes,
                                   PlanRowsByLanes};

}  // namespace gles_delegate

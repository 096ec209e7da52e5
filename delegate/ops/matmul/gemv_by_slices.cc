#include <utility>

#include "delegate/ops/conv/conv_strategies.h"
#include "delegate/ops/conv/conv_tile.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/ops/matmul/row_products.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

bool AppliesGemvBySlices(const Convolution& conv, const Planner& planner) {
  const DeviceProfile& profile = planner.profile();
  const int block = profile.choices.simd_lanes;
  return IsRowProduct(conv, profile.choices) && block > 1 &&
         conv.dst_shape.slices() >= 2 * block && conv.RowsAreWholePixels() &&
         conv.constant_weights && !conv.quantized_rows &&
         FilterBlockTexels(conv.filter, block) <=
             profile.limits.max_texture_size;
}

void PlanGemvBySlices(const Convolution& conv, Planner* planner) {
  const DeviceProfile& profile = planner->profile();
  const int block = profile.choices.simd_lanes;
  const int rows = conv.pixels();
  const int tile_rows = Even(rows, MaxProductRows(profile.choices));
  Dispatch d("gemv_by_slices");
  d.Define("BLOCK", block)
      .Define("TILE_ROWS", tile_rows)
      .Read("src", conv.src)
      .Write("dst", conv.dst)
      .Constant(PackFilterBlocks(conv, planner->graph(), block))
      .Grid(conv.dst_shape.slices(), DivideUp(rows, tile_rows), 1);
  if (block <= profile.limits.max_work_group_size[0]) d.WorkGroup(block, 1, 1);
  d.uniforms.Int4("row_shape", rows, conv.filter.taps, 0, 0);
  planner->Add(std::move(d));
}

}  // namespace

const ConvStrategy kGemvBySlices = {"gemv_by_slices", AppliesGemvBySlices,
                                    PlanGemvBySlices};

}  // namespace gles_delegate

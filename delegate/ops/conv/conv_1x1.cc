#include <utility>

#include "delegate/ops/conv/conv_strategies.h"
#include "delegate/ops/conv/conv_tile.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/ops/matmul/row_products.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

bool AppliesConv1x1(const Convolution& conv, const Planner& planner) {
  return IsRowProduct(conv, planner.profile().choices) &&
         conv.RowsArePixels() && conv.HasManyPixels();
}

void PlanConv1x1(const Convolution& conv, Planner* planner) {
  const int pixels = conv.pixels();
  const int slices = conv.dst_shape.slices();
  const ConvTile tile =
      ChooseFlatTile(pixels, slices, planner->profile().choices);
  Dispatch d("conv_1x1");
  d.Define("TILE_PIXELS", tile.pixels)
      .Define("TILE_SLICES", tile.slices)
      .Read("src", conv.src)
      .Write("dst", conv.dst)
      .Grid(DivideUp(pixels, tile.pixels), DivideUp(slices, tile.slices), 1);
  const DeviceProfile& profile = planner->profile();
  if (profile.choices.simd_lanes > 1) {
    // Of one row of tiles as of several, so that they share a program.
    d.work_group = ChooseWorkGroup({d.grid[0], 2, 1}, profile);
  }
  d.half_arithmetic = conv.half_arithmetic;
  BindInputGate(conv.gate, &d);
  BindFilter(conv, planner, &d);
  planner->Add(std::move(d));
}

}  // namespace

const ConvStrategy kConv1x1 = {"conv_1x1", AppliesConv1x1, PlanConv1x1};

}  // namespace gles_delegate

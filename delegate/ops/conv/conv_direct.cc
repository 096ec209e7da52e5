#include <utility>

#include "delegate/ops/conv/conv_strategies.h"
#include "delegate/ops/conv/conv_tile.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

bool AppliesConvDirect(const Convolution& conv, const Planner&) {
  return conv.kind == Convolution::Kind::kWindow;
}

void PlanConvDirect(const Convolution& conv, Planner* planner) {
  const Filter& filter = conv.filter;
  const Shape& dst = conv.dst_shape;
  ConvTile tile =
      ChooseConvTile(dst.w, dst.slices(), planner->profile().choices);
  // Slices that the outputs of one group take.
  int group_outputs = dst.slices();
  if (filter.groups > 1 && filter.groups_packed_apart()) {
    group_outputs = filter.outputs_per_group() / 4;
    while (group_outputs % tile.slices != 0) --tile.slices;
  }
  const int tiles_x = DivideUp(dst.w, tile.pixels);
  Dispatch d("conv_2d");
  d.Define("TILE_PIXELS", tile.pixels)
      .Define("TILE_SLICES", tile.slices)
      .Read("src", conv.src)
      .Write("dst", conv.dst)
      .Grid(tiles_x * dst.h, DivideUp(dst.slices(), tile.slices), dst.b);
  BindFilter(conv, planner, &d);
  BindWindow(conv, &d);
  d.uniforms.Int4("group", filter.packed_input_slices(), group_outputs, tiles_x,
                  0);
  planner->Add(std::move(d));
}

}  // namespace

const ConvStrategy kConvDirect = {"conv_direct", AppliesConvDirect,
                                  PlanConvDirect};

}  // namespace gles_delegate

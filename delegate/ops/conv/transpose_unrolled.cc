#include <utility>

#include "delegate/ops/conv/conv_strategies.h"
#include "delegate/ops/conv/conv_tile.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/ops/conv/literal_weights.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

// Texels that the shader holds: of the input's slices, and of outputs.
constexpr int kMaxTransposedSlices = 8;
constexpr int kMaxTransposedOutputs = 16;
// Pixels of the input that an invocation takes, one after the other.
constexpr int kPixels = 8;

// True if each output has one tap: the windows of neighbouring input pixels are
// adjacent and cover the output.
bool LieSideBySide(const Convolution& conv) {
  const SlidingWindow& window = conv.window;
  return conv.window_w == window.stride_w && conv.window_h == window.stride_h &&
         window.BeginsInside() &&
         conv.dst_shape.w == conv.src_shape.w * window.stride_w &&
         conv.dst_shape.h == conv.src_shape.h * window.stride_h;
}

bool AppliesTransposeUnrolled(const Convolution& conv, const Planner& planner) {
  return conv.kind == Convolution::Kind::kTransposed && LieSideBySide(conv) &&
         conv.src_shape.slices() <= kMaxTransposedSlices &&
         conv.filter.taps * conv.dst_shape.slices() <= kMaxTransposedOutputs &&
         PaysAsLiterals(conv, planner);
}

void PlanTransposeUnrolled(const Convolution& conv, Planner* planner) {
  const Shape& src = conv.src_shape;
  const int pixels = Even(src.w, kPixels);
  const int tiles_x = DivideUp(src.w, pixels);
  Dispatch d("transpose_conv_unrolled");
  d.Define("TILE_PIXELS", pixels)
      .Define("SLICES", conv.dst_shape.slices())
      .Define("SRC_SLICES", src.slices())
      .Define("KERNEL_W", conv.window_w)
      .Define("KERNEL_H", conv.window_h)
      .Read("src", conv.src)
      .Write("dst", conv.dst)
      .Grid(int64_t{tiles_x} * src.h, 1, src.b);
  BindFilter(conv, planner, &d);
  d.constants.back().literal = true;
  d.uniforms.Int("tiles_x", tiles_x);
  planner->Add(std::move(d));
}

}  // namespace

const ConvStrategy kTransposeUnrolled = {
    "transpose_unrolled", AppliesTransposeUnrolled, PlanTransposeUnrolled};

}  // namespace gles_delegate

// CONV_2D and matrix products from tiles in the shared memory of a work group:
// for devices where that pays (split_target of the profile).
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_SHARED_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_SHARED_H_

#include <optional>

#include "delegate/ops/conv/conv_split.h"
#include "delegate/ops/conv/depthwise_conv_2d.h"
#include "delegate/ops/matmul/matrix_product.h"

namespace gles_delegate {

// A depthwise convolution (multiplier 1) whose result is read by the
// convolution alone, and computed by it on the way: never in memory.
struct FusedDepthwise {
  DepthwiseConv2dAttributes attributes;
  WeightIds weights;  // constant
  int window_w = 1;
  int window_h = 1;
  float low = 0;  // its activation, a clamp
  float high = 0;
};

// The dispatch; or nothing where the profile never splits, the weights or the
// bias are computed at run time, or no tile fits the device. With `depthwise`,
// conv.src is its input, and conv must be pointwise.
std::optional<Dispatch> PlanConvShared(
    const ConvSplit& conv, Planner* planner,
    const FusedDepthwise* depthwise = nullptr);

// Likewise for products apart from one another.
std::optional<Dispatch> PlanProductsShared(const MatrixProducts& products,
                                           Planner* planner);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_SHARED_H_

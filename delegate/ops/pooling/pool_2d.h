// AVERAGE_POOL_2D: the mean of a window's elements that lie inside the image.
// MAX_POOL_2D: the largest of them. BHWC, SAME or VALID, any stride, a fused
// activation. kInvalidArgument: the output is not what the window gives.
#ifndef GLES_DELEGATE_DELEGATE_OPS_POOLING_POOL_2D_H_
#define GLES_DELEGATE_DELEGATE_OPS_POOLING_POOL_2D_H_

#include <memory>
#include <optional>

#include "delegate/graph/op.h"
#include "delegate/ops/padding.h"
#include "delegate/ops/reduction/reduction.h"

namespace gles_delegate {

struct PoolAttributes {
  Window h, w;
  AxisPadding pad_h, pad_w;
  // What lies outside the image is zeros of the window, as a PAD before the
  // node would have put there (a pass gives that padding to the node); else it
  // is no part of the window, as SAME has it.
  bool zeros = false;
  // 8-bit AVERAGE_POOL_2D on codes, summed in integers; else null.
  std::shared_ptr<const CodeSums> codes;
};

// How the result of a MAX_POOL_2D of at most 2x2 lies in its source; `of` is
// not set. nullopt: the window is larger, counts what lies outside, or begins
// there.
std::optional<MemoryView> MaxPoolView(const Node& node);

ParseFunction ParsePool2d;
PlanFunction PlanAveragePool2d;
PlanFunction PlanMaxPool2d;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_POOLING_POOL_2D_H_

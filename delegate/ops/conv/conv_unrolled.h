// CONV_2D of few weights, spelled out: for processors that run invocations
// abreast (unrolled_terms of the profile).
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_UNROLLED_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_UNROLLED_H_

#include <optional>

#include "delegate/ops/conv/conv_split.h"

namespace gles_delegate {

// The dispatch; or nothing where the profile wants none, the weights or the
// bias are computed at run time or not all finite (literals are), the window is
// dilated along rows, the text would grow too long or run too seldom.
std::optional<Dispatch> PlanConvUnrolled(const ConvSplit& conv,
                                         Planner* planner);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_UNROLLED_H_

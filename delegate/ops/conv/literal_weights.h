// Convolutions with weights as literals in the shader, for SIMD processors,
// which then load a weight once for all lanes.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_LITERAL_WEIGHTS_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_LITERAL_WEIGHTS_H_

#include "delegate/ops/conv/convolution.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// 4x4 blocks of weights, each at least one instruction of the shader.
int BlocksOf(const Convolution& conv);

// True if the weights are constant, finite and few (unrolled_terms of the
// profile), there are many pixels, and the plan has few such shaders, each of
// which is a separate program.
bool PaysAsLiterals(const Convolution& conv, const Planner& planner);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_LITERAL_WEIGHTS_H_

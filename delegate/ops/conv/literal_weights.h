// Convolutions whose weights stand in the shader's text, for processors that
// run invocations abreast: such a processor reads a weight once for all of them
// then.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_LITERAL_WEIGHTS_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_LITERAL_WEIGHTS_H_

#include "delegate/ops/conv/convolution.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// 4x4 blocks of weights, each of which is an instruction or more in the text.
int BlocksOf(const Convolution& conv);

// True where the weights are constant, finite and few (unrolled_terms of the
// profile), the pixels many, and the plan has not too many such texts yet: each
// is a program of its own.
bool PaysAsLiterals(const Convolution& conv, const Planner& planner);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_LITERAL_WEIGHTS_H_

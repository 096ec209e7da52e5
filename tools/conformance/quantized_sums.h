// Models of floats that sum products, on 8- and 16-bit tensors.
#ifndef GLES_DELEGATE_TOOLS_CONFORMANCE_QUANTIZED_SUMS_H_
#define GLES_DELEGATE_TOOLS_CONFORMANCE_QUANTIZED_SUMS_H_

#include "tools/conformance/quantized_models.h"

namespace gles_delegate::conformance {

// The model on the builder's type: inputs and outputs with scales and zero
// points as WithZeroPoint() draws them, weights of 8 bits with one scale or one
// a channel, biases of 32 bits (of 16-bit tensors: 64). Most sums fit the
// output; in one of three models, by `number`, many saturate. Other nodes leave
// values as spread as they are.
SingleOpModel SummedFrom(const SingleOpModel& model, QuantizedBuilder& b,
                         int number);

}  // namespace gles_delegate::conformance

#endif  // GLES_DELEGATE_TOOLS_CONFORMANCE_QUANTIZED_SUMS_H_

// Rows' models of floats on 8- and 16-bit tensors, with random scales and zero
// points, the extremes among them. No code of their outputs may differ. Their
// programs are shared, as scales are uniforms.
#ifndef GLES_DELEGATE_TOOLS_CONFORMANCE_QUANTIZED_H_
#define GLES_DELEGATE_TOOLS_CONFORMANCE_QUANTIZED_H_

#include <string>

#include "tools/cases/case_spec.h"
#include "tools/conformance/suite.h"

namespace gles_delegate::conformance {

// Which scales and zero points a model gets; each is a separate case.
enum class Codes {
  kRandom,   // any scale from 2^-8 to 2^2, any zero point
  kLowest,   // zero points at the type's least code
  kHighest,  // at its greatest
  kMiddle,   // about the middle, with which chains keep values spread
};

// Scales, zero points and data come from the description's own stream.
struct Quantizing {
  std::string description;
  TensorType type;
  Codes codes = Codes::kRandom;
};

enum Width { kInt8 = 1, kUint8 = 2, kInt16 = 4 };
// The types that TFLite's kernel of the op takes.
int WidthsOf(Op op);
// Whether it puts quantized values elsewhere, at most to another scale.
bool MovesQuantized(Op op);

// Model `number` of a series. An op that computes gets quantizations that its
// kernel takes. One that moves values has the same quantization everywhere
// (`same`), or another for the output and further inputs. The first input has
// all quantized values.
SingleOpModel QuantizedFrom(const cases::CaseSpec& spec, const Quantizing& how,
                            int number, bool same);

// A model that sums products: inputs and outputs with any scales and zero
// points, weights of 8 bits with one scale or one a channel, biases of 32 bits
// (of 16-bit tensors: 64). Most sums fit the output; in one of three models, by
// `number`, many saturate. Other nodes leave values as spread as they are.
SingleOpModel SummedFrom(const SingleOpModel& model, const Quantizing& how,
                         int number);

}  // namespace gles_delegate::conformance

#endif  // GLES_DELEGATE_TOOLS_CONFORMANCE_QUANTIZED_H_

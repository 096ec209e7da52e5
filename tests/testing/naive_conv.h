// Convolutions by their definition, in double: the oracle for what TFLite's own
// kernels do not run (grouped convolutions before 2.11, uneven padding).
#ifndef GLES_DELEGATE_TESTS_TESTING_NAIVE_CONV_H_
#define GLES_DELEGATE_TESTS_TESTING_NAIVE_CONV_H_

#include <vector>

#include "delegate/graph/graph.h"
#include "delegate/ops/conv/conv_2d.h"

namespace gles_delegate::testing {

// A float tensor on the host, BHWC.
struct HostTensor {
  gles_delegate::Shape shape;
  std::vector<float> values;

  float at(int b, int h, int w, int c) const {
    return values[((b * shape.h + h) * shape.w + w) * shape.c + c];
  }
};

// The result, and for each element the sum of the magnitudes of its terms,
// which bounds its rounding error.
struct NaiveResult {
  std::vector<double> values;
  std::vector<double> magnitudes;
};

// Fails the test unless each value is within the rounding error of a sum of
// fewer than 200 terms in a row: 200 roundings of its magnitude.
void ExpectWithinRoundings(const std::vector<float>& got,
                           const NaiveResult& want);

// The input of a convolution. Refers to the caller's tensors.
struct NaiveInputs {
  const HostTensor& src;
  const HostTensor& filter;
  const std::vector<float>& bias;
};

// filter OHWI; attributes.groups as the filter's and the input's channels say.
NaiveResult NaiveConv(const NaiveInputs& in, const Conv2dAttributes& attributes,
                      const gles_delegate::Shape& dst);
// filter [1,H,W,O].
NaiveResult NaiveDepthwise(const NaiveInputs& in,
                           const DepthwiseConv2dAttributes& attributes,
                           const gles_delegate::Shape& dst);
// filter OHWI; a scatter, where the shader gathers.
NaiveResult NaiveTransposeConv(const NaiveInputs& in,
                               const TransposeConvAttributes& attributes,
                               const gles_delegate::Shape& dst);

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_NAIVE_CONV_H_

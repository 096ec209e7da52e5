// Test values for a self-check, and their interpretation.
#ifndef GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_VALUES_H_
#define GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_VALUES_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/types/span.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

// Values of a tensor by element, BHWC.
using ValueAt = std::function<float(int64_t element)>;

// The first values of a random input as the executor takes it, which those
// after them repeat: any quantized values, or floats with magnitudes of 0.25 to
// 1.25, so that quotients and roots stay in range; `far`: integers past the end
// of any axis. A seed gives the same values each time.
std::vector<uint8_t> RandomPattern(const Tensor& tensor, uint32_t seed,
                                   bool far = false);
// Fills `to` with copies of `pattern`.
void Repeat(absl::Span<const uint8_t> pattern, absl::Span<uint8_t> to);

// The real value of an element of an executor's input or output for `tensor`.
float ValueIn(const Tensor& tensor, absl::Span<const uint8_t> bytes,
              int64_t element);

// The values of view `view` of a tensor of shape `of` with values `whole`. Both
// must outlive the result.
ValueAt ViewOf(ValueAt whole, const Shape& of, const Tensor& view);

// `value`, or the nearest that the tensor can represent if quantized. A float
// view is rounded by its simulator, or not at all.
double NearestCode(const Tensor& tensor, double value);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_VALUES_H_

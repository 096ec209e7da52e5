// The values that a self-check gives to tensors, and what it reads of them.
#ifndef GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_VALUES_H_
#define GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_VALUES_H_

#include <cstdint>
#include <random>
#include <vector>

#include "absl/types/span.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

// An input as the executor takes it: any values that a tensor with codes can
// have, or floats of either sign and of 0.25 to 1.25, so that quotients and
// roots stay in range.
std::vector<uint8_t> RandomBytes(const Tensor& tensor, std::mt19937* random);

// The real values of what the executor takes or gives for `tensor`, BHWC.
std::vector<float> FloatsOf(const Tensor& tensor,
                            absl::Span<const uint8_t> bytes);

// The values of the view `view` of the tensor of shape `of` that it lies in,
// whose values are `whole`. All in BHWC order.
std::vector<float> ViewOf(const std::vector<float>& whole, const Shape& of,
                          const Tensor& view);

// `value`, or the nearest that the tensor's codes can hold. A float view ends
// there by its simulator, or nowhere.
double NearestCode(const Tensor& tensor, double value);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_VALUES_H_

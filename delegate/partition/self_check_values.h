// Test values for a self-check, and their interpretation.
#ifndef GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_VALUES_H_
#define GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_VALUES_H_

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "absl/types/span.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

// A random input as the executor takes it: any quantized values, or floats with
// magnitudes of 0.25 to 1.25, so that quotients and roots stay in range.
std::vector<uint8_t> RandomBytes(const Tensor& tensor, std::mt19937* random);

// The values of a tensor as the executor takes or gives them. Floats are not
// copied to be read.
class HostValues {
 public:
  // As RandomBytes().
  static HostValues Random(const Tensor& tensor, std::mt19937* random);
  // Room for an output.
  static HostValues For(const Tensor& tensor);

  absl::Span<uint8_t> bytes();
  // The real values, BHWC. `tensor`: as for the constructors.
  std::shared_ptr<const std::vector<float>> Floats(const Tensor& tensor) const;

 private:
  std::shared_ptr<std::vector<float>> floats_;  // nullptr: others_
  std::vector<uint8_t> others_;
};

// The real values of an executor's input or output for `tensor`, BHWC.
std::vector<float> FloatsOf(const Tensor& tensor,
                            absl::Span<const uint8_t> bytes);

// The values of view `view` of a tensor of shape `of` with values `whole`, all
// BHWC.
std::vector<float> ViewOf(const std::vector<float>& whole, const Shape& of,
                          const Tensor& view);

// `value`, or the nearest that the tensor can represent if quantized. A float
// view is rounded by its simulator, or not at all.
double NearestCode(const Tensor& tensor, double value);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_VALUES_H_

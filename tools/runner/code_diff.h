// How far the quantized values of one quantized tensor are from those of
// another.
#ifndef GLES_DELEGATE_TOOLS_RUNNER_CODE_DIFF_H_
#define GLES_DELEGATE_TOOLS_RUNNER_CODE_DIFF_H_

#include <cstdint>

#include "tools/common/tflite_host.h"

namespace gles_delegate {

// True for int8, uint8 and int16 tensors with a scale.
bool HasQuantized(const TensorView& tensor);

// The difference of one quantized tensor, in quantized values, gathered over
// any number of runs.
class CodeDiff {
 public:
  // Adds a run. Tensors of other types or sizes count as mismatches.
  void Add(const TensorView& reference, const TensorView& actual);

  int64_t elements() const { return elements_; }
  // Shares of all elements, 0 to 1 (1 where there are none).
  double equal() const { return Share(equal_); }
  double within_1() const { return Share(within_1_); }
  int largest() const { return largest_; }
  // How many runs could not be compared. One is a failure.
  int64_t mismatches() const { return mismatches_; }

 private:
  template <typename T>
  void AddQuantizedValues(const TensorView& reference,
                          const TensorView& actual);
  double Share(int64_t part) const {
    return elements_ == 0
               ? 1
               : static_cast<double>(part) / static_cast<double>(elements_);
  }

  int64_t elements_ = 0;
  int64_t equal_ = 0;
  int64_t within_1_ = 0;
  int64_t mismatches_ = 0;
  int largest_ = 0;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_RUNNER_CODE_DIFF_H_

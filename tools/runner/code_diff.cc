#include "tools/runner/code_diff.h"

#include <algorithm>
#include <cstdlib>

namespace gles_delegate {

bool HasQuantized(const TensorView& tensor) {
  return tensor.quantization().scale != 0 &&
         (tensor.type() == kTfLiteInt8 || tensor.type() == kTfLiteUInt8 ||
          tensor.type() == kTfLiteInt16);
}

template <typename T>
void CodeDiff::AddQuantizedValues(const TensorView& reference,
                                  const TensorView& actual) {
  const auto want = reference.data<T>();
  const auto got = actual.data<T>();
  for (size_t i = 0; i < want.size(); ++i) {
    const int difference =
        std::abs(static_cast<int>(want[i]) - static_cast<int>(got[i]));
    ++elements_;
    if (difference == 0) ++equal_;
    if (difference <= 1) ++within_1_;
    largest_ = std::max(largest_, difference);
  }
}

void CodeDiff::Add(const TensorView& reference, const TensorView& actual) {
  if (reference.type() != actual.type() ||
      reference.bytes().size() != actual.bytes().size()) {
    ++mismatches_;
    return;
  }
  switch (reference.type()) {
    case kTfLiteInt8:
      return AddQuantizedValues<int8_t>(reference, actual);
    case kTfLiteUInt8:
      return AddQuantizedValues<uint8_t>(reference, actual);
    case kTfLiteInt16:
      return AddQuantizedValues<int16_t>(reference, actual);
    default:
      ++mismatches_;
  }
}

}  // namespace gles_delegate

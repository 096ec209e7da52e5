// The fake runtime's kernels. They give outputs the
// shapes that the file has for them, with the inputs' free extents, check
// nothing else, and compute little more than a loop's counter.
#ifndef GLES_DELEGATE_TESTS_FUZZ_FAKE_KERNELS_H_
#define GLES_DELEGATE_TESTS_FUZZ_FAKE_KERNELS_H_

#include "tensorflow/lite/c/common.h"

namespace gles_delegate::fuzz {

// `registration` with the functions for its builtin code.
void SetKernel(TfLiteRegistration* registration);

}  // namespace gles_delegate::fuzz

#endif  // GLES_DELEGATE_TESTS_FUZZ_FAKE_KERNELS_H_

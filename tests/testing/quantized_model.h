// A quantized model for tests of the C API.
#ifndef GLES_DELEGATE_TESTS_TESTING_QUANTIZED_MODEL_H_
#define GLES_DELEGATE_TESTS_TESTING_QUANTIZED_MODEL_H_

#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/cases/model.h"

namespace gles_delegate::testing {

// y = x + x in quantized values, of either 8-bit type. No element of
// SomeElements() is halfway between two quantized values: if a driver's
// quotients are inexact (NVIDIA's), either of the two is the nearest one.
inline std::vector<uint8_t> SumOfQuantized(const Shape& shape,
                                           TensorType type) {
  const bool has_sign = type == TensorType::INT8;
  return cases::ModelOf(
             absl::StrCat(
                 "ADD@2 x=", has_sign ? "i8@(0.0307,-5)" : "u8@(0.0307,120)",
                 "[", absl::StrJoin(shape, ","), "] x -> ",
                 has_sign ? "i8@(0.07,3)" : "u8@(0.07,131)"))
      .bytes;
}

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_QUANTIZED_MODEL_H_

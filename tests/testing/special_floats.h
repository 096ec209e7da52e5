// The floats that are no numbers to compute with.
#ifndef GLES_DELEGATE_TESTS_TESTING_SPECIAL_FLOATS_H_
#define GLES_DELEGATE_TESTS_TESTING_SPECIAL_FLOATS_H_

#include <limits>

namespace gles_delegate::testing {

inline constexpr float kInf = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_SPECIAL_FLOATS_H_

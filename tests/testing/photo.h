// Photographs as a model's input.
#ifndef GLES_DELEGATE_TESTS_TESTING_PHOTO_H_
#define GLES_DELEGATE_TESTS_TESTING_PHOTO_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gles_delegate::testing {

// The picture, stretched bilinearly to dims = {1, height, width, 3 or 4} (a
// fourth channel is 255), 0 to 255 mapped to low to high. kNotFound: no picture
// there. kInvalidArgument: dims of another kind.
absl::StatusOr<std::vector<float>> LoadPhoto(const std::string& path,
                                             const std::vector<int>& dims,
                                             float low, float high);

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_PHOTO_H_

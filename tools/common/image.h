// Images of files: the one place that decodes any.
#ifndef GLES_DELEGATE_TOOLS_COMMON_IMAGE_H_
#define GLES_DELEGATE_TOOLS_COMMON_IMAGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace gles_delegate {

struct Image {
  int width = 0;  // pixels
  int height = 0;
  std::vector<uint8_t> rgb;  // height x width x 3
};

// A PNG, JPEG or BMP file's bytes, of at most 64 million pixels; transparency
// is dropped. kInvalidArgument: no such image, with the decoder's reason.
absl::StatusOr<Image> DecodeImage(absl::Span<const uint8_t> file);

// kNotFound: the file cannot be read. Errors name the file.
absl::StatusOr<Image> ReadImage(const std::string& path);

// The picture resized bilinearly, for inputs of models: values of 0 to 255, not
// rounded, as [height][width][3].
std::vector<float> Resampled(const Image& image, int width, int height);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_COMMON_IMAGE_H_

// What quantized_accuracy feeds to models: photographs, parts of them, noise.
#ifndef GLES_DELEGATE_TOOLS_QUANTIZED_ACCURACY_PICTURES_H_
#define GLES_DELEGATE_TOOLS_QUANTIZED_ACCURACY_PICTURES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/common/image.h"

namespace gles_delegate {

// A numbered, endless set of inputs: first each photograph whole, then random
// parts of them (each side a third to all of the photograph's), and every sixth
// uniform noise. Number and seed alone decide what an input is.
class Pictures {
 public:
  // One photograph or more. kNotFound: a file is missing. kInvalidArgument: it
  // is not an image.
  static absl::StatusOr<Pictures> Load(const std::vector<std::string>& files);

  // 0 to 255, rows of `channels` interleaved, by nearest neighbour. Three
  // channels are RGB; else every channel is the grey level.
  std::vector<uint8_t> Make(int number, int seed, int width, int height,
                            int channels) const;

 private:
  struct Rect {
    double x, y, width, height;
  };
  static std::vector<uint8_t> Resample(const Image& photo, const Rect& part,
                                       int width, int height, int channels);

  std::vector<Image> photos_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_QUANTIZED_ACCURACY_PICTURES_H_

#include "tools/gles_demo/picture_input.h"

#include <cmath>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "tools/gles_demo/scene.h"

namespace gles_delegate::demo {
namespace {

// The tensor's shape as [1, height, width, channels]; empty if it holds no
// image. `is_asked`: someone has an image for it, which [1, height, width] may
// be, too.
std::vector<int> ImageDims(const TensorView& tensor, bool is_asked) {
  std::vector<int> dims = tensor.dims();
  if (dims.size() == 3 && is_asked) dims.push_back(1);
  const bool is_image = dims.size() == 4 && dims[0] == 1 && dims[1] > 1 &&
                        dims[2] > 1 &&
                        (dims[3] == 1 || dims[3] == 3 || dims[3] == 4);
  return is_image ? dims : std::vector<int>();
}

// Converts RGB pixels of 0 to 255 to the tensor's channels: one channel is
// grey, a fourth one is an alpha of zero.
std::vector<float> ToChannels(const std::vector<float>& rgb, int channels) {
  if (channels == 3) return rgb;
  std::vector<float> out;
  out.reserve(rgb.size() / 3 * channels);
  for (size_t i = 0; i < rgb.size(); i += 3) {
    if (channels == 1) {
      out.push_back(0.299f * rgb[i] + 0.587f * rgb[i + 1] +
                    0.114f * rgb[i + 2]);
    } else {
      out.insert(out.end(), {rgb[i], rgb[i + 1], rgb[i + 2], 0.0f});
    }
  }
  return out;
}

// Writes pixels as the tensor needs them: floats are normalised by the flags,
// 8-bit codes stay as they are.
absl::Status WritePixels(const TensorView& tensor, std::vector<float> pixels,
                         double mean, double std) {
  if (tensor.type() == kTfLiteUInt8 || tensor.type() == kTfLiteInt8) {
    const int offset = tensor.type() == kTfLiteInt8 ? 128 : 0;
    InputBytes quantized;
    quantized.reserve(pixels.size());
    for (float pixel : pixels) {
      quantized.push_back(static_cast<uint8_t>(std::lround(pixel) - offset));
    }
    return tensor.WriteBytes(quantized);
  }
  for (float& pixel : pixels) {
    pixel = static_cast<float>((pixel - mean) / std);
  }
  return tensor.WriteFloats(pixels);
}

}  // namespace

absl::StatusOr<Input> MakeInput(const Interpreter& interpreter,
                                const std::string& image, double mean,
                                double std) {
  Input input;
  std::mt19937 random(1);
  ASSIGN_OR_RETURN(auto tensors,
                   MakeInputs(interpreter, FloatInputs::kGaussian, random));
  input.tensors = std::move(tensors);
  if (interpreter.inputs() == 0) return input;
  const TensorView first = interpreter.input(0);
  const std::vector<int> dims = ImageDims(first, !image.empty());
  if (dims.empty()) {
    if (image.empty()) return input;
    return absl::InvalidArgumentError(absl::StrCat(
        "Input ", first.name(), " [", absl::StrJoin(first.dims(), ","),
        "] is not an image, so --image has nowhere to go"));
  }
  ASSIGN_OR_RETURN(Canvas picture, image.empty() ? DrawScene(dims[2], dims[1])
                                                 : Canvas::FromFile(image));
  RETURN_IF_ERROR(WritePixels(
      first, ToChannels(picture.Resampled(dims[2], dims[1]), dims[3]), mean,
      std));
  input.picture = std::move(picture);
  input.height = dims[1];
  input.width = dims[2];
  input.tensors[0].assign(first.bytes().begin(), first.bytes().end());
  return input;
}

}  // namespace gles_delegate::demo

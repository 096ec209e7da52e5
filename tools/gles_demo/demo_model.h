// The demo's own model: image filters as a neural network, every weight from a
// formula, so that its outputs can be judged by eye.
#ifndef GLES_DELEGATE_TOOLS_GLES_DEMO_DEMO_MODEL_H_
#define GLES_DELEGATE_TOOLS_GLES_DEMO_DEMO_MODEL_H_

#include <cstdint>
#include <vector>

namespace gles_delegate::demo {

// Pixels lost to the filters, which never look past the image's border.
inline constexpr int kDemoBorder = 8;

// A .tflite file. Input: [1, size + kDemoBorder, size + kDemoBorder, 3], RGB in
// 0..1. Outputs, all [1, size, size, 3]:
//   stylised  the image posterised to four levels a channel, a glow added to
//             its bright parts, outlines inked
//   edges     how strong the Sobel gradient is: along x (red), along y (green)
//             and along both (blue)
//   blur      a Gaussian blur
// `size` must be a multiple of 8.
std::vector<uint8_t> BuildDemoModel(int size);

}  // namespace gles_delegate::demo

#endif  // GLES_DELEGATE_TOOLS_GLES_DEMO_DEMO_MODEL_H_

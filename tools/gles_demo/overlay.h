// A model's findings, drawn on its input picture.
#ifndef GLES_DELEGATE_TOOLS_GLES_DEMO_OVERLAY_H_
#define GLES_DELEGATE_TOOLS_GLES_DEMO_OVERLAY_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "tools/gles_demo/canvas.h"
#include "tools/gles_demo/views.h"
#include "tools/runner/agreement.h"

namespace gles_delegate::demo {

// The boxes in the four outputs of TFLite_Detection_PostProcess ([1,n,4] edges,
// [1,n] classes, [1,n] scores, [1] count); none where the outputs are others.
std::vector<Box> BoxesOf(absl::Span<const TensorValues> outputs);

// The boxes of BoxAgreement::kMinScore or more, with their labels and scores.
Canvas DrawBoxes(const Canvas& picture, absl::Span<const Box> boxes,
                 absl::Span<const std::string> labels);

// True where the tensor is [1, h, w, classes] with 2 to 64 classes and sides of
// 64 pixels or more.
bool IsMask(const TensorValues& tensor);

// The class of each pixel of a mask: its largest channel, the first of equals.
std::vector<int> ClassesOf(const TensorValues& mask);

// The picture, tinted by every class but 0 (the background), with the names of
// these classes below it.
Canvas DrawMask(const Canvas& picture, const TensorValues& mask,
                absl::Span<const std::string> labels);

}  // namespace gles_delegate::demo

#endif  // GLES_DELEGATE_TOOLS_GLES_DEMO_OVERLAY_H_

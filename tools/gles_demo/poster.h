// The demo's picture: what the CPU and what GLES found in the photograph. Of
// outputs that the demo does not know: input | CPU | GLES | difference, a row
// per output.
#ifndef GLES_DELEGATE_TOOLS_GLES_DEMO_POSTER_H_
#define GLES_DELEGATE_TOOLS_GLES_DEMO_POSTER_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "tools/gles_demo/canvas.h"
#include "tools/gles_demo/findings.h"

namespace gles_delegate::demo {

struct PosterContent {
  Canvas input;
  std::vector<TensorValues> cpu;                 // one for each output...
  std::vector<TensorValues> gles;                // ... and the same on GL
  std::optional<Finding> cpu_found, gles_found;  // both, or neither
  std::vector<std::string> labels;               // of classes; may be empty
  std::vector<std::string> notes;                // lines under the panels
};

// The power of ten by which a difference of at most `max_error` is multiplied
// to be seen; 1 where there is none.
float DifferenceFactor(double max_error);

// Draws the findings, else the first four outputs.
Canvas DrawPoster(const PosterContent& content);

// A model's findings, drawn on its input picture.

// The picture in `width` pixels, with boxes, marks, a skeleton or a tint of
// every class but 0 (the background). The names of a mask's classes, or the
// bars of a classifier's, are below it.
Canvas DrawFinding(const Canvas& picture, const Finding& finding,
                   absl::Span<const std::string> labels, int width);

}  // namespace gles_delegate::demo

#endif  // GLES_DELEGATE_TOOLS_GLES_DEMO_POSTER_H_

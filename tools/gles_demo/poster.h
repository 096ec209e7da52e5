// The demo's picture: what the CPU and what GLES found in the photograph. Of
// outputs that the demo does not know: input | CPU | GLES | difference, a row
// per output.
#ifndef GLES_DELEGATE_TOOLS_GLES_DEMO_POSTER_H_
#define GLES_DELEGATE_TOOLS_GLES_DEMO_POSTER_H_

#include <optional>
#include <string>
#include <vector>

#include "tools/gles_demo/canvas.h"
#include "tools/gles_demo/findings.h"
#include "tools/gles_demo/views.h"

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

}  // namespace gles_delegate::demo

#endif  // GLES_DELEGATE_TOOLS_GLES_DEMO_POSTER_H_

// The demo's picture, an SVG: what the CPU and what GLES found in the
// photograph. Of outputs that the demo does not know: input | CPU | GLES |
// difference, a row per output.
#ifndef GLES_DELEGATE_TOOLS_GLES_DEMO_POSTER_H_
#define GLES_DELEGATE_TOOLS_GLES_DEMO_POSTER_H_

#include <optional>
#include <string>
#include <vector>

#include "tools/common/image.h"
#include "tools/gles_demo/findings.h"

namespace gles_delegate::demo {

struct PosterContent {
  Image input;                                   // empty: there is none
  std::vector<TensorValues> cpu;                 // one for each output...
  std::vector<TensorValues> gles;                // ... and the same on GL
  std::optional<Finding> cpu_found, gles_found;  // both, or neither
  std::vector<std::string> labels;               // of classes; may be empty
  std::vector<std::string> notes;                // lines under the panels
};

// The findings: boxes, marks, a skeleton, a tint of every class but 0 (the
// background), with the names of a mask's classes or the bars of a classifier's
// below it. Else the first four outputs.
std::string DrawPoster(const PosterContent& content);

}  // namespace gles_delegate::demo

#endif  // GLES_DELEGATE_TOOLS_GLES_DEMO_POSTER_H_

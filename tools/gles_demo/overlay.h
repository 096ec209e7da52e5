// A model's findings, drawn on its input picture.
#ifndef GLES_DELEGATE_TOOLS_GLES_DEMO_OVERLAY_H_
#define GLES_DELEGATE_TOOLS_GLES_DEMO_OVERLAY_H_

#include <string>

#include "absl/types/span.h"
#include "tools/gles_demo/canvas.h"
#include "tools/gles_demo/findings.h"

namespace gles_delegate::demo {

// The picture in `width` pixels, with boxes, marks, a skeleton or a tint of
// every class but 0 (the background). The names of a mask's classes, or the
// bars of a classifier's, are below it.
Canvas DrawFinding(const Canvas& picture, const Finding& finding,
                   absl::Span<const std::string> labels, int width);

}  // namespace gles_delegate::demo

#endif  // GLES_DELEGATE_TOOLS_GLES_DEMO_OVERLAY_H_

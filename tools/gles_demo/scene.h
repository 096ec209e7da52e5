// The demo's own input: a landscape drawn from formulas, so that nothing but
// code is committed.
#ifndef GLES_DELEGATE_TOOLS_GLES_DEMO_SCENE_H_
#define GLES_DELEGATE_TOOLS_GLES_DEMO_SCENE_H_

#include "tools/gles_demo/canvas.h"

namespace gles_delegate::demo {

// Sky, sun, mountains, a lake and a balloon; edges are antialiased.
Canvas DrawScene(int width, int height);

}  // namespace gles_delegate::demo

#endif  // GLES_DELEGATE_TOOLS_GLES_DEMO_SCENE_H_

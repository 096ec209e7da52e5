// CONV_3D and CONV_3D_TRANSPOSE: a window of depth, height and width over
// [N,D,H,W,C], and its transpose, which spreads each input element over a
// window of the output. The filter is [D,H,W,I,O], of the transpose
// [D,H,W,O,I], a constant of floats. Batch and depth share the batch of the
// layout.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_3D_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_3D_H_

#include <array>

#include "delegate/graph/op.h"
#include "delegate/ops/sliding_window.h"

namespace gles_delegate {

struct Conv3dAttributes {
  // Along width, height and depth: of the input, or of the output if
  // transposed.
  std::array<Window, 3> window;
  std::array<int, 3> pad = {};  // elements before the first
  // Along the depth, which passes do not keep in the tensors' dims.
  int src_depth = 1;
  int dst_depth = 1;
  bool transposed = false;
  int data_input = 0;
  int filter_input = 1;
  int bias_input = 2;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_3D_H_

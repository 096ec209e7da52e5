// SELECT, SELECT_V2: x where the bool condition holds, else y; any of the three
// constant or not; x, y and output of float32, int32 or bool.
//   SELECT     x and y of one shape; the condition of the same, a scalar, or a
//              vector with an element for each index of the first axis
//   SELECT_V2  the three broadcast to the output
#ifndef GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_SELECT_H_
#define GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_SELECT_H_

#include <array>

#include "delegate/graph/op.h"

namespace gles_delegate {

struct SelectAttributes {
  std::array<Shape, 3> aligned;  // of the inputs, as the output sees them
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_SELECT_H_

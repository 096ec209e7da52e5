// SPLIT: cuts the input along an axis into equal outputs. SPLIT_V: into outputs
// of given sizes (one may be -1: the rest). UNPACK: one output per index,
// without the axis. Constant axis and sizes.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_SPLIT_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_SPLIT_H_

#include <vector>

#include "delegate/graph/op.h"
#include "delegate/ops/movement/remap.h"

namespace gles_delegate {

struct SplitAttributes {
  int value_input = 0;
  std::vector<Remap> remaps;  // one for each output
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_SPLIT_H_

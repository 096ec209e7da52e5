// The functions that op_list.inc names: how each op's node is parsed, and
// planned.
#ifndef GLES_DELEGATE_DELEGATE_OPS_ALL_OPS_H_
#define GLES_DELEGATE_DELEGATE_OPS_ALL_OPS_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

#define ROW(name, code, v, vq, signature, types, parse, plan, ...) \
  ParseFunction parse;                                             \
  PlanFunction plan;
#include "delegate/ops/op_list.inc"

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_ALL_OPS_H_

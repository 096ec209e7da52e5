// TRANSPOSE: output axis i is input axis permutation[i]. Rank <= 4, constant
// permutation. kInvalidArgument: no permutation of the input's axes, or another
// output shape than it gives.
#ifndef GLES_DELEGATE_DELEGATE_OPS_TRANSPOSE_H_
#define GLES_DELEGATE_DELEGATE_OPS_TRANSPOSE_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "delegate/ops/op.h"
#include "delegate/ops/remap.h"

namespace gles_delegate {

struct TransposeAttributes {
  Remap remap;
};

absl::StatusOr<ParsedNode> ParseTranspose(const NodeView& node);
absl::Status PlanTranspose(const Node& node, Planner* planner);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_TRANSPOSE_H_

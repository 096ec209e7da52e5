// SOFTMAX: exp(beta * (x - max)) / sum of the same, along the last axis.
// LOG_SOFTMAX: x - max - log(sum exp(x - max)). BHWC, any rank and batch, in
// highp whatever the storage is.
#ifndef GLES_DELEGATE_DELEGATE_OPS_SOFTMAX_H_
#define GLES_DELEGATE_DELEGATE_OPS_SOFTMAX_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "delegate/ops/op.h"

namespace gles_delegate {

struct SoftmaxAttributes {
  float beta = 1;
  bool log = false;
};

// kInvalidArgument: input and output differ in shape.
absl::StatusOr<ParsedNode> ParseSoftmax(const NodeView& node);
absl::StatusOr<ParsedNode> ParseLogSoftmax(const NodeView& node);
absl::Status PlanSoftmax(const Node& node, Planner* planner);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_SOFTMAX_H_

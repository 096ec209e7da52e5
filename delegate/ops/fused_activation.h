// The fused activation of a TFLite node, as a post-op.
#ifndef GLES_DELEGATE_DELEGATE_OPS_FUSED_ACTIVATION_H_
#define GLES_DELEGATE_DELEGATE_OPS_FUSED_ACTIVATION_H_

#include <vector>

#include "absl/status/statusor.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

// `activation`: TfLiteFusedActivation. No post-op for none, nor for TANH and
// SIGMOID, which TFLite's kernels ignore. kUnimplemented: SIGN_BIT.
absl::StatusOr<std::vector<PostOp>> FusedActivation(int activation);
// Of LSTM and SVDF, whose kernels apply TANH and SIGMOID.
absl::StatusOr<std::vector<PostOp>> RecurrentActivation(int activation);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_FUSED_ACTIVATION_H_

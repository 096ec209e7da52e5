// Checks shared by most parsers: element types and shapes. Messages give the
// rule and the values.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CHECKS_H_
#define GLES_DELEGATE_DELEGATE_OPS_CHECKS_H_

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "delegate/graph/graph.h"
#include "delegate/graph/op.h"

namespace gles_delegate {

// "1x4x4x5"; "scalar" for no dimensions.
std::string DimsString(absl::Span<const int> dims);

// kUnimplemented unless `tensor` is float32 and not empty; `what` names it in
// the message ("input", "output 2").
absl::Status CheckFloat(const Tensor& tensor, absl::string_view what);

// kUnimplemented: it has no elements, or more than shaders can index.
absl::Status CheckElements(const Tensor& tensor, absl::string_view what);

// True for int32 and bool tensors, whose texels are integers.
bool IsIntegers(const Tensor& tensor);

// kInvalidArgument unless the output has exactly these dimensions.
absl::Status CheckOutputDims(const Tensor& output, absl::Span<const int> want);

// kUnimplemented: TFLite's kernel copies quantized values of one to the other,
// whatever they stand for, and they stand for something else.
absl::Status CheckOneQuantization(const Tensor& a, const Tensor& b);

// `axis`, counted from the front. kInvalidArgument: outside [-rank, rank).
absl::StatusOr<int> NormalAxis(int axis, int rank);

// The position of axis `axis` >= 0 of a tensor of any rank.
struct AxisView {
  int axis = 0;  // of B, H, W, C
  // If set, the axis belongs to this shape, which has the same elements in
  // linear order: for one of several axes that fold into the batch. nullopt: it
  // belongs to the tensor's own shape.
  std::optional<Shape> shape;
};
AxisView ViewOfAxis(absl::Span<const int> dims, int axis);

// The integers of input `index`, a parameter ("axis!").
absl::StatusOr<std::vector<int>> IntsOfInput(const NodeView& node, int index);

// Input `index`, one of these ("axis!1"), as an axis of a tensor of `rank`
// axes, counted from the front. kInvalidArgument: it is outside.
absl::StatusOr<int> AxisOfInput(const NodeView& node, int index, int rank);

// --- The activation of a node ------------------------------------------------

// The fused activation of a TFLite node, as a post-op.

// `activation`: TfLiteFusedActivation. No post-op for none, nor for TANH and
// SIGMOID, which TFLite's kernels ignore. kUnimplemented: SIGN_BIT.
absl::StatusOr<std::vector<PostOp>> FusedActivation(int activation);
// Of LSTM and SVDF, whose kernels apply TANH and SIGMOID.
absl::StatusOr<std::vector<PostOp>> RecurrentActivation(int activation);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CHECKS_H_

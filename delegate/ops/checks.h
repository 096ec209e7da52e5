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

// CheckFloat() for every output and for inputs first_input to last_input;
// absent inputs pass. For ops with other inputs that are constants of other
// types.
absl::Status CheckFloatTensors(const NodeView& node, int first_input,
                               int last_input);

// For ops that move values of any type: every output and inputs first_input to
// last_input must have one type, float32, int32 or, if TFLite's kernel takes
// it, bool; absent inputs pass. kUnimplemented: another type, or an empty
// tensor. kInvalidArgument: different types.
enum class TakesBool { kNo, kYes };
absl::Status CheckMovedTensors(const NodeView& node, int first_input,
                               int last_input,
                               TakesBool takes_bool = TakesBool::kYes);

// For ops whose TFLite kernels do not take quantized tensors. kUnimplemented:
// an input or output is a float view.
absl::Status CheckNotQuantized(const NodeView& node);

// True for int32 and bool tensors, whose texels are integers.
bool IsIntegers(const Tensor& tensor);

// kUnimplemented unless `tensor` has `type`, int32 or bool, and is not empty.
absl::Status CheckIntegers(const Tensor& tensor, DataType type,
                           absl::string_view what);

// Both must be float32 or both int32, and not empty; `what` names the first in
// messages. kUnimplemented: another type. kInvalidArgument: different types.
absl::Status CheckFloatsOrInts(const Tensor& tensor, absl::string_view what,
                               const Tensor& output);

// kInvalidArgument unless the output has exactly these dimensions.
absl::Status CheckOutputDims(const Tensor& output, absl::Span<const int> want);

// kUnimplemented above rank `most`, for ops with axis parameters: AxisArray
// holds five.
absl::Status CheckRank(const Tensor& tensor, absl::string_view what,
                       int max = 5);

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

// The integers of input `index`, which must be present, constant, and int32 or
// int64; `what` names them in messages. Empty for an empty tensor.
absl::StatusOr<std::vector<int>> IntsOfInput(const NodeView& node, int index,
                                             absl::string_view what);

// Input `index`, one constant integer, as an axis of a tensor of `rank` axes,
// counted from the front. kInvalidArgument if it is not one integer; other
// errors as IntsOfInput() and NormalAxis().
absl::StatusOr<int> AxisOfInput(const NodeView& node, int index, int rank);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CHECKS_H_

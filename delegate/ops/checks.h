// What most parsers check: element types and shapes, with messages that state
// the rule and the values.
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

// kUnimplemented unless `tensor` holds float32 and has elements; `what` names
// it in the message ("input", "output 2").
absl::Status CheckFloat(const Tensor& tensor, absl::string_view what);

// Likewise for every output and for the inputs first_input to last_input; an
// absent input passes. For ops whose other inputs are constants of other types.
absl::Status CheckFloatTensors(const NodeView& node, int first_input,
                               int last_input);

// For ops that move values of any kind: every output and the inputs first_input
// to last_input have one type, float32, int32 or, where TFLite's kernel takes
// it, bool; an absent input passes. kUnimplemented: another type, or no
// elements. kInvalidArgument: types that differ.
enum class TakesBool { kNo, kYes };
absl::Status CheckMovedTensors(const NodeView& node, int first_input,
                               int last_input,
                               TakesBool takes_bool = TakesBool::kYes);

// For ops whose TFLite kernels take no quantized tensors. kUnimplemented: an
// input or output is in its float view.
absl::Status CheckNotQuantized(const NodeView& node);

// True for int32 and bool tensors, whose texels are integers.
bool IsIntegers(const Tensor& tensor);

// kUnimplemented unless `tensor` is of `type`, int32 or bool, and has elements.
absl::Status CheckIntegers(const Tensor& tensor, DataType type,
                           absl::string_view what);

// Both of float32, or both of int32, and with elements; `what` names the first
// in the message. kUnimplemented: another type. kInvalidArgument: types that
// differ.
absl::Status CheckFloatsOrInts(const Tensor& tensor, absl::string_view what,
                               const Tensor& output);

// kInvalidArgument unless the output has exactly these dimensions.
absl::Status CheckOutputDims(const Tensor& output, absl::Span<const int> want);

// kUnimplemented above rank `most`, for ops that name axes: AxisArray holds
// five.
absl::Status CheckRank(const Tensor& tensor, absl::string_view what,
                       int most = 5);

// `axis` counted from the front. kInvalidArgument: outside [-rank, rank).
absl::StatusOr<int> NormalAxis(int axis, int rank);

// Where axis `axis` >= 0 of a tensor of any rank lies.
struct AxisView {
  int axis = 0;  // of B, H, W, C
  // The axis is one of this shape, which has the tensor's elements in the same
  // linear order. That is so where the axis is one of several that fold into
  // the batch. nullopt: the axis is one of the tensor's own shape.
  std::optional<Shape> shape;
};
AxisView ViewOfAxis(absl::Span<const int> dims, int axis);

// The integers of input `index`, which must be present, constant, and int32 or
// int64; `what` names them in the message. A tensor of no elements gives none.
absl::StatusOr<std::vector<int>> IntsOfInput(const NodeView& node, int index,
                                             absl::string_view what);

// Input `index`, one constant integer, as an axis of a tensor of `rank` axes;
// counted from the front. The errors are those of IntsOfInput() and
// NormalAxis(). kInvalidArgument: not one integer.
absl::StatusOr<int> AxisOfInput(const NodeView& node, int index, int rank);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CHECKS_H_

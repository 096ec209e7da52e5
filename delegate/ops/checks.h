// What most parsers share: checks of element types and shapes, activations and
// sliding windows. Messages give the rule and the values.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CHECKS_H_
#define GLES_DELEGATE_DELEGATE_OPS_CHECKS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "delegate/graph/graph.h"
#include "delegate/graph/op.h"

namespace gles_delegate {

// Of axes of a tensor, so that it is within int.
int ProductOf(absl::Span<const int> dims);

// "1x4x4x5"; "scalar" for no dimensions.
std::string DimsString(absl::Span<const int> dims);

// kUnimplemented unless `tensor` has one of the types, as op_list.inc has them,
// and is not empty; `what` names it in the message ("input", "output 2").
absl::Status CheckElementType(const Tensor& tensor, absl::string_view what,
                              absl::string_view types);

// kUnimplemented: it has no elements, or more than shaders can index.
absl::Status CheckElements(const Tensor& tensor, absl::string_view what);

// True for int32 and bool tensors, whose texels are integers.
bool IsIntegers(const Tensor& tensor);

// kInvalidArgument unless the output has exactly these dimensions.
absl::Status CheckOutputDims(const Tensor& output, absl::Span<const int> want);

// kInvalidArgument unless `tensor` has exactly these; `what` names it.
absl::Status CheckDimsAre(const Tensor& tensor, absl::Span<const int> want,
                          absl::string_view what);

// kUnimplemented: TFLite's kernel copies quantized values of one to the other,
// whatever they stand for, and they stand for something else.
absl::Status CheckOneQuantization(const Tensor& a, const Tensor& b);

// `axis`, counted from the front. kInvalidArgument: outside [-rank, rank).
absl::StatusOr<int> NormalAxis(int axis, size_t rank);

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
absl::StatusOr<int> AxisOfInput(const NodeView& node, int index, size_t rank);

// --- The activation of a node ------------------------------------------------

// The fused activation of a TFLite node, as a post-op.

// `activation`: TfLiteFusedActivation. No post-op for none, nor for TANH and
// SIGMOID, which TFLite's kernels ignore. kUnimplemented: SIGN_BIT.
absl::StatusOr<std::vector<PostOp>> FusedActivation(int activation);
// Of LSTM and SVDF, whose kernels apply TANH and SIGMOID.
absl::StatusOr<std::vector<PostOp>> RecurrentActivation(int activation);

// --- Sliding windows ---------------------------------------------------------

// TFLite's padding arithmetic for sliding windows of convolutions and pooling,
// one axis at a time.

// A window along one axis, in input elements.
struct Window {
  int size = 1;      // taps
  int stride = 1;    // input elements from one output to the next
  int dilation = 1;  // input elements from one tap to the next

  int64_t extent() const { return int64_t{size - 1} * dilation + 1; }
};

// The dilation of a parameter: 0, as in models without it, means 1.
inline int DilationOf(int parameter) { return parameter == 0 ? 1 : parameter; }

// Window positions along one axis: tap t of output o reads input element o *
// stride - before + t * dilation, which is absent if outside the input.
struct AxisPadding {
  int before = 0;  // elements
  int after = 0;   // has the odd element of SAME
  int out = 0;     // number of windows
};

// `padding` is TfLitePadding (kPaddingSame, kPaddingValid), `in` the input's
// extent. kInvalidArgument: sizes below 1, a window that does not fit, or
// positions that exceed a shader's 32-bit integers; kUnimplemented: another
// padding. Messages begin with `axis` ("height").
absl::StatusOr<AxisPadding> ComputePadding(int padding, int in,
                                           const Window& window,
                                           absl::string_view axis);

// kInvalidArgument unless the output's extent `got` is padding.out.
absl::Status CheckExtent(const AxisPadding& padding, int got,
                         absl::string_view axis);

// The window of a convolution or a pool. All members are in input elements. Tap
// (ky, kx) of output pixel (y, x) reads input row y * stride_h - pad_top + ky *
// dilation_h, and the column by the same formula. Elements outside the input
// are zero for a convolution, and no part of a pool's window.
struct SlidingWindow {
  int stride_h = 1;
  int stride_w = 1;
  int dilation_h = 1;
  int dilation_w = 1;
  // Zeros around the input. A pass that makes the input smaller may increase
  // them by as much. The output's shape stays the same.
  int pad_top = 0;
  int pad_left = 0;
  int pad_bottom = 0;
  int pad_right = 0;

  bool HasUnitStride() const { return stride_h == 1 && stride_w == 1; }
  bool IsDilated() const { return dilation_h != 1 || dilation_w != 1; }
  // True if any side is padded.
  bool IsPadded() const {
    return pad_top != 0 || pad_left != 0 || pad_bottom != 0 || pad_right != 0;
  }
  // True if the first window begins at the input's first element.
  bool BeginsInside() const { return pad_top == 0 && pad_left == 0; }
};

// The window parameters of a TFLite node.
struct WindowParams {
  int padding = 0;  // TfLitePadding
  int stride_h = 1;
  int stride_w = 1;
  int dilation_h = 1;  // 0: 1, which a model without the field means
  int dilation_w = 1;
};

// The window of a node with shapes `src` and `filter` (height and width are the
// taps), with TFLite's padding rules. kInvalidArgument: sizes below 1, or a
// window that does not fit. kUnimplemented: padding other than SAME and VALID.
absl::StatusOr<SlidingWindow> SlidingWindowOf(const WindowParams& params,
                                              const Shape& src,
                                              const Shape& filter);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CHECKS_H_

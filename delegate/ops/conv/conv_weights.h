// Weights and bias of convolutions and matrix products: checked, packed for
// shaders that multiply slices of four channels by 4x4 blocks, and bound to
// dispatches.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_WEIGHTS_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_WEIGHTS_H_

#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "delegate/graph/graph.h"
#include "delegate/ops/conv/convolution.h"
#include "delegate/plan/dispatch.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// Weights must be float32 computed at run time, or constants of a float type
// with enough bytes for their shape. kUnimplemented: another type, or a sparse
// constant, whose values are not in element order; kInvalidArgument: too few
// bytes. `what` ("the filter") begins the message.
absl::Status CheckWeights(const Tensor& tensor, absl::string_view what);

// kInvalidArgument unless `bias` has one value per output channel; otherwise as
// CheckWeights. nullptr (no bias) passes. A bias computed at run time must be a
// vector.
absl::Status CheckBias(const Tensor* bias, int out_channels);

// Weights that are computed when they are packed, in the filter's order: those
// of a constant, or values in `room`. They must depend only on what is in the
// start-up cache's key (PackedConstant::cacheable).
using FilterValues =
    std::function<absl::Span<const float>(std::vector<float>* room)>;
// Those of a constant of the model that CheckWeights() has let through.
FilterValues ValuesOf(const Tensor& tensor);

// "weights": row (output slice * taps + tap), texel (input slice * 4 + i) holds
// the weights of input channel 4 * slice + i for four outputs. The last texel
// of each slice's first row is its bias. Padding is zero. `bias` may be
// nullptr: zeros.
PackedConstant PackFilter(FilterValues weights, FilterValues bias,
                          const Filter& filter);

// The same for constant weights and an optional constant bias.
PackedConstant PackFilter(const WeightIds& ids, const Filter& filter,
                          const Graph& graph);
// The same for a 1x1 convolution.
PackedConstant PackPointwiseFilter(const WeightIds& ids, const Graph& graph,
                                   absl::string_view name = "weights");

// The same in blocks of `block_slices` output slices, one row each, ordered by
// term (tap * input slices + input slice), input channel and output slice,
// followed by the biases. Ungrouped filters only.
PackedConstant PackFilterBlocks(FilterValues weights, FilterValues bias,
                                const Filter& filter, int block_slices);
PackedConstant PackFilterBlocks(const WeightIds& ids, const Filter& filter,
                                const Graph& graph, int block_slices);
// Texels in a row of blocks.
int64_t FilterBlockTexels(const Filter& filter, int block_slices);

// "weights" of a depthwise filter [1,H,W,O]: row = output slice, texel = tap,
// then the bias. One that is not constant is omitted.
PackedConstant PackDepthwiseFilter(const WeightIds& ids, const Graph& graph,
                                   absl::string_view name = "weights");

// The uniforms "stride_pad" and "window" of a convolution's window.
void BindWindow(const Convolution& conv, Dispatch* d);

// Gives `d` the window of a depthwise convolution, with size and stride as
// constants in the shader and "step_pad" as its first parameter.
void BindDepthwiseWindow(const Convolution& conv, Dispatch* d);

// Gives `d` the convolution's "weights", in the layout of PackDepthwiseFilter
// for kDepthwise, of PackQuantizedRows for quantized_rows (and defines
// QUANTIZED), else of PackFilter. Constants are packed when the plan is
// uploaded. Weights computed at run time are packed by a dispatch that is added
// to `planner` first, into a tensor with the same name. If weights or bias are
// not constant, the bias in "weights" is zero and d's first post-op adds it.
absl::Status BindFilter(const Convolution& conv, Planner* planner, Dispatch* d);

// Convolutions with weights as literals in the shader, for SIMD processors,
// which then load a weight once for all lanes.

// 4x4 blocks of weights, each at least one instruction of the shader.
int BlocksOf(const Convolution& conv);

// True if the weights are constant, finite and few (unrolled_terms of the
// profile), there are many pixels, and the plan has few such shaders, each of
// which is a separate program.
bool PaysAsLiterals(const Convolution& conv, const Planner& planner);

// --- Rows of quantized weights -----------------------------------------------

// Constant matrices whose values stay in 8, 4 or 2 bits on the GPU.

// True for a constant matrix of int8, int4 or int2 without zero points that has
// one scale, one a row, or one for each block of a row; a block has a power of
// two of at least 16 values.
bool StaysQuantized(const Tensor& matrix);

// The matrix as quantized rows (gl_shaders/shader.h), the outputs' weights one
// after the other. The pixels of a row begin at whole texels: `filter` says how
// it consists of them. `bias`: nullptr, or a constant. Nodes that read a matrix
// in the same way share it, whichever shader they take.
PackedConstant PackQuantizedRows(absl::string_view name, const Tensor& matrix,
                                 const Tensor* bias, const Filter& filter);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_WEIGHTS_H_

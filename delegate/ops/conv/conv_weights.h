// Weights and bias of convolutions and matrix products, checked, packed for the
// shaders that multiply slices of four channels by 4x4 blocks, and bound to
// their dispatches.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_WEIGHTS_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_WEIGHTS_H_

#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "delegate/graph/graph.h"
#include "delegate/ops/conv/convolution.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// Weights may be float32 computed at run time, or constants of a float type
// with all the bytes that their shape needs. kUnimplemented: another type, or a
// sparse constant, whose values lie in an order of their own; kInvalidArgument:
// too few bytes. `what` ("the filter") begins the message.
absl::Status CheckWeights(const Tensor& tensor, absl::string_view what);

// kInvalidArgument unless `bias` has one value per output channel; else as
// CheckWeights. No bias (nullptr) is fine. A runtime bias must be a vector.
absl::Status CheckBias(const Tensor* bias, int out_channels);

// Weights that are computed when they are packed, in the filter's order. They
// must follow from what the start-up cache keys by (PackedConstant::cacheable).
using FilterValues = std::function<std::vector<float>()>;

// "weights": row (output slice * taps + tap), texel (input slice * 4 + i) holds
// what input channel 4 * slice + i adds to the four outputs. The last texel of
// each slice's first row is its bias. Tails are zero. `bias` may be nullptr:
// zeros.
PackedConstant PackFilter(FilterValues weights, FilterValues bias,
                          const Filter& filter);

// Likewise, of constant weights and a constant bias, which may be none.
PackedConstant PackFilter(const WeightIds& ids, const Filter& filter,
                          const Graph& graph);

// Likewise, in blocks of `block_slices` output slices, a row each: by term (tap
// * input slices + input slice), input channel, output slice; the biases after
// the last term. Ungrouped filters only.
PackedConstant PackFilterBlocks(FilterValues weights, FilterValues bias,
                                const Filter& filter, int block_slices);
// The blocks of a convolution whose weights are constant.
PackedConstant PackFilterBlocks(const Convolution& conv, const Graph& graph,
                                int block_slices);
PackedConstant PackFilterBlocks(const WeightIds& ids, const Filter& filter,
                                const Graph& graph, int block_slices);
// Texels that a row of blocks has.
int FilterBlockTexels(const Filter& filter, int block_slices);

// "weights" of a depthwise filter [1,H,W,O]: row = output slice, texel = tap,
// the bias after the last tap. `bias` may be nullptr; one that is no constant
// is left out.
PackedConstant PackDepthwiseFilter(const Tensor& weights, const Tensor* bias);

// Has `d` apply the gate to what it reads: defines GATE and ADDEND, reads both.
// Does nothing where there is none.
void BindInputGate(const InputGate& gate, Dispatch* d);

// The uniforms "stride_pad" and "window" of a convolution's window.
void BindWindow(const Convolution& conv, Dispatch* d);

// Gives `d` the window of a depthwise convolution, size and stride as
// constants of the text, and "step_pad" as its first parameter.
void BindDepthwiseWindow(const Convolution& conv, Dispatch* d);

// Gives `d` the convolution's "weights": as PackDepthwiseFilter lays them out
// for kDepthwise, else as PackFilter does. Constants are packed when the plan
// is uploaded. Weights computed at run time are packed alike by a dispatch that
// goes to `planner` first, into a tensor that the shader reads under the same
// name. Wherever weights or bias are no constants, the bias in "weights" is
// zero and added by the first of d's post-ops instead.
void BindFilter(const Convolution& conv, Planner* planner, Dispatch* d);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_WEIGHTS_H_

// Weights and bias of convolutions and matrix products, checked and packed for
// the shaders that multiply slices of four channels by 4x4 blocks.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_WEIGHTS_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_WEIGHTS_H_

#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// Weights may be float32 computed at run time, or constants of a float type
// with all the bytes that their shape needs. kUnimplemented: another type;
// kInvalidArgument: too few bytes. `what` ("the filter") begins the message.
absl::Status CheckWeights(const Tensor& tensor, absl::string_view what);

// kInvalidArgument unless `bias` has one value per output channel; else as
// CheckWeights. No bias (nullptr) is fine. A runtime bias must be a vector.
absl::Status CheckBias(const Tensor* bias, int out_channels);

// A filter in the order [outputs][taps][inputs]: OHWI with the window taken
// flat, or a matrix's rows.
struct Filter {
  int outputs = 1;
  int taps = 1;
  int inputs = 1;  // channels per group, as the tensor has them
  // 1, or how many groups the channels fall into: output o then sees only the
  // inputs of its own group. Groups are packed apart where outputs and inputs a
  // group are multiples of four, else as one dense filter with zeros.
  int groups = 1;

  int outputs_per_group() const { return outputs / groups; }
  bool groups_packed_apart() const {
    return inputs % 4 == 0 && outputs_per_group() % 4 == 0;
  }
  // Slices of the input that one output slice sees.
  int packed_input_slices() const {
    return ((groups_packed_apart() ? inputs : inputs * groups) + 3) / 4;
  }
};

// "weights": row (output slice * taps + tap), texel (input slice * 4 + i) holds
// what input channel 4 * slice + i adds to the four outputs. The last texel of
// each slice's first row is its bias. Tails are zero. `bias` may be nullptr.
PackedConstant PackFilter(const Tensor& weights, const Tensor* bias,
                          const Filter& filter);

// Likewise, in blocks of `block_slices` output slices, a row each: by term (tap
// * input slices + input slice), input channel, output slice; the biases after
// the last term. Ungrouped filters only.
PackedConstant PackFilterBlocks(const Tensor& weights, const Tensor* bias,
                                const Filter& filter, int block_slices);

// Both for weights that are computed when they are packed, in the filter's
// order, and have no bias. `values` must follow from what the start-up cache
// keys by (PackedConstant::cacheable).
using FilterValues = std::function<std::vector<float>()>;
PackedConstant PackFilter(FilterValues values, const Filter& filter);
PackedConstant PackFilterBlocks(FilterValues values, const Filter& filter,
                                int block_slices);

// "weights" of a depthwise filter [1,H,W,O]: row = output slice, texel = tap,
// the bias after the last tap.
PackedConstant PackDepthwiseFilter(const Tensor& weights, const Tensor* bias);

// What a convolution does to its input as it reads it (of batch 1): v becomes
// v * gate + addend.
struct InputGate {
  TensorId gate = kNoTensor;    // [1,1,1,C]; kNoTensor: nothing is done
  TensorId addend = kNoTensor;  // of the input's shape; kNoTensor: none
};
// Has `d` do so: defines GATE and ADDEND, reads both.
void BindInputGate(const InputGate& gate, Dispatch* d);

// The weights and the bias of a node.
struct WeightIds {
  TensorId weights = kNoTensor;
  TensorId bias = kNoTensor;  // kNoTensor: none
};
// Node inputs `weights` and `bias`; a bias past the last input is none.
WeightIds WeightsOf(const Node& node, int weights, int bias);

// Gives `d` its "weights" as PackFilter lays them out. Constants are packed
// when the plan is uploaded. Weights computed at run time are packed alike by a
// dispatch that goes to `planner` first, into a tensor that the shader reads
// under the same name. Wherever weights or bias are no constants, the bias in
// "weights" is zero and added by the first of d's post-ops instead.
void BindFilter(const WeightIds& ids, const Filter& filter, Planner* planner,
                Dispatch* d);
// Likewise as PackDepthwiseFilter lays them out.
void BindDepthwiseFilter(const WeightIds& ids, Planner* planner, Dispatch* d);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_WEIGHTS_H_

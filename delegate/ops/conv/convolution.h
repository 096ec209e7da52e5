// The room of the convolutions: what each pass and each strategy asks of one.
// Every rule about a convolution stands here once.
//
// CONV_2D, DEPTHWISE_CONV_2D, TRANSPOSE_CONV and FULLY_CONNECTED all multiply
// their input by a filter and add a bias. A Convolution is one such node with
// its shapes looked up, so that a rule needs neither the graph nor the node.
// conv_strategies.h has the ways to compute one.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_CONVOLUTION_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_CONVOLUTION_H_

#include <cstdint>
#include <optional>

#include "delegate/graph/graph.h"
#include "delegate/ops/conv/inline_function.h"
#include "delegate/ops/conv/inner_function.h"
#include "delegate/ops/conv/sliding_window.h"

namespace gles_delegate {

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

  // The filter of a matrix of `outputs` rows of `k` terms, for an input of
  // `channels`: a row of terms is so many whole pixels, or, where the channels
  // do not divide it, one tap of elements taken flat.
  static Filter OfRows(int outputs, int k, int channels);

  int outputs_per_group() const { return outputs / groups; }
  bool groups_packed_apart() const {
    return inputs % 4 == 0 && outputs_per_group() % 4 == 0;
  }
  // Slices of the input that one output slice sees.
  int packed_input_slices() const {
    return ((groups_packed_apart() ? inputs : inputs * groups) + 3) / 4;
  }
  // Weights that one output sums over.
  int terms() const { return taps * inputs; }
};

// The weights and the bias of a convolution, as tensors of a graph.
struct WeightIds {
  TensorId weights = kNoTensor;
  TensorId bias = kNoTensor;  // kNoTensor: none

  // The one rule for constant weights: the weights are a constant, and so is
  // the bias, if there is one.
  bool AreConstant(const Graph& graph) const {
    return graph.tensor(weights).is_constant() &&
           (bias == kNoTensor || graph.tensor(bias).is_constant());
  }
  // nullptr: there is none. The graph owns the tensor.
  const Tensor* Bias(const Graph& graph) const {
    return bias == kNoTensor ? nullptr : &graph.tensor(bias);
  }
};
// Node inputs `weights` and `bias`; a bias past the last input is none.
WeightIds WeightsOf(const Node& node, int weights, int bias);

// What a convolution does to its input as it reads it (of batch 1): v becomes
// v * gate + addend.
struct InputGate {
  TensorId gate = kNoTensor;    // [1,1,1,C]; kNoTensor: nothing is done
  TensorId addend = kNoTensor;  // of the input's shape; kNoTensor: none

  bool IsThere() const { return gate != kNoTensor; }
};

// The depthwise convolution (multiplier 1) that a 1x1 convolution computes on
// its way, without ever storing the result.
struct InnerDepthwise {
  WeightIds weights;       // constant
  InnerFunction function;  // of its results
};

// The 1x1 convolution of the result that a convolution computes as well, while
// the result is in shared memory; both results are stored.
struct NextPointwise {
  TensorId dst = kNoTensor;  // kNoTensor: there is none
  WeightIds weights;         // constant
  Filter filter;
  InlineFunction function;  // of its sums

  bool IsThere() const { return dst != kNoTensor; }
};

// Which inputs of a node are what. The ops differ in it.
struct ConvInputs {
  int data = 0;
  int weights = 1;
  int bias = 2;  // may be past the node's last input
};

// A plain value; it holds no reference to the graph or the node.
struct Convolution {
  enum class Kind {
    // CONV_2D: a window of the input, all channels of a group.
    kWindow,
    // DEPTHWISE_CONV_2D: a window of one channel of the input.
    kDepthwise,
    // TRANSPOSE_CONV: each input pixel is spread over a window of the output.
    kTransposed,
    // FULLY_CONNECTED and other products of matrices: the input, taken flat in
    // BHWC order, is rows of filter.terms() elements. The output has a pixel
    // for each row and a channel for each row of the weights.
    kRows,
    // A depthwise convolution, whose window this is, and a 1x1 convolution of
    // its result, whose filter and weights these are.
    kDepthwisePointwise,
  };

  // The node as a convolution; nullopt where it is none of the four ops, nor
  // what FuseDepthwise and FuseNext make of several of them.
  static std::optional<Convolution> Of(const Graph& graph, const Node& node);
  // The product of the rows of `src`, taken flat, and a matrix of weights
  // [outputs][k].
  static Convolution OfRows(TensorId src, TensorId dst,
                            const WeightIds& weights, int outputs, int k,
                            const Graph& graph);

  Kind kind = Kind::kWindow;
  TensorId src = kNoTensor;
  TensorId dst = kNoTensor;
  Shape src_shape;
  Shape dst_shape;
  WeightIds weights;
  bool constant_weights = false;  // WeightIds::AreConstant
  Filter filter;
  SlidingWindow window;  // of kTransposed: over the output
  int window_w = 1;      // taps in a row of the window
  int window_h = 1;
  int multiplier = 1;    // of kDepthwise: outputs that an input channel has
  InputGate gate;        // only where CanTakeGate()
  InnerDepthwise inner;  // of kDepthwisePointwise
  NextPointwise next;    // only of what FuseNext makes
  ConvInputs inputs;     // of the node, where it was made from one
  // True where it computes on (code - zero point) and not on real values
  // (Node::on_codes).
  bool on_codes = false;
  // True where it may multiply in 16 bits (Planner::MultipliesHalves); for the
  // strategies alone, as other code of a node asks for no such thing.
  bool half_arithmetic = false;
  // True where it computes on codes, or reads or writes an 8-bit tensor.
  bool quantized = false;

  // Output pixels of all batches: rows of the product that it is.
  int pixels() const { return dst_shape.b * dst_shape.h * dst_shape.w; }
  // Texels of four channels that one output sums over.
  int term_texels() const { return filter.taps * src_shape.slices(); }

  // True where the terms of one output are whole pixels of the input. False of
  // groups and kDepthwise, which see some channels of a pixel, and of kRows
  // whose rows begin inside pixels.
  bool RowsAreWholePixels() const { return filter.inputs == src_shape.c; }
  // True where the terms of an output pixel are one pixel of the input, and the
  // input and the output have the same extents.
  bool RowsArePixels() const;
  // True where each output pixel is a product of the weights and the input's
  // pixel at the same place: one tap, stride 1, one group, and no padding on
  // any side, which the shapes tell. A 1x1 window with a stride is not
  // pointwise even over an input of one pixel, where the stride means nothing.
  bool IsPointwise() const;
  // True where one window is the whole input, so that each batch is one row of
  // a product of matrices.
  bool IsWholeInput() const;
  // True where there are so many output pixels that each invocation makes
  // several of them and uses each weight for all of these.
  bool HasManyPixels() const;
  // True where the strategies that make tiles of pixels may compute it: kWindow
  // of one group, and kRows whose rows are pixels. Products of few rows (not
  // HasManyPixels) are left out: they have strategies of their own.
  bool IsTiled() const;
  // True where the convolution may have a gate: it is pointwise, of real values
  // and constant weights, and has many pixels.
  bool CanTakeGate() const;
  // True where some tap of some output pixel lies outside the input, so that
  // the shader must look.
  bool ReadsOutside() const;

  // How many channels of the input the weights can be scaled by. 0 where a
  // weight's place does not tell its input channel (kRows whose rows are not
  // the channels), and for kTransposed, where no pass scales by input channels.
  int input_channels() const;
  // The output channel, and the input channel (where input_channels() is not
  // 0), of element `weight` of the weights in their own order.
  int OutputOf(int64_t weight) const;
  int InputOf(int64_t weight) const;
};

// The window of a CONV_2D or DEPTHWISE_CONV_2D, to be changed by a pass;
// nullptr for other nodes. The node owns it.
SlidingWindow* InputWindowOf(Node* node);
const SlidingWindow* InputWindowOf(const Node& node);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_CONVOLUTION_H_

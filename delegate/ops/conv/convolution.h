// The common representation of convolutions, for passes and strategies. Each
// rule about convolutions is defined here once.
//
// CONV_2D, DEPTHWISE_CONV_2D, TRANSPOSE_CONV and FULLY_CONNECTED all multiply
// their input by a filter and add a bias. A Convolution is one such node with
// its shapes resolved, so that rules need neither the graph nor the node.
// conv_strategies.h lists the algorithms.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_CONVOLUTION_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_CONVOLUTION_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "delegate/graph/graph.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/conv/conv_2d.h"

namespace gles_delegate {

// A filter in the order [outputs][taps][inputs]: OHWI with a flat window, or a
// matrix's rows.
struct Filter {
  int outputs = 1;
  int taps = 1;
  int inputs = 1;  // channels per group, as the tensor has them
  // Number of channel groups; output o depends only on inputs of its own group.
  // Groups are packed separately if outputs and inputs per group are multiples
  // of four, else as one dense filter with zeros.
  int groups = 1;

  // The filter of a matrix of `outputs` rows of `k` terms, for an input of
  // `channels`. A row covers whole pixels, or, if the channels do not divide
  // it, is one tap of flat elements.
  static Filter OfRows(int outputs, int k, int channels);

  int outputs_per_group() const { return outputs / groups; }
  bool groups_packed_apart() const {
    return inputs % 4 == 0 && outputs_per_group() % 4 == 0;
  }
  // Slices of the input that contribute to one output slice.
  int packed_input_slices() const {
    return ((groups_packed_apart() ? inputs : inputs * groups) + 3) / 4;
  }
  // Weights per output.
  int terms() const { return taps * inputs; }
};

// The weights and bias of a convolution, as tensors of a graph.
struct WeightIds {
  TensorId weights = kNoTensor;
  TensorId bias = kNoTensor;  // kNoTensor: none

  // nullptr if there is none. The graph owns the tensor.
  const Tensor* Bias(const Graph& graph) const {
    return bias == kNoTensor ? nullptr : &graph.tensor(bias);
  }
};
// From node inputs `weights` and `bias`; a bias beyond the last input is
// absent.
WeightIds WeightsOf(const Node& node, int weights, int bias);

// A normalization of rows as they are read: v becomes v / sqrt(the mean of its
// squares + epsilon) * scale.
struct RowNorm {
  bool is_there = false;
  float epsilon = 0;
  TensorId scale = kNoTensor;  // [1,1,1,K]; kNoTensor: 1

  bool operator==(const RowNorm& o) const {
    return is_there == o.is_there && epsilon == o.epsilon && scale == o.scale;
  }
};

// A convolution that a stage computes; its result is never stored.
struct StageConvolution {
  WeightIds weights;          // constant; kNoTensor: there is none
  std::vector<PostOp> stage;  // of its results

  bool IsThere() const { return weights.weights != kNoTensor; }
};

// The 1x1 convolution that takes the node's result, from shared memory; both
// results are stored.
struct NextPointwise {
  TensorId dst = kNoTensor;  // kNoTensor: there is none
  WeightIds weights;         // constant
  Filter filter;
  std::vector<PostOp> stage;  // kNextStage

  bool IsThere() const { return dst != kNoTensor; }
};

// A plain value without references to the graph or the node.
struct Convolution {
  enum class Kind {
    // CONV_2D: a window of the input, all channels of a group.
    kWindow,
    // DEPTHWISE_CONV_2D: a window of one input channel.
    kDepthwise,
    // TRANSPOSE_CONV: each input pixel is spread over a window of the output.
    kTransposed,
    // FULLY_CONNECTED and other matrix products: the input, flat in BHWC order,
    // is rows of filter.terms() elements. The output has one pixel per row and
    // one channel per row of the weights.
    kRows,
    // A 1x1 CONV_2D, with this filter and these weights, of a depthwise
    // convolution (multiplier 1), with this window: FuseDepthwise's.
    kDepthwisePointwise,
    // A DEPTHWISE_CONV_2D (multiplier 1) of a 1x1 convolution: FusePlanes'.
    kPointwiseDepthwise,
  };

  // The node as a convolution; nullopt if it is none of the four ops.
  static std::optional<Convolution> Of(const Graph& graph, const Node& node);
  // The product of the rows of `src`, flat, and a matrix of weights
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
  bool constant_weights = false;  // and a constant bias, if any
  // Of kRows: the weights stay in 8, 4 or 2 bits (ops/conv/conv_weights.h).
  bool quantized_rows = false;
  Filter filter;
  SlidingWindow window;  // of kTransposed: over the output
  int window_w = 1;      // taps in a row of the window
  int window_h = 1;
  int multiplier = 1;               // of kDepthwise: outputs per input channel
  std::vector<PostOp> input_stage;  // kInputStage; only if CanTakeInputStage()
  StageConvolution inner;           // kInnerStage; of the last two kinds
  NextPointwise next;               // only of what FuseNext makes
  RowNorm norm;                     // these two only of fuse_products.cc
  // kGateStage: products of the same rows with a second matrix of the same
  // shape, by whose functions, without operands, the first are multiplied.
  StageConvolution gate;
  ConvInputs inputs;  // of the node, if made from one
  // Computes on (quantized value - zero point) instead of real values
  // (Node::integer_path).
  bool integer_path = false;
  // May multiply in 16 bits (Planner::MultipliesHalves); only for strategies.
  bool half_arithmetic = false;
  // Computes on quantized values, or reads or writes an 8-bit tensor.
  bool quantized = false;

  // Output pixels of all batches: rows of the matrix product.
  int pixels() const { return dst_shape.b * dst_shape.h * dst_shape.w; }
  // Texels of four channels per output sum.
  int term_texels() const { return filter.taps * src_shape.slices(); }

  // True if the terms of an output are whole input pixels. False for groups,
  // for kDepthwise, and for kRows with rows that begin inside pixels.
  bool RowsAreWholePixels() const { return filter.inputs == src_shape.c; }
  // True if the terms of an output pixel are one input pixel, and input and
  // output have the same extents.
  bool RowsArePixels() const;
  // True if each output pixel is a product of the weights and the input pixel
  // at the same position: one tap, stride 1, one group, no padding. A strided
  // 1x1 window is never pointwise, even for an input of one pixel.
  bool IsPointwise() const;
  // True if one window covers the whole input, so that each batch is one row of
  // a matrix product.
  bool IsWholeInput() const;
  // True if there are enough output pixels for invocations to compute several
  // each and reuse the weights.
  bool HasManyPixels() const;
  // True for strategies with tiles of pixels: kWindow of one group, and kRows
  // whose rows are pixels. Excludes products of few rows (not HasManyPixels),
  // which have their own strategies.
  bool IsTiled() const;
  // True if it may have a RowNorm and a Gate: few constant rows of pixels, real
  // values.
  bool CanTakeRowStages() const;
  // True if it may have an input stage: pointwise, real values, constant
  // weights, many pixels.
  bool CanTakeInputStage() const;
  // True if some tap of some output is outside the input, so that the shader
  // must check.
  bool ReadsOutside() const;

  // Number of input channels by which the weights can be scaled. 0 if a
  // weight's position does not determine its input channel (kRows whose rows
  // are not the channels), and for kTransposed, which no pass scales.
  int input_channels() const;
  // The output channel, and the input channel (if input_channels() is not 0),
  // of element `weight` of the weights in their own order.
  int OutputOf(int64_t weight) const;
  int InputOf(int64_t weight) const;
};

// The window of a CONV_2D or DEPTHWISE_CONV_2D, mutable for passes; nullptr for
// other nodes. The node owns it.
SlidingWindow* InputWindowOf(Node* node);
const SlidingWindow* InputWindowOf(const Node& node);

// Lets `fused` compute the convolution of `node`, too, in this stage, which is
// not kInputStage. The weights and the bias follow the node's inputs.
void AddConvolution(absl::string_view stage, const Node& node,
                    const WeightIds& weights, Node* fused);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_CONVOLUTION_H_

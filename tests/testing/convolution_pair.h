// A 1x1 convolution and a depthwise one, of which one reads the other, as the
// passes that fuse such a pair find them: the graph, and what it computes by
// definition.
#ifndef GLES_DELEGATE_TESTS_TESTING_CONVOLUTION_PAIR_H_
#define GLES_DELEGATE_TESTS_TESTING_CONVOLUTION_PAIR_H_

#include <vector>

#include "delegate/graph/graph.h"
#include "delegate/ops/conv/conv_2d.h"
#include "tests/testing/naive_conv.h"

namespace gles_delegate::testing {

struct ConvolutionPairCase {
  gles_delegate::Shape src;
  int channels = 8;  // that the 1x1 convolution writes
  int kernel = 3;    // of the depthwise convolution, as the next three
  int stride = 1;
  int dilation = 1;
  int pad = 1;
  bool clamps = true;  // what the first convolution writes, to [0, 1]
  bool bias = true;
};

class ConvolutionPair {
 public:
  enum class Kind { kDepthwise, kPointwise };

  ConvolutionPair(Kind first_kind, const ConvolutionPairCase& c);

  // The expected output. An element's magnitude is that of the terms of
  // both sums.
  NaiveResult Expected() const;

  Node& node(Kind kind) { return graph.nodes[kind == first_.kind ? 0 : 1]; }

  DepthwiseConv2dAttributes window;
  HostTensor src;  // of the graph's input
  Graph graph;     // two nodes

 private:
  struct Convolution {
    Kind kind;
    HostTensor weights;
    std::vector<float> bias;
    gles_delegate::Shape dst;
  };

  // The nodes differ in `has_bias` alone from what `conv` computes: a bias of
  // zeros may be absent.
  TensorId AddNode(const Convolution& conv, TensorId x, bool has_bias);
  NaiveResult Compute(const Convolution& conv, const HostTensor& x) const;

  bool clamps_;
  Convolution first_, second_;
};

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_CONVOLUTION_PAIR_H_

// labels: op llvmpipe softpipe
// FULLY_CONNECTED against TFLite's own kernel, and what its parser refuses.
#include "delegate/ops/matmul/fully_connected.h"

#include <utility>

#include "delegate/graph/builtin_params.h"
#include "tests/testing/device.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_models.h"
#include "tests/testing/parse_node.h"
#include "tests/testing/precision_test.h"

namespace gles_delegate::testing {
namespace {

class FullyConnectedTest : public PrecisionTest {
 protected:
  void Check(const FullyConnectedParams& params) {
    PrecisionTest::Check(FullyConnected(params));
  }
};

TEST_P(FullyConnectedTest, EveryRowLength) {
  for (int in : {1, 3, 4, 5, 8, 17, 300}) {
    for (int batch : {1, 3, 19}) {
      FullyConnectedParams params;
      params.input = {batch, in};
      params.out_features = in == 17 ? 5 : 17;
      Check(params);
    }
  }
}

// Each image is one row: texels' tails lie inside it.
TEST_P(FullyConnectedTest, FlattensImages) {
  for (const Shape& shape : StandardShapes()) {
    FullyConnectedParams params;
    params.input = shape;
    params.in_features = shape[1] * shape[2] * shape[3];
    Check(params);
  }
}

// Rows of some pixels, and rows that begin inside a pixel.
TEST_P(FullyConnectedTest, RowsAcrossPixels) {
  for (const auto& [shape, in] :
       {std::pair(Shape{1, 4, 6, 5}, 10), std::pair(Shape{3, 2, 4, 5}, 20),
        std::pair(Shape{2, 3, 4, 5}, 8), std::pair(Shape{1, 6, 5, 3}, 2),
        std::pair(Shape{3, 4, 7}, 14), std::pair(Shape{12}, 4)}) {
    FullyConnectedParams params;
    params.input = shape;
    params.in_features = in;
    Check(params);
  }
}

TEST_P(FullyConnectedTest, KeepsDimensions) {
  for (const Shape& shape :
       {Shape{5, 9}, Shape{2, 3, 5}, Shape{1, 30, 4}, Shape{2, 3, 4, 5}}) {
    FullyConnectedParams params;
    params.input = shape;
    params.keep_num_dims = true;
    Check(params);
  }
}

TEST_P(FullyConnectedTest, ActivationsWeightsAndBias) {
  for (int batch : {1, 12}) {
    for (Activation activation : kActivations) {
      FullyConnectedParams params;
      params.input = {batch, 17};
      params.activation = activation;
      Check(params);
    }
    for (Weights weights : {Weights::kFloat, Weights::kHalf}) {
      FullyConnectedParams params;
      params.input = {batch, 17};
      params.weights = weights;
      params.bias = false;
      Check(params);
    }
  }
}

// Few rows and many, rows of pixels, of some pixels, and inside of one.
TEST_P(FullyConnectedTest, Int8Weights) {
  for (const auto& [shape, in] :
       {std::pair(Shape{1, 17}, 17), std::pair(Shape{3, 64}, 64),
        std::pair(Shape{19, 5}, 5), std::pair(Shape{20, 36}, 36),
        std::pair(Shape{3, 2, 4, 5}, 20), std::pair(Shape{2, 3, 4, 5}, 8)}) {
    for (int out : {5, 70}) {
      FullyConnectedParams params;
      params.input = shape;
      params.in_features = in;
      params.out_features = out;
      params.weights = Weights::kInt8;
      params.bias = out == 5;
      Check(params);
    }
  }
}

// Few rows and many, rows of some pixels and rows that begin inside one.
TEST_P(FullyConnectedTest, RuntimeWeights) {
  for (Weights weights : {Weights::kFloat, Weights::kRuntime}) {
    for (const auto& [shape, in] :
         {std::pair(Shape{3, 17}, 17), std::pair(Shape{19, 5}, 5),
          std::pair(Shape{3, 2, 4, 5}, 20), std::pair(Shape{2, 3, 4, 5}, 8)}) {
      FullyConnectedParams params;
      params.input = shape;
      params.in_features = in;
      params.out_features = 9;
      params.weights = weights;
      params.activation = Activation::kRelu6;
      params.runtime_bias = weights == Weights::kFloat || in == 20;
      params.bias = in != 5 || weights == Weights::kFloat;
      Check(params);
    }
  }
  FullyConnectedParams keep;
  keep.input = {2, 3, 5};
  keep.keep_num_dims = true;
  keep.weights = Weights::kRuntime;
  Check(keep);
}

TEST(FullyConnectedStorageTest, EveryStorage) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (int in : {5, 20, 40}) {
    FullyConnectedParams params;
    params.input = {2, 4, 5};
    params.in_features = in;
    ExpectMatchesCpu(FullyConnected(params));
    params.weights = Weights::kInt8;
    ExpectMatchesCpu(FullyConnected(params));
  }
}

GLES_AT_EACH_PRECISION(FullyConnectedTest);

// --- What is refused --------------------------------------------------------

struct DenseNode
    : FakeNode<::gles_delegate::FullyConnectedParams, ParseFullyConnected> {
  DenseNode() {
    inputs = {FakeTensor({2, 3, 4}), FakeConstant({5, 12}), FakeConstant({5})};
    outputs = {FakeTensor({2, 5})};
    params = {kActNone, 0, false, false};
  }
};

TEST(FullyConnectedParseTest, TakesTheDefault) {
  EXPECT_EQ(DenseNode().Refused(), "");
}

TEST(FullyConnectedParseTest, RefusesOtherTypesAndShuffledWeights) {
  DenseNode node;
  EXPECT_EQ(node.RefusedWithInput(1, FakeTensor({5, 12})), "");
  EXPECT_THAT(node.RefusedWithInput(1, FakeTensor({5, 12}, DataType::kInt8)),
              HasSubstr("matrix of weights is int8"));
  node.params.weights_format = 1;
  EXPECT_THAT(node.Refused(), HasSubstr("weights format 1"));
}

TEST(FullyConnectedParseTest, RefusesShapesThatDisagree) {
  DenseNode node;
  EXPECT_THAT(node.RefusedWithInput(1, FakeConstant({5, 7})),
              HasSubstr("24 elements, which rows of 7"));
  EXPECT_THAT(node.RefusedWithInput(1, FakeConstant({5, 12, 1})),
              HasSubstr("the matrix of weights is 5x12x1, wants rank 2"));
  EXPECT_THAT(node.RefusedWithInput(2, FakeConstant({2})),
              HasSubstr("the bias has 2 values"));
  EXPECT_THAT(node.RefusedWithOutput(0, FakeTensor({2, 1, 5})),
              HasSubstr("output is 2x1x5, must be 2x5"));
  node.params.keep_num_dims = true;
  EXPECT_THAT(node.Refused(), HasSubstr("whose last dimension is 12"));
}

}  // namespace
}  // namespace gles_delegate::testing

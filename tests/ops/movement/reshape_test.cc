// labels: op llvmpipe softpipe
// RESHAPE, SQUEEZE and EXPAND_DIMS against TFLite's own kernels, and what their
// parsers refuse.
#include "delegate/ops/movement/reshape.h"

#include "delegate/graph/builtin_params.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/parse_node.h"

namespace gles_delegate::testing {
namespace {

class ReshapeTest : public DeviceTest {};

TEST_F(ReshapeTest, BetweenAnyShapes) {
  const std::vector<Shape> shapes = {
      {1, 1, 1, 120}, {2, 3, 4, 5},   {120},        {1, 5, 24},    {3, 8, 5},
      {10, 12},       {1, 120, 1, 1}, {4, 1, 6, 5}, {1, 2, 15, 4}, {6, 20, 1}};
  for (const Shape& from : shapes) {
    for (const Shape& to : shapes) {
      if (from != to) ExpectMatchesCpuOnce(Reshape(from, to));
    }
  }
}

TEST_F(ReshapeTest, ShapeByOptions) {
  ExpectMatchesCpuOnce(
      Reshape({1, 3, 4, 5}, {5, 12}, /*shape_as_tensor=*/false));
}

TEST_F(ReshapeTest, InferredDimension) {
  ExpectMatchesCpuOnce(Reshape({1, 3, 4, 5}, {-1, 10}));
  ExpectMatchesCpuOnce(
      Reshape({1, 3, 4, 5}, {1, -1}, /*shape_as_tensor=*/false));
}

TEST_F(ReshapeTest, SameShape) {
  ExpectMatchesCpuOnce(Reshape({1, 3, 4, 5}, {1, 3, 4, 5}));
}

TEST_F(ReshapeTest, Scalars) {
  ExpectMatchesCpuOnce(Reshape({1, 1}, {1}));
  ExpectMatchesCpuOnce(Reshape({1}, {1, 1, 1, 1}));
}

// The mapping that real detectors have: channels of every cell in one list.
TEST_F(ReshapeTest, WiderThanAWorkGroup) {
  ExpectMatchesCpuOnce(Reshape({1, 16, 16, 6}, {1, 512, 3}));
  ExpectMatchesCpuOnce(Reshape({1, 16, 16, 8}, {1, 128, 16}));
  ExpectMatchesCpuOnce(Reshape({1, 16, 16, 2}, {1, 512, 1}));
}

TEST_F(ReshapeTest, Squeezes) {
  ExpectMatchesCpuOnce(Squeeze({1, 1, 1, 17}, {}));
  ExpectMatchesCpuOnce(Squeeze({1, 1, 1, 17}, {1, 2}));
  ExpectMatchesCpuOnce(Squeeze({3, 1, 4, 5}, {1}));
  ExpectMatchesCpuOnce(Squeeze({3, 4, 5, 1}, {-1}));
  ExpectMatchesCpuOnce(Squeeze({3, 1, 5, 1}, {}));
}

TEST_F(ReshapeTest, ExpandDims) {
  for (int axis : {0, 1, 2, 3, -1, -4}) {
    ExpectMatchesCpuOnce(ExpandDims({2, 3, 5}, axis));
  }
}

TEST_F(ReshapeTest, PrecisionsAndStorages) {
  ExpectMatchesCpu(Reshape({2, 3, 4, 5}, {1, 6, 20}));
  ExpectMatchesCpu(Reshape({2, 3, 4, 8}, {4, 3, 16}));
  ExpectMatchesCpu(Reshape({2, 3, 4, 5}, {3, 8, 5}));
}

// The new shape has no elements, and so no buffer in the file.
TEST_F(ReshapeTest, ToAScalarByAnEmptyShape) {
  ExpectMatchesCpuOnce(
      MakeModel("RESHAPE to a scalar", Accuracy{/*terms=*/0}, [](OpVariant& v) {
        const int x = v.OfInts(v.Input("x", {1}, {7}));
        const int shape =
            v.builder().AddTensor("shape", {0}, TensorType::INT32);
        return v.OfInts(
            v.Op(Op::RESHAPE, 1, {x, shape}, schema::ReshapeOptionsT()));
      }));
}

TEST(ParseReshapeTest, Refusals) {
  ReshapeParams params = {{3, -1}, 2};
  const Tensor input = FakeTensor({2, 3, 4});
  const Tensor output = FakeTensor({3, 8});
  EXPECT_EQ(Refusal(ParseReshape, {input}, {output}, &params), "");
  EXPECT_EQ(Refusal(ParseReshape, {input, FakeInts({-1, 8})}, {output}), "");
  EXPECT_THAT(Refusal(ParseReshape, {input}, {FakeTensor({3, 9})}, &params),
              HasSubstr("input 2x3x4 has 24 elements, output 3x9 has 27"));
  EXPECT_THAT(Refusal(ParseReshape, {input}, {FakeTensor({4, 6})}, &params),
              HasSubstr("output is 4x6, its inputs and attributes give 3x-1"));
  EXPECT_THAT(Refusal(ParseReshape, {input, FakeRuntimeInts({2})}, {output}),
              HasSubstr("the new shape: known only at run time"));
  EXPECT_THAT(Refusal(ParseReshape, {input}, {output}),
              HasSubstr("no parameters"));
  params.num_dimensions = 9;
  EXPECT_THAT(Refusal(ParseReshape, {input}, {output}, &params),
              HasSubstr("rank 9"));
}

// TFLite's kernel copies bytes between types, whatever they stand for.
TEST(ParseReshapeTest, OtherTypes) {
  ReshapeParams params = {{3, 8}, 2};
  Tensor input = FakeTensor({2, 3, 4});
  Tensor output = FakeTensor({3, 8});
  input.quantized = DataType::kInt8;
  output.quantized = DataType::kUint8;
  EXPECT_THAT(Refusal(ParseReshape, {input}, {output}, &params),
              HasSubstr("input is int8, output uint8: TFLite's kernel copies"));
  output.quantized = DataType::kInt8;
  EXPECT_EQ(Refusal(ParseReshape, {input}, {output}, &params), "");
  input = FakeTensor({2, 3, 4}, DataType::kInt32);
  output = FakeTensor({3, 8}, DataType::kInt32);
  input.host = DataType::kInt8;
  output.host = DataType::kInt16;
  EXPECT_THAT(Refusal(ParseReshape, {input}, {output}, &params),
              HasSubstr("input is int8, output int16"));
}

TEST(ParseReshapeTest, RefusalsOfSqueezeAndExpandDims) {
  SqueezeParams params = {{1}, 1};
  const Tensor input = FakeTensor({2, 1, 4});
  EXPECT_EQ(Refusal(ParseSqueeze, {input}, {FakeTensor({2, 4})}, &params), "");
  EXPECT_THAT(Refusal(ParseSqueeze, {input}, {FakeTensor({2, 4, 1})}, &params),
              HasSubstr("output is 2x4x1, its inputs and attributes give 2x4"));
  params.squeeze_dims[0] = 0;
  EXPECT_THAT(Refusal(ParseSqueeze, {input}, {FakeTensor({2, 4})}, &params),
              HasSubstr("axis 0 of 2x1x4 is not 1"));
  params.squeeze_dims[0] = 3;
  EXPECT_THAT(Refusal(ParseSqueeze, {input}, {FakeTensor({2, 4})}, &params),
              HasSubstr("axis 3 is outside"));
  const Tensor expanded = FakeTensor({2, 1, 1, 4});
  EXPECT_EQ(Refusal(ParseExpandDims, {input, FakeInts({1})}, {expanded}), "");
  EXPECT_THAT(
      Refusal(ParseExpandDims, {input, FakeInts({3})}, {expanded}),
      HasSubstr("output is 2x1x1x4, its inputs and attributes give 2x1x4x1"));
  EXPECT_THAT(
      Refusal(ParseExpandDims, {input, FakeRuntimeInts({1})}, {expanded}),
      HasSubstr("the axis: known only at run time"));
  EXPECT_THAT(Refusal(ParseExpandDims, {input, FakeInts({5})}, {expanded}),
              HasSubstr("axis 5 is outside"));
}

}  // namespace
}  // namespace gles_delegate::testing

// labels: op llvmpipe softpipe
// SELECT and SELECT_V2 against TFLite's own kernels, and what their parsers
// refuse.
#include "delegate/ops/elementwise/select.h"

#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/parse_node.h"
#include "tools/op_models/of_type.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

class SelectTest : public DeviceTest {};

TEST_F(SelectTest, EveryShape) {
  for (Op op : {Op::SELECT, Op::SELECT_V2}) {
    for (const Shape& shape : StandardShapes()) {
      ExpectMatchesCpuOnce(Select({op, shape, shape, shape}));
    }
    for (const Shape& shape :
         {Shape{}, Shape{7}, Shape{3, 5}, Shape{2, 3, 5}}) {
      ExpectMatchesCpuOnce(Select({op, shape, shape, shape}));
    }
  }
}

TEST_F(SelectTest, Constants) {
  const Shape shape = {2, 3, 4, 5};
  for (int constant = 0; constant < 3; ++constant) {
    ExpectMatchesCpuOnce(Select({Op::SELECT, shape, shape, shape, constant}));
    ExpectMatchesCpuOnce(Select({Op::SELECT, {2}, shape, shape, constant}));
    ExpectMatchesCpuOnce(Select({Op::SELECT_V2, {4, 1}, {5}, shape, constant}));
  }
}

TEST_F(SelectTest, ConditionOfTheFirstAxis) {
  ExpectMatchesCpuOnce(Select({Op::SELECT, {}, {2, 3, 4, 5}, {2, 3, 4, 5}}));
  ExpectMatchesCpuOnce(Select({Op::SELECT, {3}, {3, 2, 4, 5}, {3, 2, 4, 5}}));
  ExpectMatchesCpuOnce(Select({Op::SELECT, {6}, {6, 4, 5}, {6, 4, 5}}));
  ExpectMatchesCpuOnce(Select({Op::SELECT, {6}, {6, 5}, {6, 5}}));
}

TEST_F(SelectTest, Broadcasts) {
  const Shape wide = {3, 2, 4, 5};
  for (const Shape& narrow : {Shape{}, Shape{1}, Shape{5}, Shape{4, 1},
                              Shape{3, 1, 1, 5}, Shape{2, 4, 5}}) {
    ExpectMatchesCpuOnce(Select({Op::SELECT_V2, narrow, wide, wide}));
    ExpectMatchesCpuOnce(Select({Op::SELECT_V2, wide, narrow, wide}));
    ExpectMatchesCpuOnce(Select({Op::SELECT_V2, wide, wide, narrow}));
    ExpectMatchesCpuOnce(Select({Op::SELECT_V2, wide, narrow, {}}));
  }
  ExpectMatchesCpuOnce(
      Select({Op::SELECT_V2, {3, 1, 1, 1}, {2, 1, 5}, {4, 1}}));
}

TEST_F(SelectTest, IntegersAndBools) {
  for (TensorType type : {TensorType::INT32, TensorType::BOOL}) {
    ExpectMatchesCpuOnce(
        OfType(Select({Op::SELECT, {2, 3, 5}, {2, 3, 5}, {2, 3, 5}}), type));
    ExpectMatchesCpuOnce(
        OfType(Select({Op::SELECT_V2, {3, 1}, {2, 3, 5}, {}, 2}), type));
  }
}

// NaN that is not selected does not show.
TEST_F(SelectTest, SpecialValues) {
  SingleOpModel model = Select({Op::SELECT, {6}, {6}, {6}});
  model.inputs = {{1, 0, 1, 0, 1, 0},
                  {1, NAN, NAN, INFINITY, -0.0f, NAN},
                  {NAN, 2, INFINITY, -INFINITY, NAN, NAN}};
  ExpectMatchesCpuOnce(model);
}

TEST_F(SelectTest, PrecisionsAndStorages) {
  ExpectMatchesCpu(Select({Op::SELECT, {2, 3, 5}, {2, 3, 5}, {2, 3, 5}}));
  ExpectMatchesCpu(Select({Op::SELECT_V2, {3, 1}, {2, 3, 5}, {5}}));
}

TEST(ParseSelectTest, Refusals) {
  const Tensor floats = FakeTensor({2, 3});
  const Tensor bools = FakeTensor({2, 3}, DataType::kBool);
  EXPECT_EQ(Refusal(ParseSelect, {bools, floats, floats}, {floats}), "");
  EXPECT_EQ(Refusal(ParseSelectV2, {bools, floats, FakeTensor({})}, {floats}),
            "");
  EXPECT_THAT(Refusal(ParseSelect, {floats, floats, floats}, {floats}),
              HasSubstr("the condition is float32, only bool"));
  EXPECT_THAT(Refusal(ParseSelect, {bools, floats, FakeTensor({})}, {floats}),
              HasSubstr("input 1 is 2x3, input 2 is scalar"));
  EXPECT_THAT(
      Refusal(ParseSelect, {FakeTensor({3}, DataType::kBool), floats, floats},
              {floats}),
      HasSubstr("the condition is 3, wants 2x3, a scalar or a vector"));
  EXPECT_THAT(
      Refusal(ParseSelectV2,
              {bools, FakeTensor({2, 3}, DataType::kInt32), floats}, {floats}),
      HasSubstr("input 1 is int32"));
  EXPECT_THAT(
      Refusal(ParseSelectV2, {FakeTensor({4}, DataType::kBool), floats, floats},
              {floats}),
      HasSubstr("do not broadcast"));
  EXPECT_THAT(Refusal(ParseSelectV2,
                      {FakeTensor({4, 1, 1}, DataType::kBool), floats, floats},
                      {floats}),
              HasSubstr("its inputs and attributes give 4x2x3"));
}

}  // namespace
}  // namespace gles_delegate::testing

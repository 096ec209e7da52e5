// labels: op llvmpipe softpipe
// FILL and ZEROS_LIKE against TFLite's own kernels, and what their parsers
// refuse.
#include "delegate/ops/elementwise/fill.h"

#include "absl/strings/str_cat.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/parse_node.h"
#include "tools/op_models/of_type.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

class FillTest : public DeviceTest {};

TEST_F(FillTest, EveryShape) {
  for (bool runtime : {false, true}) {
    for (const Shape& shape : FewShapes()) {
      ExpectMatchesCpuOnce(Fill(shape, runtime));
    }
    for (const Shape& shape : {Shape{7}, Shape{3, 5}, Shape{2, 3, 4}}) {
      ExpectMatchesCpuOnce(Fill(shape, runtime));
    }
  }
}

// The whole model: nothing but a constant comes in.
TEST_F(FillTest, Alone) {
  for (bool runtime : {false, true}) {
    const SingleOpModel model = MakeModel(
        absl::StrCat("FILL alone ", runtime), Accuracy{/*terms=*/0},
        [&](OpVariant& v) {
          const int dims = v.IntConstant("dims", {3}, {2, 3, 5});
          const int value =
              v.Constant("value", {}, {-1.5f},
                         runtime ? Weights::kRuntime : Weights::kFloat);
          return v.Op(Op::FILL, 1, {dims, value}, schema::FillOptionsT());
        });
    if (runtime) {
      ExpectMatchesCpu(model);
    } else {
      ExpectMatchesCpuOnce(model);
    }
  }
}

// TFLite 2.9 takes bools from version 2 on.
TEST_F(FillTest, IntegersAndBools) {
  const SingleOpModel model =
      MakeModel("FILL at run time", Accuracy{/*terms=*/0}, [&](OpVariant& v) {
        const int value = v.Input("value", {}, {1.7f});
        return v.Op(Op::FILL, 2, {v.IntConstant("dims", {3}, {2, 3, 5}), value},
                    schema::FillOptionsT());
      });
  ExpectMatchesCpuOnce(OfType(model, TensorType::INT32));
  ExpectMatchesCpuOnce(OfType(model, TensorType::BOOL));
  ExpectMatchesCpuOnce(OfType(ZerosLike({2, 3, 5}), TensorType::INT32));
}

TEST_F(FillTest, Zeros) {
  for (const Shape& shape : FewShapes()) ExpectMatchesCpuOnce(ZerosLike(shape));
  SingleOpModel special = ZerosLike({2, 5});
  special.inputs[0] = {NAN, INFINITY, -INFINITY, -0.0f, 1, 2, 3, 4, 5, 6};
  ExpectMatchesCpu(special);
}

TEST(ParseFillTest, Refusals) {
  const Tensor value = FakeTensor({});
  const Tensor output = FakeTensor({2, 3});
  EXPECT_EQ(Refusal(ParseFill, {FakeInts({2, 3}), value}, {output}), "");
  EXPECT_THAT(Refusal(ParseFill, {FakeInts({2, 4}), value}, {output}),
              HasSubstr("output is 2x3, its inputs and attributes give 2x4"));
  EXPECT_THAT(Refusal(ParseFill, {FakeInts({2, 3}, {1, 2}), value}, {output}),
              HasSubstr("the dimensions are 1x2, wants a vector"));
  EXPECT_THAT(Refusal(ParseFill, {FakeInts({2, 3}), FakeTensor({1})}, {output}),
              HasSubstr("the value is 1, wants a scalar"));
  EXPECT_THAT(Refusal(ParseFill, {FakeRuntimeInts({2}), value}, {output}),
              HasSubstr("the dimensions: known only at run time"));
  EXPECT_THAT(Refusal(ParseZerosLike, {output}, {FakeTensor({3, 2})}),
              HasSubstr("output is 3x2, its inputs and attributes give 2x3"));
}

}  // namespace
}  // namespace gles_delegate::testing

// labels: op llvmpipe softpipe
// CONCATENATION against TFLite's own kernel, and what its parser refuses.
#include "delegate/ops/movement/concatenation.h"

#include <algorithm>

#include "delegate/graph/builtin_params.h"
#include "delegate/ops/fused_activation.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/parse_node.h"
#include "tests/testing/run_node.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

class ConcatenationTest : public DeviceTest {};

// Inputs of the given extents on `axis`, else of `shape`.
ConcatenationParams Along(int axis, Shape shape,
                          const std::vector<int>& extents) {
  ConcatenationParams params;
  params.inputs.clear();
  params.axis = axis;
  for (int extent : extents) {
    shape[axis < 0 ? axis + shape.size() : axis] = extent;
    params.inputs.push_back(shape);
  }
  return params;
}

void Check(const ConcatenationParams& params) {
  ExpectMatchesCpuOnce(Concatenation(params));
}

// Offsets that are multiples of four, others, texels of one to four inputs.
TEST_F(ConcatenationTest, Channels) {
  for (const std::vector<int>& channels :
       std::vector<std::vector<int>>{{8, 4, 12},
                                     {4, 3},
                                     {3, 4},
                                     {1, 1},
                                     {1, 1, 1, 1},
                                     {5, 6, 7},
                                     {3, 1, 1, 1, 1, 1, 1, 8},
                                     {17, 1, 2, 1, 17, 3},
                                     {2, 2, 2, 2, 2},
                                     {9}}) {
    Check(Along(3, {2, 3, 5, 0}, channels));
  }
}

TEST_F(ConcatenationTest, ManyInputs) {
  Check(Along(3, {1, 1, 5, 0}, std::vector<int>(33, 1)));
  Check(Along(3, {1, 1, 5, 0}, std::vector<int>(20, 3)));
  Check(Along(1, {1, 1, 5, 3}, std::vector<int>(12, 2)));
}

TEST_F(ConcatenationTest, OtherAxes) {
  for (int channels : StandardChannels()) {
    for (int axis : {0, 1, 2, -2}) {
      Check(Along(axis, {2, 3, 4, channels}, {1, 3, 2}));
    }
  }
}

TEST_F(ConcatenationTest, LowerRanks) {
  Check(Along(0, {0}, {3, 5, 2}));
  Check(Along(0, {0, 5}, {1, 2}));
  Check(Along(1, {2, 0}, {3, 5}));
  Check(Along(0, {0, 4, 3}, {1, 2}));
  Check(Along(1, {2, 0, 3}, {512, 384}));
  Check(Along(-1, {2, 4, 0}, {3, 6, 1}));
}

TEST_F(ConcatenationTest, ConstantInputs) {
  for (int constant : {0, 1}) {
    for (int axis : {1, 3}) {
      ConcatenationParams params;
      params.inputs = {{1, 3, 4, 5}, {1, 3, 4, 5}};
      params.axis = axis;
      params.constant_input = constant;
      Check(params);
    }
  }
}

// TFLite's own kernel refuses one, though its format has it: each dispatch of
// the several must apply it.
TEST_F(ConcatenationTest, FusedActivation) {
  for (int axis : {1, 3}) {
    ConcatenationParams params;
    params.inputs = {{1, 3, 4, 5}, {1, 3, 4, 5}};
    params.axis = axis;
    const SingleOpModel model = Concatenation(params);
    TensorValue expected = RunOnCpu(model).outputs[0];
    for (float& v : expected.values) v = std::min(std::max(v, 0.0f), 6.0f);
    const NodeRun run = RunNode(
        "CONCATENATION",
        ParsedNode{ConcatenationAttributes{axis}, *FusedActivation(kActRelu6)},
        params.inputs, expected.shape, model.inputs, [](DeviceProfile&) {});
    ASSERT_TRUE(run.result.status.ok()) << run.result.status;
    EXPECT_EQ(run.result.outputs[0].values, expected.values);
  }
}

TEST_F(ConcatenationTest, OneTensorTwice) {
  for (int axis : {2, 3}) {
    const SingleOpModel model =
        MakeModel(absl::StrCat("CONCATENATION of one tensor on ", axis),
                  Accuracy{/*terms=*/0}, [&](OpVariant& v) {
                    const Shape shape = {1, 3, 4, 5};
                    const int x = v.Input(
                        "x", shape, v.random().Gaussian(ElementCount(shape)));
                    schema::ConcatenationOptionsT options;
                    options.axis = axis;
                    return v.Op(Op::CONCATENATION, 1, {x, x, x}, options);
                  });
    ExpectMatchesCpuOnce(model);
  }
}

TEST_F(ConcatenationTest, PrecisionsAndStorages) {
  ExpectMatchesCpu(Concatenation(Along(3, {2, 3, 5, 0}, {5, 1, 1, 1, 6})));
  ExpectMatchesCpu(Concatenation(Along(3, {2, 3, 5, 0}, {4, 8, 3})));
  ExpectMatchesCpu(Concatenation(Along(1, {2, 3, 5, 3}, {4, 8, 3})));
}

TEST(ParseConcatenationTest, Refusals) {
  ::gles_delegate::ConcatenationParams params = {3, kActNone};
  const Tensor a = FakeTensor({1, 4, 4, 3});
  const Tensor b = FakeTensor({1, 4, 4, 5});
  const Tensor output = FakeTensor({1, 4, 4, 8});
  const auto refusal = [&](const std::vector<Tensor>& inputs,
                           const Tensor& out) {
    return Refusal(ParseConcatenation, inputs, {out}, &params);
  };
  EXPECT_EQ(refusal({a, b}, output), "");
  EXPECT_THAT(
      refusal({a, b}, a),
      HasSubstr("output is 1x4x4x3, its inputs and attributes give 1x4x4x8"));
  EXPECT_THAT(
      refusal({a, FakeTensor({1, 4, 5, 5})}, output),
      HasSubstr("input 1 is 1x4x5x5, input 0 is 1x4x4x3; they may differ on "
                "axis 3 only"));
  EXPECT_THAT(refusal({a, FakeTensor({4, 4, 5})}, output),
              HasSubstr("may differ"));
  EXPECT_THAT(refusal({a, FakeRuntimeInts({1, 4, 4, 5})}, output),
              HasSubstr("input 1 is int32"));
  EXPECT_THAT(refusal({}, output), HasSubstr("has 0 inputs"));
  params.axis = 4;
  EXPECT_THAT(refusal({a, b}, output), HasSubstr("axis 4 is outside"));
  params.axis = 3;
  params.activation = kActSignBit;
  EXPECT_THAT(refusal({a, b}, output), HasSubstr("activation 5"));
}

}  // namespace
}  // namespace gles_delegate::testing

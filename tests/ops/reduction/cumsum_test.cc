// labels: op llvmpipe softpipe
// CUMSUM against TFLite's own kernel, and what its parser refuses.
#include "delegate/ops/reduction/cumsum.h"

#include "delegate/graph/builtin_params.h"
#include "delegate/ops/all_ops.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/parse_node.h"
#include "tests/testing/run_node.h"
#include "tools/op_models/of_type.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

class CumsumTest : public DeviceTest {};

TEST_F(CumsumTest, EveryAxisEveryShape) {
  for (const Shape& shape : StandardShapes()) {
    for (int axis = 0; axis < 4; ++axis) {
      for (int mode = 0; mode < 4; ++mode) {
        ExpectMatchesCpuOnce(
            Cumsum(shape, axis, (mode & 1) != 0, (mode & 2) != 0));
      }
    }
  }
}

TEST_F(CumsumTest, LowerRanks) {
  for (bool reverse : {false, true}) {
    ExpectMatchesCpuOnce(Cumsum({7}, 0, true, reverse));
    ExpectMatchesCpuOnce(Cumsum({3, 6}, 0, false, reverse));
    ExpectMatchesCpuOnce(Cumsum({3, 6}, -1, false, reverse));
    for (int axis : {-3, 1, 2}) {
      ExpectMatchesCpuOnce(Cumsum({3, 4, 5}, axis, true, reverse));
    }
  }
}

TEST_F(CumsumTest, RankFive) {
  for (int axis = 0; axis < 5; ++axis) {
    ExpectMatchesCpuOnce(Cumsum({2, 3, 2, 3, 5}, axis));
  }
  ExpectMatchesCpuOnce(OfType(Cumsum({2, 3, 2, 3, 5}, 1), TensorType::INT32));
}

TEST_F(CumsumTest, Integers) {
  for (int axis : {1, 3}) {
    ExpectMatchesCpu(
        OfType(Cumsum({2, 3, 4, 6}, axis, true, true), TensorType::INT32));
  }
}

TEST_F(CumsumTest, PrecisionsAndStorages) {
  ExpectMatchesCpu(Cumsum({2, 3, 4, 6}, 1));
  ExpectMatchesCpu(Cumsum({2, 3, 4, 6}, 3, true, true));
}

// As a GPU plans it: a work group shares each line.
TEST_F(CumsumTest, LinesSharedByAWorkGroup) {
  const std::vector<std::pair<Shape, int>> cases = {{{1, 1, 1, 1001}, 3},
                                                    {{2, 1, 300, 5}, 2},
                                                    {{1, 77, 2, 3}, 1},
                                                    {{130, 1, 1, 2}, 0}};
  for (const auto& [shape, axis] : cases) {
    for (int mode = 0; mode < 4; ++mode) {
      CumsumAttributes a;
      a.view.axis = axis;
      a.exclusive = (mode & 1) != 0;
      a.reverse = (mode & 2) != 0;
      const SingleOpModel model = Cumsum(shape, axis, a.exclusive, a.reverse);
      const NodeRun run = RunNode(
          "CUMSUM", ParsedNode{a, {}}, {shape}, shape, model.inputs,
          [](DeviceProfile& profile) { profile.choices.work_group_size = 64; });
      EXPECT_THAT(run.result, MatchesCpu(model));
      ASSERT_EQ(run.dispatches.size(), 1u);
      EXPECT_GE(run.dispatches[0].work_group[0], 8);
    }
  }
}

TEST(ParseCumsumTest, Refusals) {
  CumsumParams params = {false, false};
  const Tensor input = FakeTensor({2, 3});
  EXPECT_EQ(Refusal(ParseCumsum, {input, FakeInts({1})}, {input}, &params), "");
  EXPECT_THAT(Refusal(ParseCumsum, {input, FakeInts({2})}, {input}, &params),
              HasSubstr("axis 2 is outside a tensor of rank 2"));
  EXPECT_THAT(Refusal(ParseCumsum, {input, FakeInts({0, 1})}, {input}, &params),
              HasSubstr("the axis has 2 elements, wants 1"));
  EXPECT_THAT(Refusal(ParseCumsum, {input, FakeInts({0})}, {FakeTensor({3, 2})},
                      &params),
              HasSubstr("output is 3x2, its inputs and attributes give 2x3"));
  EXPECT_THAT(
      Refusal(ParseCumsum, {input, FakeRuntimeInts({})}, {input}, &params),
      HasSubstr("the axis: known only at run time"));
  EXPECT_THAT(Refusal(ParseCumsum, {input, FakeInts({0})}, {input}),
              HasSubstr("no parameters"));
  Tensor quantized = input;
  quantized.quantized = DataType::kInt8;
  EXPECT_THAT(
      Refusal(ParseCumsum, {quantized, FakeInts({0})}, {input}, &params),
      HasSubstr("is quantized, which TFLite's kernel does not take"));
  const Tensor scalar = FakeTensor({});
  EXPECT_THAT(Refusal(ParseCumsum, {scalar, FakeInts({0})}, {scalar}, &params),
              HasSubstr("outside a tensor of rank 0"));
}

}  // namespace
}  // namespace gles_delegate::testing

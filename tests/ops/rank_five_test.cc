// labels: op llvmpipe softpipe
// Tensors of five axes and more, against TFLite's kernels, beside the rows of
// tools/cases.
#include <numeric>

#include "delegate/ops/op_list.h"
#include "tests/testing/device_test.h"
#include "tests/testing/parse_node.h"
#include "tests/testing/run_node.h"
#include "tests/testing/single_op.h"
#include "tools/cases/model.h"

namespace gles_delegate::testing {
namespace {

using Ints = std::vector<int>;

class RankFiveTest : public DeviceTest {};

// In three steps. TFLite stops at six axes, so the answer is worked out here:
// the axes in reverse order.
TEST_F(RankFiveTest, TransposeOfSevenAxes) {
  const Ints dims = {2, 3, 2, 3, 2, 3, 2}, reversed(dims.rbegin(), dims.rend());
  const Tensor input = FakeTensor(dims), output = FakeTensor(reversed);
  const Tensor by = FakeInts({6, 5, 4, 3, 2, 1, 0});
  NodeView node;
  node.inputs = {&input, &by};
  node.outputs = {&output};
  const auto parsed = ParseTranspose(node);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  std::vector<float> values(ElementCount(dims)), want;
  std::iota(values.begin(), values.end(), 1.0f);
  for (size_t n = 0; n < values.size(); ++n) {
    int at = 0, step = 1;
    size_t rest = n;
    for (size_t i = 0; i < dims.size(); ++i) step *= dims[i];
    for (size_t i = dims.size(); i-- > 0; rest /= reversed[i]) {
      step /= reversed[i];
      at += static_cast<int>(rest % reversed[i]) * step;
    }
    want.push_back(values[at]);
  }
  const NodeRun run = RunNode("TRANSPOSE", *parsed, {dims}, reversed, {values},
                              [](DeviceProfile&) {});
  ASSERT_TRUE(run.result.status.ok()) << run.result.status;
  EXPECT_EQ(run.result.outputs[0].values, want);
}

// TFLite 2.21 stops at five axes, so the answer is worked out here.
TEST_F(RankFiveTest, SliceOfSixAxes) {
  const auto expect = [](const Ints& dims, const Ints& begin,
                         const Ints& size) {
    NodeView node;
    const Tensor input = FakeTensor(dims), output = FakeTensor(size);
    const Tensor from = FakeInts(begin), sizes = FakeInts(size);
    node.inputs = {&input, &from, &sizes};
    node.outputs = {&output};
    const auto parsed = ParseSlice(node);
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    std::vector<float> values(ElementCount(dims)), want;
    std::iota(values.begin(), values.end(), 1.0f);
    for (size_t n = 0; n < values.size(); ++n) {
      bool inside = true;
      size_t rest = n;
      for (size_t i = dims.size(); i-- > 0; rest /= dims[i]) {
        const int at = static_cast<int>(rest % dims[i]);
        inside = inside && at >= begin[i] && at < begin[i] + size[i];
      }
      if (inside) want.push_back(values[n]);
    }
    const NodeRun run = RunNode("SLICE", *parsed, {dims}, size, {values},
                                [](DeviceProfile&) {});
    ASSERT_TRUE(run.result.status.ok()) << run.result.status;
    EXPECT_EQ(run.result.outputs[0].values, want);
  };
  // Each way to make two of the first three.
  const Shape shape = {2, 3, 2, 3, 2, 5};
  expect(shape, {0, 1, 0, 1, 0, 1}, {2, 2, 2, 1, 2, 3});
  expect(shape, {1, 0, 1, 0, 1, 0}, {1, 3, 1, 3, 1, 5});
  expect(shape, {1, 2, 1, 0, 0, 4}, {1, 1, 1, 2, 2, 1});
  expect({2, 3, 1, 2, 2, 3, 5}, {0, 1, 0, 1, 0, 1, 2}, {1, 2, 1, 1, 2, 2, 2});
  // By a table.
  expect({3, 3, 3, 2, 2, 2}, {0, 1, 1, 0, 0, 0}, {2, 2, 2, 2, 2, 2});
  expect({3, 3, 3, 2, 2, 5}, {0, 1, 1, 1, 0, 1}, {2, 2, 2, 1, 2, 3});
}

// Operands that repeat along some axes of the batch alone. TFLite's kernels
// other than ADD, SUB and MUL end the process at six axes, so that theirs gets
// what a BROADCAST_TO has repeated.
SingleOpModel OfSixAxes(const char* op, const std::string& part, bool for_cpu) {
  const std::string x = for_cpu ? "BROADCAST_TO@2 p=[" + part +
                                      "]~i-3..3 to=(2,3,2,3,2,5) -> x ; "
                                : "";
  const std::string of_x = for_cpu ? "x" : "p=[" + part + "]~i-3..3";
  const std::string y = "y=[2,3,2,3,2,5]~i-3..3";
  if (op == std::string("LESS")) {
    return cases::ModelOf(x + "LESS " + y + " " + of_x + " -> bool");
  }
  if (op == std::string("MAXIMUM")) {
    return cases::ModelOf(x + "MAXIMUM " + of_x + " " + y);
  }
  return cases::ModelOf(x + "EQUAL " + y + " y -> condition:bool ; SELECT_V2 " +
                        "condition " + of_x + " y -> f32");
}

TEST_F(RankFiveTest, BroadcastsOfSixAxes) {
  for (const char* part : {"2,1,2,3,2,5", "1,3,1,3,1,5", "2,1,1,1,2,1",
                           "1,1,2,1,1,5", "3,1,3,1,1", "2,1,2,5", "3,2,1"}) {
    for (const char* op : {"MAXIMUM", "LESS", "SELECT_V2"}) {
      SingleOpModel cpu = OfSixAxes(op, part, /*for_cpu=*/true);
      const SingleOpModel model = OfSixAxes(op, part, /*for_cpu=*/false);
      cpu.inputs = model.inputs;  // y first but for MAXIMUM; there x is
      if (op != std::string("MAXIMUM")) {
        std::swap(cpu.inputs[0], cpu.inputs[1]);
      }
      EXPECT_THAT(RunOnDelegate(model), MatchesCpu(cpu)) << model.description;
    }
  }
}

}  // namespace
}  // namespace gles_delegate::testing

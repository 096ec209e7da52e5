// labels: op llvmpipe softpipe
// Elementwise ops on int32 that TFLite's kernels cannot answer; other cases are
// rows of tools/cases/typed.txt.
#include <cstring>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "delegate/ops/all_ops.h"
#include "tests/testing/device_test.h"
#include "tests/testing/run_graph.h"
#include "tests/testing/single_op.h"
#include "tools/cases/model.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

// TFLite fails on these, so its kernels are not asked.
TEST(IntegerArithmeticTest, DivisionByZero) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (const char* op : {"DIV", "FLOOR_DIV", "FLOOR_MOD"}) {
    SingleOpModel model =
        cases::ModelOf(absl::StrCat(op, " a=i32[4] b=i32[4]~1..9"));
    model.inputs = {{7, -7, 0, 7}, {0, 0, 0, 2}};
    const RunResult result = RunOnDelegate(model);
    ASSERT_TRUE(result.status.ok()) << result.status;
    const int last = op == std::string("FLOOR_MOD") ? 1 : 3;
    EXPECT_THAT(result.outputs[0].ints, ::testing::ElementsAre(0, 0, 0, last));
  }
}

// ABS and SIGN of int32, which TFLite 2.9 does not have, and the one negative
// number without a positive one.
std::vector<int32_t> UnaryOfInts(Op op, const std::vector<int32_t>& x) {
  const Shape shape = {static_cast<int>(x.size())};
  Graph graph;
  Node node;
  node.inputs = {AddTensor(&graph, shape)};
  node.outputs = {AddTensor(&graph, shape)};
  for (Tensor& tensor : graph.tensors) tensor.type = DataType::kInt32;
  NodeView view;
  view.builtin_code = static_cast<int>(op);
  view.inputs = {&graph.tensor(node.inputs[0])};
  view.outputs = {&graph.tensor(node.outputs[0])};
  auto parsed = ParseUnary(view);
  if (!parsed.ok()) {
    ADD_FAILURE() << parsed.status();
    return {};
  }
  node.attributes = parsed->attributes;
  node.post_ops = parsed->post_ops;
  // Integers to this graph, whatever C++ calls them.
  std::vector<float> bits(x.size());
  std::memcpy(bits.data(), x.data(), x.size() * sizeof(float));
  const auto got = RunGraphOf(schema::EnumNameBuiltinOperator(op), node, graph,
                              {bits}, [](DeviceProfile&) {});
  EXPECT_TRUE(got.ok()) << got.status();
  std::vector<int32_t> result(x.size());
  if (got.ok()) std::memcpy(result.data(), got->data(), 4 * x.size());
  return result;
}

TEST(UnaryIntegerTest, AbsSignAndTheLeast) {
  GLES_SKIP_WITHOUT_DEVICE();
  const int32_t min = std::numeric_limits<int32_t>::min();
  const std::vector<int32_t> x = {0, 5, -5, 2147483647, -2147483647, min};
  EXPECT_THAT(UnaryOfInts(Op::ABS, x),
              ::testing::ElementsAre(0, 5, 5, 2147483647, 2147483647, min));
  EXPECT_THAT(UnaryOfInts(Op::SIGN, x),
              ::testing::ElementsAre(0, 1, -1, 1, -1, -1));
  EXPECT_THAT(UnaryOfInts(Op::NEG, x),
              ::testing::ElementsAre(0, -5, 5, -2147483647, 2147483647, min));
}

}  // namespace
}  // namespace gles_delegate::testing

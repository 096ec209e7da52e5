// labels: op llvmpipe softpipe
// How functions of two tensors are parsed; cases are rows of
// tools/cases/elementwise.txt.
#include "delegate/ops/elementwise/elementwise.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/op_list.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/oldest_tflite.h"
#include "tests/testing/parse_node.h"
#include "tests/testing/run_graph.h"
#include "tests/testing/scoped_environment.h"
#include "tests/testing/single_op.h"
#include "tests/testing/special_floats.h"
#include "tools/cases/model.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

// A parser's view of two float32 tensors in, one out.
struct View {
  Tensor a, b, output;
  AddParams params = {};
  NodeView node;

  View(int code, const std::vector<int>& x, const std::vector<int>& y,
       const std::vector<int>& out) {
    Set(&a, x);
    Set(&b, y);
    Set(&output, out);
    node.builtin_code = code;
    node.builtin_params = &params;
    node.inputs = {&a, &b};
    node.outputs = {&output};
  }
  static void Set(Tensor* t, const std::vector<int>& dims) {
    t->dims = dims;
    t->shape = gles_delegate::Shape::FromDims(dims);
  }
};

constexpr int kSubCode = 41;

TEST(BinaryParseTest, ScalarConstantsAreParameters) {
  View view(kSubCode, {1}, {1, 2, 2, 4}, {1, 2, 2, 4});
  view.a.constant = ConstantData::Own({0, 0, 0, 0x40});  // 2.0f
  const auto parsed = Parsed(ParseBinary, view.node);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  ASSERT_EQ(parsed->post_ops.size(), 1u);
  EXPECT_EQ(parsed->post_ops[0].operand, kNoTensor);
  EXPECT_EQ(parsed->post_ops[0].params[0], 2.0f);
  EXPECT_EQ(parsed->post_ops[0].params[1], 1);  // 2 - x, not x - 2
}

TEST(BinaryParseTest, TheComputedTensorIsTheSource) {
  View view(kSubCode, {1, 2, 2, 4}, {1, 2, 2, 4}, {1, 2, 2, 4});
  view.a.constant = ConstantData::Own(std::vector<uint8_t>(64));
  const auto parsed = Parsed(ParseBinary, view.node);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(std::any_cast<ElementwiseAttributes>(parsed->attributes).source, 1);
  EXPECT_EQ(parsed->post_ops[0].operand, 0);
  EXPECT_TRUE(parsed->post_ops[0].operand_first);
}

// Functions of one tensor if the runtime's kernel gives something else, and
// parameters that no file has; other cases are rows of
// tools/cases/elementwise.txt.

// TFLite's RELU6 and SIGN give 0. Ours keep a NaN, as its other functions do,
// also between two convolutions in one dispatch.
TEST(UnaryNanTest, IsKept) {
  GLES_SKIP_WITHOUT_DEVICE();
  const ScopedTuning fused("split_k_target=1,fused_depthwise_work=1048576");
  for (const char* text :
       {"RELU6 x=[1,1,1,4]", "SIGN x=[1,1,1,4]",
        "DEPTHWISE_CONV_2D x=[1,3,3,4] w=const:[1,1,1,4] b=const:[4] "
        "depth_multiplier=1 fused_activation_function=RELU6 -> m ; "
        "CONV_2D m v=const:[4,1,1,4] c=const:[4]"}) {
    SingleOpModel model = cases::ModelOf(text);
    if (!model.status.ok() && OnOldestTflite()) continue;
    model.inputs[0][0] = NAN;
    const RunResult result = RunOnDelegate(model);
    ASSERT_TRUE(result.status.ok()) << result.status;
    EXPECT_TRUE(std::isnan(result.outputs[0].values[0])) << text;
    const bool is_pair = absl::StartsWith(text, "DEPTHWISE");
    EXPECT_EQ(absl::StrContains(result.report, "DEPTHWISE_CONV_2D+CONV_2D"),
              is_pair);
  }
}

TEST(UnaryParseTest, RefusesMissingParameters) {
  const Tensor x = FakeTensor({4});
  NodeView node;
  node.builtin_code = static_cast<int>(Op::LEAKY_RELU);
  node.inputs = {&x};
  node.outputs = {&x};
  EXPECT_THAT(std::string(Parsed(ParseUnary, node).status().message()),
              HasSubstr("no parameters"));
}

// Elementwise ops on int32 that TFLite's kernels cannot answer; other cases are
// rows of tools/cases/typed.txt.

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

// CAST out of range; other cases are rows of tools/cases/typed.txt.

class CastTest : public DeviceTest {};

// Values outside of int32, for which C++ leaves TFLite 2.9's result open: later
// kernels take the nearest, and the greatest for NaN.
TEST_F(CastTest, OutOfRange) {
  SingleOpModel model =
      cases::ModelOf("CAST x=f32[8] out_data_type=INT32 -> i32");
  model.inputs[0] = {2147483648.0f, 1e20f, kInf, NAN, -NAN, -3e9f, -kInf, 7};
  const RunResult result = RunOnDelegate(model);
  ASSERT_TRUE(result.status.ok()) << result.status;
  constexpr int kMax = std::numeric_limits<int>::max();
  constexpr int kMin = std::numeric_limits<int>::min();
  EXPECT_THAT(
      result.outputs[0].ints,
      ::testing::ElementsAre(kMax, kMax, kMax, kMax, kMax, kMin, kMin, 7));
}

}  // namespace

}  // namespace gles_delegate::testing

// labels: op llvmpipe softpipe
// Elementwise functions of the input of a 1x1 convolution as its input stage,
// against the definition of both. convolution_pairs.txt has the graphs.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "delegate/ops/stages.h"
#include "delegate/passes/passes.h"
#include "tests/testing/device.h"
#include "tests/testing/graph_builder.h"
#include "tests/testing/matchers.h"
#include "tests/testing/naive_conv.h"
#include "tests/testing/run_graph.h"
#include "tools/op_models/random.h"

namespace gles_delegate::testing {
namespace {

struct Function {
  enum class Of { kNothing, kChannels, kElements, kConstant };

  std::string name;
  Of of = Of::kNothing;  // what it has as its operand; constants are channels
  bool operand_first = false;

  bool HasOperand() const { return of != Of::kNothing; }
};
using Of = Function::Of;

// The multiplication of a squeeze-excite block, alone and with an addition; a
// normalization before its activation.
const std::vector<Function> kScale = {{"mul", Of::kChannels}};
const std::vector<Function> kScaleAndAdd = {{"mul", Of::kChannels},
                                            {"add", Of::kElements}};
const std::vector<Function> kNormalization = {
    {"mul", Of::kConstant}, {"add", Of::kConstant}, {"clamp"}};

struct Case {
  std::vector<int> dims = {1, 5, 7, 6};
  int outputs = 9;
  std::vector<Function> functions = kScale;
  bool bias = true;
};

double Computed(const Function& f, double x, double operand) {
  const double a = f.operand_first ? operand : x;
  const double b = f.operand_first ? x : operand;
  if (f.name == "mul") return a * b;
  if (f.name == "add") return a + b;
  if (f.name == "sub") return a - b;
  if (f.name == "maximum") return std::max(a, b);
  if (f.name == "minimum") return std::min(a, b);
  return std::clamp(x, -0.5, 0.75);
}

// Functions of x, and the convolution that reads them. The graph's inputs are
// x and those operands that are not constant, in order.
struct Block {
  explicit Block(const Case& c) : functions(c.functions), random("block") {
    const BhwcShape shape = BhwcShape::FromDims(c.dims);
    x = b.Input(c.dims);
    values = {random.Gaussian(shape.elements())};
    std::vector<PostOp> ops;
    for (const Function& f : functions) ops.push_back(Add(f, c.dims));
    std::vector<TensorId> inputs = {x};
    if (ops[0].operand != kNoTensor) inputs.push_back(ops[0].operand);
    result = b.Node("MUL", inputs, c.dims, b.Plain(x, 0), ops);
    weights = {{c.outputs, 1, 1, shape.c},
               random.Gaussian(int64_t{1} * c.outputs * shape.c)};
    bias = c.bias ? random.Gaussian(c.outputs) : std::vector<float>(c.outputs);
    std::vector<TensorId> read = {
        result,
        AddConstant(&b.graph, {c.outputs, 1, 1, shape.c}, weights.values)};
    if (c.bias) read.push_back(AddConstant(&b.graph, {c.outputs}, bias));
    std::vector<int> out = c.dims;
    out.back() = c.outputs;
    b.graph.outputs = {b.Node("CONV_2D", read, out, Conv2dAttributes())};
  }

  PostOp Add(const Function& f, const std::vector<int>& dims) {
    PostOp op{f.name};
    if (f.name == "clamp") op.params = {-0.5f, 0.75f, 0, 0};
    operands.emplace_back();
    if (!f.HasOperand()) return op;
    const std::vector<int> own =
        f.of == Of::kElements ? dims : std::vector<int>{1, 1, 1, dims.back()};
    operands.back() = random.Gaussian(BhwcShape::FromDims(own).elements());
    op.operand_first = f.operand_first;
    if (f.of == Of::kConstant) {
      op.operand = AddConstant(&b.graph, own, operands.back());
    } else {
      op.operand = b.Input(own);
      values.push_back(operands.back());
    }
    return op;
  }

  // The functions' values and, with `magnitudes`, those of their terms.
  HostTensor Result(bool magnitudes) const {
    HostTensor result{b.graph.tensor(x).shape, {}};
    for (size_t i = 0; i < values[0].size(); ++i) {
      double v = values[0][i], size = std::abs(v);
      for (size_t f = 0; f < functions.size(); ++f) {
        const auto& operand = operands[f];
        const double y = operand.empty() ? 0 : operand[i % operand.size()];
        v = Computed(functions[f], v, y);
        size = functions[f].name == "mul" ? size * std::abs(y)
                                          : size + std::abs(y);
      }
      result.values.push_back(static_cast<float>(magnitudes ? size : v));
    }
    return result;
  }

  Node& first() { return b.graph.nodes[0]; }

  std::vector<Function> functions;
  Random random;
  GraphBuilder b;
  TensorId x, result;
  std::vector<std::vector<float>> values;    // of the graph's inputs
  std::vector<std::vector<float>> operands;  // of each function
  HostTensor weights;
  std::vector<float> bias;
};

DeviceProfile Fusing() {
  DeviceProfile profile = RoomyProfile();
  profile.choices.read_through = 1;
  return profile;
}

void Check(const Case& c, int split_k_target) {
  SCOPED_TRACE(::testing::Message()
               << BhwcShape::FromDims(c.dims).ToString() << " to " << c.outputs
               << " by " << c.functions.size() << " functions from "
               << c.functions[0].name << " split " << split_k_target);
  Block block(c);
  RunPass("fuse_inputs", &block.b.graph, Fusing());
  ASSERT_THAT(block.b.Ops(), ElementsAre("CONV_2D"));
  EXPECT_EQ(StageOf(block.first(), kInputStage).size(), c.functions.size());
  const auto got =
      RunGraph(block.b.graph, block.values, [&](DeviceProfile& profile) {
        profile.choices.split_k_target = split_k_target;
      });
  ASSERT_TRUE(got.ok()) << got.status();
  const BhwcShape dst = block.b.graph.tensor(block.b.graph.outputs[0]).shape;
  const auto of = [&](bool magnitudes) {
    return NaiveConv({block.Result(magnitudes), block.weights, block.bias}, {},
                     dst);
  };
  ExpectWithinRoundings(*got, {of(false).values, of(true).magnitudes});
}

// 0: conv_1x1.comp; else conv_shared.comp, if it fits the device.
constexpr int kTargets[] = {0, 1, 1 << 20};

TEST(FuseInputsTest, MatchesDefinition) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (int target : kTargets) {
    for (const auto& functions : {kScale, kScaleAndAdd, kNormalization}) {
      Check({{1, 5, 7, 6}, 9, functions}, target);
      Check({{1, 3, 3, 17}, 5, functions, /*bias=*/false}, target);
      Check({{1, 9, 4, 64}, 70, functions}, target);
      Check({{1, 1, 8, 1}, 4, functions}, target);
      Check({{2, 5, 7, 6}, 9, functions}, target);
    }
  }
}

TEST(FuseInputsTest, EachFunction) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (int target : kTargets) {
    for (const char* name : {"mul", "add", "sub", "minimum", "maximum"}) {
      for (Of of : {Of::kChannels, Of::kElements, Of::kConstant}) {
        Check({{1, 5, 7, 6}, 9, {{name, of}}}, target);
        Check({{1, 5, 7, 6}, 9, {{name, of, /*operand_first=*/true}}}, target);
      }
    }
    Check({{1, 5, 7, 6}, 9, {{"clamp"}}}, target);
  }
}

}  // namespace
}  // namespace gles_delegate::testing

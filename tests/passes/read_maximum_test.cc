// labels: op llvmpipe softpipe
// Convolutions whose post-op takes the largest of four pixels in place of a
// MAX_POOL_2D: bit by bit what they compute behind it. read_through.txt has the
// graphs.
#include <any>
#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "delegate/ops/conv/conv_2d.h"
#include "delegate/ops/op_list.h"
#include "delegate/ops/pooling/pool_2d.h"
#include "delegate/partition/partition_report.h"
#include "delegate/passes/passes.h"
#include "delegate/plan/share_programs.h"
#include "tests/testing/device.h"
#include "tests/testing/matchers.h"
#include "tests/testing/program_texts.h"
#include "tests/testing/run_graph.h"
#include "tests/testing/run_pass.h"
#include "tests/testing/storage_setting.h"
#include "tests/testing/through_profile.h"
#include "tools/op_models/random.h"

namespace gles_delegate::testing {
namespace {

using gl_shaders::Storage;
using ::testing::HasSubstr;

std::vector<int> Dims(const BhwcShape& s) { return {s.b, s.h, s.w, s.c}; }

// SAME: what reaches past the last pixel is no part of a window.
PoolAttributes Windows(int height, int width, int stride) {
  PoolAttributes a;
  a.h = {height, stride, 1};
  a.w = {width, stride, 1};
  return a;
}

// Blocks of a face detector: of a tensor x, a convolution by the stride of a
// MAX_POOL_2D of x, plus that maximum.
class Blocks {
 public:
  explicit Blocks(const BhwcShape& shape) : random_("read maximum") {
    graph.inputs = {AddTensor(&graph, Dims(shape))};
    graph.outputs = {graph.inputs[0]};
  }

  // A 1x1 convolution with bias, and functions behind it.
  void AddConvolution(int channels, int stride,
                      std::vector<PostOp> functions = {}) {
    const TensorId src = graph.outputs[0];
    const BhwcShape from = graph.tensor(src).shape;
    const auto out = [&](int n) { return (n + stride - 1) / stride; };
    Node node;
    node.op = FindOpNamed("CONV_2D");
    node.inputs = {src,
                   AddConstant(&graph, {channels, 1, 1, from.c},
                               random_.Gaussian(channels * from.c)),
                   AddConstant(&graph, {channels}, random_.Gaussian(channels))};
    node.outputs = {
        AddTensor(&graph, {from.b, out(from.h), out(from.w), channels})};
    Conv2dAttributes window;
    window.stride_h = window.stride_w = stride;
    node.attributes = window;
    node.post_ops = std::move(functions);
    graph.nodes.push_back(node);
    graph.outputs = node.outputs;
  }
  // The function that adds the maximum of what was written last.
  PostOp AddMaximum(const PoolAttributes& a) {
    const TensorId src = graph.outputs[0];
    const BhwcShape from = graph.tensor(src).shape;
    const auto out = [](int n, int stride) {
      return (n + stride - 1) / stride;
    };
    Node node;
    node.op = FindOpNamed("MAX_POOL_2D");
    node.inputs = {src};
    node.outputs = {AddTensor(&graph, {from.b, out(from.h, a.h.stride),
                                       out(from.w, a.w.stride), from.c})};
    node.attributes = a;
    graph.nodes.push_back(node);
    PostOp add{"add"};
    add.operand = node.outputs[0];
    return add;
  }
  void AddBlock(int channels, const PoolAttributes& a) {
    PostOp add = AddMaximum(a);
    add.operand_zero_extend = channels > graph.tensor(graph.outputs[0]).shape.c;
    AddConvolution(channels, a.h.stride, {add, {"clamp", {-1, 9, 0, 0}}});
  }

  Graph graph;

 private:
  Random random_;
};

// A convolution, and a block of its result behind another one, so that the
// maximum's source would not live until then by itself.
Blocks Block(const BhwcShape& shape, int channels, const PoolAttributes& a) {
  Blocks blocks(shape);
  blocks.AddConvolution(shape.c, 1);
  PostOp add = blocks.AddMaximum(a);
  add.operand_zero_extend = channels > shape.c;
  blocks.AddConvolution(3, a.h.stride);
  blocks.AddConvolution(channels, 1, {add, {"clamp", {-1, 9, 0, 0}}});
  return blocks;
}

std::vector<uint32_t> Bits(const std::vector<float>& values) {
  std::vector<uint32_t> bits(values.size());
  std::memcpy(bits.data(), values.data(), values.size() * sizeof(float));
  return bits;
}

std::vector<uint32_t> Compute(const Graph& graph,
                              const std::vector<float>& input,
                              const StorageSetting& setting) {
  auto result = RunGraph(graph, {input}, [&](DeviceProfile& profile) {
    ReadThroughNodes(profile);
    profile.choices.storage = setting.storage;
    profile.options.half = setting.half;
  });
  EXPECT_TRUE(result.ok()) << result.status();
  return Bits(result.value_or(std::vector<float>()));
}

// The pool is gone, and every bit is the same as behind it.
void ExpectSameWithoutThePool(const Graph& behind,
                              const StorageSetting& setting) {
  SCOPED_TRACE(behind.tensor(behind.inputs[0]).shape.ToString());
  Graph graph = behind;
  RunPass("read_through", &graph, ThroughProfile());
  EXPECT_EQ(graph.nodes.size(), behind.nodes.size() - 1);
  Random random("maximum of");
  const auto input =
      random.Gaussian(graph.tensor(graph.inputs[0]).shape.elements());
  EXPECT_EQ(Compute(graph, input, setting), Compute(behind, input, setting));
}

TEST(ReadMaximumTest, BitsAreThoseOfThePool) {
  GLES_SKIP_WITHOUT_DEVICE();
  const auto expect = [](const BhwcShape& shape, int channels,
                         const PoolAttributes& a) {
    ExpectSameWithoutThePool(Block(shape, channels, a).graph, {});
  };
  expect({1, 8, 12, 16}, 16, Windows(2, 2, 2));
  expect({1, 3, 4, 5}, 5, Windows(2, 2, 1));
  expect({1, 4, 5, 4}, 8, Windows(1, 2, 2));
  expect({1, 4, 5, 4}, 8, Windows(2, 1, 1));
  expect({1, 7, 8, 4}, 4, Windows(2, 2, 3));
}

TEST(ReadMaximumTest, BitsInEverySetting) {
  GLES_SKIP_WITHOUT_DEVICE();
  // Half a texel, and what reaches past the last pixel.
  const Blocks block = Block({2, 5, 4, 7}, 18, Windows(2, 2, 2));
  for (const StorageSetting& setting : kStorageSettings) {
    SCOPED_TRACE(static_cast<int>(setting.storage));
    ExpectSameWithoutThePool(block.graph, setting);
  }
}

TEST(ReadMaximumTest, InfinitiesAreThePools) {
  GLES_SKIP_WITHOUT_DEVICE();
  Blocks blocks({1, 2, 4, 4});
  blocks.AddBlock(4, Windows(2, 2, 2));
  Graph graph = blocks.graph;
  RunPass("read_through", &graph, ThroughProfile());
  constexpr float kInf = std::numeric_limits<float>::infinity();
  std::vector<float> input(32, -kInf);
  input[20] = kInf;
  EXPECT_EQ(Compute(graph, input, {}), Compute(blocks.graph, input, {}));
}

struct Shared {
  Graph graph;
  std::vector<Dispatch> dispatches;
  std::set<std::string> programs;
};

DeviceProfile SharingProfile() {
  DeviceProfile profile = ThroughProfile();
  profile.limits.max_work_group_invocations = 256;
  profile.limits.max_work_group_size = {256, 256, 64};
  profile.limits.max_shared_memory_bytes = 32 << 10;
  profile.choices.share_programs = 1;
  return profile;
}

Shared Share(const Graph& graph) {
  const DeviceProfile profile = SharingProfile();
  Shared shared{graph, {}, {}};
  auto dispatches = PlanGraph(&shared.graph, profile);
  EXPECT_TRUE(dispatches.ok()) << dispatches.status();
  shared.dispatches = std::move(dispatches).value_or(std::vector<Dispatch>());
  SharePrograms(shared.graph, profile, &shared.dispatches);
  shared.programs = ProgramTexts(shared.graph, shared.dispatches, profile);
  return shared;
}

std::vector<uint32_t> Compute(const Shared& shared) {
  Random random("shared programs");
  const auto input = random.Gaussian(
      shared.graph.tensor(shared.graph.inputs[0]).shape.elements());
  std::vector<float> output(
      shared.graph.tensor(shared.graph.outputs[0]).shape.elements());
  const absl::Status status =
      RunDispatches(shared.graph, shared.dispatches, SharingProfile(), {input},
                    absl::MakeSpan(output));
  EXPECT_TRUE(status.ok()) << status;
  return Bits(output);
}

// A residual block, and blocks with a maximum, of as many channels and of more.
TEST(ReadMaximumTest, AllBlocksShareAProgram) {
  GLES_SKIP_WITHOUT_DEVICE();
  Blocks blocks({1, 16, 16, 16});
  PostOp add{"add"};
  add.operand = blocks.graph.inputs[0];
  blocks.AddConvolution(16, 1, {add, {"clamp", {-1, 9, 0, 0}}});
  blocks.AddBlock(16, Windows(2, 2, 1));
  blocks.AddBlock(32, Windows(2, 2, 1));
  Graph graph = blocks.graph;
  RunPass("read_through", &graph, SharingProfile());
  ASSERT_EQ(graph.nodes.size(), 3u);
  const Shared behind = Share(blocks.graph);
  const Shared shared = Share(graph);
  const std::string text = PlanToString(shared.graph, shared.dispatches);
  EXPECT_EQ(shared.programs.size(), 1u) << text;
  EXPECT_THAT(text, HasSubstr(" largest of 2x2 by 1,1"));
  EXPECT_THAT(text, HasSubstr("(skipped)"));
  EXPECT_EQ(Compute(shared), Compute(behind));
}

TEST(ReadMaximumTest, TheNodeIsComputedByItsReader) {
  Graph before = Block({1, 4, 4, 4}, 4, Windows(2, 2, 2)).graph;
  for (size_t n = 0; n < before.nodes.size(); ++n) {
    before.nodes[n].tflite_index = static_cast<int>(n);
  }
  Graph after = before;
  RunPass("read_through", &after, ThroughProfile());
  const auto fates = FatesOfNodes({1}, before, after);
  ASSERT_EQ(fates.size(), 1u);
  EXPECT_EQ(fates[0].computed_by, 3);
}

}  // namespace
}  // namespace gles_delegate::testing

// labels: op llvmpipe softpipe
// Dispatches that share a program compute the same, bit by bit, as with
// separate programs; and which dispatches do. So do those whose program has
// their parameters as constants.
#include "delegate/plan/share_programs.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "delegate/ops/conv/conv_2d.h"
#include "delegate/ops/matmul/matrix_product.h"
#include "delegate/ops/op_list.h"
#include "delegate/ops/reduction/reduction.h"
#include "delegate/plan/dispatch.h"
#include "delegate/plan/planner.h"
#include "tests/testing/device.h"
#include "tests/testing/matchers.h"
#include "tests/testing/program_texts.h"
#include "tests/testing/run_graph.h"
#include "tests/testing/run_pass.h"
#include "tools/op_models/random.h"

namespace gles_delegate::testing {
namespace {

using gl_shaders::Storage;
using ::testing::HasSubstr;
using Kind = MemoryView::Kind;

DeviceProfile Profile(int share, Storage storage = Storage::kBuffer) {
  DeviceProfile profile = RoomyProfile();
  profile.limits.max_work_group_invocations = 256;
  profile.limits.max_work_group_size = {256, 256, 64};
  profile.limits.max_shared_memory_bytes = 32 << 10;
  profile.choices.storage = storage;
  profile.choices.split_k_target = 48 << 10;
  profile.choices.conv_tile_slices = 2;
  profile.choices.depthwise_tile_rows = 2;
  profile.choices.share_programs = share;
  return profile;
}

PostOp With(const char* function, TensorId operand) {
  PostOp op{function};
  op.operand = operand;
  return op;
}

const PostOp kClamp = {"clamp", {-0.5f, 0.5f, 0, 0}};

// 1x1 convolutions of one input, one after the other.
class Chain {
 public:
  explicit Chain(int channels, std::vector<int> image = {1, 6, 5})
      : random_("share programs"), image_(std::move(image)) {
    graph.inputs = {AddTensor(&graph, Dims(channels))};
    graph.outputs = {graph.inputs[0]};
  }

  std::vector<int> Dims(int channels) const {
    std::vector<int> dims = image_;
    dims.push_back(channels);
    return dims;
  }
  // Returns what the convolution writes.
  TensorId Add(int channels, std::vector<PostOp> post_ops) {
    const TensorId src = graph.outputs[0];
    const int from = graph.tensor(src).shape.c;
    Node node;
    node.op = FindOpNamed("CONV_2D");
    node.inputs = {src,
                   AddConstant(&graph, {channels, 1, 1, from},
                               random_.Gaussian(channels * from)),
                   AddConstant(&graph, {channels}, random_.Gaussian(channels))};
    node.outputs = {AddTensor(&graph, Dims(channels))};
    node.attributes = Conv2dAttributes();
    node.post_ops = std::move(post_ops);
    graph.nodes.push_back(node);
    graph.outputs = node.outputs;
    return node.outputs[0];
  }
  // A block of a face detector: the convolution adds the largest of each 2x2
  // pixels of its input.
  void AddBlock(int channels) {
    const TensorId src = graph.outputs[0];
    Node node;
    node.op = FindOpNamed("MAX_POOL_2D");
    node.inputs = {src};
    node.outputs = {AddTensor(&graph, Dims(graph.tensor(src).shape.c))};
    PoolAttributes windows;
    windows.window_h = windows.window_w = 2;
    node.attributes = windows;
    graph.nodes.push_back(node);
    PostOp add = {"add"};
    add.operand = node.outputs[0];
    if (channels > graph.tensor(src).shape.c) {
      add.operand_as = OperandAs::kZeroExtended;
    }
    Add(channels, {add, {"clamp", {-1, 9, 0, 0}}});
  }
  // The last node's result is in a tensor of `dims` now, which is the output.
  void Put(std::vector<int> dims, Kind kind, std::array<int, 4> at) {
    const TensorId part = graph.outputs[0];
    graph.outputs = {AddTensor(&graph, std::move(dims))};
    MemoryView& view = graph.tensor(part).view;
    view.of = graph.outputs[0];
    view.kind = kind;
    view.at = at;
  }

  Graph graph;

 private:
  Random random_;
  std::vector<int> image_;
};

struct Planned {
  Graph graph;
  std::vector<Dispatch> dispatches;
  std::set<std::string> programs;
  std::string text;
};

Planned Plan(const Chain& chain, const DeviceProfile& profile) {
  Planned planned{chain.graph, {}, {}, ""};
  auto dispatches = PlanGraph(&planned.graph, profile);
  EXPECT_TRUE(dispatches.ok()) << dispatches.status();
  planned.dispatches = std::move(dispatches).value_or(std::vector<Dispatch>());
  SharePrograms(planned.graph, profile, &planned.dispatches);
  planned.programs = ProgramTexts(planned.graph, planned.dispatches, profile);
  planned.text = PlanToString(planned.graph, planned.dispatches);
  return planned;
}

size_t Programs(const Chain& chain, int share,
                Storage storage = Storage::kBuffer) {
  return Plan(chain, Profile(share, storage)).programs.size();
}

std::vector<float> Compute(const Chain& chain, int share, Storage storage) {
  Random random("share programs, input");
  const DeviceProfile profile = Profile(share, storage);
  const Planned planned = Plan(chain, profile);
  const auto input = random.WithCorners(
      planned.graph.tensor(planned.graph.inputs[0]).shape.elements());
  std::vector<float> output(
      planned.graph.tensor(planned.graph.outputs[0]).shape.elements());
  const absl::Status status =
      RunDispatches(planned.graph, planned.dispatches, profile, {input},
                    absl::MakeSpan(output));
  EXPECT_TRUE(status.ok()) << status;
  return output;
}

std::vector<uint32_t> Bits(const std::vector<float>& values) {
  std::vector<uint32_t> bits(values.size());
  std::memcpy(bits.data(), values.data(), values.size() * sizeof(float));
  return bits;
}

// The answers of a chain whose tensors are in each storage, bit by bit.
void ExpectSame(const Chain& chain, int share) {
  for (Storage storage : {Storage::kBuffer, Storage::kTexture2d}) {
    const auto alone = Compute(chain, 0, storage);
    EXPECT_EQ(Bits(Compute(chain, share, storage)), Bits(alone))
        << "storage " << static_cast<int>(storage);
  }
}

// A residual addition, an activation, both, none.
Chain Residuals() {
  Chain chain(16);
  const TensorId first = chain.Add(16, {});
  chain.Add(16, {kClamp});
  const TensorId third = chain.Add(16, {With("add", first), kClamp});
  chain.Add(16, {{"hard_swish"}});
  chain.Add(16, {With("add", third)});
  return chain;
}

TEST(ShareProgramsTest, PostOpsAreSkipped) {
  GLES_SKIP_WITHOUT_DEVICE();
  const Chain chain = Residuals();
  EXPECT_EQ(Programs(chain, 0), 5u);
  EXPECT_EQ(Programs(chain, 1), 1u);
  ExpectSame(chain, 1);
}

// Of a difference it matters, of a sum and a product not.
TEST(ShareProgramsTest, WhateverOperandIsFirst) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (const auto& [function, programs] :
       {std::pair{"add", 1u}, {"mul", 1u}, {"sub", 2u}}) {
    Chain chain(16);
    PostOp op = With(function, chain.graph.inputs[0]);
    chain.Add(16, {op});
    op.operand_first = true;
    chain.Add(16, {op});
    EXPECT_EQ(Programs(chain, 0), programs) << function;
  }
}

// All slices of a tensor in one batch are read like a tensor without a view.
TEST(ShareProgramsTest, ViewsThatLieAsTheirMemory) {
  GLES_SKIP_WITHOUT_DEVICE();
  const auto programs = [](int batches, int first) {
    Chain chain(16);
    chain.Add(16, {});
    const TensorId whole = chain.graph.outputs[0];
    const TensorId part =
        AddTensor(&chain.graph, {batches, 6, 5, (4 - first) / batches * 4});
    MemoryView& view = chain.graph.tensor(part).view;
    view.of = whole;
    view.slices = (4 - first) / batches;
    view.at[3] = 4 * first;
    chain.graph.outputs = {part};
    chain.Add(16, {});
    ExpectSame(chain, 0);
    return Programs(chain, 0);
  };
  EXPECT_EQ(programs(1, 0), 1u);
  EXPECT_EQ(programs(1, 1), 2u);
  EXPECT_EQ(programs(2, 0), 2u);
}

TEST(ShareProgramsTest, ThePlanSaysWhatIsSkipped) {
  const Planned planned = Plan(Residuals(), Profile(1));
  EXPECT_THAT(planned.text, HasSubstr("(skipped)"));
  EXPECT_THAT(planned.text, HasSubstr("(optional)"));
  for (const Dispatch& d : planned.dispatches) {
    EXPECT_EQ(d.skipped_post_ops & ~d.optional_post_ops, 0u);
    // Nothing is bound that the dispatch did not read, or read already.
    EXPECT_EQ(BoundTensors(d)[1], d.post_ops[0].operand);
    EXPECT_EQ(ParamsOf(planned.graph, d).block_bytes(),
              ParamsOf(planned.graph, planned.dispatches[0]).block_bytes());
  }
}

TEST(ShareProgramsTest, ChannelsPastTheLastAreZero) {
  GLES_SKIP_WITHOUT_DEVICE();
  Chain chain(16);
  chain.Add(16, {kClamp});
  chain.Add(14, {});
  chain.Add(16, {kClamp});
  EXPECT_EQ(Programs(chain, 0), 2u);
  EXPECT_EQ(Programs(chain, 1), 1u);
  ExpectSame(chain, 1);
}

TEST(ShareProgramsTest, OutputsLieInOtherTensors) {
  GLES_SKIP_WITHOUT_DEVICE();
  Chain box(16, {2, 6, 5});
  box.Add(16, {});
  box.Add(16, {});
  box.Put({2, 6, 5, 16}, Kind::kBox, {});
  EXPECT_EQ(Programs(box, 0), 2u);
  EXPECT_EQ(Programs(box, 1), 1u);
  ExpectSame(box, 1);
  Chain rows(16, {2, 6, 5});
  rows.Add(16, {});
  rows.Add(16, {});
  rows.Put({2, 1, 60, 8}, Kind::kRows, {});
  EXPECT_EQ(Programs(rows, 0), 2u);
  EXPECT_EQ(Programs(rows, 1), 1u);
  EXPECT_EQ(Programs(rows, 1, Storage::kTexture2d), 2u)
      << "a row of all pixels is past no buffer";
  ExpectSame(rows, 1);
}

// With a residual block and blocks whose maximum is of as many channels, and of
// fewer.
TEST(ShareProgramsTest, BlocksThatReadAMaximumThrough) {
  GLES_SKIP_WITHOUT_DEVICE();
  Chain chain(16, {1, 16, 16});
  chain.Add(16, {With("add", chain.graph.inputs[0]), kClamp});
  chain.AddBlock(16);
  chain.AddBlock(32);
  DeviceProfile profile = Profile(1);
  profile.choices.read_through = 1;
  Chain through = chain;
  RunPass("read_through", &through.graph, profile);
  ASSERT_EQ(through.graph.nodes.size(), 3u);
  const Planned planned = Plan(through, profile);
  EXPECT_EQ(planned.programs.size(), 1u) << planned.text;
  EXPECT_THAT(planned.text, HasSubstr(" largest of 2x2 by 1,1"));
  EXPECT_THAT(planned.text, HasSubstr("(skipped)"));
  EXPECT_EQ(Bits(Compute(through, 1, Storage::kBuffer)),
            Bits(Compute(chain, 1, Storage::kBuffer)));
}

// A row is three tiles, the last of them of two outputs: each is written in a
// loop, whose invocations take turns of different lengths.
TEST(ShareProgramsTest, OutputsAreWrittenInALoop) {
  GLES_SKIP_WITHOUT_DEVICE();
  Chain chain(8, {1, 8, 10});
  Random random("share programs, depthwise");
  Node node;
  node.op = FindOpNamed("DEPTHWISE_CONV_2D");
  node.inputs = {chain.graph.inputs[0],
                 AddConstant(&chain.graph, {1, 5, 5, 8}, random.Gaussian(200)),
                 AddConstant(&chain.graph, {8}, random.Gaussian(8))};
  node.outputs = {AddTensor(&chain.graph, chain.Dims(8))};
  DepthwiseConv2dAttributes attributes;
  attributes.pad_top = attributes.pad_left = 2;
  node.attributes = attributes;
  chain.graph.nodes.push_back(node);
  chain.graph.outputs = node.outputs;
  EXPECT_THAT(Plan(chain, Profile(1)).text, HasSubstr("ROLLED_OUTPUTS"));
  ExpectSame(chain, 1);
}

TEST(ShareProgramsTest, LoadsHaveBounds) {
  GLES_SKIP_WITHOUT_DEVICE();
  Chain chain(64, {1, 32, 32});
  chain.Add(68, {});
  chain.Add(68, {});
  EXPECT_EQ(Programs(chain, 0), 2u);
  EXPECT_EQ(Programs(chain, 1), 1u);
  ExpectSame(chain, 1);
}

TEST(ShareProgramsTest, SumsHaveTwiceAsManyLanes) {
  Chain chain(16, {1, 32, 32});  // four terms, then eight
  chain.Add(32, {});
  chain.Add(32, {});
  const Planned alone = Plan(chain, Profile(0));
  const Planned together = Plan(chain, Profile(1));
  EXPECT_EQ(alone.programs.size(), 2u);
  EXPECT_EQ(together.programs.size(), 1u);
  const Dispatch& few = alone.dispatches[0];
  const Dispatch& many = together.dispatches[0];
  EXPECT_EQ(many.work_group[2], 2 * few.work_group[2]);
  EXPECT_EQ(many.work_group, together.dispatches[1].work_group);
  EXPECT_EQ(many.grid[2], 2 * few.grid[2]);
  EXPECT_EQ(many.grid[0], few.grid[0]);
  EXPECT_EQ(many.shared_bytes, together.dispatches[1].shared_bytes);
  EXPECT_EQ(together.dispatches[1].work_group, alone.dispatches[1].work_group);
}

TEST(ShareProgramsTest, OtherDispatchesStayAsTheyAre) {
  Chain tiles(16);  // two slices and one
  tiles.Add(4, {});
  tiles.Add(16, {kClamp});
  EXPECT_EQ(Plan(tiles, Profile(1)).text, Plan(tiles, Profile(0)).text);
  Chain same(16);
  same.Add(16, {kClamp});
  same.Add(16, {kClamp});
  EXPECT_EQ(Plan(same, Profile(1)).text, Plan(same, Profile(0)).text);
}

TEST(ShareProgramsTest, BindingsKeepToTheLimits) {
  Chain chain(16);
  const TensorId first = chain.Add(16, {});
  chain.Add(16, {With("add", first)});
  DeviceProfile profile = Profile(1);
  profile.limits.max_buffers = 4;
  EXPECT_EQ(Plan(chain, profile).programs.size(), 1u);
  profile.limits.max_buffers = 3;
  profile.limits.max_outputs = 3;
  // The second has one operand too many by itself.
  EXPECT_FALSE(PlanGraph(&chain.graph, profile).ok());
}

// `count` products of one row, one after the other.
Graph Products(int count) {
  Random random("fixed parameters");
  Graph graph;
  graph.inputs = graph.outputs = {AddTensor(&graph, {1, 32})};
  for (int i = 0; i < count; ++i) {
    Node node;
    node.op = FindOpNamed("FULLY_CONNECTED");
    node.inputs = {
        graph.outputs[0],
        AddConstant(&graph, {32, 32}, random.Gaussian(1024, 0, 0.2f)),
        AddConstant(&graph, {32}, random.Gaussian(32))};
    node.outputs = {AddTensor(&graph, {1, 32})};
    node.attributes = FullyConnectedAttributes();
    graph.nodes.push_back(node);
    graph.outputs = node.outputs;
  }
  return graph;
}

// The products' answer, with parameters fixed if `fixes`; how many are.
std::pair<std::vector<float>, int> Answer(int count, bool fixes,
                                          const DeviceProfile& profile) {
  Graph graph = Products(count);
  auto dispatches = PlanGraph(&graph, profile);
  EXPECT_TRUE(dispatches.ok()) << dispatches.status();
  if (fixes) FixParams(graph, profile, &*dispatches);
  const auto fixed =
      std::count_if(dispatches->begin(), dispatches->end(),
                    [](const Dispatch& d) { return d.fixed_params; });
  std::vector<float> output(32);
  const absl::Status status =
      RunDispatches(graph, *dispatches, profile, {Random("row").Gaussian(32)},
                    absl::MakeSpan(output));
  EXPECT_TRUE(status.ok()) << status;
  return {output, static_cast<int>(fixed)};
}

TEST(FixParamsTest, ManyAlikeHaveThem) {
  GLES_SKIP_WITHOUT_DEVICE();
  const auto [expected, none] = Answer(8, false, Profile(0));
  const auto [output, all] = Answer(8, true, Profile(0));
  EXPECT_EQ(none, 0);
  EXPECT_EQ(all, 8);
  // A compiler that knows more may round in another order.
  EXPECT_THAT(output,
              ::testing::Pointwise(::testing::FloatNear(1e-4f), expected));
}

TEST(FixParamsTest, FewDoNotNorWithoutProcessorsToFill) {
  GLES_SKIP_WITHOUT_DEVICE();
  EXPECT_EQ(Answer(7, true, Profile(0)).second, 0);
  DeviceProfile profile = Profile(0);
  profile.choices.split_k_target = 0;
  EXPECT_EQ(Answer(8, true, profile).second, 0);
}

}  // namespace
}  // namespace gles_delegate::testing

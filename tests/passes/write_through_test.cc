// labels: op llvmpipe softpipe
// Convolutions that write the rows which a RESHAPE makes of their results, by
// themselves and in a concatenation: against their definition, and the graphs
// that the pass must leave alone.
#include <functional>
#include <tuple>
#include <vector>

#include "delegate/ops/conv/conv_2d.h"
#include "delegate/ops/movement/concatenation.h"
#include "delegate/ops/op_list.h"
#include "delegate/passes/passes.h"
#include "gmock/gmock.h"
#include "tests/testing/device.h"
#include "tests/testing/naive_conv.h"
#include "tests/testing/run_graph.h"
#include "tests/testing/run_pass.h"
#include "tests/testing/scoped_environment.h"
#include "tests/testing/storage_setting.h"
#include "tests/testing/through_profile.h"
#include "tools/op_models/random.h"

namespace gles_delegate::testing {
namespace {

using gl_shaders::Storage;
using ::testing::ElementsAre;

// One head: a convolution of its own input, to `parts` times `channels`.
struct Head {
  BhwcShape src;
  int kernel = 1;
  int parts = 1;
  int channels = 1;
};

// Heads as rows of `channels`, joined where there are several.
class Heads {
 public:
  explicit Heads(const std::vector<Head>& heads) : random_("write through") {
    int pixels = 0;
    for (const Head& head : heads) {
      rows.push_back(AddHead(head));
      pixels += head.src.h * head.src.w * head.parts;
    }
    graph.outputs = rows;
    if (heads.size() == 1) return;
    Node node;
    node.op = FindOpNamed("CONCATENATION");
    node.inputs = rows;
    node.outputs = {AddTensor(&graph, {1, pixels, heads[0].channels})};
    node.attributes = ConcatenationAttributes{kWidthAxis};
    graph.nodes.push_back(node);
    graph.outputs = node.outputs;
  }

  std::vector<std::string> Ops() const {
    std::vector<std::string> names;
    for (const Node& node : graph.nodes) names.emplace_back(node.op->name);
    return names;
  }

  Graph graph;
  std::vector<TensorId> rows;
  std::vector<std::vector<float>> inputs;
  NaiveResult want;

 private:
  // Returns the row.
  TensorId AddHead(const Head& head) {
    const BhwcShape& from = head.src;
    const BhwcShape to = {from.b, from.h, from.w, head.parts * head.channels};
    const HostTensor src = {from, random_.Gaussian(from.elements())};
    const BhwcShape window = {to.c, head.kernel, head.kernel, from.c};
    const HostTensor filter = {window, random_.Gaussian(window.elements())};
    const std::vector<float> bias = random_.Gaussian(to.c);
    Conv2dAttributes attributes;
    attributes.pad_top = attributes.pad_left = head.kernel / 2;
    inputs.push_back(src.values);
    graph.inputs.push_back(AddTensor(&graph, {from.b, from.h, from.w, from.c}));
    Node node;
    node.op = FindOpNamed("CONV_2D");
    node.inputs = {graph.inputs.back(),
                   AddConstant(&graph, {window.b, window.h, window.w, window.c},
                               filter.values),
                   AddConstant(&graph, {to.c}, bias)};
    node.outputs = {AddTensor(&graph, {to.b, to.h, to.w, to.c})};
    node.attributes = attributes;
    graph.nodes.push_back(node);
    const NaiveResult result = NaiveConv({src, filter, bias}, attributes, to);
    want.values.insert(want.values.end(), result.values.begin(),
                       result.values.end());
    want.magnitudes.insert(want.magnitudes.end(), result.magnitudes.begin(),
                           result.magnitudes.end());
    Node reshape;
    reshape.op = FindOpNamed("RESHAPE");
    reshape.inputs = node.outputs;
    reshape.outputs = {
        AddTensor(&graph, {to.b, to.h * to.w * head.parts, head.channels})};
    graph.nodes.push_back(reshape);
    return reshape.outputs[0];
  }

  Random random_;
};

std::vector<float> Compute(const Heads& heads,
                           const StorageSetting& setting = {}) {
  auto result =
      RunGraph(heads.graph, heads.inputs, [&](DeviceProfile& profile) {
        ReadThroughNodes(profile);
        profile.choices.storage = setting.storage;
        profile.options.half = setting.half;
        profile.choices.half_arithmetic = setting.half ? 1 : 0;
      });
  EXPECT_TRUE(result.ok()) << result.status();
  return result.value_or(std::vector<float>());
}

// Only the convolutions are left.
Heads Written(Heads heads) {
  const size_t convolutions = heads.rows.size();
  RunPass("concat_in_place", &heads.graph);
  RunPass("write_through", &heads.graph, ThroughProfile());
  EXPECT_THAT(heads.Ops(), ::testing::ElementsAreArray(std::vector<std::string>(
                               convolutions, "CONV_2D")));
  return heads;
}

// Channels that fill texels, one that does not follow another, and those
// behind which the texels have room.
const Head kHeads[] = {{{1, 5, 4, 16}, 1, 3, 4},  {{2, 3, 5, 9}, 3, 2, 12},
                       {{2, 4, 3, 8}, 1, 1, 7},   {{1, 6, 7, 12}, 1, 2, 1},
                       {{2, 3, 4, 20}, 3, 6, 1},  {{1, 2, 2, 24}, 1, 3, 91},
                       {{1, 1, 1, 40}, 1, 6, 7},  {{1, 4, 5, 4}, 5, 4, 6},
                       {{1, 19, 9, 32}, 1, 3, 5}, {{3, 1, 1, 33}, 1, 2, 3}};

TEST(WriteThroughTest, RowsByThemselves) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (const Head& head : kHeads) {
    SCOPED_TRACE(head.src.ToString());
    const Heads heads({head});
    const Heads written = Written(heads);
    ExpectWithinRoundings(Compute(written), heads.want);
    const ScopedDebug checked("bounds");
    EXPECT_EQ(Compute(written), Compute(Written(heads)));
  }
}

TEST(WriteThroughTest, RowsOfAConcatenation) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (const auto& [parts, channels] : {std::tuple(3, 4), std::tuple(1, 7),
                                        std::tuple(6, 1), std::tuple(2, 9)}) {
    const Heads heads({{{1, 5, 6, 12}, 1, parts, channels},
                       {{1, 3, 3, 24}, 3, 2 * parts, channels},
                       {{1, 1, 1, 16}, 1, parts, channels}});
    ExpectWithinRoundings(Compute(Written(heads)), heads.want);
  }
}

// If no outputs are added, the bits are those of the RESHAPE.
TEST(WriteThroughTest, TheSameBitsInEverySetting) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (const StorageSetting& setting : kStorageSettings) {
    SCOPED_TRACE(static_cast<int>(setting.storage));
    for (const int channels : {4, 12}) {
      const Heads heads(
          {{{1, 5, 4, 16}, 1, 3, channels}, {{1, 4, 3, 20}, 3, 2, channels}});
      EXPECT_EQ(Compute(Written(heads), setting), Compute(heads, setting));
    }
    if (setting.half) continue;
    const Heads padded({{{1, 5, 4, 16}, 1, 3, 7}, {{1, 4, 3, 20}, 3, 2, 7}});
    ExpectWithinRoundings(Compute(Written(padded), setting), padded.want);
  }
}

// A texel's components behind the channels are 0, whatever the functions
// do: readers of the row rely on it.
TEST(WriteThroughTest, WhatIsAddedIsStoredAsZeros) {
  GLES_SKIP_WITHOUT_DEVICE();
  Heads heads({{{1, 3, 4, 8}, 1, 2, 5}});
  heads.graph.nodes[1].post_ops = {{"clamp", {3, 6, 0, 0}}};
  Node sum;
  sum.op = FindOpNamed("CONV_2D");
  sum.inputs = {heads.rows[0],
                AddConstant(&heads.graph, {1, 1, 1, 5}, {1, 1, 1, 1, 1}),
                AddConstant(&heads.graph, {1}, {0})};
  sum.outputs = {AddTensor(&heads.graph, {1, 1, 24, 1})};
  sum.attributes = Conv2dAttributes();
  heads.graph.nodes.push_back(sum);
  heads.graph.outputs = sum.outputs;
  Heads written = heads;
  RunPass("write_through", &written.graph, ThroughProfile());
  EXPECT_THAT(written.Ops(), ElementsAre("CONV_2D", "CONV_2D"));
  EXPECT_EQ(Compute(written), Compute(heads));
}

TEST(WriteThroughTest, TheFunctionsBehindTheRowsAreTheConvolutions) {
  Heads heads({{{1, 2, 2, 4}, 1, 3, 4}, {{1, 1, 1, 4}, 1, 3, 4}});
  heads.graph.nodes[0].post_ops = {{"abs"}};
  heads.graph.nodes.back().post_ops = {{"clamp", {0, 6, 0, 0}}};
  const Heads written = Written(heads);
  const Node& node = written.graph.nodes[0];
  ASSERT_EQ(node.post_ops.size(), 2u);
  EXPECT_EQ(node.post_ops[1].function, "clamp");
  const Tensor& result = written.graph.tensor(node.outputs[0]);
  EXPECT_EQ(result.view.ToString(), " in t10 as rows at 0,0,0,0");
  EXPECT_EQ(
      written.graph.tensor(written.graph.nodes[1].outputs[0]).view.ToString(),
      " in t10 as rows at 0,0,12,0");
}

// The heads, changed, keep their nodes.
void ExpectKept(Heads heads, const std::function<void(Graph*)>& change,
                const DeviceProfile& profile = ThroughProfile()) {
  change(&heads.graph);
  const auto ops = heads.Ops();
  RunPass("write_through", &heads.graph, profile);
  EXPECT_EQ(heads.Ops(), ops);
}

TEST(WriteThroughTest, LeavesOtherGraphsAlone) {
  const auto nothing = [](Graph*) {};
  const Heads heads({{{1, 2, 2, 4}, 1, 3, 4}}),
      padded({{{1, 2, 2, 4}, 1, 3, 5}});
  ExpectKept(heads, nothing, RoomyProfile());  // the row says no
  for (const Heads& h : {heads, padded}) {
    const TensorId between = h.graph.nodes[0].outputs[0];
    ExpectKept(h, [=](Graph* g) { g->outputs.push_back(between); });
    ExpectKept(h, [=](Graph* g) { g->tensor(between).always_float32 = true; });
    ExpectKept(h, [](Graph* g) {  // another reader
      g->nodes.push_back(g->nodes[1]);
      g->nodes.back().outputs = {AddTensor(g, {1, 1, 1, 48})};
    });
    ExpectKept(h, [](Graph* g) {
      g->nodes[0].op = FindOpNamed("ABS");
      g->nodes[0].attributes = {};
    });
    ExpectKept(h, [](Graph* g) {  // a function of the place
      PostOp add{"add"};
      add.operand = g->inputs[0];
      g->nodes[1].post_ops = {add};
    });
    const TensorId row = h.rows[0];
    ExpectKept(h, [=](Graph* g) {  // no row
      Tensor& tensor = g->tensor(row);
      tensor.dims = {1, tensor.shape.w, 1, tensor.shape.c};
      tensor.shape = gles_delegate::Shape::FromDims(tensor.dims);
    });
    ExpectKept(h, [=](Graph* g) {  // a part that others read
      g->tensor(row).view.of = AddTensor(g, {1, 99, g->tensor(row).shape.c});
    });
    ExpectKept(h, [=](Graph* g) {  // some channels of a whole
      g->outputs.clear();
      g->tensor(row).view.of = AddTensor(g, {1, 99, 32});
    });
  }
  // Other outputs cannot be added.
  ExpectKept(padded, [](Graph* g) {
    PostOp add{"add"};
    add.operand = AddConstant(g, {15}, std::vector<float>(15));
    g->nodes[0].post_ops = {add};
  });
  ExpectKept(padded, [](Graph* g) {
    g->tensor(g->nodes[0].inputs[1]).constant = ConstantData();
  });
  // Nor do they pay: 16 times the work.
  ExpectKept(Heads({{{1, 64, 64, 64}, 3, 2, 1}}), nothing);
}

}  // namespace
}  // namespace gles_delegate::testing

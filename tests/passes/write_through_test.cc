// labels: op llvmpipe softpipe
// Convolutions that write the rows which a RESHAPE makes of their results, by
// themselves and in a concatenation: against their definition. read_through.txt
// has the graphs.
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

}  // namespace
}  // namespace gles_delegate::testing

// labels: op llvmpipe softpipe
// Convolutions and readbacks that read the source of a DEPTH_TO_SPACE or a
// RESIZE_BILINEAR in its place: against their definition. read_through.txt has
// the graphs.
#include <algorithm>
#include <any>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "delegate/ops/conv/conv_2d.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/image/resize.h"
#include "delegate/ops/movement/concatenation.h"
#include "delegate/ops/movement/space_depth.h"
#include "delegate/ops/op_list.h"
#include "delegate/ops/stages.h"
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

std::vector<int> Dims(const BhwcShape& s) { return {s.b, s.h, s.w, s.c}; }

// The two places that a place lies between, and the weight of the second.
struct Between {
  int low, high;
  double part;
  Between(int i, int in, int out, const ResizeAttributes& a) {
    const double scale = a.align_corners && out > 1
                             ? static_cast<double>(in - 1) / (out - 1)
                             : static_cast<double>(in) / out;
    const double shift = a.half_pixel_centers ? 0.5 : 0;
    const double at = std::clamp((i + shift) * scale - shift, 0.0, in - 1.0);
    low = static_cast<int>(at);
    high = std::min(low + 1, in - 1);
    part = at - low;
  }
};

HostTensor Resized(const HostTensor& src, int h, int w,
                   const ResizeAttributes& a) {
  HostTensor dst = {{src.shape.b, h, w, src.shape.c}, {}};
  const auto add = [&](int b, const Between& y, const Between& x, int c) {
    const double top = src.at(b, y.low, x.low, c) * (1 - x.part) +
                       src.at(b, y.low, x.high, c) * x.part;
    const double bottom = src.at(b, y.high, x.low, c) * (1 - x.part) +
                          src.at(b, y.high, x.high, c) * x.part;
    dst.values.push_back(
        static_cast<float>(top * (1 - y.part) + bottom * y.part));
  };
  for (int b = 0; b < src.shape.b; ++b) {
    for (int i = 0; i < h; ++i) {
      for (int j = 0; j < w; ++j) {
        const Between y(i, src.shape.h, h, a), x(j, src.shape.w, w, a);
        for (int c = 0; c < src.shape.c; ++c) add(b, y, x, c);
      }
    }
  }
  return dst;
}

HostTensor DepthToSpace(const HostTensor& src, int block) {
  const BhwcShape& s = src.shape;
  HostTensor dst = {{s.b, s.h * block, s.w * block, s.c / (block * block)}, {}};
  for (int b = 0; b < s.b; ++b) {
    for (int i = 0; i < dst.shape.h; ++i) {
      for (int j = 0; j < dst.shape.w; ++j) {
        for (int c = 0; c < dst.shape.c; ++c) {
          const int within = i % block * block + j % block;
          dst.values.push_back(
              src.at(b, i / block, j / block, within * dst.shape.c + c));
        }
      }
    }
  }
  return dst;
}

// A node that moves or interpolates, and convolutions of its result.
class Chain {
 public:
  Chain(const BhwcShape& from, const char* op, std::any attributes,
        const HostTensor& moved, const HostTensor& magnitudes)
      : random_("read through"), moved_(moved), magnitudes_(magnitudes) {
    graph.inputs = {AddTensor(&graph, Dims(from))};
    middle = AddTensor(&graph, Dims(moved.shape));
    Node node;
    node.op = FindOpNamed(op);
    node.inputs = {graph.inputs[0]};
    node.outputs = {middle};
    node.attributes = std::move(attributes);
    graph.nodes.push_back(node);
  }

  // Of the result, with a bias; returns what it computes by definition.
  NaiveResult AddConvolution(int channels, int kernel, int stride = 1) {
    const BhwcShape& from = moved_.shape;
    Conv2dAttributes window;
    window.stride_h = window.stride_w = stride;
    window.pad_top = window.pad_left = kernel / 2;
    const BhwcShape to = {from.b, (from.h - 1) / stride + 1,
                          (from.w - 1) / stride + 1, channels};
    const HostTensor filter = Make({channels, kernel, kernel, from.c});
    const std::vector<float> bias = random_.Gaussian(channels);
    Node node;
    node.op = FindOpNamed("CONV_2D");
    node.inputs = {middle,
                   AddConstant(&graph, Dims(filter.shape), filter.values),
                   AddConstant(&graph, {channels}, bias)};
    node.outputs = {AddTensor(&graph, Dims(to))};
    node.attributes = window;
    graph.nodes.push_back(node);
    graph.outputs = {node.outputs[0]};
    return {NaiveConv({moved_, filter, bias}, window, to).values,
            NaiveConv({magnitudes_, filter, bias}, window, to).magnitudes};
  }

  // A 3x3 depthwise convolution of the result, and a 1x1 one of that.
  void AddDepthwiseAndPointwise(int channels) {
    const TensorId between = AddDepthwise(middle, moved_.shape.c);
    graph.outputs = {AddPointwise(between, moved_.shape.c, channels)};
  }

  // The other way round.
  void AddPointwiseAndDepthwise(int channels) {
    const TensorId between = AddPointwise(middle, moved_.shape.c, channels);
    graph.outputs = {AddDepthwise(between, channels)};
  }

  Graph graph;
  TensorId middle = kNoTensor;

 private:
  HostTensor Make(const BhwcShape& shape) {
    return {shape, random_.Gaussian(shape.elements())};
  }

  TensorId AddDepthwise(TensorId of, int channels) {
    DepthwiseConv2dAttributes window;
    window.pad_top = window.pad_left = 1;
    return AddOfSameSize("DEPTHWISE_CONV_2D", window, of, {1, 3, 3, channels},
                         channels);
  }

  TensorId AddPointwise(TensorId of, int from, int channels) {
    return AddOfSameSize("CONV_2D", Conv2dAttributes(), of,
                         {channels, 1, 1, from}, channels);
  }

  TensorId AddOfSameSize(const char* op, std::any attributes, TensorId of,
                         const BhwcShape& filter, int channels) {
    const BhwcShape& s = moved_.shape;
    Node node;
    node.op = FindOpNamed(op);
    node.inputs = {of, AddConstant(&graph, Dims(filter), Make(filter).values),
                   AddConstant(&graph, {channels}, random_.Gaussian(channels))};
    node.outputs = {AddTensor(&graph, {s.b, s.h, s.w, channels})};
    node.attributes = std::move(attributes);
    graph.nodes.push_back(node);
    return node.outputs[0];
  }

  Random random_;
  HostTensor moved_;
  HostTensor magnitudes_;  // what the source's magnitudes become
};

HostTensor Source(const BhwcShape& shape) {
  Random random("source");
  return {shape, random.Gaussian(shape.elements())};
}

HostTensor Magnitudes(HostTensor tensor) {
  for (float& v : tensor.values) v = std::abs(v);
  return tensor;
}

Chain Blocks(const HostTensor& src, int block) {
  return Chain(src.shape, "DEPTH_TO_SPACE", SpaceDepthAttributes{block},
               DepthToSpace(src, block), DepthToSpace(Magnitudes(src), block));
}

Chain Resize(const HostTensor& src, int h, int w,
             const ResizeAttributes& a = {}) {
  return Chain(src.shape, "RESIZE_BILINEAR", a, Resized(src, h, w, a),
               Resized(Magnitudes(src), h, w, a));
}

std::vector<float> Compute(const Chain& chain, const HostTensor& src,
                           const StorageSetting& setting = {}) {
  auto result =
      RunGraph(chain.graph, {src.values}, [&](DeviceProfile& profile) {
        ReadThroughNodes(profile);
        profile.choices.storage = setting.storage;
        profile.options.half = setting.half;
        profile.choices.half_arithmetic = setting.half ? 1 : 0;
      });
  EXPECT_TRUE(result.ok()) << result.status();
  return result.value_or(std::vector<float>());
}

// The move is gone, and the convolution computes the same bits as behind it.
void ExpectSameWithoutTheMove(const Chain& behind, const HostTensor& src,
                              const StorageSetting& setting = {}) {
  Chain chain = behind;
  RunPass("read_through", &chain.graph, ThroughProfile());
  EXPECT_EQ(chain.graph.nodes.size(), behind.graph.nodes.size() - 1);
  EXPECT_EQ(Compute(chain, src, setting), Compute(behind, src, setting));
}

TEST(ReadThroughTest, BlocksAreReadWhereTheyLie) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (const auto& [shape, block, kernel, stride] :
       {std::tuple(BhwcShape{1, 4, 5, 16}, 2, 1, 1),
        std::tuple(BhwcShape{2, 3, 5, 32}, 2, 3, 2),
        std::tuple(BhwcShape{1, 2, 3, 72}, 3, 5, 1)}) {
    SCOPED_TRACE(shape.ToString());
    const HostTensor src = Source(shape);
    Chain chain = Blocks(src, block);
    const NaiveResult want = chain.AddConvolution(7, kernel, stride);
    ExpectSameWithoutTheMove(chain, src);
    RunPass("read_through", &chain.graph, ThroughProfile());
    ExpectWithinRoundings(Compute(chain, src), want);
  }
}

TEST(ReadThroughTest, BlocksInEverySetting) {
  GLES_SKIP_WITHOUT_DEVICE();
  const HostTensor src = Source({2, 5, 4, 80});
  Chain chain = Blocks(src, 2);
  chain.AddConvolution(9, 1);
  for (const StorageSetting& setting : kStorageSettings) {
    SCOPED_TRACE(static_cast<int>(setting.storage));
    ExpectSameWithoutTheMove(chain, src, setting);
  }
}

TEST(ReadThroughTest, SeveralConvolutionsReadTheBlocks) {
  GLES_SKIP_WITHOUT_DEVICE();
  const HostTensor src = Source({1, 5, 4, 32});
  Chain chain = Blocks(src, 2);
  chain.AddConvolution(9, 3);
  chain.AddDepthwiseAndPointwise(12);
  ExpectSameWithoutTheMove(chain, src);
  RunPass("fuse_depthwise", &chain.graph, ThroughProfile());
  ASSERT_EQ(chain.graph.nodes.size(), 3u);
  ExpectSameWithoutTheMove(chain, src);
}

TEST(ReadThroughTest, PlanesReadTheBlocks) {
  GLES_SKIP_WITHOUT_DEVICE();
  const HostTensor src = Source({2, 3, 4, 32});
  Chain chain = Blocks(src, 2);
  chain.AddPointwiseAndDepthwise(12);
  DeviceProfile planes = ThroughProfile();
  planes.choices.fused_plane_work = 1 << 20;
  RunPass("fuse_planes", &chain.graph, planes);
  ASSERT_EQ(chain.graph.nodes.size(), 2u);
  for (const StorageSetting& setting : kStorageSettings) {
    ExpectSameWithoutTheMove(chain, src, setting);
  }
}

void ExpectInterpolated(const HostTensor& src, int h, int w,
                        const ResizeAttributes& a,
                        const StorageSetting& setting) {
  SCOPED_TRACE(src.shape.ToString());
  Chain chain = Resize(src, h, w, a);
  const NaiveResult want = chain.AddConvolution(33, 1);
  RunPass("read_through", &chain.graph, ThroughProfile());
  ASSERT_EQ(chain.graph.nodes.size(), 1u);
  ExpectWithinRoundings(Compute(chain, src, setting), want);
}

TEST(ReadThroughTest, InterpolatesAsItReads) {
  GLES_SKIP_WITHOUT_DEVICE();
  const ResizeAttributes corners = {true, false}, centers = {false, true};
  for (const auto& a : {ResizeAttributes(), corners, centers}) {
    ExpectInterpolated(Source({1, 4, 5, 18}), 8, 10, a, {});
    ExpectInterpolated(Source({2, 7, 3, 5}), 4, 11, a, {});
    ExpectInterpolated(Source({1, 1, 1, 40}), 6, 7, a, {});
  }
  for (const StorageSetting& setting : kStorageSettings) {
    if (setting.half) continue;
    ExpectInterpolated(Source({1, 4, 5, 18}), 7, 6, centers, setting);
  }
}

// Functions of the input are those of what is read.
TEST(ReadThroughTest, InputStagesToo) {
  GLES_SKIP_WITHOUT_DEVICE();
  const std::vector<Stage> clamp = {
      {kInputStage, {{"clamp", {-0.5f, 0.75f, 0, 0}}}}};
  const HostTensor src = Source({1, 4, 5, 32});
  Chain blocks = Blocks(src, 2);
  blocks.AddConvolution(12, 1);
  blocks.graph.nodes[1].stages = clamp;
  for (const StorageSetting& setting : kStorageSettings) {
    ExpectSameWithoutTheMove(blocks, src, setting);
  }
  HostTensor clamped = Resized(src, 8, 10, {});
  for (float& v : clamped.values) v = std::clamp(v, -0.5f, 0.75f);
  Chain resize(src.shape, "RESIZE_BILINEAR", ResizeAttributes(), clamped,
               Resized(Magnitudes(src), 8, 10, {}));
  const NaiveResult want = resize.AddConvolution(12, 1);
  resize.graph.nodes[1].stages = clamp;
  RunPass("read_through", &resize.graph, ThroughProfile());
  ASSERT_EQ(resize.graph.nodes.size(), 1u);
  ExpectWithinRoundings(Compute(resize, src), want);
}

// An output of the graph is read elsewhere by what hands it to the host.
void ExpectReadBack(Chain chain, const HostTensor& src, const HostTensor& want,
                    const StorageSetting& setting) {
  SCOPED_TRACE(want.shape.ToString());
  // The op that computes the source.
  Node negation;
  negation.op = FindOpNamed("NEG");
  ElementwiseAttributes plain;
  plain.source_shape = src.shape;
  negation.attributes = plain;
  negation.post_ops = {{"neg"}};
  negation.inputs = {chain.graph.inputs[0]};
  negation.outputs = {AddTensor(&chain.graph, Dims(src.shape))};
  chain.graph.nodes[0].inputs = negation.outputs;
  chain.graph.nodes.insert(chain.graph.nodes.begin(), negation);
  chain.graph.outputs = {chain.middle};
  HostTensor negated = src;
  for (float& v : negated.values) v = -v;
  ExpectSameWithoutTheMove(chain, negated, setting);
  RunPass("read_through", &chain.graph, ThroughProfile());
  const std::vector<float> got = Compute(chain, negated, setting);
  ASSERT_EQ(got.size(), want.values.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got[i], want.values[i], 1e-5) << i;
  }
}

TEST(ReadThroughTest, OutputsAreReadBackFromWhereTheyLie) {
  GLES_SKIP_WITHOUT_DEVICE();
  const ResizeAttributes centers = {false, true};
  for (const StorageSetting& setting : kStorageSettings) {
    if (setting.half) continue;
    SCOPED_TRACE(static_cast<int>(setting.storage));
    for (const int channels : {1, 3, 8, 21}) {
      const HostTensor src = Source({2, 5, 4, channels});
      ExpectReadBack(Resize(src, 9, 12, centers), src,
                     Resized(src, 9, 12, centers), setting);
    }
    const HostTensor src = Source({2, 5, 4, 32});
    ExpectReadBack(Blocks(src, 2), src, DepthToSpace(src, 2), setting);
  }
}

// The source was rounded to 16 bits, and what is made of it is not.
TEST(ReadThroughTest, OutputsOfHalvesAreRoundedOnce) {
  GLES_SKIP_WITHOUT_DEVICE();
  const HostTensor src = Source({1, 5, 4, 21});
  Chain chain = Resize(src, 9, 12);
  chain.graph.outputs = {chain.middle};
  RunPass("read_through", &chain.graph, ThroughProfile());
  ASSERT_TRUE(chain.graph.nodes.empty());
  const HostTensor want = Resized(src, 9, 12, {});
  const std::vector<float> got = Compute(chain, src, kStorageSettings[1]);
  ASSERT_EQ(got.size(), want.values.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got[i], want.values[i], 4 * 0x1p-10) << i;  // values below 4
  }
}

// Convolutions that write the rows which a RESHAPE makes of their results, by
// themselves and in a concatenation: against their definition. read_through.txt
// has the graphs.

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

// labels: op llvmpipe softpipe
// 1x1 convolutions as devices that run invocations abreast compute them, whose
// tiles follow one another over all slices: whatever of the last tile, slice or
// vector there is, with another tensor added, against the definition.
#include <cmath>
#include <vector>

#include "delegate/ops/conv/conv_2d.h"
#include "delegate/ops/op_list.h"
#include "tests/testing/device.h"
#include "tests/testing/naive_conv.h"
#include "tests/testing/run_graph.h"
#include "tools/op_models/random.h"

namespace gles_delegate::testing {
namespace {

using gl_shaders::Storage;

std::vector<int> Dims(const BhwcShape& s) { return {s.b, s.h, s.w, s.c}; }

struct Tile {
  Storage storage;
  int pixels;
  int slices;
};

// A convolution of `src` to `channels`, plus another tensor.
void ExpectSumMatches(const BhwcShape& src, int channels, const Tile& tile) {
  SCOPED_TRACE(src.ToString());
  Random random("tiles in a row");
  const BhwcShape dst = {src.b, src.h, src.w, channels};
  const HostTensor x = {src, random.Gaussian(src.elements())};
  const HostTensor filter = {{channels, 1, 1, src.c},
                             random.Gaussian(channels * src.c)};
  const std::vector<float> bias = random.Gaussian(channels);
  const std::vector<float> added = random.Gaussian(dst.elements());
  Graph graph;
  graph.inputs = {AddTensor(&graph, Dims(src)), AddTensor(&graph, Dims(dst))};
  Node node;
  node.op = FindOpNamed("CONV_2D");
  node.attributes = Conv2dAttributes();
  node.inputs = {graph.inputs[0],
                 AddConstant(&graph, Dims(filter.shape), filter.values),
                 AddConstant(&graph, {channels}, bias)};
  node.outputs = {AddTensor(&graph, Dims(dst))};
  node.post_ops = {{"add"}};
  node.post_ops[0].operand = graph.inputs[1];
  graph.nodes = {node};
  graph.outputs = node.outputs;
  const auto got =
      RunGraph(graph, {x.values, added}, [&](DeviceProfile& profile) {
        profile.choices.simd_lanes = 8;
        profile.choices.unrolled_terms = 0;
        profile.choices.storage = tile.storage;
        profile.choices.conv_tile_pixels = tile.pixels;
        profile.choices.conv_tile_slices = tile.slices;
      });
  ASSERT_TRUE(got.ok()) << got.status();
  NaiveResult want = NaiveConv({x, filter, bias}, Conv2dAttributes(), dst);
  for (size_t i = 0; i < added.size(); ++i) {
    want.values[i] += added[i];
    want.magnitudes[i] += std::abs(added[i]);
  }
  ExpectWithinRoundings(*got, want);
}

TEST(Conv1x1Test, TilesOfAllSlicesAreOneRow) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (const Tile& tile :
       {Tile{Storage::kBuffer, 4, 4}, Tile{Storage::kTexelBuffer, 3, 2},
        Tile{Storage::kTextureArray, 4, 2}}) {
    SCOPED_TRACE(static_cast<int>(tile.storage));
    ExpectSumMatches({1, 7, 7, 16}, 96, tile);
    ExpectSumMatches({1, 5, 9, 7}, 22, tile);
    ExpectSumMatches({1, 12, 11, 5}, 3, tile);
    ExpectSumMatches({3, 6, 5, 9}, 35, tile);
  }
}

}  // namespace
}  // namespace gles_delegate::testing

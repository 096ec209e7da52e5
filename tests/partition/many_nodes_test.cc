// labels: model llvmpipe
// Models that are large in one direction: of 2,338 small ops, as a real one is,
// and of batch 200. Whole in one partition, with the CPU's answer; preparation
// is timed in benches, not here.
#include "absl/strings/str_cat.h"
#include "tests/testing/device.h"
#include "tests/testing/op_model_maker.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

constexpr int kNodes = 2338;
constexpr int kChannels = 8;

// Adds seven nodes at a time until there are `nodes`: some fuse, some do
// not, some branch and join. Values stay near 1.
SingleOpModel Chain(int nodes) {
  return MakeModel(
      absl::StrCat("a chain of ", nodes), Accuracy{/*terms=*/nodes},
      [&](OpVariant& v) {
        const Shape shape = {1, 3, 3, kChannels};
        int x = v.Input("x", shape, v.random().Uniform(72, 0.5f, 1.5f));
        const int begin = v.IntConstant("begin", {4}, {0, 0, 0, 0});
        const int size = v.IntConstant("size", {4}, {1, 3, 3, kChannels / 2});
        const int turn = v.IntConstant("turn", {4}, {0, 2, 1, 3});
        const int gain = v.Constant("gain", {kChannels},
                                    v.random().Uniform(kChannels, 0.9f, 1.1f));
        schema::Pool2DOptionsT pool;
        pool.padding = schema::Padding::SAME;
        pool.filter_width = pool.filter_height = 2;
        pool.stride_w = pool.stride_h = 1;
        schema::ConcatenationOptionsT join;
        join.axis = 3;
        for (int n = 0; n < nodes; ++n) {
          switch (n % 7) {
            case 0:
              x = v.Op(Op::MUL, 1, {x, gain}, schema::MulOptionsT());
              break;
            case 1:
              x = v.Op(Op::AVERAGE_POOL_2D, 1, {x}, pool);
              break;
            case 2:
              x = v.Op(Op::TANH, 1, {x});
              break;
            case 3:
              x = v.Op(Op::TRANSPOSE, 1, {x, turn},
                       schema::TransposeOptionsT());
              break;
            case 4:
              x = v.Op(Op::EXP, 1, {x}, schema::ExpOptionsT());
              break;
            case 5:
              x = v.Op(Op::SLICE, 1, {x, begin, size}, schema::SliceOptionsT());
              break;
            case 6:
              x = v.Op(Op::CONCATENATION, 1, {x, x}, join);
              break;
          }
        }
        return x;
      });
}

TEST(ManyNodesTest, RunWholeAsTheCpuRunsThem) {
  GLES_SKIP_WITHOUT_DEVICE();
  const SingleOpModel model = Chain(kNodes);
  const RunResult result = RunOnDelegate(model);
  EXPECT_EQ(result.nodes_delegated, kNodes);
  EXPECT_EQ(result.partitions, 1);
  EXPECT_THAT(result, MatchesCpu(model));
}

TEST(ManyNodesTest, ABatchOf200) {
  GLES_SKIP_WITHOUT_DEVICE();
  const SingleOpModel model = MakeModel(
      "a batch of 200", Accuracy{/*terms=*/27 * 9 * 72},
      /*with_magnitude=*/true, [](OpVariant& v) {
        const Shape shape = {200, 12, 12, 3};
        int x = v.Input("x", shape, v.random().Gaussian(ElementCount(shape)));
        schema::Conv2DOptionsT conv;
        conv.padding = schema::Padding::SAME;
        conv.stride_w = conv.stride_h = 2;
        const int w = v.Constant("w", {8, 3, 3, 3}, v.random().Gaussian(216));
        const int b = v.Constant("b", {8}, v.random().Gaussian(8));
        x = v.Op(Op::CONV_2D, 1, {x, w, b}, conv);
        const int alpha =
            v.Constant("alpha", {1, 1, 8}, v.random().Uniform(8, 0.1f, 0.3f));
        x = v.Op(Op::PRELU, 1, {x, alpha});
        schema::DepthwiseConv2DOptionsT depthwise;
        depthwise.padding = schema::Padding::SAME;
        depthwise.stride_w = depthwise.stride_h = 1;
        depthwise.depth_multiplier = 1;
        const int dw = v.Constant("dw", {1, 3, 3, 8}, v.random().Gaussian(72));
        const int db = v.Constant("db", {8}, v.random().Gaussian(8));
        x = v.Op(Op::DEPTHWISE_CONV_2D, 1, {x, dw, db}, depthwise);
        const int fw = v.Constant("fw", {10, 288}, v.random().Gaussian(2880));
        const int fb = v.Constant("fb", {10}, v.random().Gaussian(10));
        return v.Op(Op::FULLY_CONNECTED, 1, {x, fw, fb},
                    schema::FullyConnectedOptionsT());
      });
  const RunResult result = RunOnDelegate(model);
  EXPECT_EQ(result.partitions, 1);
  EXPECT_THAT(result, MatchesCpu(model));
}

}  // namespace
}  // namespace gles_delegate::testing

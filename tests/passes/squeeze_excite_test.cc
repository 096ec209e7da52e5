// labels: op llvmpipe softpipe
// The channel scale of a squeeze-excite block as one dispatch, against the
// definition of its nodes. convolution_pairs.txt has the graphs.
#include "delegate/ops/conv/squeeze_excite.h"

#include <cmath>
#include <limits>
#include <vector>

#include "delegate/ops/pooling/pool_2d.h"
#include "delegate/ops/reduction/reduction.h"
#include "delegate/passes/passes.h"
#include "tests/testing/device.h"
#include "tests/testing/graph_builder.h"
#include "tests/testing/matchers.h"
#include "tests/testing/run_graph.h"
#include "tools/op_models/random.h"

namespace gles_delegate::testing {
namespace {

struct Case {
  std::vector<int> dims = {1, 5, 7, 6};
  int between = 9;
  int outputs = 6;  // 0: there is one product
  bool add = false;
  bool bias = true;
  bool mean = false;  // MEAN and FULLY_CONNECTED for the pooling and CONV_2D
};

// [y; |y|]: what a product gives, and the sum of its terms' magnitudes.
struct Sums {
  std::vector<double> values, magnitudes;
};

Sums Product(const Sums& x, const std::vector<float>& weights,
             const std::vector<float>& bias, int outputs, int batches) {
  Sums y;
  const size_t k = x.values.size() / static_cast<size_t>(batches);
  for (size_t row = 0; row < static_cast<size_t>(batches); ++row) {
    for (size_t o = 0; o < static_cast<size_t>(outputs); ++o) {
      double value = bias[o], magnitude = std::abs(bias[o]);
      for (size_t i = 0; i < k; ++i) {
        value += x.values[row * k + i] * weights[o * k + i];
        magnitude += x.magnitudes[row * k + i] * std::abs(weights[o * k + i]);
      }
      y.values.push_back(value);
      y.magnitudes.push_back(magnitude);
    }
  }
  return y;
}

// The nodes as the passes before leave them. The graph's inputs are the tensor
// and, if there is an ADD, the other one.
struct Block {
  explicit Block(const Case& c)
      : random("squeeze"), shape(BhwcShape::FromDims(c.dims)) {
    TensorId x = b.Input(c.dims);
    values = {random.Gaussian(shape.elements())};
    if (c.add) {
      values.push_back(random.Gaussian(shape.elements()));
      x = sum = b.Add(x, b.Input(c.dims));
    }
    const std::vector<int> pixel = {shape.b, 1, 1, shape.c};
    PoolAttributes pool;
    pool.h = {shape.h, 1, 1};
    pool.w = {shape.w, 1, 1};
    ReduceAttributes reduce;
    reduce.over = {false, true, true, false};
    mean = c.mean ? b.Node("MEAN", {x}, pixel, reduce)
                  : b.Node("AVERAGE_POOL_2D", {x}, pixel, pool);
    first = Add(mean, c.between, c, &weights[0], &bias[0]);
    TensorId last = first;
    if (c.outputs > 0) {
      node(-1).post_ops = {{"clamp", {0, 1, 0, 0}}};
      last = Add(first, c.outputs, c, &weights[1], &bias[1]);
    }
    node(-1).post_ops = {{"logistic"}};
    b.graph.outputs = {last};
  }

  TensorId Add(TensorId x, int outputs, const Case& c, std::vector<float>* w,
               std::vector<float>* bias_values) {
    const int inputs = b.graph.tensor(x).shape.c;
    *w = random.Gaussian(int64_t{1} * outputs * inputs);
    *bias_values =
        c.bias ? random.Gaussian(outputs) : std::vector<float>(outputs);
    std::vector<int> dims = {outputs, 1, 1, inputs};
    if (c.mean) dims = {outputs, inputs};
    std::vector<TensorId> ids = {x, AddConstant(&b.graph, dims, *w)};
    if (c.bias) ids.push_back(AddConstant(&b.graph, {outputs}, *bias_values));
    const std::vector<int> out = {shape.b, 1, 1, outputs};
    return c.mean ? b.Node("FULLY_CONNECTED", ids, out)
                  : b.Node("CONV_2D", ids, out, Conv2dAttributes());
  }

  // From the end where `index` is negative.
  Node& node(int index) {
    auto& nodes = b.graph.nodes;
    return index < 0 ? nodes[nodes.size() + index] : nodes[index];
  }

  Sums Mean() const {
    Sums y;
    const int pixels = shape.h * shape.w;
    for (int i = 0; i < shape.b * shape.c; ++i) {
      double value = 0, magnitude = 0;
      for (const auto& tensor : values) {
        for (int p = 0; p < pixels; ++p) {
          const double v =
              tensor[(i / shape.c * pixels + p) * shape.c + i % shape.c];
          value += v;
          magnitude += std::abs(v);
        }
      }
      y.values.push_back(value / pixels);
      y.magnitudes.push_back(magnitude / pixels);
    }
    return y;
  }

  Random random;
  GraphBuilder b;
  BhwcShape shape;
  TensorId sum = kNoTensor, mean, first;
  std::vector<std::vector<float>> values;
  std::vector<float> weights[2], bias[2];
};

DeviceProfile Fusing(int texels = 1 << 20) {
  DeviceProfile profile = RoomyProfile();
  profile.choices.fused_squeeze_texels = texels;
  return profile;
}

void Check(const Case& c, int simd_lanes, int texels = 1 << 20) {
  SCOPED_TRACE(::testing::Message()
               << BhwcShape::FromDims(c.dims).ToString() << " to " << c.between
               << " to " << c.outputs << (c.add ? " added" : ""));
  Block block(c);
  RunPass("fuse_squeeze_excite", &block.b.graph, Fusing(texels));
  ASSERT_THAT(block.b.Ops(), ElementsAre("SQUEEZE_EXCITE"));
  const auto got = RunGraph(
      block.b.graph, block.values,
      [&](DeviceProfile& profile) { profile.choices.simd_lanes = simd_lanes; });
  ASSERT_TRUE(got.ok()) << got.status();

  Sums want = Product(block.Mean(), block.weights[0], block.bias[0], c.between,
                      block.shape.b);
  if (c.outputs > 0) {
    for (double& v : want.values) v = std::min(std::max(v, 0.0), 1.0);
    want = Product(want, block.weights[1], block.bias[1], c.outputs,
                   block.shape.b);
  }
  // n roundings of the sum of magnitudes, n < 400 terms in a row here; the
  // logistic's slope is a quarter, and it adds some ulps.
  constexpr double kUnit = 0x1p-24;
  ASSERT_EQ(got->size(), want.values.size());
  for (size_t i = 0; i < got->size(); ++i) {
    const double y = 1 / (1 + std::exp(-want.values[i]));
    ASSERT_NEAR((*got)[i], y, kUnit * (100 * want.magnitudes[i] + 16)) << i;
  }
}

TEST(SqueezeExciteTest, MatchesDefinition) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (int simd_lanes : {1, 8}) {
    Check({}, simd_lanes);
    Check({{2, 3, 4, 17}, 5, 17, /*add=*/true}, simd_lanes);
    Check({{1, 16, 16, 96}, 24, 96, false, /*bias=*/false}, simd_lanes);
    Check({{1, 9, 1, 128}, 140, 3, true, true, /*mean=*/true}, simd_lanes);
    Check({{3, 1, 1, 4}, 70, /*outputs=*/0}, simd_lanes);
    Check({{1, 4, 4, 8}, 3, 0, true, true, true}, simd_lanes);
  }
}

// An infinite mean saturates what it is a term of, and is no reason for NaN:
// not through the padding of the first product either.
TEST(SqueezeExciteTest, KeepsInfinityOutOfPadding) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (int simd_lanes : {1, 8}) {
    Block block(Case{});
    block.values[0][8] = std::numeric_limits<float>::infinity();
    RunPass("fuse_squeeze_excite", &block.b.graph, Fusing());
    ASSERT_THAT(block.b.Ops(), ElementsAre("SQUEEZE_EXCITE"));
    const auto got =
        RunGraph(block.b.graph, block.values, [&](DeviceProfile& profile) {
          profile.choices.simd_lanes = simd_lanes;
        });
    ASSERT_TRUE(got.ok()) << got.status();
    Sums want = Product(block.Mean(), block.weights[0], block.bias[0], 9, 1);
    for (double& v : want.values) v = v > 0 ? 1 : 0;
    want = Product({want.values, want.values}, block.weights[1], block.bias[1],
                   6, 1);
    for (size_t i = 0; i < got->size(); ++i) {
      const double y = 1 / (1 + std::exp(-want.values[i]));
      EXPECT_NEAR((*got)[i], y, 0x1p-24 * (10 * want.magnitudes[i] + 16)) << i;
    }
  }
}

int DispatchesOf(const Case& c, int texels) {
  Block block(c);
  RunPass("fuse_squeeze_excite", &block.b.graph, Fusing(texels));
  const auto plan = PlanGraph(&block.b.graph, Fusing(texels));
  return plan.ok() ? static_cast<int>(plan->size()) : -1;
}

TEST(SqueezeExciteTest, AddsBandsOfLargePlanesFirst) {
  GLES_SKIP_WITHOUT_DEVICE();
  // 35 pixels of 2 slices, and matrices of 24 texels each, are 118.
  EXPECT_EQ(DispatchesOf({}, /*texels=*/118), 1);
  EXPECT_EQ(DispatchesOf({}, /*texels=*/117), 2);
  for (int simd_lanes : {1, 8}) {
    Check({}, simd_lanes, /*texels=*/117);
    // Bands of 512 pixels: 3 whole ones and a part of one.
    Check({{2, 41, 40, 9}, 5, 9, /*add=*/true}, simd_lanes, 4000);
    Check({{1, 32, 16, 4}, 7, /*outputs=*/0}, simd_lanes, 100);
  }
}

}  // namespace
}  // namespace gles_delegate::testing

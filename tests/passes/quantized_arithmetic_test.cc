// labels: op quant softpipe
// The integer arithmetic of nodes in integers as shaders do it, against its
// specification in quant/.
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "delegate/ops/elementwise/elementwise.h"
#include "quant/cpu_kernels.h"
#include "quant/fixed_point.h"
#include "tests/testing/device.h"
#include "tests/testing/run_graph.h"

namespace gles_delegate::testing {
namespace {

// The result of a post-op for each x on the device.
std::vector<float> OnDevice(const std::vector<float>& xs, PostOp op) {
  Graph graph;
  const int n = static_cast<int>(xs.size());
  const TensorId x = AddTensor(&graph, {1, 1, n / 4, 4});
  const TensorId y = AddTensor(&graph, {1, 1, n / 4, 4});
  Node node;
  node.inputs = {x};
  node.outputs = {y};
  ElementwiseAttributes attributes;
  attributes.source_shape = graph.tensor(x).shape;
  node.attributes = attributes;
  node.post_ops = {std::move(op)};
  auto run = RunGraphOf("RELU", std::move(node), std::move(graph), {xs},
                        [](DeviceProfile&) {});
  EXPECT_TRUE(run.ok()) << run.status();
  return run.ok() ? *run : std::vector<float>(xs.size());
}

// x * m for each x, by the post-op that the device runs.
std::vector<float> RescaleOnDevice(const std::vector<float>& xs,
                                   quant::Multiplier m, quant::Ties ties) {
  return OnDevice(
      xs,
      {"requantize_all",
       {static_cast<float>(m.value >> 15), static_cast<float>(m.value & 0x7fff),
        static_cast<float>(m.shift), ties == quant::Ties::kUp ? 1.0f : 0.0f}});
}

TEST(RescaleTest, IsMultiplyForSumsAndMultipliersOfEveryMagnitude) {
  GLES_SKIP_WITHOUT_DEVICE();
  std::mt19937 random(7);
  for (int shift : {-31, -24, -17, -13, -8, -3, -1, 0, 1, 3}) {
    for (quant::Ties ties : {quant::Ties::kUp, quant::Ties::kAwayFromZero}) {
      quant::Multiplier m;
      m.value = (1 << 30) + static_cast<int32_t>(random() >> 2);
      m.shift = shift;
      // The least and largest, and halves, where ties are.
      if (shift == -8) m.value = 1 << 30;
      if (shift == -3) m.value = std::numeric_limits<int32_t>::max();
      std::vector<float> xs;
      for (int i = 0; i < 512; ++i) {
        const int bits = 1 + static_cast<int>(random() % (shift > 0 ? 18 : 24));
        const int x = static_cast<int>(random() >> (32 - bits));
        xs.push_back(static_cast<float>(i % 2 == 0 ? x : -x));
      }
      const std::vector<float> got = RescaleOnDevice(xs, m, ties);
      ASSERT_EQ(got.size(), xs.size());
      for (size_t i = 0; i < xs.size(); ++i) {
        ASSERT_EQ(got[i], static_cast<float>(quant::Multiply(
                              static_cast<int32_t>(xs[i]), m, ties)))
            << xs[i] << " by " << m.value << ", " << m.shift;
      }
    }
  }
}

TEST(XnnpackTest, FloatScalesRoundToEvenAsSpecified) {
  GLES_SKIP_WITHOUT_DEVICE();
  std::mt19937 random(11);
  // Powers of two make ties of every odd multiple of a half.
  for (float scale : {0.5f, 0.25f, 1.0f / 128, 0.0078125f * 1.0000001f, 3e-4f,
                      0.01734f, 0.9999999f, 1.5f, 37.25f}) {
    std::vector<float> xs;
    for (int i = 0; i < 512; ++i) {
      const int bits = 1 + static_cast<int>(random() % (scale > 1 ? 16 : 24));
      const int x = static_cast<int>(random() >> (32 - bits));
      xs.push_back(static_cast<float>(i % 2 == 0 ? x : -x));
    }
    const std::vector<float> got =
        OnDevice(xs, {"requantize_float_all", {scale, 0, 0, 0}});
    for (size_t i = 0; i < xs.size(); ++i) {
      ASSERT_EQ(got[i], static_cast<float>(quant::MultiplyAsFloat(
                            static_cast<int32_t>(xs[i]), scale)))
          << xs[i] << " by " << scale;
    }
  }
}

TEST(XnnpackTest, RescalingBy256thsIsAsSpecified) {
  GLES_SKIP_WITHOUT_DEVICE();
  std::vector<float> xs;
  for (int x = -256; x < 256; ++x) xs.push_back(static_cast<float>(x));
  for (float scale : {1.0f / 256, 0.01f, 0.4999f, 0.5f, 1.0f, 1.2f, 127.9f}) {
    const int32_t m = quant::In256ths(scale);
    const std::vector<float> got =
        OnDevice(xs, {"rescale_by_256ths", {static_cast<float>(m), 0, 0, 0}});
    for (size_t i = 0; i < xs.size(); ++i) {
      ASSERT_EQ(got[i], static_cast<float>(
                            (static_cast<int32_t>(xs[i]) * m + 128) >> 8))
          << xs[i] << " by " << scale;
    }
  }
}

}  // namespace
}  // namespace gles_delegate::testing

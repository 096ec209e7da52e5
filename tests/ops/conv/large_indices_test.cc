// labels: op llvmpipe
// Convolutions of images with more pixels than op_quotient divides.
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "delegate/ops/conv/conv_2d.h"
#include "gmock/gmock.h"
#include "tests/testing/device_test.h"
#include "tests/testing/run_graph.h"

namespace gles_delegate::testing {
namespace {

constexpr int kSize = 1030;  // squared, half of kQuotientEnd and more
const std::vector<int> kImage = {1, kSize, kSize, 4};

// Wide enough that neighbouring pixels and rows differ.
std::vector<float> Pixels() {
  std::vector<float> values(4 * kSize * kSize);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i % 8191);
  }
  return values;
}

class LargeIndicesTest : public DeviceTest {
 protected:
  // The result of a convolution whose filter takes each pixel as it is.
  std::vector<float> Run(const char* op, Node node, std::vector<int> filter,
                         const std::vector<float>& weights,
                         absl::FunctionRef<void(DeviceProfile&)> change) {
    Graph graph;
    node.inputs = {AddTensor(&graph, kImage),
                   AddConstant(&graph, std::move(filter), weights)};
    node.outputs = {AddTensor(&graph, kImage)};
    auto got =
        RunGraphOf(op, std::move(node), std::move(graph), {Pixels()}, change);
    EXPECT_TRUE(got.ok()) << got.status();
    return got.ok() ? *std::move(got) : std::vector<float>();
  }
};

TEST_F(LargeIndicesTest, OfSharedTiles) {
  Node node;
  node.attributes = Conv2dAttributes();
  const auto got = Run("CONV_2D", std::move(node), {4, 1, 1, 4},
                       {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1},
                       [](DeviceProfile& profile) {
                         profile.choices.storage = gl_shaders::Storage::kBuffer;
                         profile.choices.split_k_target = 48 << 10;
                         profile.choices.unrolled_terms = 0;
                       });
  EXPECT_TRUE(got == Pixels());
}

TEST_F(LargeIndicesTest, OfTilesInARow) {
  Node node;
  node.attributes = Conv2dAttributes();
  const auto got = Run("CONV_2D", std::move(node), {4, 1, 1, 4},
                       {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1},
                       [](DeviceProfile& profile) {
                         profile.choices.storage = gl_shaders::Storage::kBuffer;
                         profile.choices.simd_lanes = 8;
                         profile.choices.unrolled_terms = 0;
                       });
  EXPECT_TRUE(got == Pixels());
}

TEST_F(LargeIndicesTest, OfDepthwiseTiles) {
  Node node;
  node.attributes = DepthwiseConv2dAttributes();
  const auto got = Run("DEPTHWISE_CONV_2D", std::move(node), {1, 1, 1, 4},
                       {1, 1, 1, 1}, [](DeviceProfile& profile) {
                         profile.choices.depthwise_tile_pixels = 1;
                         profile.choices.depthwise_tile_rows = 1;
                       });
  EXPECT_TRUE(got == Pixels());
}

}  // namespace
}  // namespace gles_delegate::testing

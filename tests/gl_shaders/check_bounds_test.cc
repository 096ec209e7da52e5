// labels: egl llvmpipe softpipe
// GLES_DELEGATE_DEBUG=bounds finds what it is for: a dispatch that reads, or
// writes, past its tensors.
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "delegate/device/device_profile.h"
#include "delegate/runtime/executor.h"
#include "gmock/gmock.h"
#include "tests/testing/device.h"
#include "tests/testing/run_graph.h"

namespace gles_delegate::testing {
namespace {

using gl_shaders::Storage;

class CheckBoundsTest : public ::testing::TestWithParam<Storage> {
 protected:
  void SetUp() override {
    GLES_SKIP_WITHOUT_DEVICE();
    setenv("GLES_DELEGATE_DEBUG", "bounds", /*overwrite=*/1);
  }
  void TearDown() override { unsetenv("GLES_DELEGATE_DEBUG"); }

  // `dispatch` from a tensor of ones to another, read and written as "src" and
  // "dst".
  std::vector<float> Run(Dispatch dispatch, std::vector<int> from,
                         std::vector<int> to) {
    Graph graph;
    const TensorId src = AddTensor(&graph, std::move(from));
    const TensorId dst = AddTensor(&graph, std::move(to));
    graph.inputs = {src};
    graph.outputs = {dst};
    dispatch.Read("src", src).Write("dst", dst).WorkGroup(8, 1, 1);
    DeviceProfile profile = ProfileFor(TestContext()->device(), {});
    profile.choices.storage = GetParam();
    const std::vector<float> input(graph.tensor(src).shape.elements(), 1.0f);
    std::vector<float> output(graph.tensor(dst).shape.elements());
    const absl::Status status = TestContext()->Run([&]() -> absl::Status {
      ProgramCache programs;
      ASSIGN_OR_RETURN(auto executor,
                       Executor::Create(*TestContext(), &programs, graph,
                                        {std::move(dispatch)}, profile));
      const absl::Span<const uint8_t> in(
          reinterpret_cast<const uint8_t*>(input.data()),
          input.size() * sizeof(float));
      const absl::Span<uint8_t> out(reinterpret_cast<uint8_t*>(output.data()),
                                    output.size() * sizeof(float));
      return executor->Invoke({in}, {out});
    });
    EXPECT_TRUE(status.ok()) << status;
    return output;
  }

  // Copies a row, `grid` texels wide.
  std::vector<float> Copy(int from, int to, int grid) {
    Dispatch copy("copy");
    copy.Grid(grid, 1, 1);
    return Run(std::move(copy), {1, 1, from, 4}, {1, 1, to, 4});
  }
};

TEST_P(CheckBoundsTest, LeavesAloneWhatStaysInside) {
  EXPECT_THAT(Copy(5, 5, 5), ::testing::Each(1.0f));
}

// Blocks of 2x2 for a result that is a pixel wider than its source has blocks.
TEST_P(CheckBoundsTest, FindsAReadPastTheEnd) {
  Dispatch blocks("space_to_depth");
  blocks.Grid(2, 1, 4);
  blocks.uniforms.Int("block", 2);
  const std::vector<float> output =
      Run(std::move(blocks), {1, 2, 2, 4}, {1, 1, 2, 16});
  for (int i = 0; i < 16; ++i) EXPECT_EQ(output[i], 1.0f) << i;
  for (int i = 16; i < 32; ++i) EXPECT_TRUE(std::isnan(output[i])) << i;
}

TEST_P(CheckBoundsTest, FindsAWritePastTheEnd) {
  const std::vector<float> output = Copy(5, 4, 5);
  for (int i = 12; i < 16; ++i) EXPECT_TRUE(std::isnan(output[i])) << i;
}

INSTANTIATE_TEST_SUITE_P(Storages, CheckBoundsTest,
                         ::testing::Values(Storage::kTextureArray,
                                           Storage::kTexture2d,
                                           Storage::kBuffer));

}  // namespace
}  // namespace gles_delegate::testing

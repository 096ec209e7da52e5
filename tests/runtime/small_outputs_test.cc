// labels: op llvmpipe softpipe
// Small outputs that lie in the host's memory across a bus
// (DeviceChoices::host_output_bytes): which they are, that their memory is
// theirs alone, and that they arrive without a readback.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "delegate/device/device_profile.h"
#include "delegate/graph/texels.h"
#include "delegate/runtime/executor.h"
#include "delegate/runtime/gpu_memory.h"
#include "delegate/runtime/host_transfer.h"
#include "delegate/runtime/schedule.h"
#include "gtest/gtest.h"
#include "tests/testing/device.h"
#include "tests/testing/graph_builder.h"

namespace gles_delegate::testing {
namespace {

using Direction = HostTransfer::Direction;
using Way = HostTransfer::Way;

// 63 pixels of a texel each: 1008 bytes, of which the host has 756.
const std::vector<int> kSmall = {1, 9, 7, 3};

// So many functions of functions of one input.
Graph Chain(int nodes) {
  GraphBuilder b;
  TensorId x = b.Input(kSmall);
  for (int i = 0; i < nodes; ++i) x = b.Relu(x);
  b.graph.outputs = {x};
  return std::move(b.graph);
}

DeviceProfile AcrossABus(DeviceProfile profile, int host_output_bytes = 1008) {
  profile.choices.storage = gl_shaders::Storage::kBuffer;
  profile.choices.host_transfers = 0;
  profile.choices.host_output_bytes = host_output_bytes;
  return profile;
}

TEST(SmallOutputsTest, TheProfileSaysWhatIsSmall) {
  const Graph graph = Chain(1);
  const auto way = [&](Direction direction, const DeviceProfile& profile) {
    return HostTransfer(direction, 0, graph.tensor(0), profile,
                        /*can_map=*/true)
        .way();
  };
  const DeviceProfile profile = AcrossABus(DeviceProfile());
  EXPECT_EQ(way(Direction::kReadback, profile), Way::kPackedByHost);
  EXPECT_EQ(way(Direction::kUpload, profile), Way::kMapped);
  const DeviceProfile less = AcrossABus(DeviceProfile(), 1007);
  EXPECT_EQ(way(Direction::kReadback, less), Way::kMapped);
  DeviceProfile halves = profile;
  halves.options.half = true;
  EXPECT_EQ(way(Direction::kReadback, halves), Way::kMapped);
}

// The first tensor has ended when the last is computed.
TEST(SmallOutputsTest, NoOtherTensorLiesInTheirMemory) {
  const DeviceProfile profile = AcrossABus(DeviceProfile());
  Graph graph = Chain(3);
  auto dispatches = PlanGraph(&graph, profile);
  ASSERT_TRUE(dispatches.ok()) << dispatches.status();
  const TransferPlan transfers =
      PlanTransfers(graph, *std::move(dispatches), profile, /*can_map=*/true);
  const MemoryPlan plan = PlanTensorMemory(graph, transfers.schedule.dispatches,
                                           transfers.outputs, profile);
  EXPECT_EQ(plan.slots.size(), 3u);
  EXPECT_EQ(std::count(plan.slot_of.begin(), plan.slot_of.end(),
                       plan.slot_of[graph.outputs[0]]),
            1);
}

TEST(SmallOutputsTest, ArriveWithoutAReadback) {
  GLES_SKIP_WITHOUT_DEVICE();
  if (!TestContext()->device().Has("GL_EXT_buffer_storage")) {
    GTEST_SKIP() << "no GL_EXT_buffer_storage";
  }
  const DeviceProfile profile =
      AcrossABus(ProfileFor(TestContext()->device(), {}));
  const absl::Status status = TestContext()->Run([&]() -> absl::Status {
    Graph graph = Chain(1);
    auto dispatches = PlanGraph(&graph, profile);
    if (!dispatches.ok()) return dispatches.status();
    ProgramCache programs;
    auto executor = Executor::Create(*TestContext(), &programs, graph,
                                     *std::move(dispatches), profile);
    if (!executor.ok()) return executor.status();
    EXPECT_EQ((*executor)->stats().dispatches, 2);
    for (int run = 0; run < 3; ++run) {
      std::vector<float> in(9 * 7 * 3), out(in.size());
      for (size_t i = 0; i < in.size(); ++i) {
        in[i] = static_cast<float>((i + run) % 6);  // up to RELU6's end
      }
      const absl::Span<const uint8_t> input = AsBytes<float>(in);
      const absl::Span<uint8_t> output = {
          reinterpret_cast<uint8_t*>(out.data()), input.size()};
      absl::Status invoked = (*executor)->Invoke({&input, 1}, {&output, 1});
      if (!invoked.ok()) return invoked;
      EXPECT_EQ(out, in);
    }
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
}

}  // namespace
}  // namespace gles_delegate::testing

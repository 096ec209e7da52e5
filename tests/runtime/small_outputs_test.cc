// labels: op llvmpipe softpipe
// Small outputs that lie in the host's memory across a bus
// (BusTransfers::host_output_bytes): which they are, that their memory is
// theirs alone, and that they arrive without a readback.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status_macros.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/texels.h"
#include "delegate/runtime/executor.h"
#include "delegate/runtime/gpu_memory.h"
#include "delegate/runtime/host_transfer.h"
#include "delegate/runtime/schedule.h"
#include "quant/half.h"
#include "tests/testing/device.h"
#include "tests/testing/graph_builder.h"

namespace gles_delegate::testing {
namespace {

using Direction = HostTransfer::Direction;
using Way = HostTransfer::Way;

using Element = HostTransfer::Element;

// Two slices, of which the second is not full; rows longer than what is
// unpacked at once.
const std::vector<int> kDims = {2, 3, 70, 7};
constexpr int kTexels = 2 * 3 * 70 * 2;

// This many functions of functions of one input, in any format.
Graph Chain(int nodes, Element element, DataType quantized = DataType::kUint8) {
  GraphBuilder b;
  TensorId x = b.Input(kDims);
  for (int i = 0; i < nodes; ++i) {
    x = b.Node("NEG", {x}, kDims, b.Plain(x, 0));
    b.graph.nodes.back().integer_path = element == Element::kCode;
  }
  b.graph.outputs = {x};
  if (element != Element::kCode) return std::move(b.graph);
  for (Tensor& tensor : b.graph.tensors) {
    tensor.quantized = quantized;
    tensor.holds_quantized = true;
    tensor.quantization = {{0.5f}, {quantized == DataType::kUint8 ? 128 : 0}};
  }
  return std::move(b.graph);
}

int TexelBytes(Element element) {
  return element == Element::kWord ? 16 : element == Element::kHalf ? 8 : 4;
}

DeviceProfile AcrossABus(DeviceProfile profile, Element element) {
  profile.choices.storage = gl_shaders::Storage::kBuffer;
  profile.choices.host_transfers = 0;
  profile.bus.host_output_bytes = kTexels * TexelBytes(element);
  profile.options.half = element == Element::kHalf;
  return profile;
}

class SmallOutputsTest : public ::testing::TestWithParam<Element> {
 protected:
  void SetUp() override {
    if (GetParam() == Element::kHalf && !HalvesAreFast()) {
      GTEST_SKIP() << "this processor converts no halves";
    }
  }
};

TEST_P(SmallOutputsTest, TheProfileSaysWhatIsSmall) {
  const Graph graph = Chain(1, GetParam());
  DeviceProfile profile = AcrossABus(DeviceProfile(), GetParam());
  const auto way = [&](Direction direction) {
    return HostTransfer(direction, 0, graph.tensor(0), profile,
                        /*can_map=*/true)
        .way();
  };
  EXPECT_EQ(way(Direction::kReadback), Way::kPackedByHost);
  EXPECT_EQ(way(Direction::kUpload), Way::kMapped);
  --profile.bus.host_output_bytes;
  EXPECT_EQ(way(Direction::kReadback), Way::kMapped);
}

// The first tensor has ended when the last is computed.
TEST_P(SmallOutputsTest, NoOtherTensorLiesInTheirMemory) {
  const DeviceProfile profile = AcrossABus(DeviceProfile(), GetParam());
  Graph graph = Chain(3, GetParam());
  auto dispatches = PlanGraph(&graph, profile);
  ASSERT_TRUE(dispatches.ok()) << dispatches.status();
  const TransferPlan transfers =
      PlanTransfers(graph, *std::move(dispatches), profile, /*can_map=*/true);
  const MemoryPlan plan =
      PlanTensorMemory(graph, transfers.schedule, transfers.outputs, profile);
  EXPECT_EQ(plan.slots.size(), 3u);
  EXPECT_EQ(std::count(plan.slot_of.begin(), plan.slot_of.end(),
                       plan.slot_of[graph.outputs[0]]),
            1);
}

// The result of an inference on `in`.
std::vector<uint8_t> Outputs(Executor* executor,
                             const std::vector<uint8_t>& in) {
  std::vector<uint8_t> out(in.size());
  const absl::Span<const uint8_t> input = in;
  const absl::Span<uint8_t> output = absl::MakeSpan(out);
  const absl::Status invoked = executor->Invoke({&input, 1}, {&output, 1});
  EXPECT_TRUE(invoked.ok()) << invoked;
  return out;
}

// Whole numbers that halves and quantized values can hold, another for each
// run.
std::vector<uint8_t> Values(Element element, int run) {
  std::vector<uint8_t> bytes(2 * 3 * 70 * 7);
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<uint8_t>(i * 7 + run);
  }
  if (element == Element::kCode) return bytes;
  const std::vector<float> floats(bytes.begin(), bytes.end());
  const auto span = AsBytes<float>(floats);
  return {span.begin(), span.end()};
}

TEST_P(SmallOutputsTest, ArriveWithoutAReadback) {
  GLES_SKIP_WITHOUT_DEVICE();
  if (!TestContext()->device().Has("GL_EXT_buffer_storage")) {
    GTEST_SKIP() << "no GL_EXT_buffer_storage";
  }
  const DeviceProfile profile =
      AcrossABus(ProfileFor(TestContext()->device(), {}), GetParam());
  const absl::Status status = TestContext()->Run([&]() -> absl::Status {
    for (const DataType quantized : {DataType::kUint8, DataType::kInt8}) {
      Graph graph = Chain(1, GetParam(), quantized);
      ASSIGN_OR_RETURN(auto dispatches, PlanGraph(&graph, profile));
      ProgramCache programs;
      ASSIGN_OR_RETURN(auto executor,
                       Executor::Create(*TestContext(), &programs, graph,
                                        std::move(dispatches), profile));
      EXPECT_EQ(executor->outputs()[0].element(), GetParam());
      EXPECT_EQ(executor->stats().dispatches, 2);
      for (int run = 0; run < 3; ++run) {
        const std::vector<uint8_t> in = Values(GetParam(), run);
        EXPECT_EQ(Outputs(executor.get(), in), in);
      }
    }
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
}

std::string NameOf(const ::testing::TestParamInfo<Element>& info) {
  static const char* const kNames[] = {"Words", "Halves", "Codes"};
  return kNames[static_cast<int>(info.param)];
}

INSTANTIATE_TEST_SUITE_P(Elements, SmallOutputsTest,
                         ::testing::Values(Element::kWord, Element::kHalf,
                                           Element::kCode),
                         &NameOf);

}  // namespace
}  // namespace gles_delegate::testing

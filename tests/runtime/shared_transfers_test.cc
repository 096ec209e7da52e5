// labels: op llvmpipe softpipe
// Outputs of a partition that one program reads back, whatever their channels
// are (share_programs 2).
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "delegate/plan/dispatch_shader.h"
#include "delegate/plan/planner.h"
#include "delegate/runtime/executor.h"
#include "delegate/runtime/schedule.h"
#include "tests/testing/device.h"
#include "tests/testing/graph_builder.h"

namespace gles_delegate::testing {
namespace {

// Images of these channels, and a copy of each of them.
Graph Images(bool quantized, const std::vector<int>& channels) {
  GraphBuilder b;
  for (int c : channels) {
    const std::vector<int> dims = {2, 5, 70, c};
    const TensorId x = b.Input(dims);
    b.graph.outputs.push_back(b.Node("NEG", {x}, dims, b.Plain(x, 0)));
    b.graph.nodes.back().integer_path = quantized;
  }
  if (!quantized) return std::move(b.graph);
  for (Tensor& tensor : b.graph.tensors) {
    tensor.quantized = DataType::kUint8;
    tensor.holds_quantized = true;
    tensor.quantization = {{0.5f}, {128}};
  }
  return std::move(b.graph);
}

DeviceProfile Sharing(int share, DeviceProfile profile) {
  profile.choices.storage = gl_shaders::Storage::kBuffer;
  profile.choices.host_transfers = 0;
  profile.bus.upload_piece_bytes = 1000;
  profile.bus.readback_piece_bytes = 1000;
  profile.choices.share_programs = share;
  return profile;
}

// Of uploads, or of readbacks.
size_t Programs(const char* shader, const Graph& graph, int share) {
  const DeviceProfile profile = Sharing(share, DeviceProfile());
  const TransferPlan plan = PlanTransfers(graph, {}, profile, /*can_map=*/true);
  std::set<std::string> texts;
  for (const Dispatch& d : plan.schedule.dispatches) {
    if (d.shader != shader) continue;
    const auto text = gl_shaders::AssembleShader(SpecOf(graph, d, profile));
    EXPECT_TRUE(text.ok()) << text.status();
    texts.insert(text.value_or(""));
  }
  return texts.size();
}

TEST(SharedTransfersTest, OutputsOfAnyChannels) {
  const Graph graph = Images(/*quantized values=*/false, {5, 8});
  EXPECT_GE(Programs("readback", graph, 1), 2u);
  EXPECT_EQ(Programs("readback", graph, 2), 1u);
}

TEST(SharedTransfersTest, PiecesHaveOneWorkGroup) {
  EXPECT_EQ(Programs("upload", Images(/*quantized values=*/false, {3}), 2), 1u);
}

TEST(SharedTransfersTest, BringEveryCode) {
  GLES_SKIP_WITHOUT_DEVICE();
  const DeviceProfile profile =
      Sharing(2, ProfileFor(TestContext()->device(), {}));
  const absl::Status status = TestContext()->Run([&]() -> absl::Status {
    Graph graph = Images(/*quantized values=*/true, {3, 8});
    ASSIGN_OR_RETURN(auto dispatches, PlanGraph(&graph, profile));
    ProgramCache programs;
    ASSIGN_OR_RETURN(auto executor,
                     Executor::Create(*TestContext(), &programs, graph,
                                      std::move(dispatches), profile));
    std::vector<std::vector<uint8_t>> in, out;
    std::vector<absl::Span<const uint8_t>> inputs;
    std::vector<absl::Span<uint8_t>> outputs;
    for (int channels : {3, 8}) {
      in.emplace_back(2 * 5 * 70 * channels);
      for (size_t i = 0; i < in.back().size(); ++i) {
        in.back()[i] = static_cast<uint8_t>(i * 7);
      }
      out.emplace_back(in.back().size());
    }
    for (size_t i = 0; i < in.size(); ++i) {
      inputs.emplace_back(in[i]);
      outputs.push_back(absl::MakeSpan(out[i]));
    }
    RETURN_IF_ERROR(executor->Invoke(inputs, outputs));
    EXPECT_EQ(out, in);
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
}

}  // namespace
}  // namespace gles_delegate::testing

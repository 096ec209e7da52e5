// labels: unit delegate llvmpipe
// The device's limits at planning: each one's refusal, and what becomes of a
// partition whose fused nodes pass one.
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "delegate/device/device_profile.h"
#include "delegate/partition/plan_partition.h"
#include "egl/context.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device.h"
#include "tests/testing/driver_faults.h"
#include "tests/testing/graph_builder.h"
#include "tests/testing/matchers.h"

namespace gles_delegate::testing {
namespace {

// A convolution, a sum and functions after it.
Graph Chain(int functions) {
  GraphBuilder b;
  TensorId x = b.Conv(b.Input({1, 8, 8, 4}));
  for (int i = 0; i < functions; ++i) {
    x = b.Node("TANH", {x}, {1, 8, 8, 4}, b.Plain(x, 0), {{"tanh"}});
  }
  b.graph.outputs = {x};
  return std::move(b.graph);
}

std::string Refusal(Graph graph, const DeviceProfile& profile) {
  return std::string(PlanGraph(&graph, profile).status().message());
}

TEST(PlanLimitsTest, ImagesAndBuffersTogether) {
  DeviceProfile profile;
  profile.choices.storage = gl_shaders::Storage::kBuffer;
  profile.limits.max_buffers = 4;
  profile.limits.max_outputs = 2;  // input, weights and output are three
  EXPECT_THAT(Refusal(Chain(0), profile),
              AllOf(HasSubstr("CONV_2D"), HasSubstr("3 buffers"),
                    HasSubstr("allows 2 of both together")));
  profile.limits.max_outputs = 3;
  EXPECT_EQ(Refusal(Chain(0), profile), "");
}

TEST(PlanLimitsTest, BytesOfParameters) {
  DeviceProfile profile;
  profile.limits.max_uniform_block_bytes = 64;
  EXPECT_THAT(Refusal(Chain(0), profile),
              AllOf(HasSubstr("bytes of parameters"),
                    HasSubstr("a uniform block of the device has 64")));
}

absl::Status PlanLargeCopy(const Node& node, Planner* planner) {
  Dispatch d("copy");
  d.Read("src", node.inputs[0]).Write("dst", node.outputs[0]);
  d.Grid(int64_t{1} << 32, 1, 1);
  return planner->Add(std::move(d));
}

// So many invocations once wrapped to none.
TEST(PlanLimitsTest, InvocationsPast31Bits) {
  static constexpr OpDefinition op = OpOfPasses("LARGE_COPY", PlanLargeCopy);
  GraphBuilder b;
  b.graph.outputs = {b.Node("RELU", {b.Input({1, 4, 4, 4})}, {1, 4, 4, 4})};
  b.graph.nodes[0].op = &op;
  DeviceProfile profile;
  profile.limits.max_work_group_count = {1 << 30, 65535, 65535};
  EXPECT_THAT(Refusal(std::move(b.graph), profile),
              HasSubstr("2^31 or more invocations on axis 0"));
}

TEST(PlanLimitsTest, SharedMemory) {
  GraphBuilder b;
  const TensorId x = b.Input({1, 1, 1, 400});
  b.graph.outputs = {
      b.Node("FULLY_CONNECTED", {x, b.Constant({8, 400})}, {1, 8})};
  DeviceProfile profile;
  EXPECT_EQ(Refusal(b.graph, profile), "");
  auto planned = PlanGraph(&b.graph, profile);
  ASSERT_TRUE(planned.ok()) << planned.status();
  // A matrix product shares its sum among 32 lanes.
  EXPECT_EQ(planned->at(0).shared_bytes, 32 * 16) << planned->at(0).ToString();
}

TEST(PlanLimitsTest, MoreSharedMemoryThanTheDeviceHas) {
  GraphBuilder b;
  const TensorId x = b.Input({1, 1, 1, 4000});
  b.graph.outputs = {b.Node("TOPK_V2", {x}, {1, 1, 1, 5})};
  const TensorId positions = b.Tensor({1, 1, 1, 5});
  b.graph.tensor(positions).type = DataType::kInt32;
  b.graph.nodes[0].outputs.push_back(positions);
  DeviceProfile profile;
  auto planned = PlanGraph(&b.graph, profile);
  ASSERT_TRUE(planned.ok()) << planned.status();
  const auto bytes = static_cast<int>(planned->at(0).shared_bytes);
  ASSERT_GT(bytes, 0);
  profile.limits.max_shared_memory_bytes = bytes;
  EXPECT_EQ(Refusal(b.graph, profile), "");
  profile.limits.max_shared_memory_bytes = bytes - 1;
  EXPECT_THAT(
      Refusal(b.graph, profile),
      AllOf(HasSubstr("TOPK_V2"),
            HasSubstr(absl::StrCat("takes ", bytes,
                                   " bytes of shared memory a work group; the "
                                   "device has ",
                                   bytes - 1))));
}

// Planned after the passes a chain is one dispatch with a block of many
// parameters; node by node each is small.
TEST(PlanLimitsTest, WhatFusesPastALimitIsPlannedWithoutThePassesAndSaysSo) {
  const Graph graph = Chain(6);
  DeviceProfile profile;
  auto fused = PlanPartition(graph, profile, nullptr);
  ASSERT_TRUE(fused.ok()) << fused.status();
  EXPECT_EQ(fused->graph.nodes.size(), 1u);
  EXPECT_TRUE(fused->passes_dropped.ok()) << fused->passes_dropped;

  profile.limits.max_uniform_block_bytes = 160;
  auto plain = PlanPartition(graph, profile, nullptr);
  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_EQ(plain->graph.nodes.size(), 7u);
  EXPECT_THAT(std::string(plain->passes_dropped.message()),
              HasSubstr("bytes of parameters"));
}

TEST(PlanLimitsTest, AUserIsToldThatThePassesWereDropped) {
  GLES_SKIP_WITHOUT_DEVICE();
  const egl::After<&egl::GlApi::GetIntegerv> small_blocks(
      [](GLenum name, GLint* value) {
        if (name == GL_MAX_UNIFORM_BLOCK_SIZE) *value = 192;
      });
  const auto model = LoadOrDie(ChainModel("nnnnnnnn"));
  for (int verbosity : {0, 1}) {
    const DelegatePtr delegate =
        MakeDelegate([&](auto& options) { options.verbosity = verbosity; });
    auto interpreter = Applied(*model, delegate);
    const auto partition = ReportOf(delegate)["partition"][0];
    EXPECT_EQ(partition["nodes_after_passes"], 8);
    EXPECT_THAT(partition.value("passes_dropped", ""),
                HasSubstr("bytes of parameters"));
    const auto told = ::testing::Contains(
        AllOf(HasSubstr("without the passes"), HasSubstr("parameters")));
    if (verbosity > 0) {
      EXPECT_THAT(interpreter->log(), told);
    } else {
      EXPECT_THAT(interpreter->log(), ::testing::Not(told));
    }
    ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
  }
}

TEST(PlanLimitsTest, ADeviceIsHeldToWhatIsSavedOfAnAppsContext) {
  egl::DeviceInfo device;
  device.max_images = device.max_image_units = 192;
  device.max_buffers = device.max_textures = 96;
  const DeviceProfile profile = ProfileFor(device, {});
  EXPECT_EQ(profile.limits.max_images, egl::kImageUnits);
  EXPECT_EQ(profile.limits.max_buffers, egl::kStorageBuffers);
  EXPECT_EQ(profile.limits.max_textures, egl::kTextureUnits);
}

}  // namespace
}  // namespace gles_delegate::testing

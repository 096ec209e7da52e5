// labels: op llvmpipe softpipe
// A batch whose first dispatches run for one part of it while the other part is
// uploaded (runtime/batch_parts.h): which plans begin so, what runs in which
// order, and that the values are those of the whole batch at once.
#include "delegate/runtime/batch_parts.h"

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/texels.h"
#include "delegate/ops/conv/depthwise_conv_2d.h"
#include "delegate/runtime/executor.h"
#include "delegate/runtime/schedule.h"
#include "gtest/gtest.h"
#include "quant/half.h"
#include "tests/testing/device.h"
#include "tests/testing/graph_builder.h"
#include "tests/testing/run_graph.h"
#include "tests/testing/scoped_environment.h"

namespace gles_delegate::testing {
namespace {

std::vector<float> RandomFloats(int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& v : values) v = normal(random);
  return values;
}

// A 3x3 convolution, a depthwise one and a 1x1 one; then a function by itself,
// which is in no parts.
Graph Network(const std::vector<int>& image) {
  GraphBuilder b;
  const int batches = image[0], h = image[1], w = image[2];
  const auto constant = [&b](std::vector<int> dims, int64_t count) {
    return AddConstant(&b.graph, std::move(dims),
                       RandomFloats(count, static_cast<unsigned>(count)));
  };
  const TensorId x = b.Input(image);
  Conv2dAttributes window;
  window.pad_top = window.pad_left = window.pad_bottom = window.pad_right = 1;
  const TensorId first =
      b.Node("CONV_2D",
             {x, constant({8, 3, 3, image[3]}, int64_t{72} * image[3]),
              constant({8}, 8)},
             {batches, h, w, 8}, window);
  DepthwiseConv2dAttributes depthwise;
  depthwise.pad_top = depthwise.pad_left = 1;
  depthwise.pad_bottom = depthwise.pad_right = 1;
  const TensorId second =
      b.Node("DEPTHWISE_CONV_2D", {first, constant({1, 3, 3, 8}, 72)},
             {batches, h, w, 8}, depthwise, {{"clamp", {0, 6, 0, 0}}});
  const TensorId third =
      b.Node("CONV_2D", {second, constant({16, 1, 1, 8}, 128)},
             {batches, h, w, 16}, Conv2dAttributes());
  b.graph.outputs = {b.Relu(third)};
  return std::move(b.graph);
}

// As NVIDIA's row has it, for inputs of any size.
DeviceProfile InParts(DeviceProfile profile) {
  profile.choices.storage = gl_shaders::Storage::kBuffer;
  profile.choices.constants = gl_shaders::Storage::kBuffer;
  profile.choices.host_transfers = 0;
  profile.choices.unrolled_terms = 0;
  profile.choices.simd_lanes = 1;
  profile.choices.split_target = 48 << 10;
  profile.bus.batch_part_bytes = 1;
  return profile;
}

DeviceProfile Roomy() {
  DeviceProfile profile = InParts(RoomyProfile());
  profile.limits.max_work_group_invocations = 1024;
  profile.limits.max_work_group_size = {1024, 1024, 64};
  return profile;
}

// The transfers and the schedule of a network.
TransferPlan PlanOf(const std::vector<int>& image, const DeviceProfile& profile,
                    const BoundTransfers& bound = {}) {
  Graph graph = Network(image);
  auto dispatches = PlanGraph(&graph, profile);
  EXPECT_TRUE(dispatches.ok()) << dispatches.status();
  return PlanTransfers(graph, *std::move(dispatches), profile,
                       /*can_map=*/true, bound);
}

bool GoesInParts(const std::vector<int>& image, const DeviceProfile& profile) {
  return PlanOf(image, profile).schedule.parts.IsThere();
}

// The order of execution: U an upload, a letter a dispatch of the plan, with
// the part; R a readback.
std::string OrderOf(const Schedule& schedule) {
  std::string text;
  for (const Step& step : schedule.steps) {
    const size_t own = step.dispatch - schedule.upload_dispatches;
    if (step.dispatch < schedule.upload_dispatches) {
      text += 'U';
    } else if (schedule.pieces[step.dispatch].index >= 0) {
      text += 'R';
    } else {
      text += static_cast<char>('a' + own);
      if (step.parts > 1) absl::StrAppend(&text, step.part);
    }
  }
  return text;
}

TEST(BatchPartsTest, TheOtherPartIsUploadedBesideEachStepOfTheFirst) {
  const TransferPlan plan = PlanOf({4, 16, 16, 3}, Roomy());
  const BatchParts& parts = plan.schedule.parts;
  ASSERT_EQ(parts.input, 0);
  EXPECT_EQ(parts.count, 2);
  EXPECT_EQ(parts.dispatches, 3u);
  EXPECT_TRUE(plan.inputs[0].is_in_parts());
  EXPECT_EQ(OrderOf(plan.schedule), "UUa0Ub0Uc0a1b1c1dR");
  EXPECT_EQ(plan.schedule.uploads, 1u);
  // Each byte once.
  size_t end = 0;
  for (size_t i = 0; i < plan.schedule.upload_dispatches; ++i) {
    EXPECT_EQ(plan.schedule.pieces[i].begin, end);
    end = plan.schedule.pieces[i].end;
  }
  EXPECT_EQ(end, plan.inputs[0].bytes());
}

TEST(BatchPartsTest, UploadsKeepToTheDevicesWorkGroups) {
  DeviceProfile profile = Roomy();
  for (const int max : {128, 1024}) {
    profile.limits.max_work_group_invocations = max;
    const Schedule schedule = PlanOf({4, 16, 16, 3}, profile).schedule;
    ASSERT_TRUE(schedule.parts.IsThere());
    for (size_t i = 0; i < schedule.upload_dispatches; ++i) {
      EXPECT_LE(schedule.dispatches[i].work_group[0], max);
    }
  }
}

TEST(BatchPartsTest, OnlyWhereTheProfileSaysSo) {
  DeviceProfile profile = Roomy();
  profile.bus.batch_part_bytes = 2 * 16 * 16 * 3 * 4;
  EXPECT_TRUE(GoesInParts({4, 16, 16, 3}, profile));
  ++profile.bus.batch_part_bytes;
  EXPECT_FALSE(GoesInParts({4, 16, 16, 3}, profile));
  profile.bus.batch_part_bytes = 0;
  EXPECT_FALSE(GoesInParts({4, 16, 16, 3}, profile));
}

TEST(BatchPartsTest, OnlyWhereBatchesLieApart) {
  EXPECT_FALSE(GoesInParts({3, 16, 16, 3}, Roomy()));  // odd
  EXPECT_FALSE(GoesInParts({4, 16, 16, 4}, Roomy()));  // no images
  // A work group of the first convolution takes 16 pixels.
  DeviceProfile aligned = Roomy();
  aligned.limits.buffer_offset_alignment = 16;
  EXPECT_TRUE(GoesInParts({2, 1, 32, 3}, aligned));
  EXPECT_FALSE(GoesInParts({2, 1, 28, 3}, aligned));
  DeviceProfile textures = Roomy();
  textures.choices.storage = gl_shaders::Storage::kTextureArray;
  EXPECT_FALSE(GoesInParts({4, 16, 16, 3}, textures));
  DeviceProfile by_host = Roomy();
  by_host.choices.host_transfers = 1;
  EXPECT_FALSE(GoesInParts({4, 16, 16, 3}, by_host));
}

// A part of the input is 2 x 6 x 20 texels of 16 bytes: 15 times 256 bytes.
TEST(BatchPartsTest, OnlyWhereAPartCanBeBound) {
  DeviceProfile profile = Roomy();
  profile.limits.buffer_offset_alignment = 256;
  EXPECT_TRUE(GoesInParts({4, 6, 20, 3}, profile));
  profile.limits.buffer_offset_alignment = 512;
  EXPECT_FALSE(GoesInParts({4, 6, 20, 3}, profile));
}

TEST(BatchPartsTest, AnAppsBufferIsReadAtOnce) {
  BoundTransfers bound;
  bound.inputs.resize(1);
  bound.inputs[0].kind = ObjectForm::Kind::kBuffer;
  EXPECT_FALSE(PlanOf({4, 16, 16, 3}, Roomy(), bound).schedule.parts.IsThere());
}

TEST(BatchPartsTest, WhatRunsInTurnsSharesNoMemory) {
  Graph graph = Network({4, 16, 16, 3});
  const DeviceProfile profile = Roomy();
  auto dispatches = PlanGraph(&graph, profile);
  ASSERT_TRUE(dispatches.ok()) << dispatches.status();
  const MemoryPlan alone =
      PlanMemory(graph, *dispatches, graph.inputs, graph.outputs, profile);
  const MemoryPlan together = PlanMemory(graph, *dispatches, graph.inputs,
                                         graph.outputs, profile, {0, 3});
  // The input and the second tensor, the first and the third.
  EXPECT_EQ(alone.slots.size(), 2u);
  EXPECT_EQ(together.slots.size(), 4u);
}

// --- On the device -----------------------------------------------------------

struct Case {
  const char* name;
  bool half = false;
  int zero_copy = 0;
  int staged_bytes = 0;
};

class BatchPartsRunTest : public ::testing::TestWithParam<Case> {
 protected:
  static std::vector<float> Run(const DeviceProfile& profile,
                                const std::vector<float>& values,
                                int* dispatches) {
    Graph graph = Network({4, 16, 16, 3});
    std::vector<float> out(4 * 16 * 16 * 16);
    const absl::Status status = TestContext()->Run([&]() -> absl::Status {
      auto plan = PlanGraph(&graph, profile);
      if (!plan.ok()) return plan.status();
      ProgramCache programs;
      auto executor = Executor::Create(*TestContext(), &programs, graph,
                                       *std::move(plan), profile);
      if (!executor.ok()) return executor.status();
      *dispatches = (*executor)->stats().dispatches;
      const absl::Span<const uint8_t> in = AsBytes<float>(values);
      const absl::Span<uint8_t> to = {reinterpret_cast<uint8_t*>(out.data()),
                                      out.size() * sizeof(float)};
      // Again with other values before, which must all be gone.
      const std::vector<float> zeros(values.size());
      const absl::Span<const uint8_t> before = AsBytes<float>(zeros);
      if (auto s = (*executor)->Invoke({&before, 1}, {&to, 1}); !s.ok()) {
        return s;
      }
      if (auto s = (*executor)->Invoke({&in, 1}, {&to, 1}); !s.ok()) return s;
      if (auto s = (*executor)->EnableProfiling(true); !s.ok()) return s;
      const std::vector<float> untimed = out;
      if (auto s = (*executor)->Invoke({&in, 1}, {&to, 1}); !s.ok()) return s;
      EXPECT_EQ(out, untimed);
      return absl::OkStatus();
    });
    EXPECT_TRUE(status.ok()) << status;
    return out;
  }
};

TEST_P(BatchPartsRunTest, GivesTheBitsOfTheWholeBatch) {
  GLES_SKIP_WITHOUT_DEVICE();
  if (!TestContext()->device().Has("GL_EXT_buffer_storage")) {
    GTEST_SKIP() << "no GL_EXT_buffer_storage";
  }
  const ScopedDebug validates("validate");
  DeviceProfile profile = InParts(ProfileFor(TestContext()->device(), {}));
  profile.options.half = GetParam().half;
  profile.bus.half_transfers = GetParam().half;
  profile.choices.zero_copy = GetParam().zero_copy;
  profile.bus.staged_upload_bytes = GetParam().staged_bytes;
  const std::vector<float> values = RandomFloats(4 * 16 * 16 * 3, 7);
  int in_parts = 0, at_once = 0;
  const std::vector<float> got = Run(profile, values, &in_parts);
  profile.bus.batch_part_bytes = 0;
  EXPECT_EQ(got, Run(profile, values, &at_once));
  // Three uploads and three dispatches more.
  EXPECT_EQ(in_parts, at_once + 6);
}

INSTANTIATE_TEST_SUITE_P(
    Ways, BatchPartsRunTest,
    ::testing::Values(Case{"Copied"}, Case{"Staged", false, 0, 1},
                      Case{"ZeroCopy", false, 1}, Case{"Halves", true},
                      Case{"HalvesStaged", true, 0, 1}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace gles_delegate::testing

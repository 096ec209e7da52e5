// labels: unit sanitize
// How many programs a baseline plan has, and what it leaves as it was.
#include "delegate/device/device_profile.h"
#include "delegate/ops/conv/conv_2d.h"
#include "delegate/plan/planner.h"
#include "delegate/plan/share_programs.h"
#include "gtest/gtest.h"
#include "tests/testing/fake_devices.h"
#include "tests/testing/graph_builder.h"
#include "tests/testing/program_texts.h"

namespace gles_delegate::testing {
namespace {

DeviceProfile NvidiaProfile() {
  egl::DeviceInfo device = LargeDevice();
  device.kind = egl::DeviceKind::kNvidia;
  return ProfileFor(device, {});
}

DeviceProfile BaselineProfile() {
  DeviceProfile profile = NvidiaProfile();
  profile.choices = BaselineChoices(profile.choices);
  return profile;
}

size_t ProgramsOf(GraphBuilder& b, const DeviceProfile& profile) {
  auto dispatches = PlanGraph(&b.graph, profile);
  EXPECT_TRUE(dispatches.ok()) << dispatches.status();
  if (!dispatches.ok()) return 0;
  SharePrograms(b.graph, profile, &*dispatches);
  return ProgramTexts(b.graph, *dispatches, profile).size();
}

// Windows, steps and sizes make no difference.
TEST(BaselineTest, DepthwiseConvolutionsHaveOneProgram) {
  GraphBuilder b;
  for (const int kernel : {3, 5}) {
    for (const int stride : {1, 2}) {
      for (const int size : {7, 28, 112}) {
        DepthwiseConv2dAttributes a;
        a.stride_h = a.stride_w = stride;
        const int to = (size - kernel) / stride + 1;
        const TensorId x = b.Input({1, size, size, 16});
        const TensorId filter = b.Constant({1, kernel, kernel, 16});
        b.Node("DEPTHWISE_CONV_2D", {x, filter}, {1, to, to, 16}, a);
      }
    }
  }
  EXPECT_EQ(ProgramsOf(b, BaselineProfile()), 1);
  EXPECT_GT(ProgramsOf(b, NvidiaProfile()), 1);
}

TEST(BaselineTest, PointwiseConvolutionsHaveOneProgram) {
  GraphBuilder b;
  for (const int size : {7, 14, 112}) {
    for (const int channels : {16, 64, 512}) {
      const TensorId x = b.Input({1, size, size, channels});
      const TensorId filter = b.Constant({32, 1, 1, channels});
      b.Node("CONV_2D", {x, filter}, {1, size, size, 32}, Conv2dAttributes());
    }
  }
  EXPECT_EQ(ProgramsOf(b, BaselineProfile()), 1);
  EXPECT_GT(ProgramsOf(b, NvidiaProfile()), 1);
}

// Inputs and outputs stay in their memory, and tensors are
// stored as they were.
TEST(BaselineTest, TransfersAndStorageAreThoseOfTheRow) {
  const DeviceChoices row = NvidiaProfile().choices;
  const DeviceChoices baseline = BaselineChoices(row);
  EXPECT_EQ(baseline.storage, row.storage);
  EXPECT_EQ(baseline.read_by, row.read_by);
  EXPECT_EQ(baseline.constants, row.constants);
  EXPECT_EQ(baseline.host_transfers, row.host_transfers);
  EXPECT_EQ(baseline.across_bus, row.across_bus);
  EXPECT_EQ(baseline.zero_copy, row.zero_copy);
}

TEST(BaselineTest, WhoWantsASingleAnswerStaysWithIt) {
  egl::DeviceInfo device;
  device.kind = egl::DeviceKind::kNvidia;
  PlanningOptions options;
  const DeviceChoices row = ProfileFor(device, options).choices;
  options.startup = Startup::kBaseline;
  EXPECT_EQ(TuningText(ProfileFor(device, options).choices),
            TuningText(BaselineChoices(row)));
  // A driver that compiles quickly gives its first answer by the optimized
  // plan.
  device.kind = egl::DeviceKind::kMali;
  EXPECT_EQ(TuningText(ProfileFor(device, options).choices),
            TuningText(ProfileFor(device, {}).choices));
}

TEST(BaselineTest, ADriverThatCompilesSlowlyStartsWithItByAuto) {
  PlanningOptions options;
  options.startup = Startup::kAuto;
  egl::DeviceInfo device;
  device.kind = egl::DeviceKind::kNvidia;
  EXPECT_EQ(ProfileFor(device, options).options.startup, Startup::kTiered);
  device.kind = egl::DeviceKind::kMali;
  EXPECT_EQ(ProfileFor(device, options).options.startup, Startup::kDirect);
  options.startup = Startup::kTiered;
  EXPECT_EQ(ProfileFor(device, options).options.startup, Startup::kTiered);
}

}  // namespace
}  // namespace gles_delegate::testing

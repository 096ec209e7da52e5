// labels: op llvmpipe softpipe
// The executor by itself: how it waits, how it is timed beside an app's own
// timers, and what validation finds in a plan that is wrong.
#include "delegate/runtime/executor.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/texels.h"
#include "delegate/partition/plan_partition.h"
#include "delegate/runtime/gpu_memory.h"
#include "delegate/runtime/host_transfer.h"
#include "delegate/runtime/schedule.h"
#include "quant/half.h"
#include "tests/testing/device.h"
#include "tests/testing/device_test.h"
#include "tests/testing/driver_faults.h"
#include "tests/testing/gl.h"
#include "tests/testing/graph_builder.h"
#include "tests/testing/matchers.h"
#include "tests/testing/scoped_environment.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::gl;
using ::gles_delegate::egl::GlApi;

constexpr int kFloats = 16 * 16 * 4;

// A convolution, a pooling that nothing fuses with, and its graph.
Graph TwoNodes() {
  GraphBuilder b;
  const TensorId x = b.Conv(b.Input({1, 16, 16, 4}));
  b.graph.outputs = {b.Conv(x)};
  return std::move(b.graph);
}

// Made and run inside the test's context.
class ExecutorTest : public DeviceTest {
 protected:
  absl::Status Make(bool swap_dispatches = false, int piece_bytes = 0,
                    int early_dispatches = 0) {
    DeviceProfile profile = ProfileFor(TestContext()->device(), {});
    profile.bus.early_dispatches = early_dispatches;
    if (piece_bytes > 0) {
      profile.bus.readback_piece_bytes = piece_bytes;
      profile.choices.host_transfers = 0;
    }
    ASSIGN_OR_RETURN(auto planned, PlanPartition(TwoNodes(), profile, nullptr));
    if (swap_dispatches) {
      std::swap(planned.dispatches.front(), planned.dispatches.back());
    }
    ASSIGN_OR_RETURN(executor_,
                     Executor::Create(*TestContext(), &programs_, planned.graph,
                                      planned.dispatches, profile));
    return absl::OkStatus();
  }

  absl::Status Invoke() {
    const std::vector<absl::Span<const uint8_t>> inputs = {in_};
    const std::vector<absl::Span<uint8_t>> outputs = {absl::MakeSpan(out_)};
    return executor_->Invoke(inputs, outputs);
  }

  std::vector<uint8_t> in_ = std::vector<uint8_t>(kFloats * 4);
  std::vector<uint8_t> out_ = std::vector<uint8_t>(kFloats * 4);
  ProgramCache programs_;
  std::unique_ptr<Executor> executor_;
};

// Without a budget each call dispatches one program more than those before.
TEST_F(ExecutorTest, WarmsUpAProgramAtATime) {
  InContext([&] {
    // With an upload and a readback.
    ASSERT_TRUE(Make(false, /*piece_bytes=*/1 << 20).ok());
    std::fill(in_.begin(), in_.end(), 0x3e);
    const std::vector<uint8_t> untouched(out_.size(), 0x55);
    out_ = untouched;
    const std::vector<absl::Span<const uint8_t>> inputs = {in_};
    int calls = 1;
    while (true) {
      const auto ready = executor_->WarmUp(inputs, {});
      ASSERT_TRUE(ready.ok()) << ready.status();
      if (*ready) break;
      ASSERT_LT(++calls, 10);
    }
    // Of a convolution or two, and of the readback.
    EXPECT_GE(calls, 2);
    EXPECT_EQ(out_, untouched);
    const auto again = executor_->WarmUp(inputs, {});
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_TRUE(*again);
    ASSERT_TRUE(Invoke().ok());
    const std::vector<uint8_t> warmed = out_;
    EXPECT_NE(warmed, untouched);
    ASSERT_TRUE(Make(false, 1 << 20).ok());
    ASSERT_TRUE(Invoke().ok());
    EXPECT_EQ(out_, warmed);
    executor_.reset();
    programs_ = ProgramCache();
  });
}

// A passive wait asks once, and then sleeps until the driver wakes it.
TEST_F(ExecutorTest, WaitsAsleepUnlessToldToPoll) {
  GLES_SKIP_WITHOUT("GL_EXT_buffer_storage");
  InContext([&] {
    ASSERT_TRUE(Make().ok());
    ASSERT_TRUE(Invoke().ok());
    // A GPU that takes its time: three polls find it busy.
    int polls = 0, sleeps = 0;
    const egl::Instead<&GlApi::ClientWaitSync> slow(
        [&](GLsync sync, GLbitfield flags, GLuint64 timeout) -> GLenum {
          egl::driver_gl().ClientWaitSync(sync, flags, 1000000000);
          if (timeout == 0 && polls++ < 3) return GL_TIMEOUT_EXPIRED;
          sleeps += timeout > 0;
          return GL_CONDITION_SATISFIED;
        });
    ASSERT_TRUE(Invoke().ok());
    EXPECT_EQ(polls, 1);
    EXPECT_EQ(sleeps, 1);
    for (const egl::Waiting how :
         {egl::Waiting::kActive, egl::Waiting::kAggressive}) {
      executor_->WaitBy(how);
      polls = sleeps = 0;
      ASSERT_TRUE(Invoke().ok());
      EXPECT_EQ(polls, 4);
      EXPECT_EQ(sleeps, 0);
    }
    executor_.reset();
    programs_ = ProgramCache();
  });
}

// 'D' for each dispatch and 'F' for each flush of an inference.
TEST_F(ExecutorTest, SendsEarlyDispatchesBeforeItRecordsTheOthers) {
  InContext([&] {
    std::string made;
    const egl::Before<&GlApi::DispatchCompute> dispatches(
        [&](auto...) { made += 'D'; });
    const egl::Before<&GlApi::Flush> flushes([&](auto...) { made += 'F'; });
    const auto calls = [&](int early) {
      EXPECT_TRUE(Make(false, /*piece_bytes=*/1 << 20, early).ok());
      made.clear();
      EXPECT_TRUE(Invoke().ok());
      return made;
    };
    EXPECT_EQ(calls(0), "DDDD");  // the upload, both convolutions, the readback
    EXPECT_EQ(calls(1), "DDFDD");
    EXPECT_EQ(calls(2), "DDDD");  // none is left to be recorded
    executor_.reset();
    programs_ = ProgramCache();
  });
}

// Of an output that is read back in pieces the first ones are there when the
// wait for the last one fails.
TEST_F(ExecutorTest, AFailureAtTheLastPieceWritesNothing) {
  GLES_SKIP_WITHOUT("GL_EXT_buffer_storage");
  InContext([&] {
    ASSERT_TRUE(Make(/*swap_dispatches=*/false, /*piece_bytes=*/1024).ok());
    std::fill(out_.begin(), out_.end(), 0x5a);
    {
      int polls = 0;
      const egl::Instead<&GlApi::ClientWaitSync> fails(
          [&](GLsync sync, GLbitfield flags, auto...) -> GLenum {
            if (++polls == 4) return GL_WAIT_FAILED;
            return egl::driver_gl().ClientWaitSync(sync, flags, 1000000000);
          });
      EXPECT_FALSE(Invoke().ok());
      EXPECT_EQ(polls, 4);  // pieces
    }
    EXPECT_THAT(out_, ::testing::Each(0x5a));
    ASSERT_TRUE(Invoke().ok());
    EXPECT_THAT(out_, ::testing::Not(::testing::Each(0x5a)));
    executor_.reset();
    programs_ = ProgramCache();
  });
}

TEST_F(ExecutorTest, TimestampsAreOfTheHostsClockAndInOrder) {
  GLES_SKIP_WITHOUT("GL_EXT_disjoint_timer_query");
  InContext([&] {
    ASSERT_TRUE(Make().ok());
    ASSERT_TRUE(executor_->EnableProfiling(true).ok());
    if (executor_->profile_clock() != Executor::ProfileClock::kGpuTimestamps) {
      GTEST_SKIP() << "no timestamps here";
    }
    for (int run = 0; run < 3; ++run) {
      const double begin = NowUs();
      const absl::Status s = Invoke();
      const double end = NowUs();
      ASSERT_TRUE(s.ok()) << s;
      // The clocks are read one after the other: not to the microsecond.
      constexpr double kSlack = 1000;
      double last = begin - kSlack;
      for (const Executor::ProfileEntry& entry : executor_->profile()) {
        if (entry.label.find("by the host") != std::string::npos) continue;
        ASSERT_EQ(entry.runs.count(), run + 1) << entry.label;
        const TimedRun timed = entry.runs.Last(1)[0];
        EXPECT_GE(timed.start_us, last) << entry.label;
        last = timed.start_us;
        EXPECT_LE(timed.start_us + timed.us, end + kSlack) << entry.label;
      }
      double host = begin;
      for (const Executor::ProfileEntry& step : executor_->host_profile()) {
        const TimedRun timed = step.runs.Last(1)[0];
        EXPECT_GE(timed.start_us, host) << step.label;
        host = timed.start_us + timed.us;
      }
      EXPECT_LE(host, end);
    }
    executor_.reset();
    programs_ = ProgramCache();
  });
}

TEST_F(ExecutorTest, AnAppsTimerThatRunsIsLeftAlone) {
  GLES_SKIP_WITHOUT("GL_EXT_disjoint_timer_query");
  InContext([&] {
    const egl::After<&GlApi::GetQueryiv> older(
        [](GLenum, GLenum name, GLint* value) {
          if (name == GL_QUERY_COUNTER_BITS_EXT) *value = 0;
        });
    ASSERT_TRUE(Make().ok());
    const absl::Status enabled = executor_->EnableProfiling(true);
    ASSERT_TRUE(enabled.ok()) << enabled;
    absl::Status s = Invoke();
    ASSERT_TRUE(s.ok()) << s;
    EXPECT_EQ(executor_->profile_clock(), Executor::ProfileClock::kGpuTimers);

    GLuint mine = 0;
    gl().GenQueries(1, &mine);
    gl().BeginQuery(GL_TIME_ELAPSED_EXT, mine);
    s = Invoke();
    EXPECT_TRUE(s.ok()) << s;
    s = Invoke();
    EXPECT_TRUE(s.ok()) << s;
    gl().EndQuery(GL_TIME_ELAPSED_EXT);
    gl().DeleteQueries(1, &mine);
    EXPECT_EQ(gl().GetError(), GLenum{GL_NO_ERROR});
    // By waiting for the GPU from then on, and nothing of before counted in.
    EXPECT_EQ(executor_->profile_clock(), Executor::ProfileClock::kHost);
    for (const Executor::ProfileEntry& entry : executor_->profile()) {
      EXPECT_EQ(entry.runs.count(), 2) << entry.label;
      EXPECT_GT(entry.runs.MedianUs(), 0) << entry.label;
    }
    executor_.reset();
    programs_ = ProgramCache();
  });
}

TEST_F(ExecutorTest, ValidationFindsAPlanOutOfOrder) {
  InContext([&] {
    {
      const ScopedNoDebug off;
      EXPECT_TRUE(Make(/*swap_dispatches=*/true).ok());
    }
    const ScopedDebug on("validate");
    const absl::Status s = Make(/*swap_dispatches=*/true);
    EXPECT_EQ(s.code(), absl::StatusCode::kInternal);
    EXPECT_THAT(std::string(s.message()),
                AllOf(HasSubstr("validation: CONV_2D"), HasSubstr("reads 't"),
                      HasSubstr("was written before")));
    EXPECT_TRUE(Make().ok());
    EXPECT_TRUE(Invoke().ok());
    executor_.reset();
    programs_ = ProgramCache();
  });
}

// Small outputs that lie in the host's memory across a bus
// (BusTransfers::host_output_bytes): which they are, that their memory is
// theirs alone, and that they arrive without a readback.

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
  GLES_SKIP_WITHOUT("GL_EXT_buffer_storage");
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

// The sizes of textures and buffers where the device wants none that is a power
// of two, and that what they are filled with arrives.

using ::gles_delegate::egl::Before;
using ::gles_delegate::gl_shaders::Format;
using ::gles_delegate::gl_shaders::Storage;

Slot TextureOf(int width, int height) {
  return {Storage::kTexture2d, width, height, 1, Format::kRgba32f};
}

Slot TexelBufferOf(int texels) {
  return {Storage::kTexelBuffer, texels, 1, 1, Format::kRgba32f};
}

// Notes what sizes the driver is asked for, and asks it.
class GpuMemoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    GLES_SKIP_WITHOUT_DEVICE();
    profile_ = ProfileFor(TestContext()->device(), {});
    profile_.faults.compiles_by_sizes = true;
  }

  bool HasTexelBuffers() const {
    return TestContext()->device().max_texel_buffer_texels > 0;
  }

  // The sizes that a slot takes, filled with 0, 1, 2, ... where `fills`.
  std::vector<int> SizesOf(const Slot& slot, bool fills) {
    std::vector<float> texels(slot.texels() * 4);
    std::iota(texels.begin(), texels.end(), 0.0f);
    std::vector<int> sizes;
    InContext([&] {
      const Before<&GlApi::TexStorage2D> texture(
          [&](GLenum, GLsizei, GLenum, GLsizei width, GLsizei height) {
            sizes = {width, height};
          });
      const Before<&GlApi::BufferData> buffer(
          [&](GLenum, GLsizeiptr size, auto...) {
            sizes = {static_cast<int>(size)};
          });
      GpuMemory memory(profile_);
      Must(memory.Make(slot, fills ? BytesOf(texels).data() : nullptr, "test"));
      for (const egl::Buffer& made : memory.TakeBuffers()) {
        if (!fills) continue;
        std::vector<float> read = ReadAll<float>(made);
        ASSERT_GE(read.size(), texels.size());
        read.resize(texels.size());
        EXPECT_EQ(read, texels);
      }
    });
    return sizes;
  }

  DeviceProfile profile_;
};

TEST_F(GpuMemoryTest, MakesNoSideOfATextureAPowerOfTwo) {
  EXPECT_THAT(SizesOf(TextureOf(8, 1), true), ElementsAre(9, 3));
  EXPECT_THAT(SizesOf(TextureOf(7, 6), true), ElementsAre(7, 6));
}

TEST_F(GpuMemoryTest, KeepsToTheLargestTexture) {
  profile_.limits.max_texture_size = 16;
  EXPECT_THAT(SizesOf(TextureOf(16, 8), true), ElementsAre(16, 9));
}

TEST_F(GpuMemoryTest, MakesNoTexelBufferAPowerOfTwo) {
  if (!HasTexelBuffers()) GTEST_SKIP() << "the device has no texel buffers";
  for (const bool fills : {false, true}) {
    EXPECT_THAT(SizesOf(TexelBufferOf(1), fills), ElementsAre(48));
    EXPECT_THAT(SizesOf(TexelBufferOf(3), fills), ElementsAre(48));
    EXPECT_THAT(SizesOf(TexelBufferOf(4), fills), ElementsAre(80));
  }
}

TEST_F(GpuMemoryTest, MakesNoMappedTexelBufferAPowerOfTwo) {
  InContext([&] {
    if (!HasTexelBuffers() || !egl::Buffer::CanBeMapped()) {
      GTEST_SKIP() << "the device maps no texel buffers";
    }
    GpuMemory memory(profile_);
    Must(memory.MakeMapped(TexelBufferOf(4), GL_MAP_READ_BIT, "test"));
    EXPECT_EQ(memory.TakeBuffers().front().bytes(), 80);
  });
}

// At a minimum of 64 bytes, a buffer of four texels is staged and one of three
// is not.
TEST_F(GpuMemoryTest, FillsLargeBuffersThroughMappedMemory) {
  bool maps = false;
  InContext([&] { maps = egl::Buffer::CanBeMapped(); });
  if (!maps) {
    GTEST_SKIP() << "the driver maps no buffers for good";
  }
  profile_.bus.staged_upload_bytes = 64;
  for (int texels : {3, 4}) {
    std::vector<float> values(texels * 4);
    std::iota(values.begin(), values.end(), 1.0f);
    InContext([&] {
      int copies = 0;
      const Before<&GlApi::CopyBufferSubData> copy([&](auto...) { ++copies; });
      egl::StagedUpload staging;
      GpuMemory memory(profile_, &staging);
      const Slot slot = {Storage::kBuffer, texels, 1, 1, Format::kRgba32f};
      Must(memory.Make(slot, BytesOf(values).data(), "test"));
      EXPECT_EQ(copies, texels == 4 ? 1 : 0);
      std::vector<float> read = ReadAll<float>(memory.TakeBuffers().at(0));
      read.resize(values.size());
      EXPECT_EQ(read, values);
    });
  }
}

TEST_F(GpuMemoryTest, MakesAllAsPlannedElsewhere) {
  profile_.faults.compiles_by_sizes = false;
  EXPECT_THAT(SizesOf(TextureOf(8, 1), true), ElementsAre(8, 1));
  if (!HasTexelBuffers()) return;
  EXPECT_THAT(SizesOf(TexelBufferOf(4), true), ElementsAre(64));
}

}  // namespace

}  // namespace gles_delegate::testing

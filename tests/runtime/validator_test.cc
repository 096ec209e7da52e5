// labels: unit
// Each rule of validation mode, broken on purpose; and what is allowed.
#include "delegate/runtime/validator.h"

#include <string>

#include "delegate/runtime/executor.h"
#include "tests/testing/fake_devices.h"
#include "tests/testing/matchers.h"

namespace gles_delegate::testing {
namespace {

constexpr AccessKind kFetch = AccessKind::kSampler;
constexpr AccessKind kImage = AccessKind::kImage;
constexpr AccessKind kBuffer = AccessKind::kBuffer;
constexpr GLbitfield kToHost = GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT_EXT;

Graph ThreeTensors() {
  Graph graph;
  for (const char* name : {"x", "y", "z"}) {
    Tensor tensor;
    tensor.name = name;
    tensor.dims = {1, 1, 1, 4};
    tensor.shape = Shape::FromDims(tensor.dims);
    graph.AddTensor(std::move(tensor));
  }
  return graph;
}

// Tensors x and y in their own slots, z where x was; the host's buffers.
class ValidatorTest : public ::testing::Test {
 protected:
  static constexpr TensorId kX = 0, kY = 1, kZ = 2;

  ValidatorTest() : graph_(ThreeTensors()), validator_(graph_) {
    slot_x_ = validator_.AddResource("slot 0");
    slot_y_ = validator_.AddResource("slot 1");
    in_ = validator_.AddResource("the host's buffer of input x");
    out_ = validator_.AddResource("the host's buffer of output y");
    staging_ = validator_.AddResource("the staging buffer of input x");
    validator_.BeginInvoke();
  }

  int Add(std::string label, std::vector<Validator::Touch> touches) {
    return validator_.AddCommand({std::move(label), std::move(touches)});
  }
  std::string Said() const {
    return std::string(validator_.status().message());
  }

  Graph graph_;
  Validator validator_;
  int slot_x_ = 0, slot_y_ = 0, in_ = 0, out_ = 0, staging_ = 0;
};

// The host's side of an upload covers its 16 bytes.
TEST_F(ValidatorTest, WhatGlAsksForPasses) {
  const int upload = Add("upload", {{in_, kBuffer, false, kNoTensor, {0, 16}},
                                    {slot_x_, kImage, true, kX}});
  const int conv =
      Add("conv", {{slot_x_, kFetch, false, kX}, {slot_y_, kImage, true, kY}});
  const int readback =
      Add("readback", {{slot_y_, kFetch, false, kY},
                       {out_, kBuffer, true, kNoTensor, {0, 16}}});
  for (int invoke = 0; invoke < 3; ++invoke) {
    validator_.BeginInvoke();
    validator_.HostWrote(in_, {0, 16});
    validator_.Dispatched(upload);
    validator_.Barrier(GL_TEXTURE_FETCH_BARRIER_BIT);
    validator_.Dispatched(conv);
    validator_.Barrier(GL_TEXTURE_FETCH_BARRIER_BIT);
    validator_.Dispatched(readback);
    validator_.Barrier(kToHost);
    validator_.FenceInserted();
    validator_.FenceWaited();
    validator_.HostReads(out_, {0, 16});
  }
  EXPECT_TRUE(validator_.status().ok()) << validator_.status();
}

TEST_F(ValidatorTest, AReadOfWhatNobodyWrote) {
  validator_.Dispatched(Add("conv 7", {{slot_x_, kFetch, false, kX}}));
  EXPECT_EQ(validator_.status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(Said(), AllOf(HasSubstr("conv 7 reads 'x'"), HasSubstr("slot 0"),
                            HasSubstr("was written before")));
}

TEST_F(ValidatorTest, AReadOfWhatAnotherTensorTookThePlaceOf) {
  const int fill = Add("fill", {{slot_x_, kImage, true, kX}});
  const int other = Add("other", {{slot_x_, kImage, true, kZ}});
  const int conv = Add("conv", {{slot_x_, kFetch, false, kX}});
  validator_.Dispatched(fill);
  validator_.Barrier(GL_SHADER_IMAGE_ACCESS_BARRIER_BIT);
  validator_.Dispatched(other);
  validator_.Barrier(GL_TEXTURE_FETCH_BARRIER_BIT);
  validator_.Dispatched(conv);
  EXPECT_THAT(Said(),
              AllOf(HasSubstr("conv reads 'x'"), HasSubstr("it holds 'z'")));
}

TEST_F(ValidatorTest, AReadOfWhatAnEarlierInvokeLeft) {
  const int fill = Add("fill", {{slot_x_, kImage, true, kX}});
  const int conv = Add("conv", {{slot_x_, kFetch, false, kX}});
  validator_.Dispatched(fill);
  validator_.BeginInvoke();
  validator_.Barrier(GL_TEXTURE_FETCH_BARRIER_BIT);
  validator_.Dispatched(conv);
  EXPECT_THAT(Said(), HasSubstr("was written before"));
}

TEST_F(ValidatorTest, AViewOfAWholeThatWasNotWrittenYet) {
  Graph graph = ThreeTensors();
  graph.tensor(kX).view.of = kZ;
  graph.tensor(kY).view.of = kZ;
  Validator validator(graph);
  const int slot = validator.AddResource("slot 0");
  const int first = validator.AddCommand({"first", {{slot, kImage, true, kX}}});
  const int second =
      validator.AddCommand({"second", {{slot, kImage, true, kY}}});
  const int whole =
      validator.AddCommand({"whole", {{slot, kFetch, false, kZ}}});
  const auto run = [&](bool both) {
    Validator copy = validator;
    copy.BeginInvoke();
    copy.Dispatched(first);
    copy.Barrier(GL_SHADER_IMAGE_ACCESS_BARRIER_BIT);
    if (both) copy.Dispatched(second);
    copy.Barrier(GL_TEXTURE_FETCH_BARRIER_BIT);
    copy.Dispatched(whole);
    return copy.status();
  };
  EXPECT_TRUE(run(true).ok()) << run(true);
  EXPECT_THAT(std::string(run(false).message()), HasSubstr("whole reads 'z'"));
}

// A concatenation of which a shader makes what it reads.
TEST_F(ValidatorTest, AViewThatIsOnlyReadIsHeldWithTheWhole) {
  Graph graph = ThreeTensors();
  graph.tensor(kX).view.of = kZ;  // the only part
  graph.tensor(kY).view.of = kZ;
  graph.tensor(kY).view.kind = MemoryView::Kind::kMaxPool;
  Validator validator(graph);
  validator.AddResource("slot 0");
  const int write = validator.AddCommand({"part", {{0, kBuffer, true, kX}}});
  const int read = validator.AddCommand({"conv", {{0, kBuffer, false, kY}}});
  const auto run = [&](bool written) {
    Validator copy = validator;
    copy.BeginInvoke();
    if (written) copy.Dispatched(write);
    copy.Barrier(GL_SHADER_STORAGE_BARRIER_BIT);
    copy.Dispatched(read);
    return copy.status();
  };
  EXPECT_TRUE(run(true).ok()) << run(true);
  EXPECT_THAT(std::string(run(false).message()), HasSubstr("conv reads 'y'"));
}

// Tensor x in two parts, y and z.
TEST_F(ValidatorTest, PartsOfAWholeAreStoredWithoutABarrierOnceEach) {
  Graph graph = ThreeTensors();
  graph.tensor(kY).view.of = graph.tensor(kZ).view.of = kX;
  Validator validator(graph);
  validator.AddResource("slot 0");
  const auto add = [&](const char* label, bool write, TensorId tensor) {
    return validator.AddCommand({label, {{0, kBuffer, write, tensor}}});
  };
  const int y = add("conv y", true, kY), z = add("conv z", true, kZ);
  const int read = add("softmax", false, kX);
  for (int invoke = 0; invoke < 2; ++invoke) {
    validator.BeginInvoke();
    validator.Dispatched(y);
    validator.Dispatched(z);
    validator.Barrier(GL_SHADER_STORAGE_BARRIER_BIT);
    validator.Dispatched(read);
    validator.Barrier(GL_SHADER_STORAGE_BARRIER_BIT);
  }
  EXPECT_TRUE(validator.status().ok()) << validator.status();
  validator.BeginInvoke();
  validator.Dispatched(y);
  validator.Dispatched(z);
  validator.Dispatched(y);
  EXPECT_THAT(std::string(validator.status().message()),
              AllOf(HasSubstr("conv y writes 'y'"), HasSubstr("barrier")));
}

// A store, and then a load of each kind with every barrier but its own.
TEST_F(ValidatorTest, AMissingBarrierBeforeALoad) {
  const std::pair<AccessKind, GLbitfield> kinds[] = {
      {kFetch, GL_TEXTURE_FETCH_BARRIER_BIT},
      {kImage, GL_SHADER_IMAGE_ACCESS_BARRIER_BIT},
      {kBuffer, GL_SHADER_STORAGE_BARRIER_BIT}};
  for (const auto& [kind, bit] : kinds) {
    for (bool right : {false, true}) {
      Validator validator = validator_;
      const int fill =
          validator.AddCommand({"fill", {{slot_x_, kImage, true, kX}}});
      const int conv =
          validator.AddCommand({"conv 3", {{slot_x_, kind, false, kX}}});
      validator.Dispatched(fill);
      for (const auto& [other, other_bit] : kinds) {
        if (right == (other_bit == bit)) validator.Barrier(other_bit);
      }
      validator.Dispatched(conv);
      EXPECT_EQ(validator.status().ok(), right) << validator.status();
      if (right) continue;
      EXPECT_THAT(std::string(validator.status().message()),
                  AllOf(HasSubstr("conv 3 reads 'x'"), HasSubstr("barrier")));
    }
  }
}

// A load as an image, then a store as a buffer (finding W7).
TEST_F(ValidatorTest, AnImageBarrierBeforeAStoreToABuffer) {
  const int fill = Add("fill", {{slot_x_, kBuffer, true, kX}});
  const int read = Add("read", {{slot_x_, kImage, false, kX}});
  const int take = Add("take", {{slot_x_, kBuffer, true, kZ}});
  validator_.Dispatched(fill);
  validator_.Barrier(GL_SHADER_IMAGE_ACCESS_BARRIER_BIT);
  validator_.Dispatched(read);
  validator_.Barrier(GL_SHADER_IMAGE_ACCESS_BARRIER_BIT);
  validator_.Dispatched(take);
  EXPECT_THAT(Said(), AllOf(HasSubstr("take writes 'z'"),
                            HasSubstr("GL_SHADER_STORAGE_BARRIER_BIT")));
}

TEST_F(ValidatorTest, AnUploadThatReadsAStagingBufferNobodyFilled) {
  const int upload =
      Add("upload x", {{staging_, kBuffer, false, kNoTensor, {0, 16}},
                       {slot_x_, kImage, true, kX}});
  validator_.HostWrote(in_, {0, 16});
  validator_.Copied(in_, staging_, {0, 8});
  Validator half = validator_;
  half.Dispatched(upload);
  EXPECT_THAT(std::string(half.status().message()),
              AllOf(HasSubstr("upload x reads"), HasSubstr("staging buffer")));
  validator_.Copied(in_, staging_, {8, 16});
  validator_.Dispatched(upload);
  EXPECT_TRUE(validator_.status().ok()) << validator_.status();
}

TEST_F(ValidatorTest, ACopyOfWhatTheHostDidNotBring) {
  validator_.HostWrote(in_, {0, 8});
  validator_.Copied(in_, staging_, {4, 12});
  EXPECT_THAT(Said(), HasSubstr("a copy between buffers reads"));
}

TEST_F(ValidatorTest, TheHostWritesWhatTheGpuMayStillRead) {
  const int upload = Add("upload", {{in_, kBuffer, false, kNoTensor, {0, 16}},
                                    {slot_x_, kImage, true, kX}});
  validator_.HostWrote(in_, {0, 16});
  validator_.Dispatched(upload);
  Validator awaited = validator_;
  validator_.BeginInvoke();
  validator_.HostWrote(in_, {0, 16});
  EXPECT_THAT(Said(), AllOf(HasSubstr("the host writes"), HasSubstr("fence")));
  awaited.Finished();
  awaited.BeginInvoke();
  awaited.HostWrote(in_, {0, 16});
  EXPECT_TRUE(awaited.status().ok()) << awaited.status();
}

// The barrier before the fence, the fence before the read; each is left out.
TEST_F(ValidatorTest, TheHostReadsWhatIsNotThereYet) {
  const int fill = Add("readback", {{out_, kBuffer, true, kNoTensor, {0, 16}}});
  for (int left_out = 0; left_out < 4; ++left_out) {
    Validator validator = validator_;
    if (left_out != 3) validator.Dispatched(fill);
    if (left_out != 0) validator.Barrier(kToHost);
    validator.FenceInserted();
    if (left_out != 1) validator.FenceWaited();
    validator.HostReads(out_, {0, 16});
    EXPECT_EQ(validator.status().ok(), left_out == 2) << left_out;
  }
}

TEST_F(ValidatorTest, AReadbackByMappingWantsTheUpdateBarrier) {
  const int fill = Add("readback", {{out_, kBuffer, true, kNoTensor, {0, 16}}});
  validator_.Dispatched(fill);
  Validator without = validator_;
  without.ReadsBack(out_, {0, 16});
  EXPECT_THAT(std::string(without.status().message()),
              HasSubstr("GL_BUFFER_UPDATE_BARRIER_BIT"));
  validator_.Barrier(GL_BUFFER_UPDATE_BARRIER_BIT);
  validator_.ReadsBack(out_, {0, 16});
  EXPECT_TRUE(validator_.status().ok()) << validator_.status();
}

TEST_F(ValidatorTest, ARehearsalFindsItBeforeAnythingRuns) {
  Add("upload",
      {{in_, kBuffer, false, kNoTensor, {0, 16}}, {slot_x_, kImage, true, kX}});
  Add("conv", {{slot_x_, kFetch, false, kX}, {slot_y_, kImage, true, kY}});
  EXPECT_TRUE(validator_.Rehearse({0, GL_TEXTURE_FETCH_BARRIER_BIT}).ok());
  EXPECT_FALSE(validator_.Rehearse({0, 0}).ok());
  EXPECT_TRUE(validator_.status().ok());
}

// --- Limits ------------------------------------------------------------------

TEST(CheckDeviceLimitsTest, EachLimitIsHeld) {
  const auto check = [](auto change) {
    Dispatch d("copy");
    d.label = "NEG 5";
    d.Grid(64, 1, 1).WorkGroup(64, 1, 1);
    gl_shaders::Bindings bindings;
    bindings.samplers = bindings.images = 1;
    int64_t bytes = 256, offset = 512;
    egl::DeviceInfo device = SmallestDevice();
    change(d, bindings, bytes, offset, device);
    return std::string(
        CheckDeviceLimits(d, bindings, bytes, offset, device).message());
  };
  EXPECT_EQ(check([](auto&...) {}), "");
  EXPECT_THAT(check([](auto&, auto& b, auto&...) { b.samplers = 17; }),
              AllOf(HasSubstr("NEG 5"), HasSubstr("textures bound: 17")));
  EXPECT_THAT(check([](auto&, auto& b, auto&...) { b.images = 5; }),
              HasSubstr("images bound: 5"));
  EXPECT_THAT(check([](auto&, auto& b, auto&...) { b.buffers = 5; }),
              HasSubstr("storage buffers bound: 5"));
  EXPECT_THAT(check([](auto&, auto& b, auto&...) { b.images = b.buffers = 3; }),
              HasSubstr("together: 6"));
  EXPECT_THAT(check([](auto&, auto&, auto& bytes, auto&...) { bytes = 16400; }),
              HasSubstr("bytes of parameters: 16400"));
  EXPECT_THAT(check([](auto&, auto&, auto&, auto& at, auto&) { at = 16; }),
              HasSubstr("a multiple of 256"));
  EXPECT_THAT(check([](auto& d, auto&...) { d.SharedMemory(16385); }),
              HasSubstr("shared memory: 16385"));
  EXPECT_THAT(check([](auto& d, auto&...) { d.WorkGroup(16, 16, 1); }),
              HasSubstr("invocations of a work group: 256"));
  EXPECT_THAT(check([](auto& d, auto&...) { d.WorkGroup(1, 1, 65); }),
              HasSubstr("on one axis: 65"));
  EXPECT_THAT(
      check([](auto& d, auto&...) { d.Grid(65536, 1, 1).WorkGroup(1, 1, 1); }),
      HasSubstr("work groups on one axis: 65536"));
}

// A device with more than is saved of an app's context.
TEST(CheckDeviceLimitsTest, BindingsKeepToWhatIsSavedOfAnAppsContext) {
  egl::DeviceInfo device = SmallestDevice();
  device.max_images = device.max_image_units = 192;
  device.max_buffers = device.max_textures = 96;
  device.max_outputs = 500;
  Dispatch d("copy");
  gl_shaders::Bindings bindings;
  bindings.images = bindings.buffers = bindings.samplers = 16;
  EXPECT_TRUE(CheckDeviceLimits(d, bindings, 16, 0, device).ok());
  bindings.images = 17;
  EXPECT_FALSE(CheckDeviceLimits(d, bindings, 16, 0, device).ok());
}

TEST(CheckDeviceLimitsTest, SharedMemoryMustBeSaid) {
  Dispatch d("softmax");
  d.Define("THREADS", 8).Grid(8, 1, 1).WorkGroup(8, 1, 1);
  const auto check = [&] {
    return std::string(
        CheckDeviceLimits(d, {}, 16, 0, SmallestDevice()).message());
  };
  EXPECT_THAT(check(), HasSubstr("Dispatch::SharedMemory"));
  d.SharedMemory(128);
  EXPECT_EQ(check(), "");
}

}  // namespace
}  // namespace gles_delegate::testing

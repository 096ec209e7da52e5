// labels: egl llvmpipe softpipe sanitize
// The places of a TensorBuffer's values, none of which is lost on the way.
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "delegate/session/host_memory.h"
#include "tests/testing/driver_faults.h"
#include "tests/testing/hidden_extension.h"
#include "tests/testing/matchers.h"
#include "tests/testing/session_case.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::GlApi;
using ::gles_delegate::egl::Instead;

constexpr size_t kFloats = 5 * 3;

class TensorBufferTest : public SessionTest {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    place_ = {gpu_, nullptr};
    can_map_ = gpu_->context->device().Has("GL_EXT_buffer_storage");
  }
  // Writes 0, 1, 2 ...
  void Write(TensorBuffer* buffer, const GpuPlace* place = nullptr) {
    const auto memory = buffer->Lock(false, true, place);
    ASSERT_TRUE(memory.ok()) << memory.status();
    std::iota(static_cast<float*>(memory->data),
              static_cast<float*>(memory->data) + kFloats, 0.0f);
    buffer->Unlock();
  }
  // The same as by inferences, so that it is mapped.
  void WriteInPlace() {
    for (int i = 0; i < 2; ++i) Write(&buffer_, &place_);
  }
  // Locks and unlocks for reading, and expects those values.
  HostMemory Read(TensorBuffer* buffer, const GpuPlace* place = nullptr) {
    const auto memory = buffer->Lock(true, false, place);
    EXPECT_TRUE(memory.ok()) << memory.status();
    if (!memory.ok()) return {};
    for (size_t i = 0; i < kFloats; ++i) {
      EXPECT_EQ(static_cast<float*>(memory->data)[i], i);
    }
    buffer->Unlock();
    return *memory;
  }

  GpuPlace place_;
  bool can_map_ = false;
  TensorBuffer buffer_{kFloats * sizeof(float)};
};

TEST_F(TensorBufferTest, IsMappedInThePlaceThatUsesItAgain) {
  Write(&buffer_);
  EXPECT_EQ(Read(&buffer_).buffer, 0u);
  EXPECT_EQ(Read(&buffer_, &place_).buffer, 0u);
  const HostMemory mapped = Read(&buffer_, &place_);
  EXPECT_EQ(mapped.buffer != 0, can_map_);
  if (!can_map_) return;
  EXPECT_EQ(mapped.context, gpu_->context.get());
  // Everybody then has it there.
  Write(&buffer_);
  for (const GpuPlace* place : {&place_, static_cast<GpuPlace*>(nullptr)}) {
    const HostMemory again = Read(&buffer_, place);
    EXPECT_EQ(again.data, mapped.data);
    EXPECT_EQ(again.buffer, mapped.buffer);
  }
}

TEST_F(TensorBufferTest, HasZerosBeforeItIsWritten) {
  for (int i = 0; i < 2; ++i) {
    const auto memory = buffer_.Lock(true, false, &place_);
    ASSERT_TRUE(memory.ok()) << memory.status();
    const auto* const values = static_cast<const float*>(memory->data);
    EXPECT_THAT(std::vector<float>(values, values + kFloats), Each(0.0f));
    buffer_.Unlock();
  }
}

TEST_F(TensorBufferTest, StaysWhereItIsWhileLocked) {
  Write(&buffer_);
  const auto locked = buffer_.Lock(true, true);
  ASSERT_TRUE(locked.ok()) << locked.status();
  const HostMemory copied = Read(&buffer_, &place_);
  EXPECT_EQ(copied.data, locked->data);
  EXPECT_EQ(copied.buffer, 0u);
  buffer_.Unlock();
  EXPECT_EQ(Read(&buffer_, &place_).buffer != 0, can_map_);
  buffer_.Unlock();  // once too often, which does no harm
  EXPECT_EQ(Read(&buffer_, &place_).buffer != 0, can_map_);
}

// Two models with a delegate each pass one buffer on without moving it.
TEST_F(TensorBufferTest, StaysInThePlaceOfTheFirst) {
  GpuOptions options;
  options.force_own_context = true;
  auto other = MakeGpu(options, absl::UnavailableError("none"),
                       [](const std::string&) {});
  ASSERT_TRUE(other.ok()) << other.status();
  const GpuPlace second = {*std::move(other), nullptr};
  WriteInPlace();
  const HostMemory first = Read(&buffer_, &place_);
  const HostMemory elsewhere = Read(&buffer_, &second);
  EXPECT_EQ(elsewhere.data, first.data);
  EXPECT_EQ(elsewhere.context, first.context);
  EXPECT_NE(elsewhere.context, second.gpu->context.get());
}

TEST_F(TensorBufferTest, TwoModelsMayReadItAtOnce) {
  std::vector<GpuPlace> places;
  for (int i = 0; i < 2; ++i) {
    GpuOptions options;
    options.force_own_context = true;
    auto gpu = MakeGpu(options, absl::UnavailableError("none"),
                       [](const std::string&) {});
    ASSERT_TRUE(gpu.ok()) << gpu.status();
    places.push_back({*std::move(gpu), std::make_shared<WorkerThread>()});
  }
  for (int round = 0; round < 20; ++round) {
    TensorBuffer buffer(kFloats * sizeof(float));
    Write(&buffer);
    std::vector<std::thread> models;
    for (const GpuPlace& place : places) {
      models.emplace_back([&] {
        for (int run = 0; run < 3; ++run) Read(&buffer, &place);
      });
    }
    for (std::thread& model : models) model.join();
  }
}

TEST_F(TensorBufferTest, IsHostMemoryIfNoBufferStaysMapped) {
  const HiddenExtension hidden("GL_EXT_buffer_storage");
  WriteInPlace();
  EXPECT_EQ(Read(&buffer_, &place_).buffer, 0u);
}

TEST_F(TensorBufferTest, MovesWithItsValuesToAContextThatReplacesALostOne) {
  GLES_SKIP_WITHOUT("GL_KHR_robustness");
  WriteInPlace();
  const egl::Context* const old = Read(&buffer_, &place_).context;
  {
    const Instead<&GlApi::GetGraphicsResetStatusKHR> resets(
        [](auto...) { return GL_INNOCENT_CONTEXT_RESET_KHR; });
    const absl::Status lost =
        gpu_->context->Run([&] { return gpu_->context->CheckReset(); });
    ASSERT_TRUE(absl::IsAborted(lost)) << lost;
  }
  ASSERT_TRUE(gpu_->Renew().ok());
  ASSERT_NE(gpu_->context.get(), old);
  const HostMemory moved = Read(&buffer_, &place_);
  EXPECT_EQ(moved.buffer != 0, can_map_);
  if (!can_map_) return;
  EXPECT_EQ(moved.context, gpu_->context.get());
}

// A cache whose values are read as those of an ordinary tensor, and back.
TEST_F(TensorBufferTest, TexelsAndMappedMemoryFollowEachOther) {
  const gles_delegate::Shape shape =
      gles_delegate::Shape::FromDims({1, 1, 5, 3});
  WriteInPlace();
  const auto texels = buffer_.OnGpu(place_, shape, true, false);
  ASSERT_TRUE(texels.ok()) << texels.status();
  std::vector<float> read(5 * 4);
  const auto bytes = absl::MakeSpan(reinterpret_cast<uint8_t*>(read.data()),
                                    read.size() * sizeof(float));
  ASSERT_TRUE(
      gpu_->context
          ->Run([&] { return egl::Buffer::ReadOther(texels->name, bytes); })
          .ok());
  EXPECT_EQ(read[4], 3.0f);  // of the second pixel: three channels and padding
  // A shader writes them.
  ASSERT_TRUE(buffer_.OnGpu(place_, shape, false, true).ok());
  for (int pixel = 0; pixel < 5; ++pixel) {
    for (int c = 0; c < 3; ++c) read[4 * pixel + c] = 7;
  }
  ASSERT_TRUE(
      gpu_->context
          ->Run([&] { return egl::Buffer::UploadToOther(texels->name, bytes); })
          .ok());
  const auto memory = buffer_.Lock(true, false, &place_);
  ASSERT_TRUE(memory.ok()) << memory.status();
  const auto* const values = static_cast<const float*>(memory->data);
  EXPECT_THAT(std::vector<float>(values, values + kFloats), Each(7.0f));
}

}  // namespace
}  // namespace gles_delegate::testing

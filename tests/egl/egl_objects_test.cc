// labels: egl llvmpipe softpipe
// Buffers, handles, fences, timers and GL errors on a real driver.
#include <utility>
#include <vector>

#include "egl/context.h"
#include "egl/objects.h"
#include "egl/testing.h"
#include "tests/testing/device_test.h"
#include "tests/testing/gl.h"
#include "tests/testing/matchers.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::Buffer;
using ::gles_delegate::egl::CheckGl;
using ::gles_delegate::egl::Context;
using ::gles_delegate::egl::Fence;
using ::gles_delegate::egl::gl;
using ::gles_delegate::egl::GlApi;
using ::gles_delegate::egl::Program;
using ::gles_delegate::egl::ScopedGlOverride;
using ::gles_delegate::egl::TimerQuery;
using ::gles_delegate::egl::Waiting;

class BufferTest : public DeviceTest {};

TEST_F(BufferTest, UploadsAndReadsAtOffsets) {
  InContext([] {
    const std::vector<uint32_t> first = {1, 2, 3, 4};
    Buffer buffer = Must(Buffer::Create(16, first.data(), GL_DYNAMIC_DRAW));
    EXPECT_EQ(buffer.bytes(), 16u);
    EXPECT_EQ(buffer.mapped(), nullptr);
    EXPECT_THAT(ReadAll<uint32_t>(buffer), ElementsAre(1, 2, 3, 4));
    EXPECT_TRUE(buffer.Upload(8, BytesOf(std::vector<uint32_t>{7})).ok());
    EXPECT_THAT(ReadAll<uint32_t>(buffer), ElementsAre(1, 2, 7, 4));
    uint32_t one = 0;
    EXPECT_TRUE(
        buffer.Read(8, absl::MakeSpan(reinterpret_cast<uint8_t*>(&one), 4))
            .ok());
    EXPECT_EQ(one, 7u);
  });
}

TEST_F(BufferTest, PastTheEndIsOutOfRange) {
  InContext([] {
    Buffer buffer = Must(Buffer::Create(16, nullptr, GL_STATIC_DRAW));
    std::vector<uint8_t> bytes(8);
    EXPECT_EQ(buffer.Upload(9, bytes).code(), absl::StatusCode::kOutOfRange);
    EXPECT_EQ(buffer.Upload(size_t{0} - 4, bytes).code(),
              absl::StatusCode::kOutOfRange);
    EXPECT_EQ(buffer.Read(9, absl::MakeSpan(bytes)).code(),
              absl::StatusCode::kOutOfRange);
    EXPECT_TRUE(buffer.Read(8, absl::MakeSpan(bytes)).ok());
    EXPECT_TRUE(buffer.Read(16, {}).ok());
  });
}

TEST_F(BufferTest, ImpossibleSizesAreRefused) {
  InContext([] {
    EXPECT_EQ(Buffer::Create(0, nullptr, GL_STATIC_DRAW).status().code(),
              absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(
        Buffer::Create(~size_t{0}, nullptr, GL_STATIC_DRAW).status().code(),
        absl::StatusCode::kInvalidArgument);
  });
}

TEST_F(BufferTest, OutOfMemoryIsResourceExhaustedWithTheSize) {
  InContext([] {
    static bool raise;
    raise = true;
    const ScopedGlOverride fault(
        &GlApi::GetError, +[]() -> GLenum {
          return std::exchange(raise, false) ? GL_OUT_OF_MEMORY : GL_NO_ERROR;
        });
    const absl::Status status =
        Buffer::Create(12345, nullptr, GL_STATIC_DRAW).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
    EXPECT_THAT(status.message(), HasSubstr("12345 bytes"));
  });
}

TEST_F(BufferTest, ContentsLostInAMappingAreDataLoss) {
  InContext([] {
    Buffer buffer = Must(Buffer::Create(16, nullptr, GL_STATIC_DRAW));
    static PFNGLUNMAPBUFFERPROC unmap;
    unmap = gl().UnmapBuffer;
    const ScopedGlOverride fault(
        &GlApi::UnmapBuffer, +[](GLenum target) -> GLboolean {
          unmap(target);
          return GL_FALSE;
        });
    uint8_t byte = 0;
    EXPECT_EQ(buffer.Read(0, absl::MakeSpan(&byte, 1)).code(),
              absl::StatusCode::kDataLoss);
  });
}

TEST_F(BufferTest, MappedForGood) {
  InContext([] {
    absl::StatusOr<Buffer> buffer =
        Buffer::CreateMapped(16, GL_MAP_READ_BIT | GL_MAP_WRITE_BIT);
    if (!TestContext()->device().Has("GL_EXT_buffer_storage")) {
      EXPECT_EQ(buffer.status().code(), absl::StatusCode::kUnimplemented);
      return;
    }
    ASSERT_TRUE(buffer.ok()) << buffer.status();
    ASSERT_NE(buffer->mapped(), nullptr);
    const Program program = Must(Program::Compile(kDouble, "double"));
    for (uint32_t round = 1; round <= 2; ++round) {
      const std::vector<uint32_t> sent = {round, 2, 3, 4};
      EXPECT_TRUE(buffer->Upload(0, BytesOf(sent)).ok());
      RunDouble(program, *buffer, 4);
      EXPECT_THAT(ReadAll<uint32_t>(*buffer), ElementsAre(2 * round, 4, 6, 8));
    }
  });
}

class HandleTest : public DeviceTest {};

TEST_F(HandleTest, MovingLeavesAnEmptyHandle) {
  InContext([] {
    Buffer first = Must(Buffer::Create(4, nullptr, GL_STATIC_DRAW));
    const GLuint id = first.id();
    Buffer second = std::move(first);
    EXPECT_EQ(first.id(), 0u);  // NOLINT(bugprone-use-after-move): the point
    EXPECT_EQ(second.id(), id);
    Buffer third = Must(Buffer::Create(4, nullptr, GL_STATIC_DRAW));
    const GLuint replaced = third.id();
    third = std::move(second);
    EXPECT_EQ(third.id(), id);
    EXPECT_TRUE(gl().IsBuffer(id));
    EXPECT_FALSE(gl().IsBuffer(replaced));
    third = Buffer();
    EXPECT_FALSE(gl().IsBuffer(id));
  });
}

TEST_F(HandleTest, ReleaseKeepsTheObject) {
  InContext([] {
    GLuint id = 0;
    gl().GenTextures(1, &id);
    gl().BindTexture(GL_TEXTURE_2D, id);
    {
      egl::Handle<egl::DeleteTexture> handle(id);
      EXPECT_EQ(handle.Release(), id);
      EXPECT_EQ(handle.id(), 0u);
    }
    EXPECT_TRUE(gl().IsTexture(id));
    { egl::Handle<egl::DeleteTexture> handle(id); }
    EXPECT_FALSE(gl().IsTexture(id));
  });
}

TEST_F(HandleTest, NeverDeletesAnotherContextsObjectOfThatName) {
  std::unique_ptr<Context> other = std::move(Context::Create({})).value();
  InContext([&] {
    Buffer ours = Must(Buffer::Create(4, nullptr, GL_STATIC_DRAW));
    EXPECT_TRUE(other
                    ->Run([&] {
                      // Names of one's own start at 1 in each context.
                      std::vector<Buffer> theirs;
                      for (GLuint i = 0; i < ours.id(); ++i) {
                        theirs.push_back(
                            Must(Buffer::Create(4, nullptr, GL_STATIC_DRAW)));
                      }
                      const GLuint id = ours.id();
                      EXPECT_TRUE(gl().IsBuffer(id));
                      ours = Buffer();
                      EXPECT_TRUE(gl().IsBuffer(id));
                      return absl::OkStatus();
                    })
                    .ok());
  });
  // And without any context nothing is called.
  Buffer orphan;
  InContext([&] { orphan = Must(Buffer::Create(4, nullptr, GL_STATIC_DRAW)); });
  orphan = Buffer();
}

TEST(FenceTest, WaitsForTheGpu) {
  GLES_SKIP_WITHOUT_DEVICE();
  InContext([] {
    const Buffer buffer = Must(Buffer::Create(4, nullptr, GL_DYNAMIC_COPY));
    RunDouble(Must(Program::Compile(kDouble, "double")), buffer, 1);
    for (const Waiting how :
         {Waiting::kPassive, Waiting::kActive, Waiting::kAggressive}) {
      Fence fence = Must(Fence::Insert());
      EXPECT_TRUE(fence.Wait(how).ok());
      EXPECT_TRUE(fence.Wait(how).ok());  // again: already signalled
      Fence moved = std::move(fence);
      EXPECT_TRUE(moved.Wait().ok());
      EXPECT_EQ(fence.Wait().code(),  // NOLINT(bugprone-use-after-move)
                absl::StatusCode::kFailedPrecondition);
    }
  });
}

// Without timestamps a driver counts the time between two commands.
void ExpectMeasuredTimes(bool with_timestamps) {
  InContext([with_timestamps] {
    const ScopedGlOverride older(
        &GlApi::GetQueryiv,
        with_timestamps ? egl::driver_gl().GetQueryiv
                        : +[](GLenum target, GLenum name, GLint* value) {
                            egl::driver_gl().GetQueryiv(target, name, value);
                            if (name == GL_QUERY_COUNTER_BITS_EXT) *value = 0;
                          });
    absl::StatusOr<TimerQuery> timer = TimerQuery::Create();
    if (!TestContext()->device().Has("GL_EXT_disjoint_timer_query")) {
      EXPECT_EQ(timer.status().code(), absl::StatusCode::kUnimplemented);
      return;
    }
    ASSERT_TRUE(timer.ok()) << timer.status();
    const Program program = Must(Program::Compile(kDouble, "double"));
    const Buffer buffer =
        Must(Buffer::Create(4 * 4096, nullptr, GL_DYNAMIC_COPY));
    EXPECT_TRUE(with_timestamps || !timer->has_timestamps());
    EXPECT_FALSE(timer->IsBlocked());
    timer->Begin();
    EXPECT_EQ(timer->IsBlocked(), !timer->has_timestamps());
    RunDouble(program, buffer, 4096);
    timer->End();
    const absl::StatusOr<TimerQuery::Times> times = timer->Read();
    ASSERT_TRUE(times.ok()) << times.status();
    EXPECT_EQ(times->begin_ns.has_value(), timer->has_timestamps());
    EXPECT_GT(times->ns, 0u);
    EXPECT_LT(times->ns, 10'000'000'000u);
  });
}

TEST(TimerQueryTest, MeasuresOrSaysThatItCannot) {
  GLES_SKIP_WITHOUT_DEVICE();
  ExpectMeasuredTimes(/*with_timestamps=*/true);
}

TEST(TimerQueryTest, MeasuresWithoutTimestamps) {
  GLES_SKIP_WITHOUT_DEVICE();
  ExpectMeasuredTimes(/*with_timestamps=*/false);
}

class CheckGlTest : public DeviceTest {};

TEST_F(CheckGlTest, NamesEveryErrorOnceThenIsOk) {
  InContext([] {
    gl().Enable(0xFFFF);
    const absl::Status status = CheckGl("uploading weights");
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
    EXPECT_THAT(status.message(), AllOf(HasSubstr("uploading weights"),
                                        HasSubstr("GL_INVALID_ENUM")));
    EXPECT_TRUE(CheckGl("afterwards").ok());
  });
}

TEST_F(CheckGlTest, ALostContextIsAbortedWithoutEnd) {
  InContext([] {
    const ScopedGlOverride fault(
        &GlApi::GetError, +[]() -> GLenum { return GL_CONTEXT_LOST_KHR; });
    EXPECT_EQ(CheckGl("anything").code(), absl::StatusCode::kAborted);
  });
}

TEST_F(CheckGlTest, ADebugContextAddsTheDriversMessage) {
  egl::ContextOptions options;
  options.debug = true;
  std::unique_ptr<Context> context =
      std::move(Context::Create(options)).value();
  if (!context->device().Has("GL_KHR_debug")) {
    GTEST_SKIP() << "this driver has no GL_KHR_debug";
  }
  const absl::Status status = context->Run([] {
    gl().Enable(0xFFFF);
    return CheckGl("enabling");
  });
  EXPECT_THAT(status.message(), AllOf(HasSubstr("enabling: GL_INVALID_ENUM"),
                                      HasSubstr("\n  driver: ")));
}

}  // namespace
}  // namespace gles_delegate::testing

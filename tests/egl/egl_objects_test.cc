// labels: egl llvmpipe softpipe
// Buffers, handles, fences, timers and GL errors on a real driver.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "egl/context.h"
#include "egl/objects.h"
#include "tests/testing/device.h"
#include "tests/testing/device_test.h"
#include "tests/testing/driver_faults.h"
#include "tests/testing/gl.h"
#include "tests/testing/matchers.h"
#include "tests/testing/scoped_environment.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::After;
using ::gles_delegate::egl::Buffer;
using ::gles_delegate::egl::CheckGl;
using ::gles_delegate::egl::Context;
using ::gles_delegate::egl::Fence;
using ::gles_delegate::egl::gl;
using ::gles_delegate::egl::GlApi;
using ::gles_delegate::egl::Instead;
using ::gles_delegate::egl::Program;
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
    bool raise = true;
    const Instead<&GlApi::GetError> fault([&](auto...) -> GLenum {
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
    const Instead<&GlApi::UnmapBuffer> fault([](GLenum target) {
      egl::driver_gl().UnmapBuffer(target);
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
      egl::Handle<&egl::GlApi::DeleteTextures> handle(id);
      EXPECT_EQ(handle.Release(), id);
      EXPECT_EQ(handle.id(), 0u);
    }
    EXPECT_TRUE(gl().IsTexture(id));
    { egl::Handle<&egl::GlApi::DeleteTextures> handle(id); }
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

class FenceTest : public DeviceTest {};

TEST_F(FenceTest, WaitsForTheGpu) {
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
    const After<&GlApi::GetQueryiv> older(
        [&](GLenum, GLenum name, GLint* value) {
          if (name == GL_QUERY_COUNTER_BITS_EXT && !with_timestamps) *value = 0;
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
    const Instead<&GlApi::GetError> fault(
        [](auto...) { return GL_CONTEXT_LOST_KHR; });
    EXPECT_EQ(CheckGl("anything").code(), absl::StatusCode::kAborted);
  });
}

TEST_F(CheckGlTest, ADebugContextAddsTheDriversMessage) {
  const ScopedEnvironment set("GLES_DELEGATE_DEBUG", "context");
  std::unique_ptr<Context> context = std::move(Context::Create({})).value();
  GLES_SKIP_WITHOUT("GL_KHR_debug");
  const absl::Status status = context->Run([] {
    gl().Enable(0xFFFF);
    return CheckGl("enabling");
  });
  EXPECT_THAT(status.message(), AllOf(HasSubstr("enabling: GL_INVALID_ENUM"),
                                      HasSubstr("\n  driver: ")));
}

// How a thread waits for a fence, with a driver whose GPU is busy.

// An aggressive wait outlasts the 2 ms after which an active one goes to sleep.
TEST_F(FenceTest, AsksOnceForAWhileOrToTheEnd) {
  InContext([] {
    const Fence fence = Must(Fence::Insert());
    // The GPU works until then, or until somebody sleeps.
    std::chrono::steady_clock::time_point busy_until;
    int polls = 0, sleeps = 0;
    const Instead<&GlApi::ClientWaitSync> slow(
        [&](GLsync, GLbitfield, GLuint64 timeout) {
          ++(timeout > 0 ? sleeps : polls);
          return timeout == 0 && std::chrono::steady_clock::now() < busy_until
                     ? GL_TIMEOUT_EXPIRED
                     : GL_CONDITION_SATISFIED;
        });
    const auto wait = [&](Waiting how,
                          std::chrono::steady_clock::time_point until) {
      polls = sleeps = 0;
      busy_until = until;
      EXPECT_TRUE(fence.Wait(how).ok());
    };
    const auto never = std::chrono::steady_clock::time_point::max();
    wait(Waiting::kPassive, never);
    EXPECT_EQ(polls, 1);
    EXPECT_EQ(sleeps, 1);
    wait(Waiting::kActive, never);
    EXPECT_GT(polls, 1);
    EXPECT_EQ(sleeps, 1);
    wait(Waiting::kAggressive,
         std::chrono::steady_clock::now() + std::chrono::milliseconds(20));
    EXPECT_GT(polls, 1);
    EXPECT_EQ(sleeps, 0);
  });
}

TEST_F(FenceTest, AFailedWaitIsAnError) {
  InContext([] {
    const Fence fence = Must(Fence::Insert());
    const Instead<&GlApi::ClientWaitSync> fault(
        [](auto...) { return GL_WAIT_FAILED; });
    EXPECT_EQ(fence.Wait().code(), absl::StatusCode::kInternal);
  });
}

// Programs: compiled, refused in words, stored and loaded.

class ProgramTest : public DeviceTest {};

TEST_F(ProgramTest, ComputesIntoABuffer) {
  InContext([] {
    const std::vector<uint32_t> sent = {1, 2, 3, 4};
    const Buffer buffer =
        Must(Buffer::Create(16, sent.data(), GL_DYNAMIC_COPY));
    RunDouble(Must(Program::Compile(kDouble, "double")), buffer, 4);
    EXPECT_THAT(ReadAll<uint32_t>(buffer), ElementsAre(2, 4, 6, 8));
  });
}

TEST_F(ProgramTest, ManyCompileAtOnce) {
  InContext([] {
    std::vector<std::string> sources;
    std::vector<Program> programs;
    for (int i = 0; i < 3; ++i) {
      sources.push_back(absl::StrCat(kDouble, "// ", i));
      programs.push_back(Must(Program::Start(sources.back())));
    }
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(programs[i].Finish(sources[i], "double").ok());
    }
    EXPECT_EQ(programs[0].Finish(sources[0], "double").code(),
              absl::StatusCode::kFailedPrecondition);
  });
}

// The compiler's complaint about this shader text.
std::string ErrorOf(const std::string& text) {
  absl::Status status;
  InContext([&] {
    status = Program::Compile(absl::StrCat("#version 310 es\n"
                                           "layout(local_size_x = 1) in;\n",
                                           text),
                              "my_op.comp")
                 .status();
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  return std::string(status.message());
}

TEST_F(ProgramTest, ACompileErrorHasLabelLogAndSourceLine) {
  EXPECT_THAT(ErrorOf("void main() {\n  no_such_thing = 1;\n}\n"),
              AllOf(HasSubstr("my_op.comp"), HasSubstr("does not compile"),
                    HasSubstr("\n  4 |   no_such_thing = 1;"),
                    Not(HasSubstr("void main"))));
}

// A function that is declared, called and never defined.
TEST_F(ProgramTest, ALinkErrorHasTheLog) {
  EXPECT_THAT(ErrorOf("void missing();\nvoid main() { missing(); }\n"),
              AllOf(HasSubstr("my_op.comp"), HasSubstr("missing")));
}

TEST_F(ProgramTest, ABinaryRoundTrips) {
  InContext([] {
    const Program compiled = Must(Program::Compile(kDouble, "double"));
    const absl::StatusOr<Program::Binary> binary = compiled.GetBinary();
    if (TestContext()->device().program_binary_formats == 0) {
      EXPECT_EQ(binary.status().code(), absl::StatusCode::kUnimplemented);
      return;
    }
    ASSERT_TRUE(binary.ok()) << binary.status();
    ASSERT_FALSE(binary->data.empty());
    const Program loaded =
        Must(Program::FromBinary(binary->format, binary->data));
    const std::vector<uint32_t> sent = {1, 2};
    const Buffer buffer = Must(Buffer::Create(8, sent.data(), GL_DYNAMIC_COPY));
    RunDouble(loaded, buffer, 2);
    EXPECT_THAT(ReadAll<uint32_t>(buffer), ElementsAre(2, 4));
  });
}

TEST_F(ProgramTest, ABinaryThatIsGarbageIsRefused) {
  InContext([] {
    const std::vector<uint8_t> garbage(64, 0xA5);
    EXPECT_EQ(Program::FromBinary(0x1234, garbage).status().code(),
              absl::StatusCode::kFailedPrecondition);
    const Program compiled = Must(Program::Compile(kDouble, "double"));
    absl::StatusOr<Program::Binary> binary = compiled.GetBinary();
    if (!binary.ok()) return;  // the driver has no formats: nothing more to try
    EXPECT_EQ(Program::FromBinary(binary->format, garbage).status().code(),
              absl::StatusCode::kFailedPrecondition);
    binary->data.resize(binary->data.size() / 2);
    EXPECT_EQ(Program::FromBinary(binary->format, binary->data).status().code(),
              absl::StatusCode::kFailedPrecondition);
  });
}

// Textures, read back through framebuffers, apart from the code under test.

using ::gles_delegate::egl::Texture;

// Reads a texture of RGBA floats or integers through a framebuffer, layer by
// layer, as `type`.
template <typename T>
std::vector<T> ReadTexture(const Texture& texture, GLenum format, GLenum type) {
  const Texture::Desc& desc = texture.desc();
  const size_t layer_size = size_t{4} * desc.width * desc.height;
  std::vector<T> all(layer_size * desc.layers);
  GLuint framebuffer = 0;
  gl().GenFramebuffers(1, &framebuffer);
  gl().BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  for (int layer = 0; layer < desc.layers; ++layer) {
    if (desc.target == GL_TEXTURE_2D) {
      gl().FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                                GL_TEXTURE_2D, texture.id(), 0);
    } else {
      gl().FramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                                   texture.id(), 0, layer);
    }
    EXPECT_EQ(gl().CheckFramebufferStatus(GL_FRAMEBUFFER),
              static_cast<GLenum>(GL_FRAMEBUFFER_COMPLETE));
    gl().ReadPixels(0, 0, desc.width, desc.height, format, type,
                    all.data() + layer * layer_size);
  }
  gl().BindFramebuffer(GL_FRAMEBUFFER, 0);
  gl().DeleteFramebuffers(1, &framebuffer);
  return all;
}

template <typename T>
std::vector<T> Count(size_t size) {
  std::vector<T> values(size);
  std::iota(values.begin(), values.end(), T{1});
  return values;
}

class TextureTest : public DeviceTest {};

TEST_F(TextureTest, FloatArrayRoundTrips) {
  InContext([] {
    Texture texture =
        Must(Texture::Create({GL_TEXTURE_2D_ARRAY, GL_RGBA32F, 3, 2, 5}));
    EXPECT_EQ(texture.bytes(), 3u * 2 * 5 * 16);
    const std::vector<float> sent = Count<float>(4 * 3 * 2 * 5);
    texture.Upload(0, 0, 0, 3, 2, 5, sent.data());
    EXPECT_EQ(ReadTexture<float>(texture, GL_RGBA, GL_FLOAT), sent);
  });
}

TEST_F(TextureTest, ABoxOfTexels) {
  InContext([] {
    Texture texture =
        Must(Texture::Create({GL_TEXTURE_2D_ARRAY, GL_RGBA32F, 2, 2, 2}));
    std::vector<float> all(4 * 8, -1.0f);
    texture.Upload(0, 0, 0, 2, 2, 2, all.data());
    const std::vector<float> box = {1, 2, 3, 4};
    texture.Upload(1, 0, 1, 1, 1, 1, box.data());
    // Texel (1, 0) of layer 1.
    std::copy(box.begin(), box.end(), all.begin() + 4 * (4 + 1));
    EXPECT_EQ(ReadTexture<float>(texture, GL_RGBA, GL_FLOAT), all);
  });
}

TEST_F(TextureTest, HalfFloats) {
  InContext([] {
    Texture texture =
        Must(Texture::Create({GL_TEXTURE_2D, GL_RGBA16F, 1, 1, 1}));
    const uint16_t sent[4] = {0x3C00, 0xC000, 0x0001, 0x7BFF};
    texture.Upload(0, 0, 0, 1, 1, 1, sent);
    EXPECT_THAT(ReadTexture<float>(texture, GL_RGBA, GL_FLOAT),
                ElementsAre(1.0f, -2.0f, 5.9604645e-8f, 65504.0f));
  });
}

TEST_F(TextureTest, Integers) {
  InContext([] {
    Texture bytes = Must(Texture::Create({GL_TEXTURE_2D, GL_RGBA8I, 3, 1, 1}));
    const int8_t small[12] = {-128, 127, 0, -1, 1, 2, 3, 4, 5, 6, 7, 8};
    bytes.Upload(0, 0, 0, 3, 1, 1, small);
    EXPECT_THAT(ReadTexture<int32_t>(bytes, GL_RGBA_INTEGER, GL_INT),
                ElementsAreArray(std::vector<int32_t>(small, small + 12)));

    Texture unsigned_bytes =
        Must(Texture::Create({GL_TEXTURE_2D, GL_RGBA8UI, 1, 1, 1}));
    const uint8_t positive[4] = {0, 1, 200, 255};
    unsigned_bytes.Upload(0, 0, 0, 1, 1, 1, positive);
    EXPECT_THAT(
        ReadTexture<uint32_t>(unsigned_bytes, GL_RGBA_INTEGER, GL_UNSIGNED_INT),
        ElementsAre(0, 1, 200, 255));

    Texture words = Must(Texture::Create({GL_TEXTURE_2D, GL_RGBA32I, 1, 1, 1}));
    const int32_t large[4] = {INT32_MIN, INT32_MAX, 16777217, -16777217};
    words.Upload(0, 0, 0, 1, 1, 1, large);
    EXPECT_THAT(ReadTexture<int32_t>(words, GL_RGBA_INTEGER, GL_INT),
                ElementsAreArray(large));

    Texture more = Must(Texture::Create({GL_TEXTURE_2D, GL_RGBA32UI, 1, 1, 1}));
    const uint32_t huge[4] = {UINT32_MAX, 1u << 31, 16777217, 0};
    more.Upload(0, 0, 0, 1, 1, 1, huge);
    EXPECT_THAT(ReadTexture<uint32_t>(more, GL_RGBA_INTEGER, GL_UNSIGNED_INT),
                ElementsAreArray(huge));
  });
}

TEST_F(TextureTest, RowsOfBytesThatAlignmentWouldPad) {
  InContext([] {
    gl().PixelStorei(GL_UNPACK_ALIGNMENT, 8);
    Texture texture = Must(Texture::Create({GL_TEXTURE_2D, GL_R8UI, 3, 2, 1}));
    const uint8_t sent[6] = {1, 2, 3, 4, 5, 6};
    texture.Upload(0, 0, 0, 3, 2, 1, sent);
    const std::vector<uint32_t> got =
        ReadTexture<uint32_t>(texture, GL_RGBA_INTEGER, GL_UNSIGNED_INT);
    for (int i = 0; i < 6; ++i) EXPECT_EQ(got[4 * i], sent[i]);
  });
}

constexpr char kPlusOne[] = R"(#version 310 es
precision highp float;
precision highp image2DArray;
precision highp sampler2DArray;
layout(local_size_x = 2, local_size_y = 2) in;
layout(binding = 0) uniform sampler2DArray src;
layout(binding = 0, rgba32f) uniform writeonly image2DArray dst;
void main() {
  ivec3 p = ivec3(gl_GlobalInvocationID);
  imageStore(dst, p, texelFetch(src, p, 0) + 1.0);
}
)";

TEST_F(TextureTest, ShadersReadAndWriteThem) {
  InContext([] {
    const Texture::Desc desc = {GL_TEXTURE_2D_ARRAY, GL_RGBA32F, 4, 2, 3};
    Texture src = Must(Texture::Create(desc));
    Texture dst = Must(Texture::Create(desc));
    std::vector<float> values = Count<float>(4 * 4 * 2 * 3);
    src.Upload(0, 0, 0, 4, 2, 3, values.data());
    const Program program = Must(Program::Compile(kPlusOne, "plus one"));
    gl().UseProgram(program.id());
    gl().BindTexture(GL_TEXTURE_2D_ARRAY, src.id());
    gl().BindImageTexture(0, dst.id(), 0, GL_TRUE, 0, GL_WRITE_ONLY,
                          GL_RGBA32F);
    gl().DispatchCompute(2, 1, 3);
    gl().MemoryBarrier(GL_FRAMEBUFFER_BARRIER_BIT);
    for (float& value : values) value += 1.0f;
    EXPECT_EQ(ReadTexture<float>(dst, GL_RGBA, GL_FLOAT), values);
  });
}

TEST_F(TextureTest, CreatingAndUploadingLeaveTheBindingAlone) {
  InContext([] {
    Texture bound =
        Must(Texture::Create({GL_TEXTURE_2D_ARRAY, GL_RGBA32F, 1, 1, 1}));
    gl().BindTexture(GL_TEXTURE_2D_ARRAY, bound.id());
    Texture other =
        Must(Texture::Create({GL_TEXTURE_2D_ARRAY, GL_RGBA32F, 1, 1, 1}));
    const float texel[4] = {};
    other.Upload(0, 0, 0, 1, 1, 1, texel);
    GLint binding = 0;
    gl().GetIntegerv(GL_TEXTURE_BINDING_2D_ARRAY, &binding);
    EXPECT_EQ(static_cast<GLuint>(binding), bound.id());
  });
}

}  // namespace

}  // namespace gles_delegate::testing

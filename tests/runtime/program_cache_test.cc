// labels: egl llvmpipe
// Programs are compiled by as many threads as the driver has.
#include "delegate/runtime/program_cache.h"

#include <vector>

#include "egl/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/device.h"
#include "tests/testing/gl.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::GlApi;

constexpr GLuint kAll = 0xFFFFFFFF;

GLint g_threads = 0;  // that the driver says it has
std::vector<GLuint> g_asked;

// What a driver that says it has `threads` is told.
std::vector<GLuint> AskedOf(GLint threads, bool parallel) {
  g_threads = threads;
  g_asked.clear();
  InContext([&] {
    const egl::ScopedGlOverride query(
        &GlApi::GetIntegerv, +[](GLenum name, GLint* value) {
          if (name == GL_MAX_SHADER_COMPILER_THREADS_KHR) {
            *value = g_threads;
          } else {
            egl::driver_gl().GetIntegerv(name, value);
          }
        });
    const egl::ScopedGlOverride ask(
        &GlApi::MaxShaderCompilerThreadsKHR,
        +[](GLuint count) { g_asked.push_back(count); });
    EXPECT_TRUE(ProgramCache().Get({}, nullptr, parallel).ok());
  });
  return g_asked;
}

using ::testing::ElementsAre;

TEST(ProgramCacheTest, AsksForCompilerThreads) {
  GLES_SKIP_WITHOUT_DEVICE();
  EXPECT_THAT(AskedOf(2, /*parallel=*/true), ElementsAre(kAll, 2));
  EXPECT_THAT(AskedOf(2, /*parallel=*/false), ElementsAre());
}

constexpr char kStore[] = R"(#version 310 es
layout(local_size_x = 1) in;
layout(std140, binding = 0) uniform Params { ivec4 a; };
layout(std430, binding = 0) buffer Data { ivec4 value; };
void main() { value = a; }
)";

GLint g_questions = 0;

// A driver says "not yet" twice.
TEST(ProgramCacheTest, AsksUntilTheCompilersAreDone) {
  GLES_SKIP_WITHOUT_DEVICE();
  InContext([] {
    const egl::ScopedGlOverride query(
        &GlApi::GetProgramiv, +[](GLuint program, GLenum name, GLint* value) {
          if (name == GL_COMPLETION_STATUS_KHR) {
            *value = ++g_questions > 2 ? GL_TRUE : GL_FALSE;
          } else {
            egl::driver_gl().GetProgramiv(program, name, value);
          }
        });
    UniformBlock params;
    params.Int4("a", 1, 2, 3, 4);
    const ProgramCache::Source source = {kStore, "store", &params};
    ProgramCache cache;
    EXPECT_TRUE(cache.Get({&source, 1}, nullptr, /*parallel=*/true).ok());
    EXPECT_EQ(g_questions, 3);
    EXPECT_TRUE(cache.Get({&source, 1}, nullptr, /*parallel=*/true).ok());
    EXPECT_EQ(g_questions, 3) << "it is there";
  });
}

// NVIDIA's driver says so from the beginning, and uses one until it is told.
TEST(ProgramCacheTest, AsksADriverThatSaysItHasThemAll) {
  GLES_SKIP_WITHOUT_DEVICE();
  EXPECT_THAT(AskedOf(-1, /*parallel=*/true), ElementsAre(kAll));
}

}  // namespace
}  // namespace gles_delegate::testing

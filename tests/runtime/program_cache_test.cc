// labels: egl llvmpipe
// Programs are compiled by as many threads as the driver has.
#include "delegate/runtime/program_cache.h"

#include <atomic>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "egl/testing.h"
#include "gmock/gmock.h"
#include "tests/testing/device.h"
#include "tests/testing/gl.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::GlApi;

using ::testing::ElementsAre;

constexpr GLuint kAll = 0xFFFFFFFF;

// A separate program for each `which`.
std::string StoreOf(int which) {
  return absl::StrCat(R"(#version 310 es
layout(local_size_x = 1) in;
layout(std140, binding = 0) uniform Params { ivec4 a; };
layout(std430, binding = 0) buffer Data { ivec4 value; };
void main() { value = a + )",
                      which, "; }\n");
}

GLint g_threads = 0;  // that the driver says it has
GLint g_questions = 0;
std::vector<GLuint> g_told;

// A driver that says "not yet" twice, and takes note of what it is told.
class ProgramCacheTest : public ::testing::Test {
 protected:
  void SetUp() override {
    GLES_SKIP_WITHOUT_DEVICE();
    g_told.clear();
    g_questions = 0;
  }

  // `count` programs of a new cache, by a driver that has `threads`.
  void Get(int count, GLint threads, bool wants_threads) {
    g_threads = threads;
    InContext([&] {
      const egl::ScopedGlOverride limit(
          &GlApi::GetIntegerv, +[](GLenum name, GLint* value) {
            if (name == GL_MAX_SHADER_COMPILER_THREADS_KHR) {
              *value = g_threads;
            } else {
              egl::driver_gl().GetIntegerv(name, value);
            }
          });
      const egl::ScopedGlOverride tell(
          &GlApi::MaxShaderCompilerThreadsKHR,
          +[](GLuint threads) { g_told.push_back(threads); });
      const egl::ScopedGlOverride question(
          &GlApi::GetProgramiv, +[](GLuint program, GLenum name, GLint* value) {
            if (name == GL_COMPLETION_STATUS_KHR) {
              *value = ++g_questions > 2 ? GL_TRUE : GL_FALSE;
            } else {
              egl::driver_gl().GetProgramiv(program, name, value);
            }
          });
      UniformBlock params;
      params.Int4("a", 1, 2, 3, 4);
      std::vector<ProgramCache::Source> sources;
      for (int i = 0; i < count; ++i) {
        sources.push_back({StoreOf(i), "store", &params});
      }
      ProgramCache cache;
      for (int turn = 0; turn < 2; ++turn) {  // in the second they are there
        const auto programs = cache.Get(sources, nullptr, wants_threads);
        ASSERT_TRUE(programs.ok()) << programs.status();
        EXPECT_EQ(programs->size(), sources.size());
        EXPECT_EQ(cache.size(), sources.size());
      }
    });
  }
};

// NVIDIA's driver says from the beginning that it uses them all.
TEST_F(ProgramCacheTest, TellsADriverThatSaysItHasThemAll) {
  Get(12, /*threads=*/-1, /*wants_threads=*/true);
  EXPECT_THAT(g_told, ElementsAre(kAll, 0));
  EXPECT_EQ(g_questions, 2 + 12);
}

TEST_F(ProgramCacheTest, LeavesTheNumberOfThreadsAsItWas) {
  Get(12, /*threads=*/2, /*wants_threads=*/true);
  EXPECT_THAT(g_told, ElementsAre(kAll, 2));
}

TEST_F(ProgramCacheTest, AFewProgramsAreNotWorthThreads) {
  Get(11, /*threads=*/-1, /*wants_threads=*/true);
  EXPECT_THAT(g_told, ElementsAre());
  EXPECT_EQ(g_questions, 0);
}

TEST_F(ProgramCacheTest, LeavesAnAppsContextAlone) {
  Get(12, /*threads=*/2, /*wants_threads=*/false);
  EXPECT_THAT(g_told, ElementsAre());
  EXPECT_EQ(g_questions, 0);
}

std::vector<std::string> g_calls;  // what the driver is asked of programs

// While others wait for the driver, one program is finished before the next one
// is started, and none is once they are not wanted any more.
TEST_F(ProgramCacheTest, CompilesInTurnUntilItIsStopped) {
  InContext([] {
    g_calls.clear();
    const egl::ScopedGlOverride link(
        &GlApi::LinkProgram, +[](GLuint program) {
          g_calls.push_back("link");
          egl::driver_gl().LinkProgram(program);
        });
    const egl::ScopedGlOverride question(
        &GlApi::GetProgramiv, +[](GLuint program, GLenum name, GLint* value) {
          if (name == GL_LINK_STATUS) g_calls.push_back("finish");
          egl::driver_gl().GetProgramiv(program, name, value);
        });
    UniformBlock params;
    params.Int4("a", 1, 2, 3, 4);
    std::vector<ProgramCache::Source> sources;
    for (int i = 0; i < 12; ++i) {
      sources.push_back({StoreOf(i), "store", &params});
    }
    ProgramCache cache;
    std::atomic<bool> stop = false;
    cache.CompileInTurn(&stop);
    const auto two = absl::MakeSpan(sources).subspan(0, 2);
    ASSERT_TRUE(cache.Get(two, nullptr, /*wants_threads=*/true).ok());
    EXPECT_THAT(g_calls, ElementsAre("link", "finish", "link", "finish"));
    EXPECT_THAT(g_told, ElementsAre()) << "no threads are asked for";

    stop = true;
    const auto stopped = cache.Get(sources, nullptr, true);
    EXPECT_TRUE(absl::IsCancelled(stopped.status())) << stopped.status();
    EXPECT_EQ(cache.size(), 2);

    cache.CompileInTurn(nullptr);
    EXPECT_TRUE(cache.Get(sources, nullptr, false).ok());
    EXPECT_EQ(cache.size(), sources.size());
  });
}

}  // namespace
}  // namespace gles_delegate::testing

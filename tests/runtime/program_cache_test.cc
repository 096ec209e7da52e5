// labels: egl llvmpipe
// Programs are compiled by as many threads as the driver has.
#include "delegate/runtime/program_cache.h"

#include <atomic>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "tests/testing/device_test.h"
#include "tests/testing/driver_faults.h"
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

// A driver that says "not yet" twice, and takes note of what it is told.
class ProgramCacheTest : public DeviceTest {
 protected:
  // `count` programs of a new cache, by a driver that has `threads`.
  void Get(int count, GLint threads, bool wants_threads) {
    InContext([&] {
      const egl::Instead<&GlApi::GetIntegerv> limit(
          [&](GLenum name, GLint* value) {
            if (name == GL_MAX_SHADER_COMPILER_THREADS_KHR) {
              *value = threads;
            } else {
              egl::driver_gl().GetIntegerv(name, value);
            }
          });
      const egl::Instead<&GlApi::MaxShaderCompilerThreadsKHR> tell(
          [this](GLuint n) { told_.push_back(n); });
      const egl::Instead<&GlApi::GetProgramiv> question(
          [this](GLuint program, GLenum name, GLint* value) {
            if (name == GL_COMPLETION_STATUS_KHR) {
              *value = ++questions_ > 2 ? GL_TRUE : GL_FALSE;
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

  GLint questions_ = 0;
  std::vector<GLuint> told_;
};

// NVIDIA's driver says from the beginning that it uses them all.
TEST_F(ProgramCacheTest, TellsADriverThatSaysItHasThemAll) {
  Get(12, /*threads=*/-1, /*wants_threads=*/true);
  EXPECT_THAT(told_, ElementsAre(kAll, 0));
  EXPECT_EQ(questions_, 2 + 12);
}

TEST_F(ProgramCacheTest, LeavesTheNumberOfThreadsAsItWas) {
  Get(12, /*threads=*/2, /*wants_threads=*/true);
  EXPECT_THAT(told_, ElementsAre(kAll, 2));
}

TEST_F(ProgramCacheTest, AFewProgramsAreNotWorthThreads) {
  Get(11, /*threads=*/-1, /*wants_threads=*/true);
  EXPECT_THAT(told_, ElementsAre());
  EXPECT_EQ(questions_, 0);
}

TEST_F(ProgramCacheTest, LeavesAnAppsContextAlone) {
  Get(12, /*threads=*/2, /*wants_threads=*/false);
  EXPECT_THAT(told_, ElementsAre());
  EXPECT_EQ(questions_, 0);
}

// While others wait for the driver, one program is finished before the next one
// is started, and none is once they are not wanted any more.
TEST_F(ProgramCacheTest, CompilesInTurnUntilItIsStopped) {
  InContext([&] {
    std::vector<std::string> calls;  // what the driver is asked of programs
    const egl::Before<&GlApi::LinkProgram> link(
        [&](auto...) { calls.push_back("link"); });
    const egl::Before<&GlApi::GetProgramiv> question(
        [&](GLuint, GLenum name, auto...) {
          if (name == GL_LINK_STATUS) calls.push_back("finish");
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
    EXPECT_THAT(calls, ElementsAre("link", "finish", "link", "finish"));
    EXPECT_THAT(told_, ElementsAre()) << "no threads are asked for";

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

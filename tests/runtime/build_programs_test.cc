// labels: op llvmpipe softpipe
// Programs compiled on several threads, in contexts that share objects: they
// compute, errors are found, and a driver that gives no context is made do
// without.
#include "delegate/runtime/build_programs.h"

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "egl/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/device.h"
#include "tests/testing/gl.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::Buffer;
using ::gles_delegate::egl::EglApi;
using ::gles_delegate::egl::Program;
using ::gles_delegate::egl::ScopedGlOverride;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Le;

constexpr int kPrograms = 6;

// Adds `addend` to each unsigned integer of a buffer.
std::string AddText(int addend) {
  return absl::StrCat(
      "#version 310 es\nlayout(local_size_x = 1) in;\n"
      "layout(std430, binding = 0) buffer Data { uint value[]; };\n"
      "void main() { value[gl_GlobalInvocationID.x] += ",
      addend, "u; }\n");
}

// Makes programs that add 1, 2, 3, ..., and, where `breaks` says so, one more
// that does not compile.
class BuildProgramsTest : public ::testing::Test {
 protected:
  void SetUp() override { GLES_SKIP_WITHOUT_DEVICE(); }

  void Make(bool breaks = false) {
    for (int i = 1; i <= kPrograms; ++i) texts_.push_back(AddText(i));
    if (breaks) texts_.push_back("#version 310 es\nno program\n");
    for (const std::string& text : texts_) {
      programs_.push_back(Must(Program::Make(text)));
    }
    for (const Program& program : programs_) built_.push_back(&program);
  }

  void ExpectThatAllCompute() {
    const std::vector<uint32_t> sent = {1, 10};
    const Buffer buffer = Must(Buffer::Create(8, sent.data(), GL_DYNAMIC_COPY));
    for (int i = 0; i < kPrograms; ++i) {
      const absl::Status status = programs_[i].Finish(texts_[i], "add");
      ASSERT_TRUE(status.ok()) << status;
      egl::gl().MemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
      RunDouble(programs_[i], buffer, 2);
    }
    // 1 + 2 + ... + 6 = 21
    EXPECT_THAT(ReadAll<uint32_t>(buffer), ElementsAre(22, 31));
  }

  std::vector<std::string> texts_;
  std::vector<Program> programs_;
  std::vector<const Program*> built_;
};

TEST_F(BuildProgramsTest, ComputeWhereverTheyWereBuilt) {
  InContext([&] {
    Make();
    const int most = std::max(1u, std::thread::hardware_concurrency());
    EXPECT_THAT(BuildOnThreads(*TestContext(), built_, 4),
                AllOf(Ge(1), Le(std::min(4, most))));
    ExpectThatAllCompute();
    programs_.clear();
  });
}

TEST_F(BuildProgramsTest, OneThreadIsTheCallers) {
  InContext([&] {
    Make();
    EXPECT_EQ(BuildOnThreads(*TestContext(), built_, 1), 1);
    ExpectThatAllCompute();
    programs_.clear();
  });
}

TEST_F(BuildProgramsTest, NoneIsNothing) {
  InContext([&] { EXPECT_EQ(BuildOnThreads(*TestContext(), built_, 4), 0); });
}

TEST_F(BuildProgramsTest, AnErrorIsFoundByFinish) {
  InContext([&] {
    Make(/*breaks=*/true);
    BuildOnThreads(*TestContext(), built_, 4);
    EXPECT_THAT(programs_.back().Finish(texts_.back(), "no.comp").message(),
                AllOf(HasSubstr("no.comp"), HasSubstr("does not compile")));
    programs_.pop_back();
    ExpectThatAllCompute();
    programs_.clear();
  });
}

TEST_F(BuildProgramsTest, WithoutSharedContextsTheCallerBuildsAll) {
  InContext([&] {
    Make();
    const ScopedGlOverride refused(
        &EglApi::CreateContext,
        +[](EGLDisplay, EGLConfig, EGLContext, const EGLint*) -> EGLContext {
          return EGL_NO_CONTEXT;
        });
    EXPECT_EQ(BuildOnThreads(*TestContext(), built_, 4), 1);
    ExpectThatAllCompute();
    programs_.clear();
  });
}

TEST_F(BuildProgramsTest, TheCallersContextStaysCurrent) {
  InContext([&] {
    Make();
    BuildOnThreads(*TestContext(), built_, 4);
    EXPECT_EQ(egl::egl().GetCurrentContext(), TestContext()->handle());
    programs_.clear();
  });
}

}  // namespace
}  // namespace gles_delegate::testing

// labels: op delegate llvmpipe softpipe
// Delegates, interpreters and threads that end in every order.
#include <thread>
#include <vector>

#include "egl/testing.h"
#include "gmock/gmock.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device.h"

namespace gles_delegate::testing {
namespace {

class DelegateLifetimeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    GLES_SKIP_WITHOUT_DEVICE();
    model_ = LoadOrDie(ChainModel("can"));
    expected_ = CpuResult(*model_);
    delegate_ = MakeDelegate();
    interpreter_ = InterpreterOrDie(*model_);
  }

  void Apply() {
    const absl::Status applied = interpreter_->ApplyDelegate(delegate_.get());
    ASSERT_TRUE(applied.ok()) << applied;
  }

  std::unique_ptr<Model> model_;
  std::vector<float> expected_;
  DelegatePtr delegate_;
  std::unique_ptr<Interpreter> interpreter_;
};

TEST_F(DelegateLifetimeTest, TheDelegateMayGoFirst) {
  Apply();
  ExpectClose(RunOnce(interpreter_.get()), expected_);
  delegate_.reset();
  ExpectClose(RunOnce(interpreter_.get()), expected_);
  interpreter_.reset();
}

TEST_F(DelegateLifetimeTest, TheDelegateMayGoBeforeTheFirstInvoke) {
  Apply();
  delegate_.reset();
  ExpectClose(RunOnce(interpreter_.get()), expected_);
}

TEST_F(DelegateLifetimeTest, TheInterpreterMayGoFirst) {
  Apply();
  ExpectClose(RunOnce(interpreter_.get()), expected_);
  interpreter_.reset();
  // Its report still stands.
  EXPECT_EQ(ReportOf(delegate_)["partitions"], 1);
  delegate_.reset();
}

TEST_F(DelegateLifetimeTest, AnInterpreterNeedNotRun) {
  Apply();
  interpreter_.reset();
  delegate_.reset();
}

TEST_F(DelegateLifetimeTest, ADelegateNeedNotBeApplied) {
  delegate_.reset();
  ExpectClose(RunOnce(interpreter_.get()), expected_);
}

TEST_F(DelegateLifetimeTest, BothMayGoOnAnotherThread) {
  for (bool delegate_first : {true, false}) {
    delegate_ = MakeDelegate();
    interpreter_ = InterpreterOrDie(*model_);
    Apply();
    ExpectClose(RunOnce(interpreter_.get()), expected_);
    std::thread([&] {
      if (delegate_first) delegate_.reset();
      interpreter_.reset();
      delegate_.reset();
    }).join();
  }
}

TEST_F(DelegateLifetimeTest, TheyMayGoAfterTheThreadThatUsedThem) {
  std::thread([&] {
    Apply();
    ExpectClose(RunOnce(interpreter_.get()), expected_);
  }).join();
  interpreter_.reset();
  delegate_.reset();
}

TEST_F(DelegateLifetimeTest, ADelegateOutlivesManyInterpreters) {
  for (int i = 0; i < 5; ++i) {
    interpreter_ = InterpreterOrDie(*model_);
    Apply();
    ExpectClose(RunOnce(interpreter_.get()), expected_);
  }
}

// Counts what the driver makes and deletes: nothing of a delegate's life may
// stay behind.
int g_live = 0;

TEST_F(DelegateLifetimeTest, EveryGlObjectIsDeleted) {
  g_live = 0;
  using egl::GlApi;
  using egl::ScopedGlOverride;
  const ScopedGlOverride gen_textures(
      &GlApi::GenTextures, +[](GLsizei n, GLuint* ids) {
        g_live += n;
        egl::driver_gl().GenTextures(n, ids);
      });
  const ScopedGlOverride delete_textures(
      &GlApi::DeleteTextures, +[](GLsizei n, const GLuint* ids) {
        g_live -= n;
        egl::driver_gl().DeleteTextures(n, ids);
      });
  const ScopedGlOverride gen_buffers(
      &GlApi::GenBuffers, +[](GLsizei n, GLuint* ids) {
        g_live += n;
        egl::driver_gl().GenBuffers(n, ids);
      });
  const ScopedGlOverride delete_buffers(
      &GlApi::DeleteBuffers, +[](GLsizei n, const GLuint* ids) {
        g_live -= n;
        egl::driver_gl().DeleteBuffers(n, ids);
      });
  const ScopedGlOverride create_program(
      &GlApi::CreateProgram, +[]() -> GLuint {
        ++g_live;
        return egl::driver_gl().CreateProgram();
      });
  const ScopedGlOverride delete_program(
      &GlApi::DeleteProgram, +[](GLuint id) {
        --g_live;
        egl::driver_gl().DeleteProgram(id);
      });
  Apply();
  ExpectClose(RunOnce(interpreter_.get()), expected_);
  const int applied = g_live;
  EXPECT_GT(applied, 0) << "the test counts nothing";
  ExpectClose(RunOnce(interpreter_.get()), expected_);
  EXPECT_EQ(g_live, applied) << "Invoke made or deleted a GL object";
  delegate_.reset();
  interpreter_.reset();
  EXPECT_EQ(g_live, 0);
}

TEST(DelegateOptionsLifetimeTest, NullOptionsAreTheDefaultsAndRun) {
  GLES_SKIP_WITHOUT_DEVICE();
  const DelegatePtr delegate(TfLiteGlesDelegateCreate(nullptr),
                             TfLiteGlesDelegateDelete);
  ASSERT_NE(delegate, nullptr);
  const auto model = LoadOrDie(ChainModel("can"));
  auto interpreter = InterpreterOrDie(*model);
  ASSERT_TRUE(interpreter->ApplyDelegate(delegate.get()).ok());
  ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
  EXPECT_EQ(ReportOf(delegate)["nodes_delegated"], 3);
}

// Create copies the options' strings.
TEST(DelegateOptionsLifetimeTest, StringsAreCopied) {
  GLES_SKIP_WITHOUT_DEVICE();
  DelegatePtr delegate;
  {
    const std::string excluded = "1";
    delegate = MakeDelegate([&](auto& options) {
      options.exclude_nodes = excluded.c_str();
      options.max_delegated_partitions = 0;
    });
  }
  const auto model = LoadOrDie(ChainModel("can"));
  auto interpreter = InterpreterOrDie(*model);
  ASSERT_TRUE(interpreter->ApplyDelegate(delegate.get()).ok());
  EXPECT_EQ(ReportOf(delegate)["nodes_delegated"], 2);
}

}  // namespace
}  // namespace gles_delegate::testing

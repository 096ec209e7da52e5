// labels: egl llvmpipe softpipe
// Sessions whose context is lost: faults where the driver is asked for resets.
#include <optional>
#include <string>
#include <utility>

#include "delegate/session/session.h"
#include "egl/testing.h"
#include "tests/testing/matchers.h"
#include "tests/testing/session_case.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::GlApi;
using ::gles_delegate::egl::ScopedGlOverride;

// The driver's next answer about resets.
GLenum g_reset = GL_NO_ERROR;
GLenum ResetStatus() { return std::exchange(g_reset, GLenum{GL_NO_ERROR}); }
// The same once a shader was dispatched.
GLenum g_reset_by_dispatch = GL_NO_ERROR;
void DispatchCompute(GLuint x, GLuint y, GLuint z) {
  egl::driver_gl().DispatchCompute(x, y, z);
  if (g_reset_by_dispatch == GL_NO_ERROR) return;
  g_reset = std::exchange(g_reset_by_dispatch, GLenum{GL_NO_ERROR});
}

class SessionLossTest : public SessionTest {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    if (!gpu_->context->device().Has("GL_KHR_robustness")) {
      GTEST_SKIP() << "this driver does not tell of resets (GL_KHR_robustness)";
    }
    // Only inferences dispatch shaders.
    checks_itself_ = false;
    g_reset = g_reset_by_dispatch = GL_NO_ERROR;
    resets_.emplace(&GlApi::GetGraphicsResetStatusKHR, ResetStatus);
    dispatches_.emplace(&GlApi::DispatchCompute, DispatchCompute);
  }
  void TearDown() override {
    session_.reset();
    resets_.reset();
    dispatches_.reset();
  }

  // Inferences that end with such resets, and write nothing.
  void Fail(Session* session, GLenum reset, int times) {
    for (int i = 0; i < times; ++i) {
      g_reset_by_dispatch = reset;
      const auto ran = Submit(session);
      EXPECT_TRUE(absl::IsAborted(ran.status())) << ran.status();
      EXPECT_THAT(out_, Each(-1.0f));
    }
  }

  std::optional<
      ScopedGlOverride<GlApi, decltype(GlApi::GetGraphicsResetStatusKHR)>>
      resets_;
  std::optional<ScopedGlOverride<GlApi, decltype(GlApi::DispatchCompute)>>
      dispatches_;
};

TEST_F(SessionLossTest, ALostContextIsReplaced) {
  session_ = MakeRun();
  const auto second = MakeRun();
  Fail(session_.get(), GL_INNOCENT_CONTEXT_RESET_KHR, 1);
  EXPECT_THAT(host_.warnings, IsEmpty());
  ExpectRuns(session_.get());
  ExpectRuns(second.get());
  EXPECT_EQ(gpu_->losses, 1);
  EXPECT_THAT(host_.warnings, SizeIs(2));
  EXPECT_THAT(host_.warnings, Each(HasSubstr("was lost; the partition of")));
}

TEST_F(SessionLossTest, ALossBetweenSubmitAndWaitIsRecoveredFrom) {
  session_ = MakeRun();
  const auto ran = Submit(session_.get(), /*may_split=*/true);
  ASSERT_TRUE(ran.ok()) << ran.status();
  ASSERT_EQ(*ran, Ran::kSubmitted);
  g_reset = GL_GUILTY_CONTEXT_RESET_KHR;
  const absl::Status waited = session_->Wait(&host_);
  EXPECT_TRUE(absl::IsAborted(waited)) << waited;
  EXPECT_THAT(out_, Each(-1.0f));
  ExpectRuns(session_.get());
}

TEST_F(SessionLossTest, ResetsThatOthersCausedAreNotCounted) {
  session_ = MakeRun();
  Fail(session_.get(), GL_INNOCENT_CONTEXT_RESET_KHR,
       Recovery::kMaxGuiltyResets + 2);
  ExpectRuns(session_.get());
}

TEST_F(SessionLossTest, ThreeGuiltyResetsInARowAreEnough) {
  session_ = MakeRun();
  Fail(session_.get(), GL_GUILTY_CONTEXT_RESET_KHR, 2);
  ExpectRuns(session_.get());
  Fail(session_.get(), GL_GUILTY_CONTEXT_RESET_KHR, 3);
  for (int i = 0; i < 2; ++i) {
    const absl::Status refused = Submit(session_.get()).status();
    EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
    EXPECT_THAT(
        std::string(refused.message()),
        AllOf(HasSubstr("3 Invokes in a row"), HasSubstr("not tried again"),
              HasSubstr("fallback_to_cpu")));
  }
  // Another one is not to blame.
  ExpectRuns(MakeRun().get());
  // Nor are other shapes.
  session_->Forget();
  SetGraph(session_.get(), 3);
  ASSERT_TRUE(session_->Prepare(&host_).ok());
  ExpectRuns(session_.get());
}

TEST_F(SessionLossTest, AfterThemTheCpuTakesOverIfItMay) {
  host_.may_fall_back = true;
  session_ = MakeRun();
  Fail(session_.get(), GL_UNKNOWN_CONTEXT_RESET_KHR, 3);
  for (int i = 0; i < 2; ++i) {
    const auto ran = Submit(session_.get());
    ASSERT_TRUE(ran.ok()) << ran.status();
    EXPECT_EQ(*ran, Ran::kOnCpu);
  }
  EXPECT_TRUE(session_->is_on_cpu());
  EXPECT_THAT(report_->on_cpu, HasSubstr("3 Invokes in a row"));
  EXPECT_THAT(host_.warnings.back(), HasSubstr("it runs on the CPU"));
}

}  // namespace
}  // namespace gles_delegate::testing

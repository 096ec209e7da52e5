// labels: op egl delegate llvmpipe
// wait_type: do_not_wait, and fences between the app's contexts around Invoke.
#include <memory>
#include <string>
#include <vector>

#include "tests/testing/app_context.h"
#include "tests/testing/app_objects.h"
#include "tests/testing/counted_calls.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/matchers.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::egl;
using ::gles_delegate::egl::gl;

class DelegateFencesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    GLES_SKIP_WITHOUT_DEVICE();
    app_ = std::make_unique<AppContext>();
    run_ = std::make_unique<BoundRun>(ChainModel("n", PictureShape()), "",
                                      /*is_applied=*/false, /*waits=*/false);
    for (int i = 0; i < 2; ++i) {
      elements_.push_back(SomeElements(floats_, PictureShape(), i));
      objects_.push_back(std::make_unique<AppObject>(floats_, PictureShape(),
                                                     elements_.back()));
    }
    output_ =
        std::make_unique<AppObject>(floats_, PictureShape(), elements_[0]);
  }
  void TearDown() override {
    run_.reset();
    objects_.clear();
    output_.reset();
  }

  const Holding floats_ = BufferHolding("floats", 0, 0);
  std::unique_ptr<AppContext> app_;
  std::unique_ptr<BoundRun> run_;
  std::vector<std::vector<float>> elements_;
  std::vector<std::unique_ptr<AppObject>> objects_;
  std::unique_ptr<AppObject> output_;
};

TEST_F(DelegateFencesTest, InvokeDoesNotWait) {
  run_->BindInput(objects_[0]->object());
  run_->BindOutput(output_->object());
  run_->Apply();
  run_->Invoke();
  {
    const CountedCalls counted;
    run_->Invoke();
    run_->BindInput(objects_[1]->object());
    run_->Invoke();
    EXPECT_EQ(counted.waits(), 0);
  }
  gl().MemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
  EXPECT_EQ(output_->Read(), Negated(elements_[1]));
}

// The host's data is the GPU's until the last Invoke is over.
TEST_F(DelegateFencesTest, AnInputOfTheCpusWaitsForTheInvokeBefore) {
  run_->BindOutput(output_->object());
  run_->Apply();
  const CountedCalls counted;
  for (int round = 0; round < 4; ++round) {
    ASSERT_TRUE(run_->interpreter->input(0).Write(elements_[round % 2]).ok());
    run_->Invoke();
    if (round == 0) {
      EXPECT_EQ(counted.waits(), 0);
    }
  }
  EXPECT_GT(counted.waits(), 0);
  EXPECT_EQ(output_->Read(), Negated(elements_[1]));
}

TEST_F(DelegateFencesTest, AnOutputOfTheCpusCannotBe) {
  run_->BindInput(objects_[0]->object());
  const absl::Status applied =
      run_->interpreter->ApplyDelegate(run_->delegate.get());
  EXPECT_THAT(std::string(applied.message()),
              HasSubstr("wants all outputs bound to GL objects"));
}

TEST_F(DelegateFencesTest, AnOutputThatIsUnboundFailsInvoke) {
  run_->BindOutput(output_->object());
  run_->Apply();
  ASSERT_EQ(TfLiteGlesDelegateUnbindObject(run_->delegate.get(), run_->output),
            0);
  EXPECT_EQ(TfLiteInterpreterInvoke(run_->interpreter->get()), kTfLiteError);
  EXPECT_THAT(run_->interpreter->log(),
              Contains(HasSubstr("wants all outputs bound to GL objects")));
  run_->BindOutput(output_->object());
  ASSERT_TRUE(run_->interpreter->input(0).Write(elements_[0]).ok());
  run_->Invoke();
  gl().MemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
  EXPECT_EQ(output_->Read(), Negated(elements_[0]));
}

// A renderer in another context writes the input and reads the output; EGL's
// fences stand between the contexts, and only the GPU waits.
TEST_F(DelegateFencesTest, EglFencesBothWays) {
  const EGLDisplay display = app_->get().display();
  const std::string extensions = egl().QueryString(display, EGL_EXTENSIONS);
  if (extensions.find("EGL_KHR_wait_sync") == std::string::npos) {
    GTEST_SKIP() << "NO EGL_KHR_wait_sync HERE, NOTHING TESTED";
  }
  run_->BindInput(objects_[0]->object());
  run_->BindOutput(output_->object());
  run_->Apply();
  run_->Invoke();
  SharedContext renderer(app_->get());
  EGLSyncKHR drawn = EGL_NO_SYNC_KHR;
  renderer.Run([&] {
    gl().BindBuffer(GL_COPY_READ_BUFFER, objects_[1]->name());
    gl().BindBuffer(GL_COPY_WRITE_BUFFER, objects_[0]->name());
    gl().CopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 0,
                           elements_[0].size() * sizeof(float));
    drawn = egl().CreateSyncKHR(display, EGL_SYNC_FENCE_KHR, nullptr);
    gl().Flush();
  });
  ASSERT_NE(drawn, EGL_NO_SYNC_KHR);
  const CountedCalls counted;
  EXPECT_EQ(egl().WaitSyncKHR(display, drawn, 0), EGL_TRUE);
  run_->Invoke();
  const EGLSyncKHR ready =
      egl().CreateSyncKHR(display, EGL_SYNC_FENCE_KHR, nullptr);
  gl().Flush();
  EXPECT_EQ(counted.waits(), 0);
  renderer.Run([&] {
    EXPECT_EQ(egl().WaitSyncKHR(display, ready, 0), EGL_TRUE);
    EXPECT_EQ(output_->Read(), Negated(elements_[1]));
  });
  egl().DestroySyncKHR(display, drawn);
  egl().DestroySyncKHR(display, ready);
}

}  // namespace
}  // namespace gles_delegate::testing

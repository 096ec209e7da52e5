// labels: op egl delegate llvmpipe softpipe tsan
// thread_mode: worker_sharing. The delegate's own thread and context share
// objects with the app's context: buffers and textures are bound, and the GPU
// keeps both in order.
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/testing/app_context.h"
#include "tests/testing/app_objects.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"
#include "tests/testing/driver_faults.h"
#include "tests/testing/matchers.h"
#include "tests/testing/pretended_resets.h"
#include "tests/testing/watched_contexts.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::Before;
using ::gles_delegate::egl::egl;
using ::gles_delegate::egl::EglApi;
using ::gles_delegate::egl::gl;
using ::gles_delegate::egl::GlApi;
using ::gles_delegate::egl::Instead;

constexpr int kRounds = 6;

// Counts EGL's fences, and the CPU's waits for GL's. One at a time; on any
// threads.
class CountedOrder {
 public:
  int made() const { return made_; }
  int awaited() const { return awaited_; }
  int left() const { return left_; }
  int waits() const { return waits_; }

 private:
  mutable std::atomic<int> made_ = 0, awaited_ = 0, left_ = 0, waits_ = 0;
  Before<&EglApi::CreateSyncKHR> create_{[this](auto...) {
    ++made_;
    ++left_;
  }};
  Before<&EglApi::WaitSyncKHR> wait_{[this](auto...) { ++awaited_; }};
  Before<&EglApi::DestroySyncKHR> destroy_{[this](auto...) { --left_; }};
  Before<&GlApi::ClientWaitSync> client_wait_{[this](auto...) { ++waits_; }};
  Before<&GlApi::Finish> finish_{[this](auto...) { ++waits_; }};
};

DelegatePtr Sharing(bool waits = true, const std::string& key = "") {
  return MakeDelegate([&](TfLiteGlesDelegateOptions& options) {
    options.thread_mode = kTfLiteGlesThreadWorkerSharing;
    options.self_check = 0;  // it has its own programs and buffers
    options.share_key = key.c_str();
    if (!waits) options.wait_type = kTfLiteGlesWaitDoNotWait;
  });
}

class DelegateWorkerSharingTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped()) return;
    app_ = std::make_unique<AppContext>();
    run_ = std::make_unique<BoundRun>(ChainModel("n", PictureShape()), "",
                                      /*is_applied=*/false);
    run_->delegate = Sharing();
    for (int i = 0; i < kRounds; ++i) {
      elements_.push_back(SomeElements(floats_, PictureShape(), i));
      pictures_.push_back(std::make_unique<AppObject>(floats_, PictureShape(),
                                                      elements_.back()));
    }
    const std::vector<float> none(elements_[0].size(), 12345);
    input_ = std::make_unique<AppObject>(floats_, PictureShape(), none);
    output_ = std::make_unique<AppObject>(floats_, PictureShape(), none);
  }
  void TearDown() override {
    run_.reset();
    pictures_.clear();
    input_.reset();
    output_.reset();
  }

  void BindBoth() {
    run_->BindInput(input_->object());
    run_->BindOutput(output_->object());
  }
  // The app's GPU writes a round's picture to the input; no one waits for it.
  void Draw(int round) {
    gl().BindBuffer(GL_COPY_READ_BUFFER, pictures_[round]->name());
    gl().BindBuffer(GL_COPY_WRITE_BUFFER, input_->name());
    gl().CopyBufferSubData(
        GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 0,
        static_cast<GLsizeiptr>(elements_[0].size() * sizeof(float)));
  }
  void ExpectInvokeFails(const std::string& why) {
    EXPECT_EQ(TfLiteInterpreterInvoke(run_->interpreter->get()), kTfLiteError);
    EXPECT_THAT(run_->interpreter->log(), Contains(HasSubstr(why)));
  }
  bool HasFences() const {
    const std::string extensions =
        egl().QueryString(app_->get().display(), EGL_EXTENSIONS);
    return extensions.find("EGL_KHR_wait_sync") != std::string::npos;
  }

  const Holding floats_ = BufferHolding("floats", 0, 0);
  std::unique_ptr<AppContext> app_;
  std::unique_ptr<BoundRun> run_;
  std::vector<std::vector<float>> elements_;
  std::vector<std::unique_ptr<AppObject>> pictures_;  // a round's
  std::unique_ptr<AppObject> input_, output_;
};

// The app draws and reads without waiting and without its own fence.
TEST_F(DelegateWorkerSharingTest, BuffersOfTheApps) {
  BindBoth();
  run_->Apply();
  EXPECT_EQ(ReportOf(run_->delegate)["thread_mode"], "worker_sharing");
  EXPECT_EQ(ReportOf(run_->delegate)["context"], "own");
  for (int round = 0; round < kRounds; ++round) {
    Draw(round);
    run_->PoisonInput();
    run_->Invoke();
    EXPECT_EQ(output_->Read(), Negated(elements_[round])) << round;
  }
  EXPECT_EQ(ReportOf(run_->delegate)["gpu_bytes"]["transfers"], 0);
}

TEST_F(DelegateWorkerSharingTest, TexturesOfTheApps) {
  const Holding picture = TextureHolding("picture", GL_RGBA8);
  const Holding overlay = TextureHolding("overlay", GL_RGBA32F);
  const auto elements = SomeElements(picture, PictureShape());
  const AppObject in(picture, PictureShape(), elements);
  const AppObject out(overlay, PictureShape(),
                      std::vector<float>(elements.size(), 12345));
  run_->Apply();  // bound after that
  run_->BindInput(in.object());
  run_->BindOutput(out.object());
  run_->PoisonInput();
  run_->Invoke();
  ExpectClose(out.Read(), Negated(elements));
  ASSERT_EQ(TfLiteGlesDelegateUnbindObject(run_->delegate.get(), run_->input),
            0);
  ASSERT_EQ(TfLiteGlesDelegateUnbindObject(run_->delegate.get(), run_->output),
            0);
  ASSERT_TRUE(run_->interpreter->input(0).Write(elements_[1]).ok());
  run_->Invoke();
  EXPECT_EQ(run_->interpreter->output(0).AsFloats(), Negated(elements_[1]));
}

TEST_F(DelegateWorkerSharingTest, WithoutFencesTheCpuWaits) {
  BindBoth();
  run_->Apply();
  const CountedOrder order;
  const Instead<&EglApi::QueryString> no_extensions([](auto...) { return ""; });
  for (int round = 0; round < kRounds; ++round) {
    Draw(round);
    run_->Invoke();
    EXPECT_EQ(output_->Read(), Negated(elements_[round])) << round;
  }
  EXPECT_EQ(order.made(), 0);
  EXPECT_GT(order.waits(), 0);
}

// Neither the worker nor the app waits on the CPU, and the app's GPU waits for
// the worker's.
TEST_F(DelegateWorkerSharingTest, InvokeNeedNotWait) {
  if (!HasFences()) GTEST_SKIP() << "NO EGL_KHR_wait_sync HERE, NOTHING TESTED";
  run_->delegate = Sharing(/*waits=*/false);
  BindBoth();
  run_->Apply();
  run_->Invoke();
  {
    const CountedOrder order;
    for (int round = 0; round < 3; ++round) {
      Draw(round);
      run_->Invoke();
    }
    EXPECT_EQ(order.waits(), 0);
    EXPECT_EQ(order.made(), 6);
    EXPECT_EQ(order.awaited(), 6);
    EXPECT_EQ(order.left(), 0);
  }
  EXPECT_EQ(output_->Read(), Negated(elements_[2]));
  // No one could wait for the results.
  app_->Leave();
  ExpectInvokeFails("current on the thread that calls");
  app_->MakeCurrent();
  Draw(4);
  run_->Invoke();
  EXPECT_EQ(output_->Read(), Negated(elements_[4]));
}

TEST_F(DelegateWorkerSharingTest, InvokeMayComeFromAnyThread) {
  BindBoth();
  run_->Apply();
  Draw(0);
  gl().Finish();
  std::thread([&] { run_->Invoke(); }).join();  // with no context
  EXPECT_EQ(output_->Read(), Negated(elements_[0]));
  // A renderer in its own context.
  SharedContext renderer(app_->get());
  renderer.Run([&] {
    for (int round = 1; round < kRounds; ++round) {
      Draw(round);
      run_->Invoke();
      EXPECT_EQ(output_->Read(), Negated(elements_[round])) << round;
    }
  });
}

TEST_F(DelegateWorkerSharingTest, TheAppsContextIsLeftAlone) {
  GLuint framebuffer = 0;
  gl().GenFramebuffers(1, &framebuffer);
  gl().BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  gl().BindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, pictures_[3]->name());
  BindBoth();
  run_->Apply();
  Draw(1);
  run_->Invoke();
  EXPECT_EQ(egl().GetCurrentContext(), app_->get().handle());
  GLint bound = 0;
  gl().GetIntegerv(GL_FRAMEBUFFER_BINDING, &bound);
  EXPECT_EQ(static_cast<GLuint>(bound), framebuffer);
  gl().GetIntegeri_v(GL_SHADER_STORAGE_BUFFER_BINDING, 0, &bound);
  EXPECT_EQ(static_cast<GLuint>(bound), pictures_[3]->name());
  EXPECT_EQ(output_->Read(), Negated(elements_[1]));
  gl().DeleteFramebuffers(1, &framebuffer);
}

TEST_F(DelegateWorkerSharingTest, WithoutAContextItIsNotApplied) {
  app_->Leave();
  const absl::Status applied =
      run_->interpreter->ApplyDelegate(run_->delegate.get());
  app_->MakeCurrent();
  EXPECT_THAT(std::string(applied.message()),
              HasSubstr("worker_sharing wants the app's EGLContext current"));
  // The interpreter runs on the CPU, and another one may have the delegate.
  ASSERT_TRUE(run_->interpreter->input(0).Write(elements_[0]).ok());
  run_->Invoke();
  EXPECT_EQ(run_->interpreter->output(0).AsFloats(), Negated(elements_[0]));
  run_->interpreter = InterpreterOrDie(*run_->model);
  BindBoth();
  run_->Apply();
  Draw(2);
  run_->Invoke();
  EXPECT_EQ(output_->Read(), Negated(elements_[2]));
}

TEST_F(DelegateWorkerSharingTest, WhereEglSharesNothingTheReasonIsSaid) {
  const WatchedContexts none(WatchedContexts::Refused::kAll);
  const absl::Status applied =
      run_->interpreter->ApplyDelegate(run_->delegate.get());
  EXPECT_THAT(std::string(applied.message()), HasSubstr("shares objects"));
}

TEST_F(DelegateWorkerSharingTest, AfterAResetItMustBeAppliedAgain) {
  GLES_SKIP_WITHOUT("GL_KHR_robustness");
  BindBoth();
  run_->Apply();
  run_->Invoke();
  PretendedResets resets;
  resets.Tell();
  ExpectInvokeFails("was reset");
  ExpectInvokeFails("shares objects with the app's");
  run_->interpreter = InterpreterOrDie(*run_->model);
  run_->Apply();
  Draw(5);
  run_->Invoke();
  EXPECT_EQ(output_->Read(), Negated(elements_[5]));
}

// One context for both.
TEST_F(DelegateWorkerSharingTest, DelegatesOfAShareKey) {
  run_->delegate = Sharing(true, "a");
  BindBoth();
  run_->Apply();
  const WatchedContexts none(WatchedContexts::Refused::kAll);
  const DelegatePtr second = Sharing(true, "a");
  auto interpreter = Applied(*run_->model, second);
  ASSERT_TRUE(interpreter->input(0).Write(elements_[1]).ok());
  ASSERT_EQ(TfLiteInterpreterInvoke(interpreter->get()), kTfLiteOk);
  EXPECT_EQ(interpreter->output(0).AsFloats(), Negated(elements_[1]));
  Draw(2);
  run_->Invoke();
  EXPECT_EQ(output_->Read(), Negated(elements_[2]));
}

// An interpreter each, of one delegate, with no context current.
TEST_F(DelegateWorkerSharingTest, ManyThreadsAtOnce) {
  constexpr int kThreads = 4;
  const DelegatePtr delegate = Sharing();
  auto first = Applied(*run_->model, delegate);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      // The delegate's context is there: none has to be current here.
      auto interpreter = Applied(*run_->model, delegate);
      for (int i = 0; i < 5; ++i) {
        const auto& values = elements_[(t + i) % kRounds];
        ASSERT_TRUE(interpreter->input(0).Write(values).ok());
        ASSERT_EQ(TfLiteInterpreterInvoke(interpreter->get()), kTfLiteOk);
        EXPECT_EQ(interpreter->output(0).AsFloats(), Negated(values));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace gles_delegate::testing

// labels: op delegate llvmpipe softpipe
// The thread rule: Invoke on the thread that applied the delegate, where the
// context is the delegate's; with the same context current, where it is the
// app's.
#include <atomic>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "egl/context.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::Context;
using ::gles_delegate::egl::egl;

std::string Text(std::thread::id id) {
  std::ostringstream out;
  out << id;
  return out.str();
}

std::string LogOf(const Interpreter& interpreter) {
  std::string said;
  for (const std::string& line : interpreter.log()) said += line + "\n";
  return said;
}

void MakeCurrent(const Context& app) {
  ASSERT_TRUE(egl().MakeCurrent(app.display(), EGL_NO_SURFACE, EGL_NO_SURFACE,
                                app.handle()));
}

void Release(const Context& app) {
  ASSERT_TRUE(egl().MakeCurrent(app.display(), EGL_NO_SURFACE, EGL_NO_SURFACE,
                                EGL_NO_CONTEXT));
}

class DelegateThreadTest : public DeviceTest {};

TEST_F(DelegateThreadTest, InvokeOnAnotherThreadIsAnErrorThatSaysSo) {
  const auto model = LoadOrDie(ChainModel("can"));
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = InterpreterOrDie(*model);
  ASSERT_TRUE(interpreter->ApplyDelegate(delegate.get()).ok());
  TfLiteStatus status = kTfLiteOk;
  std::string other;
  std::thread([&] {
    other = Text(std::this_thread::get_id());
    status = TfLiteInterpreterInvoke(interpreter->get());
  }).join();
  EXPECT_EQ(status, kTfLiteError);
  const std::string said = LogOf(*interpreter);
  // The stock delegate's words, then ours.
  EXPECT_THAT(said, HasSubstr("GpuDelegate must run on the same thread where "
                              "it was initialized"));
  EXPECT_THAT(said, HasSubstr("ModifyGraphWithDelegate"));
  EXPECT_THAT(said, HasSubstr("thread " + other));
  EXPECT_THAT(said, HasSubstr("thread " + Text(std::this_thread::get_id())));
  // On the right thread all is as before.
  ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
}

// A second thread that applies the delegate again (a resize does) owns it then.
TEST_F(DelegateThreadTest, AppliedAgainOnAnotherThreadItRunsThere) {
  const auto model = LoadOrDie(ChainModel("nan"));
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = InterpreterOrDie(*model);
  ASSERT_TRUE(interpreter->ApplyDelegate(delegate.get()).ok());
  const Shape larger = {1, 9, 5, 5};
  const std::vector<float> expected = CpuResult(*model, 0, larger);
  std::thread([&] {
    ASSERT_TRUE(interpreter->ResizeInput(0, larger).ok());
    const absl::Status allocated = interpreter->AllocateTensors();
    ASSERT_TRUE(allocated.ok()) << allocated;
    ExpectClose(RunOnce(interpreter.get()), expected);
  }).join();
  EXPECT_FALSE(RunOnce(interpreter.get()).ok());
}

// An app's context goes from thread to thread, and the delegate with it.
TEST_F(DelegateThreadTest, ABorrowedContextMayMoveToAnotherThread) {
  const auto model = LoadOrDie(ChainModel("can"));
  const std::vector<float> expected = CpuResult(*model);
  const std::unique_ptr<Context> app = std::move(Context::Create({})).value();
  MakeCurrent(*app);
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = InterpreterOrDie(*model);
  ASSERT_TRUE(interpreter->ApplyDelegate(delegate.get()).ok());
  EXPECT_EQ(ReportOf(delegate)["context"], "borrowed");
  ExpectClose(RunOnce(interpreter.get()), expected);
  Release(*app);
  for (int i = 0; i < 2; ++i) {
    std::thread([&] {
      MakeCurrent(*app);
      ExpectClose(RunOnce(interpreter.get()), expected);
      EXPECT_EQ(egl().GetCurrentContext(), app->handle());
      Release(*app);
    }).join();
  }
  MakeCurrent(*app);
  ExpectClose(RunOnce(interpreter.get()), expected);
  interpreter.reset();
  Release(*app);
}

// The whole life of a delegate, several times over.
void LiveThrough(const Model& model, const std::vector<float>& expected,
                 std::atomic<int>* ready) {
  // All threads set off together, so that they meet inside.
  for (ready->fetch_sub(1); ready->load() > 0;) std::this_thread::yield();
  for (int life = 0; life < 3; ++life) {
    const DelegatePtr delegate = MakeDelegate();
    auto interpreter = InterpreterOrDie(model);
    const absl::Status applied = interpreter->ApplyDelegate(delegate.get());
    ASSERT_TRUE(applied.ok()) << applied;
    for (int i = 0; i < 3; ++i) {
      ExpectClose(RunOnce(interpreter.get()), expected);
    }
    EXPECT_EQ(ReportOf(delegate)["partitions"], 1);
  }
}

TEST_F(DelegateThreadTest, ThreadsWithDelegatesOfTheirOwnDoNotMeet) {
  std::vector<std::unique_ptr<Model>> models;
  std::vector<std::vector<float>> expected;
  for (const char* letters : {"can", "mcc", "rca"}) {
    models.push_back(LoadOrDie(ChainModel(letters)));
    expected.push_back(CpuResult(*models.back()));
  }
  std::atomic<int> ready = static_cast<int>(models.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < models.size(); ++i) {
    threads.emplace_back(LiveThrough, std::cref(*models[i]),
                         std::cref(expected[i]), &ready);
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace gles_delegate::testing

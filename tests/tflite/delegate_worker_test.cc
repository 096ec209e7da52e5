// labels: op delegate llvmpipe tsan
// thread_mode: worker. Interpreters are made, applied, invoked and deleted on
// any thread, and on many at once.
#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "egl/context.h"
#include "tests/testing/child.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"
#include "tests/testing/life.h"
#include "tests/testing/matchers.h"
#include "tests/testing/process.h"
#include "tests/testing/real_model.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::Context;
using ::gles_delegate::egl::egl;

// Of each interpreter of each thread.
int Invokes() {
  const char* text = std::getenv("GLES_WORKER_INVOKES");
  return text == nullptr ? 6 : std::atoi(text);
}

void WithWorker(TfLiteGlesDelegateOptions& options) {
  options.thread_mode = kTfLiteGlesThreadWorker;
}

// Each fn(i) on its own thread, for i < count; all set off together.
void OnThreads(int count, const std::function<void(int)>& fn) {
  std::atomic<int> ready = count;
  std::vector<std::thread> threads;
  threads.reserve(count);
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      for (ready.fetch_sub(1); ready.load() > 0;) std::this_thread::yield();
      fn(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// A model with what a single-threaded delegate gives for each round's inputs.
struct Expectation {
  std::unique_ptr<Model> model;
  std::vector<std::vector<float>> outputs;  // by round
};
constexpr int kRounds = 3;

Expectation Expect(std::unique_ptr<Model> model) {
  Expectation expected{std::move(model), {}};
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = Applied(*expected.model, delegate);
  const auto report = ReportOf(delegate);
  EXPECT_EQ(report["nodes_delegated"], report["nodes_total"]);
  for (int round = 0; round < kRounds; ++round) {
    auto outputs = RunOnce(interpreter.get(), round);
    EXPECT_TRUE(outputs.ok()) << outputs.status();
    expected.outputs.push_back(*std::move(outputs));
  }
  return expected;
}

// Models of a few ops, and a real one where the shared folder has it.
const std::vector<Expectation>& Expectations() {
  static const auto& all = *[] {
    auto* all = new std::vector<Expectation>;
    for (const char* letters : {"can", "mcc", "nan"}) {
      all->push_back(Expect(LoadOrDie(ChainModel(letters))));
    }
    const std::string path =
        SharedFile("models/mobilenet_v1_0.25_224_quant.tflite");
    if (!path.empty()) {
      all->push_back(Expect(std::move(Model::FromFile(path)).value()));
    }
    return all;
  }();
  return all;
}

// Bit for bit.
void ExpectRuns(Interpreter* interpreter, const Expectation& expected,
                int round) {
  const auto outputs = RunOnce(interpreter, round % kRounds);
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  EXPECT_EQ(*outputs, expected.outputs[round % kRounds]);
}

// An interpreter of each model, invoked alternately.
void RunAllModels(const DelegatePtr& delegate, int first) {
  const auto& all = Expectations();
  std::vector<std::unique_ptr<Interpreter>> interpreters;
  interpreters.reserve(all.size());
  for (const Expectation& e : all) {
    interpreters.push_back(Applied(*e.model, delegate));
  }
  for (int i = 0; i < Invokes(); ++i) {
    for (size_t m = 0; m < all.size(); ++m) {
      ExpectRuns(interpreters[m].get(), all[m], first + i);
    }
  }
}

class DelegateWorkerTest : public DeviceTest {
 protected:
};

TEST_F(DelegateWorkerTest, TheReportSaysWhoWorks) {
  EXPECT_EQ(ReportOf(MakeDelegate())["thread_mode"], "caller");
  EXPECT_EQ(ReportOf(MakeDelegate(WithWorker))["thread_mode"], "worker");
}

TEST_F(DelegateWorkerTest, EightThreadsShareADelegate) {
  Expectations();
  const DelegatePtr delegate = MakeDelegate(WithWorker);
  OnThreads(8, [&](int i) { RunAllModels(delegate, i); });
}

TEST_F(DelegateWorkerTest, EightThreadsHaveADelegateEach) {
  Expectations();
  OnThreads(8, [&](int i) { RunAllModels(MakeDelegate(WithWorker), i); });
}

TEST_F(DelegateWorkerTest, EachStepOfALifeMayBeOnAnotherThread) {
  const Expectation& expected = Expectations()[0];
  DelegatePtr delegate;
  std::unique_ptr<Interpreter> interpreter;
  const auto on_a_thread = [](const std::function<void()>& fn) {
    std::thread(fn).join();
  };
  on_a_thread([&] { delegate = MakeDelegate(WithWorker); });
  on_a_thread([&] { interpreter = Applied(*expected.model, delegate); });
  for (int i = 0; i < 3; ++i) {
    on_a_thread([&] { ExpectRuns(interpreter.get(), expected, i); });
  }
  on_a_thread([&] {
    EXPECT_EQ(ReportOf(delegate)["nodes_delegated"], 3);
    delegate.reset();
  });
  on_a_thread([&] { ExpectRuns(interpreter.get(), expected, 0); });
  on_a_thread([&] { interpreter.reset(); });
}

TEST_F(DelegateWorkerTest, AResizeMayBeOnAnotherThread) {
  const Model& model = *Expectations()[2].model;
  const DelegatePtr delegate = MakeDelegate(WithWorker);
  auto interpreter = Applied(model, delegate);
  const Shape larger = {1, 9, 5, 5};
  std::thread([&] {
    ASSERT_TRUE(interpreter->ResizeInput(0, larger).ok());
    const absl::Status allocated = interpreter->AllocateTensors();
    ASSERT_TRUE(allocated.ok()) << allocated;
  }).join();
  ExpectClose(RunOnce(interpreter.get()), CpuResult(model, 0, larger));
}

TEST_F(DelegateWorkerTest, TheAppsContextIsLeftAlone) {
  const Expectation& expected = Expectations()[0];
  const std::unique_ptr<Context> app = std::move(Context::Create({})).value();
  ASSERT_TRUE(egl().MakeCurrent(app->display(), EGL_NO_SURFACE, EGL_NO_SURFACE,
                                app->handle()));
  {
    const DelegatePtr delegate = MakeDelegate(WithWorker);
    auto interpreter = Applied(*expected.model, delegate);
    EXPECT_EQ(ReportOf(delegate)["context"], "own");
    ExpectRuns(interpreter.get(), expected, 0);
    EXPECT_EQ(egl().GetCurrentContext(), app->handle());
  }
  EXPECT_EQ(egl().GetCurrentContext(), app->handle());
  egl().MakeCurrent(app->display(), EGL_NO_SURFACE, EGL_NO_SURFACE,
                    EGL_NO_CONTEXT);
}

// Some threads invoke, some make and delete interpreters, one asks for reports,
// and the delegate is deleted while the others still invoke.
TEST_F(DelegateWorkerTest, InterpretersAndTheDelegateMayGoWhileOthersInvoke) {
  const auto& all = Expectations();
  DelegatePtr delegate = MakeDelegate(WithWorker);
  std::vector<std::unique_ptr<Interpreter>> interpreters;
  interpreters.reserve(4);
  for (int i = 0; i < 4; ++i) {
    interpreters.push_back(Applied(*all[i % 3].model, delegate));
  }
  std::atomic<int> users = 4;  // of the delegate itself
  OnThreads(9, [&](int i) {
    if (i < 4) {
      for (int n = 0; n < 3 * Invokes(); ++n) {
        ExpectRuns(interpreters[i].get(), all[i % 3], n);
      }
      interpreters[i].reset();
      return;
    }
    if (i == 8) {
      while (users > 0) std::this_thread::yield();
      delegate.reset();
      return;
    }
    for (int n = 0; n < Invokes(); ++n) {
      if (i == 7) {
        EXPECT_EQ(ReportOf(delegate)["thread_mode"], "worker");
        continue;
      }
      auto interpreter = Applied(*all[n % 3].model, delegate);
      ExpectRuns(interpreter.get(), all[n % 3], n);
    }
    --users;
  });
}

// In processes of their own, where no driver has been loaded before the fork,
// and whose end is a part of the test.
void ExpectChildPasses(const char* test) {
  const ChildResult child =
      RunChild(std::string("DelegateWorkerChildTest.DISABLED_") + test, {});
  EXPECT_EQ(child.exit_code, 0) << child.output;
  EXPECT_THAT(child.output, HasSubstr("1 test from"));
}

TEST_F(DelegateWorkerTest, ADelegateThatIsNotAppliedYetMayBeForked) {
  ExpectChildPasses("MadeBeforeAFork");
}
TEST_F(DelegateWorkerTest, AProcessEndsWithADelegateInUse) {
  ExpectChildPasses("LeftAtExit");
}
TEST_F(DelegateWorkerTest, ADelegateMayBeDeletedAtExit) {
  ExpectChildPasses("DeletedAtExit");
}

TEST(DelegateWorkerChildTest, DISABLED_MadeBeforeAFork) {
  const auto model = LoadOrDie(ChainModel("can"));
  const std::vector<float> expected = CpuResult(*model);
  const DelegatePtr delegate = MakeDelegate(WithWorker);
  EXPECT_EQ(RunForked([&] {
              ExpectClose(RunOnce(Applied(*model, delegate).get()), expected);
              return ::testing::Test::HasFailure() ? 1 : 0;
            }),
            0);
}

TEST(DelegateWorkerChildTest, DISABLED_LeftAtExit) {
  LeaveAtExit(LiveOnce(MakeDelegate(WithWorker)));
}

TEST(DelegateWorkerChildTest, DISABLED_DeletedAtExit) {
  DeleteAtExit(LiveOnce(MakeDelegate(WithWorker)));
}

TEST_F(DelegateWorkerTest, NothingStaysOf200Lives) {
  const auto model = LoadOrDie(ChainModel("n"));
  size_t threads = 0, files = 0;
  for (int life = 0; life < 200; ++life) {
    {
      const DelegatePtr delegate = MakeDelegate(WithWorker);
      auto interpreter = Applied(*model, delegate);
      const auto ran = RunOnce(interpreter.get());
      ASSERT_TRUE(ran.ok()) << ran.status();
    }
    if (life == 2) {  // drivers and the library are loaded
      threads = ThreadsOfProcess();
      files = FilesOfProcess();
    }
  }
  EXPECT_TRUE(ThreadsSinkTo(threads)) << ThreadsOfProcess();
  EXPECT_EQ(FilesOfProcess(), files);
}

}  // namespace
}  // namespace gles_delegate::testing

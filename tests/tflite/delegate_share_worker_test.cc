// labels: op egl delegate llvmpipe tsan
// share_key with thread_mode: worker: delegates of one key have one thread and
// one context between them.
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/process.h"
#include "tests/testing/watched_contexts.h"

namespace gles_delegate::testing {
namespace {

DelegatePtr WorkingFor(const std::string& key) {
  return MakeDelegate([&](TfLiteGlesDelegateOptions& options) {
    options.share_key = key.c_str();
    options.thread_mode = kTfLiteGlesThreadWorker;
  });
}

class DelegateShareWorkerTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped()) return;
    model_ = LoadOrDie(ChainModel("canc"));
    other_model_ = LoadOrDie(ChainModel("cnm"));
  }

  std::unique_ptr<Model> model_, other_model_;
};

TEST_F(DelegateShareWorkerTest, OneThreadAndOneContext) {
  const DelegatePtr first = WorkingFor("a");
  auto first_interpreter = Applied(*model_, first);
  ExpectClose(RunOnce(first_interpreter.get(), 1), CpuResult(*model_, 1));
  const size_t threads = ThreadsOfProcess();
  {
    const WatchedContexts contexts;
    const DelegatePtr second = WorkingFor("a");
    auto second_interpreter = Applied(*other_model_, second);
    EXPECT_THAT(contexts.displays(), IsEmpty());
    EXPECT_EQ(ThreadsOfProcess(), threads);
    // It is not the app's context, though it is current on that thread.
    EXPECT_EQ(ReportOf(second)["context"], ReportOf(first)["context"]);
    ExpectClose(RunOnce(second_interpreter.get()), CpuResult(*other_model_));
  }
  // The one that is left works on.
  ExpectClose(RunOnce(first_interpreter.get()), CpuResult(*model_));
  EXPECT_EQ(ThreadsOfProcess(), threads);
}

TEST_F(DelegateShareWorkerTest, AnotherKeyHasItsOwn) {
  const DelegatePtr first = WorkingFor("b");
  auto first_interpreter = Applied(*model_, first);
  for (const char* key : {"c", ""}) {
    const WatchedContexts contexts;
    const DelegatePtr other = WorkingFor(key);
    auto other_interpreter = Applied(*model_, other);
    EXPECT_THAT(contexts.displays(), Not(IsEmpty())) << key;
  }
}

TEST_F(DelegateShareWorkerTest, TheThreadGoesWithTheLastDelegate) {
  {
    // A driver may leave its own threads behind the first time.
    const DelegatePtr warm = WorkingFor("d");
    auto interpreter = Applied(*model_, warm);
    ExpectClose(RunOnce(interpreter.get()), CpuResult(*model_));
  }
  const size_t before = ThreadsOfProcess();
  DelegatePtr first = WorkingFor("d"), second = WorkingFor("d");
  auto first_interpreter = Applied(*model_, first);
  auto second_interpreter = Applied(*model_, second);
  // In whatever order they go.
  first.reset();
  ExpectClose(RunOnce(first_interpreter.get()), CpuResult(*model_));
  second_interpreter.reset();
  second.reset();
  ExpectClose(RunOnce(first_interpreter.get(), 1), CpuResult(*model_, 1));
  first_interpreter.reset();
  EXPECT_TRUE(ThreadsSinkTo(before));
}

TEST_F(DelegateShareWorkerTest, ManyThreadsWithADelegateEach) {
  constexpr int kThreads = 6, kRounds = 4;
  std::vector<std::vector<float>> expected[2];
  const Model* const models[] = {model_.get(), other_model_.get()};
  for (int model = 0; model < 2; ++model) {
    for (int round = 0; round < kRounds; ++round) {
      expected[model].push_back(CpuResult(*models[model], round));
    }
  }
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      for (int life = 0; life < 2; ++life) {
        const DelegatePtr delegate = WorkingFor("e");
        auto interpreter = Applied(*models[i % 2], delegate);
        for (int round = 0; round < kRounds; ++round) {
          ExpectClose(RunOnce(interpreter.get(), round),
                      expected[i % 2][round]);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace gles_delegate::testing

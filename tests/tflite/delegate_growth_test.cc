// labels: op delegate llvmpipe
// What does not grow: the heap over many Invokes and over many lives. The long
// run is tools/soak.cc (docs/reliability.md).
#include <malloc.h>

#include <cstdint>
#include <memory>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device.h"
#include "tests/testing/process.h"

namespace gles_delegate::testing {
namespace {

int64_t HeapBytes() { return static_cast<int64_t>(mallinfo2().uordblks); }

class DelegateGrowthTest : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    GLES_SKIP_WITHOUT_DEVICE();
    model_ = LoadOrDie(ChainModel("can"));
  }
  DelegatePtr Make() {
    return MakeDelegate(
        [](auto& options) { options.thread_mode = GetParam(); });
  }
  std::unique_ptr<Interpreter> Applied(const DelegatePtr& delegate) {
    auto interpreter = InterpreterOrDie(*model_);
    const absl::Status applied = interpreter->ApplyDelegate(delegate.get());
    EXPECT_TRUE(applied.ok()) << applied;
    return interpreter;
  }

  std::unique_ptr<Model> model_;
};

TEST_P(DelegateGrowthTest, TheHeapOverManyInvokes) {
  constexpr int kInvokes = 2000;
  // Less than a pointer an invoke.
  constexpr int64_t kMostBytes = kInvokes * 4;
  const DelegatePtr delegate = Make();
  auto interpreter = Applied(delegate);
  const auto invoke = [&](int times) {
    for (int i = 0; i < times; ++i) {
      ASSERT_EQ(TfLiteInterpreterInvoke(interpreter->get()), kTfLiteOk);
    }
  };
  invoke(200);
  const int64_t before = HeapBytes();
  invoke(kInvokes);
  EXPECT_LE(HeapBytes() - before, kMostBytes);
}

TEST_P(DelegateGrowthTest, HeapThreadsAndFilesOverManyLives) {
  constexpr int kLives = 60;
  // What a driver keeps of a context or of a program; an interpreter, a graph
  // or a plan that stayed would be several times that.
  constexpr int64_t kMostBytes = kLives * 2048;
  const auto live = [&](int times) {
    for (int i = 0; i < times; ++i) {
      const DelegatePtr delegate = Make();
      auto interpreter = Applied(delegate);
      ASSERT_EQ(TfLiteInterpreterInvoke(interpreter->get()), kTfLiteOk);
    }
  };
  live(10);
  const int64_t heap = HeapBytes();
  const size_t threads = ThreadsOfProcess(), files = FilesOfProcess();
  live(kLives);
  EXPECT_LE(HeapBytes() - heap, kMostBytes);
  EXPECT_TRUE(ThreadsSinkTo(threads)) << ThreadsOfProcess();
  EXPECT_EQ(FilesOfProcess(), files);
}

INSTANTIATE_TEST_SUITE_P(ThreadModes, DelegateGrowthTest,
                         ::testing::Values(kTfLiteGlesThreadCaller,
                                           kTfLiteGlesThreadWorker),
                         [](const auto& info) {
                           return info.param == kTfLiteGlesThreadWorker
                                      ? "Worker"
                                      : "Caller";
                         });

}  // namespace
}  // namespace gles_delegate::testing

// labels: op delegate llvmpipe
// The heap does not grow over many Invokes and over many lives. Long
// runs: lab/soak.cc, and the lives of several models with
// GLES_GROWTH_LIVES=2000 (docs/reliability.md).
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device.h"
#include "tests/testing/live_objects.h"
#include "tests/testing/process.h"
#include "tests/testing/real_model.h"

namespace gles_delegate::testing {
namespace {

int64_t HeapBytes() { return static_cast<int64_t>(mallinfo2().uordblks); }

int64_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  int64_t size = 0, resident = 0;
  file >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

// 0: the test is as long as CI wants it.
int WantedLives() {
  const char* text = std::getenv("GLES_GROWTH_LIVES");
  return text == nullptr ? 0 : std::atoi(text);
}

// Models of a few ops; in a long run real ones as well, if they are there.
std::vector<std::unique_ptr<Model>> ModelsToLive() {
  std::vector<std::unique_ptr<Model>> models;
  for (const char* letters : {"can", "mcc", "nan"}) {
    models.push_back(LoadOrDie(ChainModel(letters)));
  }
  if (WantedLives() == 0) return models;
  for (const char* name : {"mnist_lstm_int8", "mobilenet_v1_0.25_224_quant"}) {
    const std::string path =
        SharedFile("models/" + std::string(name) + ".tflite");
    if (path.empty()) {
      std::printf("NO MODEL %s, NOT TRIED\n", name);
      continue;
    }
    auto model = Model::FromFile(path);
    EXPECT_TRUE(model.ok()) << model.status();
    if (model.ok()) models.push_back(*std::move(model));
  }
  return models;
}

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

  std::unique_ptr<Model> model_;
};

TEST_P(DelegateGrowthTest, TheHeapOverManyInvokes) {
  constexpr int kInvokes = 2000;
  // Less than a pointer an invoke.
  constexpr int64_t kMaxBytes = kInvokes * 4;
  const DelegatePtr delegate = Make();
  auto interpreter = Applied(*model_, delegate);
  const auto invoke = [&](int times) {
    for (int i = 0; i < times; ++i) {
      ASSERT_EQ(TfLiteInterpreterInvoke(interpreter->get()), kTfLiteOk);
    }
  };
  invoke(200);
  const int64_t before = HeapBytes();
  invoke(kInvokes);
  EXPECT_LE(HeapBytes() - before, kMaxBytes);
}

TEST_P(DelegateGrowthTest, HeapThreadsAndFilesOverManyLives) {
  constexpr int kLives = 60;
  // The memory that a driver keeps of a context or a program; an interpreter, a
  // graph or a plan that stayed would be several times that.
  constexpr int64_t kMaxBytes = kLives * 2048;
  const auto live = [&](int times) {
    for (int i = 0; i < times; ++i) {
      const DelegatePtr delegate = Make();
      auto interpreter = Applied(*model_, delegate);
      ASSERT_EQ(TfLiteInterpreterInvoke(interpreter->get()), kTfLiteOk);
    }
  };
  live(10);
  const int64_t heap = HeapBytes();
  const size_t threads = ThreadsOfProcess(), files = FilesOfProcess();
  live(kLives);
  EXPECT_LE(HeapBytes() - heap, kMaxBytes);
  EXPECT_TRUE(ThreadsSinkTo(threads)) << ThreadsOfProcess();
  EXPECT_EQ(FilesOfProcess(), files);
}

// Each life applies a delegate to an interpreter of each model in turn.
TEST_P(DelegateGrowthTest, NothingStaysOfLivesOfSeveralModels) {
  const auto models = ModelsToLive();
  const int lives = WantedLives() > 0 ? WantedLives() : 30;
  const int warm_up = std::max(3, lives / 10);
  const LiveObjects objects;
  int64_t heap = 0, resident = 0;
  size_t threads = 0, files = 0;
  if (WantedLives() > 0) {
    std::printf("lives,resident_kb,heap_kb,threads,files,gl_objects\n");
  }
  for (int done = 1; done <= lives; ++done) {
    for (const auto& model : models) {
      const DelegatePtr delegate = Make();
      auto interpreter = Applied(*model, delegate);
      ASSERT_EQ(TfLiteInterpreterInvoke(interpreter->get()), kTfLiteOk);
      ASSERT_GT(objects.left(), 0);
    }
    ASSERT_EQ(objects.left(), 0);
    if (done == warm_up) {
      heap = HeapBytes();
      resident = ResidentBytes();
      threads = ThreadsOfProcess();
      files = FilesOfProcess();
    }
    if (WantedLives() > 0 && done % std::max(1, lives / 10) == 0) {
      std::printf("%d,%jd,%jd,%zu,%zu,%d\n", done,
                  static_cast<intmax_t>(ResidentBytes() / 1024),
                  static_cast<intmax_t>(HeapBytes() / 1024), ThreadsOfProcess(),
                  FilesOfProcess(), objects.left());
      std::fflush(stdout);
    }
  }
  const auto later = static_cast<int64_t>(models.size()) * (lives - warm_up);
  EXPECT_LE(HeapBytes() - heap, later * 2048);
  // A quarter of a page a life, beside what the allocator keeps.
  EXPECT_LE(ResidentBytes() - resident, (8 << 20) + later * 1024);
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

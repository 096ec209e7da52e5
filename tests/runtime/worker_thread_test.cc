// labels: unit sanitize tsan
// The thread that does what others ask of it.
#include "delegate/runtime/worker_thread.h"

#include <time.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/process.h"

namespace gles_delegate {
namespace {

using ::gles_delegate::testing::RunForked;
using ::gles_delegate::testing::ThreadsOfProcess;
using ::gles_delegate::testing::ThreadsSinkTo;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(WorkerThreadTest, RunsAllOnOneThreadThatIsNotTheCallers) {
  WorkerThread worker;
  std::thread::id first, second;
  ASSERT_TRUE(worker.Run([&] { first = std::this_thread::get_id(); }).ok());
  std::thread([&] {
    ASSERT_TRUE(worker.Run([&] { second = std::this_thread::get_id(); }).ok());
  }).join();
  EXPECT_EQ(first, second);
  EXPECT_NE(first, std::this_thread::get_id());
}

TEST(WorkerThreadTest, ItsOwnThreadRunsAtOnce) {
  WorkerThread worker;
  std::vector<int> order;
  ASSERT_TRUE(worker
                  .Run([&] {
                    order.push_back(1);
                    ASSERT_TRUE(worker.Run([&] { order.push_back(2); }).ok());
                    order.push_back(3);
                  })
                  .ok());
  EXPECT_THAT(order, ElementsAre(1, 2, 3));
}

// Longer calls and pauses than it polls for, and shorter ones.
TEST(WorkerThreadTest, PollsBeforeItSleeps) {
  static constexpr auto kLonger = std::chrono::milliseconds(5);
  for (auto polling :
       {WorkerThread::Polling::kBriefly, WorkerThread::Polling::kFirst}) {
    WorkerThread worker;
    worker.AllowPolling(polling);
    int calls = 0;
    for (bool is_long : {false, true, false, false, true}) {
      const auto take = [is_long] {
        if (is_long) std::this_thread::sleep_for(kLonger);
      };
      const auto submit = [&] {
        take();
        return true;
      };
      ASSERT_TRUE(worker.SubmitAndWait(submit, [&] { ++calls; }).ok());
      take();
    }
    EXPECT_EQ(calls, 5);
    EXPECT_EQ(worker.calls(), 0u);
  }
}

absl::Duration ProcessorTime(clockid_t clock) {
  timespec time = {};
  clock_gettime(clock, &time);
  return absl::DurationFromTimespec(time);
}

// After a long wait neither the caller nor the idle thread polls. If each wait
// did, they would take kWaits * 1.2 ms.
TEST(WorkerThreadTest, LongWaitsSleep) {
  constexpr int kWaits = 60;
  constexpr auto kWait = absl::Milliseconds(3);
  absl::Duration taken[2];
  for (auto polling :
       {WorkerThread::Polling::kNever, WorkerThread::Polling::kBriefly}) {
    WorkerThread worker;
    worker.AllowPolling(polling);
    const absl::Duration before = ProcessorTime(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < kWaits; ++i) {
      ASSERT_TRUE(worker.Run([&] { absl::SleepFor(kWait); }).ok());
      absl::SleepFor(kWait);
    }
    taken[polling == WorkerThread::Polling::kBriefly] =
        ProcessorTime(CLOCK_PROCESS_CPUTIME_ID) - before;
  }
  EXPECT_LT(taken[1] - taken[0], kWaits * absl::Milliseconds(0.6));
}

TEST(WorkerThreadTest, CallsAreServedInTheirOrder) {
  WorkerThread worker;
  std::atomic<bool> go = false;
  std::vector<int> order;
  std::vector<std::thread> callers;
  const auto call = [&](int i) {
    ASSERT_TRUE(worker
                    .Run([&, i] {
                      while (!go) std::this_thread::yield();
                      order.push_back(i);
                    })
                    .ok());
  };
  for (int i = 0; i < 6; ++i) {
    callers.emplace_back(call, i);
    // Once it is in the queue, the next one comes.
    while (worker.calls() != static_cast<size_t>(i) + 1) {
      std::this_thread::yield();
    }
  }
  go = true;
  for (std::thread& caller : callers) caller.join();
  EXPECT_THAT(order, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(worker.calls(), 0u);
}

// Calls of a worker, in the order of the queue, with what it does in order.
class QueuedCalls {
 public:
  QueuedCalls() {
    while (worker_.calls() != 1) std::this_thread::yield();
  }
  ~QueuedCalls() { Run(); }

  void Add(std::function<absl::Status()> call) {
    callers_.emplace_back([call] { ASSERT_TRUE(call().ok()); });
    // Once it is in the queue, the next one comes.
    while (worker_.calls() != callers_.size() + 1) std::this_thread::yield();
  }
  void AddSubmit(const std::string& name, bool has_wait = true) {
    Add([this, name, has_wait] {
      return worker_.SubmitAndWait(
          [&] {
            log_.push_back("submit " + name);
            return has_wait;
          },
          [&] { log_.push_back("wait " + name); });
    });
  }
  void AddWhole(const std::string& name) {
    Add([this, name] { return worker_.Run([&] { log_.push_back(name); }); });
  }
  // Lets the worker begin; what it did.
  std::vector<std::string> Run() {
    go_ = true;
    if (gate_.joinable()) gate_.join();
    for (std::thread& caller : callers_) caller.join();
    callers_.clear();
    return log_;
  }

 private:
  WorkerThread worker_;
  std::atomic<bool> go_ = false;
  std::vector<std::string> log_;
  std::vector<std::thread> callers_;
  std::thread gate_{[this] {
    ASSERT_TRUE(worker_
                    .Run([&] {
                      while (!go_) std::this_thread::yield();
                    })
                    .ok());
  }};
};

TEST(WorkerThreadTest, ACallBeginsWhileTheOneBeforeItIsUnderWay) {
  QueuedCalls calls;
  for (const char* name : {"1", "2", "3"}) calls.AddSubmit(name);
  EXPECT_THAT(calls.Run(), ElementsAre("submit 1", "submit 2", "wait 1",
                                       "submit 3", "wait 2", "wait 3"));
}

TEST(WorkerThreadTest, AWholeCallWaitsForWhatIsUnderWay) {
  QueuedCalls calls;
  calls.AddSubmit("1");
  calls.AddSubmit("2");
  calls.AddWhole("prepare");
  calls.AddSubmit("3");
  EXPECT_THAT(calls.Run(),
              ElementsAre("submit 1", "submit 2", "wait 1", "wait 2", "prepare",
                          "submit 3", "wait 3"));
}

TEST(WorkerThreadTest, ACallThatIsDoneAtOnceHasNothingToWaitFor) {
  QueuedCalls calls;
  calls.AddSubmit("1");
  calls.AddSubmit("2", /*has_wait=*/false);
  EXPECT_THAT(calls.Run(), ElementsAre("submit 1", "submit 2", "wait 1"));
}

TEST(WorkerThreadTest, ItsOwnThreadSubmitsAndWaitsAtOnce) {
  WorkerThread worker;
  std::vector<int> order;
  ASSERT_TRUE(worker
                  .Run([&] {
                    ASSERT_TRUE(worker
                                    .SubmitAndWait(
                                        [&] {
                                          order.push_back(1);
                                          return true;
                                        },
                                        [&] { order.push_back(2); })
                                    .ok());
                    order.push_back(3);
                  })
                  .ok());
  EXPECT_THAT(order, ElementsAre(1, 2, 3));
}

// The worker sees what a caller writes, and the other way round; under
// ThreadSanitizer this is the test of the memory order.
TEST(WorkerThreadTest, ManyCallersShareWhatOnlyTheWorkerTouches) {
  constexpr int kCallers = 8, kCalls = 500;
  WorkerThread worker;
  int64_t sum = 0;  // of the worker's
  std::vector<std::thread> callers;
  for (int i = 0; i < kCallers; ++i) {
    callers.emplace_back([&] {
      for (int call = 0; call < kCalls; ++call) {
        int in = call, out = -1;
        const auto add = [&] {
          sum += in;
          return true;
        };
        const auto answer = [&] { out = in + 1; };
        ASSERT_TRUE(worker.SubmitAndWait(add, answer).ok());
        ASSERT_EQ(out, call + 1);
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, int64_t{kCallers} * kCalls * (kCalls - 1) / 2);
}

TEST(WorkerThreadTest, TheThreadComesWithTheFirstCallAndGoesWithTheObject) {
  const size_t before = ThreadsOfProcess();
  {
    WorkerThread worker;
    EXPECT_FALSE(worker.is_started());
    EXPECT_EQ(ThreadsOfProcess(), before);
    ASSERT_TRUE(worker.Run([] {}).ok());
    EXPECT_TRUE(worker.is_started());
    EXPECT_EQ(ThreadsOfProcess(), before + 1);
  }
  EXPECT_TRUE(ThreadsSinkTo(before));
}

TEST(WorkerThreadTest, AForkedChildGetsAnErrorAndMayDestroyIt) {
  auto worker = std::make_unique<WorkerThread>();
  ASSERT_TRUE(worker->Run([] {}).ok());
  const int child = RunForked([&] {
    bool ran = false;
    const absl::Status status = worker->Run([&] { ran = true; });
    worker.reset();
    if (ran || !absl::IsFailedPrecondition(status)) return 1;
    const bool is_said = ::testing::Matches(AllOf(
        HasSubstr("forked"), HasSubstr(std::to_string(getppid())),
        HasSubstr(std::to_string(getpid()))))(std::string(status.message()));
    return is_said ? 0 : 2;
  });
  EXPECT_EQ(child, 0);
  bool ran = false;
  EXPECT_TRUE(worker->Run([&] { ran = true; }).ok());
  EXPECT_TRUE(ran);
}

// A server that forks its workers makes its objects before.
TEST(WorkerThreadTest, OneThatWasNotUsedBeforeAForkWorksInTheChild) {
  WorkerThread worker;
  const int child = RunForked([&] {
    bool ran = false;
    return worker.Run([&] { ran = true; }).ok() && ran ? 0 : 1;
  });
  EXPECT_EQ(child, 0);
}

}  // namespace
}  // namespace gles_delegate

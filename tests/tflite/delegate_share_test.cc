// labels: op egl delegate llvmpipe tsan
// The option share_key: what delegates and interpreters share on the GPU, when
// it goes, and that it is right on many threads.
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"
#include "delegate/session/gpu.h"
#include "egl/context.h"
#include "tests/testing/app_context.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/live_objects.h"
#include "tests/testing/matchers.h"
#include "tests/testing/pretended_resets.h"
#include "tests/testing/process.h"
#include "tests/testing/scratch_directory.h"
#include "tests/testing/watched_contexts.h"

namespace gles_delegate::testing {
namespace {

DelegatePtr Sharing(const std::string& key,
                    int mode = kTfLiteGlesThreadCaller) {
  return MakeDelegate([&](TfLiteGlesDelegateOptions& options) {
    options.share_key = key.c_str();
    options.thread_mode = mode;
    options.self_check = 0;  // it has its own programs and buffers
  });
}

int64_t BytesOf(const nlohmann::json& report, const std::string& category) {
  return report["gpu_bytes"][category].get<int64_t>();
}

class DelegateShareTest : public ChainTest {
 protected:
  DelegateShareTest() : ChainTest("canc") {}
};

TEST_F(DelegateShareTest, TheSecondCompilesAndUploadsNothing) {
  for (const int mode : {kTfLiteGlesThreadCaller, kTfLiteGlesThreadWorker}) {
    LiveObjects objects;
    DelegatePtr first = Sharing("a", mode);
    auto first_interpreter = Applied(*model_, first);
    const auto alone = ReportOf(first);
    EXPECT_EQ(BytesOf(alone, "shared_constants"), 0);
    ASSERT_GT(BytesOf(alone, "constants"), 0);
    const int programs = objects.programs();
    ASSERT_GT(programs, 0);

    DelegatePtr second = Sharing("a", mode);
    auto second_interpreter = Applied(*model_, second);
    const auto report = ReportOf(second);
    EXPECT_EQ(objects.programs(), programs);
    EXPECT_EQ(report["programs"], alone["programs"]);
    EXPECT_EQ(BytesOf(report, "constants"), BytesOf(alone, "constants"));
    EXPECT_EQ(BytesOf(report, "shared_constants"), BytesOf(alone, "constants"));
    ExpectClose(RunOnce(first_interpreter.get()), expected_);
    ExpectClose(RunOnce(second_interpreter.get()), expected_);

    // Shared objects stay until the second is gone, too.
    first_interpreter.reset();
    first.reset();
    ExpectClose(RunOnce(second_interpreter.get(), 1), CpuResult(*model_, 1));
    auto third_interpreter = Applied(*model_, Sharing("a", mode));
    EXPECT_EQ(objects.programs(), programs);
    ExpectClose(RunOnce(third_interpreter.get(), 2), CpuResult(*model_, 2));
    second_interpreter.reset();
    third_interpreter.reset();
    second.reset();
    EXPECT_EQ(objects.left(), 0);
  }
}

TEST_F(DelegateShareTest, OthersShareNothing) {
  for (const char* key : {"", "b"}) {
    const DelegatePtr first = Sharing(key);
    auto first_interpreter = Applied(*model_, first);
    const DelegatePtr second = Sharing(*key == '\0' ? "" : "c");
    LiveObjects objects;
    auto second_interpreter = Applied(*model_, second);
    EXPECT_GT(objects.programs(), 0) << key;
    EXPECT_EQ(BytesOf(ReportOf(second), "shared_constants"), 0) << key;
  }
}

TEST_F(DelegateShareTest, InterpretersOfOneDelegateShareConstants) {
  for (const char* key : {"", "d"}) {
    SCOPED_TRACE(key);
    const DelegatePtr delegate = Sharing(key);
    auto first = Applied(*model_, delegate);
    auto second = Applied(*model_, delegate);
    const auto report = ReportOf(delegate);
    EXPECT_EQ(BytesOf(report["interpreters"][0], "shared_constants"), 0);
    EXPECT_EQ(BytesOf(report["interpreters"][1], "shared_constants"),
              BytesOf(report["interpreters"][1], "constants"));
    EXPECT_EQ(BytesOf(report, "total"),
              BytesOf(report["interpreters"][0], "total") +
                  BytesOf(report["interpreters"][1], "total"));
    first.reset();
    ExpectClose(RunOnce(second.get()), expected_);
  }
}

// Models that have some weights in common, and options that store them
// otherwise: only what is the same is shared.
TEST_F(DelegateShareTest, WhatDiffersIsNotShared) {
  const auto larger = LoadOrDie(ChainModel("cancnm"));
  const DelegatePtr first = Sharing("e");
  auto first_interpreter = Applied(*model_, first);
  const DelegatePtr second = Sharing("e");
  auto second_interpreter = Applied(*larger, second);
  const auto in_halves = [](const char* key) {
    return MakeDelegate([key](TfLiteGlesDelegateOptions& options) {
      options.share_key = key;
      options.is_precision_loss_allowed = 1;
      options.storage = kTfLiteGlesStorageTextureArray;
    });
  };
  const DelegatePtr halves = in_halves("e"), alone = in_halves("");
  auto halves_interpreter = Applied(*model_, halves);
  auto alone_interpreter = Applied(*model_, alone);
  for (int round = 0; round < 3; ++round) {
    ExpectClose(RunOnce(first_interpreter.get(), round),
                CpuResult(*model_, round));
    ExpectClose(RunOnce(second_interpreter.get(), round),
                CpuResult(*larger, round));
    const auto half = RunOnce(halves_interpreter.get(), round);
    ASSERT_TRUE(half.ok()) << half.status();
    EXPECT_EQ(*half, *RunOnce(alone_interpreter.get(), round));
  }
}

TEST_F(DelegateShareTest, ASharedContextOfTheAppsIsLeftClean) {
  AppContext app;
  LiveObjects objects;
  {
    const DelegatePtr first = Sharing("f"), second = Sharing("f");
    auto first_interpreter = Applied(*model_, first);
    const int programs = objects.programs();
    auto second_interpreter = Applied(*model_, second);
    EXPECT_EQ(ReportOf(second)["context"], "borrowed");
    EXPECT_EQ(objects.programs(), programs);
    EXPECT_EQ(BytesOf(ReportOf(second), "shared_constants"),
              BytesOf(ReportOf(first), "constants"));
    first_interpreter.reset();
    ExpectClose(RunOnce(second_interpreter.get()), expected_);
  }
  EXPECT_EQ(objects.left(), 0);
  // A context that EGL does not tell to share with the app's does not.
  const DelegatePtr first = Sharing("f");
  auto first_interpreter = Applied(*model_, first);
  app.Leave();
  const DelegatePtr own = Sharing("f");
  auto own_interpreter = Applied(*model_, own);
  EXPECT_EQ(BytesOf(ReportOf(own), "shared_constants"), 0);
  app.MakeCurrent();
}

TEST_F(DelegateShareTest, WhereEglSharesNothingEachHasItsOwn) {
  const DelegatePtr first = Sharing("g");
  auto first_interpreter = Applied(*model_, first);
  const WatchedContexts contexts(WatchedContexts::Refused::kSharing);
  const DelegatePtr second = Sharing("g");
  auto second_interpreter = Applied(*model_, second);
  EXPECT_THAT(second_interpreter->log(),
              Contains(HasSubstr("share_key: nothing is shared")));
  EXPECT_EQ(BytesOf(ReportOf(second), "shared_constants"), 0);
  ExpectClose(RunOnce(first_interpreter.get()), expected_);
  ExpectClose(RunOnce(second_interpreter.get()), expected_);
}

TEST_F(DelegateShareTest, AContextThatIsLostLeavesTheOthers) {
  GLES_SKIP_WITHOUT("GL_KHR_robustness");
  PretendedResets resets;
  const DelegatePtr first = Sharing("h"), second = Sharing("h");
  auto first_interpreter = Applied(*model_, first);
  auto second_interpreter = Applied(*model_, second);
  resets.Tell();
  EXPECT_FALSE(RunOnce(first_interpreter.get()).ok());
  ExpectClose(RunOnce(first_interpreter.get()), expected_);
  EXPECT_EQ(BytesOf(ReportOf(first), "shared_constants"), 0);
  ExpectClose(RunOnce(second_interpreter.get()), expected_);
  // The next one shares with the context that is new.
  const DelegatePtr third = Sharing("h");
  auto third_interpreter = Applied(*model_, third);
  EXPECT_EQ(BytesOf(ReportOf(third), "shared_constants"),
            BytesOf(ReportOf(first), "constants"));
  ExpectClose(RunOnce(third_interpreter.get()), expected_);
  resets.Tell();
  EXPECT_FALSE(RunOnce(second_interpreter.get()).ok());
  ExpectClose(RunOnce(second_interpreter.get()), expected_);
  EXPECT_EQ(BytesOf(ReportOf(second), "shared_constants"),
            BytesOf(ReportOf(first), "constants"));
}

TEST_F(DelegateShareTest, BesideTheStartUpCache) {
  const ScratchDirectory directory;
  const auto cached = [&] {
    return MakeDelegate([&](TfLiteGlesDelegateOptions& options) {
      options.share_key = "l";
      options.serialization_dir = directory.path().c_str();
      options.model_token = "share";
    });
  };
  for (int life = 0; life < 2; ++life) {
    const DelegatePtr first = cached(), second = cached();
    auto first_interpreter = Applied(*model_, first);
    auto second_interpreter = Applied(*model_, second);
    EXPECT_EQ(BytesOf(ReportOf(second), "shared_constants"),
              BytesOf(ReportOf(first), "constants"));
    EXPECT_NE(ReportOf(second)["cache"]["state"], "off");
    ExpectClose(RunOnce(first_interpreter.get()), expected_);
    first_interpreter.reset();
    ExpectClose(RunOnce(second_interpreter.get(), 1), CpuResult(*model_, 1));
  }
}

TEST_F(DelegateShareTest, AResizeSharesWhatStays) {
  const DelegatePtr first = Sharing("i"), second = Sharing("i");
  auto first_interpreter = Applied(*model_, first);
  auto second_interpreter = Applied(*model_, second);
  const Shape larger = {1, 9, 5, 5};
  for (auto* interpreter :
       {first_interpreter.get(), second_interpreter.get()}) {
    Resize(interpreter, larger);
    ExpectClose(RunOnce(interpreter), CpuResult(*model_, 0, larger));
  }
  EXPECT_EQ(BytesOf(ReportOf(second), "shared_constants"),
            BytesOf(ReportOf(second), "constants"));
}

// Eight threads start, invoke, and end delegates of two models at once.
TEST_F(DelegateShareTest, ManyThreadsAtOnce) {
  const auto other_model = LoadOrDie(ChainModel("mcc"));
  constexpr int kThreads = 8, kLives = 3, kInvokes = 3;
  for (const int mode : {kTfLiteGlesThreadCaller, kTfLiteGlesThreadWorker}) {
    std::vector<std::vector<float>> right[2];
    for (int round = 0; round < kInvokes; ++round) {
      right[0].push_back(*RunOnce(Applied(*model_, Sharing("")).get(), round));
      right[1].push_back(
          *RunOnce(Applied(*other_model, Sharing("")).get(), round));
    }
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int life = 0; life < kLives; ++life) {
          const int m = (t + life) % 2;
          const DelegatePtr delegate = Sharing("j", mode);
          auto interpreter = Applied(m == 0 ? *model_ : *other_model, delegate);
          for (int round = 0; round < kInvokes; ++round) {
            const auto outputs = RunOnce(interpreter.get(), round);
            ASSERT_TRUE(outputs.ok()) << outputs.status();
            EXPECT_EQ(*outputs, right[m][round]);  // bit for bit
          }
          EXPECT_TRUE(ReportOf(delegate)["gpu_bytes"].contains("constants"));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

// A child has nothing of its parent's contexts.
TEST_F(DelegateShareTest, AForkedChildBeginsAGroupOfItsOwn) {
  const auto join = [](absl::FunctionRef<void(bool)> told) {
    return JoinShareGroup(
        "of the test", [](const egl::Context&) { return true; },
        [&](const egl::Context* other) {
          told(other != nullptr);
          return egl::Context::Create({});
        },
        [](const absl::Status&) {});
  };
  const auto parents = join([](bool joins) { EXPECT_FALSE(joins); });
  ASSERT_TRUE(parents.ok()) << parents.status();
  ASSERT_TRUE(join([](bool joins) { EXPECT_TRUE(joins); }).ok());
  const pid_t child = fork();
  if (child == 0) {
    (void)join([](bool joins) { _exit(joins ? 1 : 42); });
    _exit(2);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 42);
}

// share_key with thread_mode: worker: delegates of one key have one thread and
// one context between them.

DelegatePtr WorkingFor(const std::string& key) {
  return MakeDelegate([&](TfLiteGlesDelegateOptions& options) {
    options.share_key = key.c_str();
    options.thread_mode = kTfLiteGlesThreadWorker;
  });
}

class DelegateShareWorkerTest : public ChainTest {
 protected:
  DelegateShareWorkerTest() : ChainTest("canc") {}

  const std::unique_ptr<Model> other_model_ = LoadOrDie(ChainModel("cnm"));
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

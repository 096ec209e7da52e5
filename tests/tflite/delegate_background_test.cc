// labels: op delegate llvmpipe softpipe tsan
// startup: tiered: a partition begins with a baseline plan, and goes on
// with its optimized plan once that has been built in the background.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/testing/app_context.h"
#include "tests/testing/child.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device.h"
#include "tests/testing/driver_faults.h"
#include "tests/testing/live_objects.h"
#include "tests/testing/matchers.h"
#include "tests/testing/pretended_resets.h"
#include "tests/testing/quantized_model.h"
#include "tests/testing/scratch_directory.h"
#include "tests/testing/watched_contexts.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::Before;
using ::gles_delegate::egl::GlApi;
using ::gles_delegate::egl::Instead;

// Past this a test fails: the build in the background has not ended.
constexpr auto kLongest = std::chrono::minutes(1);

// Threads other than this one have no program of the driver's while it is set.
std::atomic<bool> g_compiler_is_broken = false;
std::thread::id g_main;
GLuint CreateProgram() {
  if (g_compiler_is_broken && std::this_thread::get_id() != g_main) return 0;
  return egl::driver_gl().CreateProgram();
}

// Threads other than this one stop before each program while it is set.
std::atomic<bool> g_compiler_waits = false;
void WaitForCompiler(GLuint) {
  while (g_compiler_waits && std::this_thread::get_id() != g_main) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void InBackground(TfLiteGlesDelegateOptions& options) {
  options.startup = kTfLiteGlesStartupTiered;
}

class DelegateBackgroundTest : public ::testing::Test {
 protected:
  void SetUp() override {
    GLES_SKIP_WITHOUT_DEVICE();
    g_main = std::this_thread::get_id();
    g_compiler_is_broken = false;
    g_compiler_waits = false;
    // Once there is a context, and so a driver.
    programs_.emplace(CreateProgram);
    links_.emplace(WaitForCompiler);
    // Large enough that llvmpipe's row and the baseline plan differ in tiles.
    model_ = LoadOrDie(ChainModel("cancm", {1, 48, 48, 5}));
  }
  void TearDown() override { g_compiler_waits = false; }

  static nlohmann::json Background(const DelegatePtr& delegate) {
    return ReportOf(delegate)["partition"][0]["background"];
  }
  static std::string State(const DelegatePtr& delegate) {
    return Background(delegate)["state"];
  }
  static std::string Reason(const DelegatePtr& delegate) {
    return Background(delegate)["reason"];
  }
  // The shaders of the first partition.
  static std::vector<std::string> Shaders(const DelegatePtr& delegate) {
    std::vector<std::string> shaders;
    const nlohmann::json report = ReportOf(delegate);
    for (const auto& d : report["partition"][0]["plan"]) {
      shaders.push_back(d["shader"].get<std::string>() + d["defines"].dump());
    }
    return shaders;
  }

  // Inferences with the CPU's values until the background has ended.
  void RunUntilSettled(const Model& model, Interpreter* interpreter,
                       const DelegatePtr& delegate, const Shape& shape = {}) {
    const std::vector<float> expected = CpuResult(model, 0, shape);
    const auto start = std::chrono::steady_clock::now();
    std::string state;
    do {
      ExpectClose(RunOnce(interpreter), expected);
      state = State(delegate);
      ASSERT_LT(std::chrono::steady_clock::now() - start, kLongest) << state;
    } while (state == "waiting" || state == "running");
    ExpectClose(RunOnce(interpreter), expected);
  }

  std::unique_ptr<Model> model_;
  std::optional<Instead<&GlApi::CreateProgram>> programs_;
  std::optional<Before<&GlApi::LinkProgram>> links_;
};

TEST_F(DelegateBackgroundTest, ThePlanProperTakesOver) {
  const DelegatePtr off = MakeDelegate(
      [](auto& options) { options.startup = kTfLiteGlesStartupDirect; });
  auto plain = Applied(*model_, off);
  EXPECT_EQ(State(off), "off");
  EXPECT_EQ(Reason(off), "");

  g_compiler_waits = true;
  const DelegatePtr delegate = MakeDelegate(InBackground);
  auto interpreter = Applied(*model_, delegate);
  EXPECT_EQ(State(delegate), "waiting");
  EXPECT_GT(Background(delegate)["baseline_programs"], 0);
  const std::vector<std::string> before = Shaders(delegate);
  for (int round : {0, 1, 2}) {
    ExpectClose(RunOnce(interpreter.get(), round), CpuResult(*model_, round));
    EXPECT_EQ(State(delegate), "running");
  }
  EXPECT_EQ(Shaders(delegate), before);
  EXPECT_NE(Shaders(off), before);
  g_compiler_waits = false;
  RunUntilSettled(*model_, interpreter.get(), delegate);
  EXPECT_EQ(State(delegate), "done");
  EXPECT_GE(Background(delegate)["baseline_inferences"], 3);
  EXPECT_GT(Background(delegate)["ms"], 0);
  EXPECT_EQ(Shaders(delegate), Shaders(off));
  for (int round : {1, 2}) {
    ExpectClose(RunOnce(interpreter.get(), round), CpuResult(*model_, round));
  }
}

TEST_F(DelegateBackgroundTest,
       QuantizedValuesAreThoseOfThePlanProperFromTheFirstOn) {
  const auto model = LoadOrDie(SumOfQuantized({1, 7, 9, 5}, TensorType::INT8));
  const DelegatePtr delegate = MakeDelegate(InBackground);
  auto interpreter = Applied(*model, delegate);
  auto cpu = InterpreterOrDie(*model);
  const auto run = [](Interpreter* i) {
    const absl::Span<int8_t> input = i->input(0).data<int8_t>();
    for (size_t k = 0; k < input.size(); ++k) {
      input[k] = static_cast<int8_t>(37 * k);
    }
    EXPECT_TRUE(i->Invoke().ok());
    const absl::Span<int8_t> output = i->output(0).data<int8_t>();
    return std::vector<int8_t>(output.begin(), output.end());
  };
  const std::vector<int8_t> expected = run(cpu.get());
  for (std::string state; state != "done"; state = State(delegate)) {
    ASSERT_THAT(state, ::testing::AnyOf("", "waiting", "running"))
        << Background(delegate);
    EXPECT_EQ(run(interpreter.get()), expected);
  }
  EXPECT_EQ(run(interpreter.get()), expected);
}

TEST_F(DelegateBackgroundTest, PartitionsFollowOneAnother) {
  const auto model = LoadOrDie(ChainModel("cancrnamrcc"));
  const DelegatePtr delegate = MakeDelegate([](auto& options) {
    InBackground(options);
    options.max_delegated_partitions = 0;
  });
  auto interpreter = Applied(*model, delegate);
  const auto states = [&] {
    std::vector<std::string> states;
    const nlohmann::json report = ReportOf(delegate);
    for (const auto& p : report["partition"]) {
      states.push_back(p["background"]["state"]);
    }
    return states;
  };
  EXPECT_THAT(states(), ElementsAre("waiting", "waiting", "waiting"));
  const auto start = std::chrono::steady_clock::now();
  while (states() != std::vector<std::string>(3, "done")) {
    ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
    ASSERT_LT(std::chrono::steady_clock::now() - start, kLongest);
  }
  ExpectClose(RunOnce(interpreter.get(), 1), CpuResult(*model, 1));
}

// Also after a reset, when its first inference already submits and waits.
TEST_F(DelegateBackgroundTest, AWorkerTakesOver) {
  const DelegatePtr delegate = MakeDelegate([](auto& options) {
    InBackground(options);
    options.thread_mode = kTfLiteGlesThreadWorker;
  });
  auto interpreter = Applied(*model_, delegate);
  RunUntilSettled(*model_, interpreter.get(), delegate);
  EXPECT_EQ(State(delegate), "done");
  if (!TestContext()->device().Has("GL_KHR_robustness")) return;
  PretendedResets resets;
  resets.Tell();
  EXPECT_EQ(TfLiteInterpreterInvoke(interpreter->get()), kTfLiteError);
  RunUntilSettled(*model_, interpreter.get(), delegate);
  EXPECT_EQ(State(delegate), "done");
  EXPECT_EQ(ReportOf(delegate)["contexts_lost"], 1);
}

TEST_F(DelegateBackgroundTest, TensorsStayWhereTheyLie) {
  GLES_SKIP_WITHOUT("GL_EXT_buffer_storage");
  // The buffers that threads other than this one make to be mapped.
  std::atomic<int> mapped = 0;
  const Before<&GlApi::BufferStorageEXT> storage([&](auto...) {
    if (std::this_thread::get_id() != g_main) ++mapped;
  });
  const DelegatePtr delegate = MakeDelegate([](auto& options) {
    InBackground(options);
    options.zero_copy = kTfLiteGlesOn;
    options.storage = kTfLiteGlesStorageTexture2d;
    options.self_check = 0;  // which has its own mapped buffers
  });
  auto interpreter = Applied(*model_, delegate);
  const auto lies_at = [](const TensorView& tensor) {
    EXPECT_EQ(tensor.get()->allocation_type, kTfLiteCustom);
    return tensor.get()->data.raw;
  };
  const char* const input = lies_at(interpreter->input(0));
  const char* const output = lies_at(interpreter->output(0));
  mapped = 0;
  RunUntilSettled(*model_, interpreter.get(), delegate);
  ASSERT_EQ(State(delegate), "done");
  EXPECT_EQ(lies_at(interpreter->input(0)), input);
  EXPECT_EQ(lies_at(interpreter->output(0)), output);
  // So the optimized plan has none but those of the baseline plan, and copies
  // nothing.
  EXPECT_EQ(mapped, 0);
  ExpectClose(RunOnce(interpreter.get(), 2), CpuResult(*model_, 2));
}

TEST_F(DelegateBackgroundTest, AResizeStopsItAndNeedsNoOtherBaseline) {
  const Shape larger = {2, 50, 41, 5};
  // While the background is at work.
  const DelegatePtr delegate = MakeDelegate(InBackground);
  auto interpreter = Applied(*model_, delegate);
  g_compiler_waits = true;
  ExpectClose(RunOnce(interpreter.get()), CpuResult(*model_));
  ASSERT_EQ(State(delegate), "running");
  g_compiler_waits = false;
  Resize(interpreter.get(), larger);
  RunUntilSettled(*model_, interpreter.get(), delegate, larger);
  // When it has ended.
  ASSERT_EQ(State(delegate), "done");
  for (const Shape& shape : {Shape{1, 48, 48, 5}, larger}) {
    Resize(interpreter.get(), shape);
    EXPECT_EQ(State(delegate), "off");
    EXPECT_EQ(Reason(delegate),
              "most programs were compiled before the resize");
    ExpectClose(RunOnce(interpreter.get()), CpuResult(*model_, 0, shape));
  }
}

TEST_F(DelegateBackgroundTest, InterpreterAndDelegateMayGoAtAnyTime) {
  for (int inferences : {0, 1, 2}) {
    for (bool delegate_first : {false, true}) {
      DelegatePtr delegate = MakeDelegate(InBackground);
      auto interpreter = Applied(*model_, delegate);
      for (int i = 0; i < inferences; ++i) {
        ExpectClose(RunOnce(interpreter.get()), CpuResult(*model_));
      }
      if (delegate_first) delegate.reset();
      interpreter.reset();
    }
  }
}

TEST_F(DelegateBackgroundTest, WithoutAContextToShareTheBaselineGoesOn) {
  const DelegatePtr delegate = MakeDelegate(InBackground);
  auto interpreter = Applied(*model_, delegate);
  const WatchedContexts none(WatchedContexts::Refused::kAll);
  RunUntilSettled(*model_, interpreter.get(), delegate);
  EXPECT_EQ(State(delegate), "failed");
  EXPECT_THAT(interpreter->log(),
              Contains(AllOf(HasSubstr("WARNING"),
                             HasSubstr("stays with its baseline plan"))));
  ExpectClose(RunOnce(interpreter.get(), 1), CpuResult(*model_, 1));
}

// Of both plans, once the last inference has run and all is deleted.
TEST_F(DelegateBackgroundTest, EveryGlObjectIsDeleted) {
  const LiveObjects live;
  {
    const DelegatePtr delegate = MakeDelegate(InBackground);
    auto interpreter = Applied(*model_, delegate);
    RunUntilSettled(*model_, interpreter.get(), delegate);
    EXPECT_EQ(State(delegate), "done");
    EXPECT_GT(live.left(), 0);
  }
  EXPECT_EQ(live.left(), 0);
  // The build is stopped, or no one takes what it has made.
  for (const bool waits : {true, false}) {
    const DelegatePtr delegate = MakeDelegate(InBackground);
    auto interpreter = Applied(*model_, delegate);
    ExpectClose(RunOnce(interpreter.get()), CpuResult(*model_));
    if (waits) std::this_thread::sleep_for(std::chrono::milliseconds(300));
  }
  EXPECT_EQ(live.left(), 0);
}

TEST_F(DelegateBackgroundTest, WhatCannotBeBuiltLeavesTheBaseline) {
  const DelegatePtr delegate = MakeDelegate(InBackground);
  auto interpreter = Applied(*model_, delegate);
  g_compiler_is_broken = true;
  RunUntilSettled(*model_, interpreter.get(), delegate);
  EXPECT_EQ(State(delegate), "failed");
  EXPECT_THAT(Background(delegate)["reason"].get<std::string>(),
              HasSubstr("the driver makes no program"));
  EXPECT_THAT(interpreter->log(),
              Contains(AllOf(HasSubstr("WARNING"),
                             HasSubstr("stays with its baseline plan"),
                             HasSubstr("the driver makes no program"))));
  for (int round : {0, 1, 2}) {
    ExpectClose(RunOnce(interpreter.get(), round), CpuResult(*model_, round));
  }
}

// Of several partitions, one of which makes the new context while the others
// are still being built in the lost one.
TEST_F(DelegateBackgroundTest, AResetWhileItIsAtWorkBeginsAgain) {
  GLES_SKIP_WITHOUT("GL_KHR_robustness");
  model_ = LoadOrDie(ChainModel("cancrnamrcc", {1, 48, 48, 5}));
  const DelegatePtr delegate = MakeDelegate([](auto& options) {
    InBackground(options);
    options.max_delegated_partitions = 0;
  });
  auto interpreter = Applied(*model_, delegate);
  g_compiler_waits = true;
  ExpectClose(RunOnce(interpreter.get()), CpuResult(*model_));
  ASSERT_EQ(State(delegate), "running");
  {
    PretendedResets resets;
    resets.Tell();
    EXPECT_EQ(TfLiteInterpreterInvoke(interpreter->get()), kTfLiteError);
    g_compiler_waits = false;
    RunUntilSettled(*model_, interpreter.get(), delegate);
  }
  EXPECT_EQ(State(delegate), "done");
  EXPECT_EQ(ReportOf(delegate)["contexts_lost"], 1);
}

TEST_F(DelegateBackgroundTest, WhatIsAboutThePlanProperHasNoBaseline) {
  const std::map<std::string, std::function<void(TfLiteGlesDelegateOptions&)>>
      changes = {
          {"enable_op_profiling", [](auto& o) { o.enable_op_profiling = 1; }},
          {"memory_limit_bytes",
           [](auto& o) { o.memory_limit_bytes = 1 << 30; }},
          {"share_key", [](auto& o) { o.share_key = "background"; }}};
  for (const auto& [name, change] : changes) {
    const DelegatePtr delegate =
        MakeDelegate([&, &change = change](auto& options) {
          InBackground(options);
          change(options);
        });
    auto interpreter = Applied(*model_, delegate);
    EXPECT_EQ(State(delegate), "off");
    EXPECT_EQ(Reason(delegate), name + " is set");
    ExpectClose(RunOnce(interpreter.get()), CpuResult(*model_));
  }
}

TEST_F(DelegateBackgroundTest, NorHasAContextOfTheApps) {
  const AppContext app;
  const DelegatePtr delegate = MakeDelegate(InBackground);
  auto interpreter = Applied(*model_, delegate);
  EXPECT_EQ(State(delegate), "off");
  EXPECT_EQ(Reason(delegate), "the context is the app's");
}

// The start that writes the cache waits with its end for the file, and later
// starts build from it in the background.
TEST_F(DelegateBackgroundTest, TheStartUpCacheIsWrittenInTheBackground) {
  const ScratchDirectory directory;
  const auto make = [&] {
    return MakeDelegate([&](auto& options) {
      InBackground(options);
      options.serialization_dir = directory.path().c_str();
      options.model_token = "chain";
    });
  };
  {
    const DelegatePtr delegate = make();
    auto interpreter = Applied(*model_, delegate);
    ExpectClose(RunOnce(interpreter.get()), CpuResult(*model_));
  }
  EXPECT_THAT(directory.Files(), SizeIs(1));
  const DelegatePtr delegate = make();
  auto interpreter = Applied(*model_, delegate);
  RunUntilSettled(*model_, interpreter.get(), delegate);
  EXPECT_EQ(State(delegate), "done");
  EXPECT_THAT(ReportOf(delegate)["cache"]["state"].get<std::string>(),
              ::testing::AnyOf("warm", "partial"));
}

// exit() while a program is being compiled, with nothing deleted.
TEST_F(DelegateBackgroundTest, DISABLED_ExitsMeanwhile) {
  // Volatile, so that the leak checker finds what points to them.
  static DelegatePtr* volatile delegate =
      new DelegatePtr(MakeDelegate(InBackground));
  static std::unique_ptr<Interpreter>* volatile interpreter =
      new std::unique_ptr<Interpreter>(Applied(*model_, *delegate));
  ExpectClose(RunOnce(interpreter->get()), CpuResult(*model_));
  EXPECT_EQ(State(*delegate), "running");
  std::exit(HasFailure() ? 1 : 7);
}

TEST_F(DelegateBackgroundTest, AProcessMayExitMeanwhile) {
  const ChildResult child =
      RunChild("DelegateBackgroundTest.DISABLED_ExitsMeanwhile", {});
  EXPECT_EQ(child.exit_code, 7) << child.output;
}

}  // namespace
}  // namespace gles_delegate::testing

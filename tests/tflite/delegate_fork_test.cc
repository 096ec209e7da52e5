// labels: op delegate llvmpipe
// A forked child has none of the driver's threads: whatever it calls fails at
// once and says why, and the parent goes on.
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "egl/context.h"
#include "nlohmann/json.hpp"
#include "tests/testing/child.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"
#include "tests/testing/life.h"
#include "tests/testing/matchers.h"
#include "tests/testing/process.h"

namespace gles_delegate::testing {
namespace {

bool IsRefusal(const std::string& text) {
  return ::testing::Value(
      text, AllOf(HasSubstr(std::to_string(getppid())),
                  HasSubstr(std::to_string(getpid())), HasSubstr("forked"),
                  HasSubstr("spawn or forkserver")));
}

// Whether the last error or the interpreter's log is the refusal.
bool LastErrorSaysSo() { return IsRefusal(TfLiteGlesDelegateLastError()); }
bool LogSaysSo(Interpreter& interpreter) {
  for (const std::string& line : interpreter.TakeLog()) {
    if (IsRefusal(line)) return true;
  }
  return false;
}

// The number of the first call that is not refused as it should be; 0: none.
int FirstNotRefused(DelegatePtr delegate,
                    std::unique_ptr<Interpreter> interpreter,
                    std::unique_ptr<Interpreter> other) {
  TfLiteInterpreter* const c = interpreter->get();
  if (TfLiteInterpreterInvoke(c) != kTfLiteError) return 1;
  if (!LogSaysSo(*interpreter)) return 2;
  if (TfLiteInterpreterAllocateTensors(c) == kTfLiteOk) {
    // If no shape has changed, TFLite prepares nothing again.
    const int dims[] = {2, 6, 5, 5};
    (void)TfLiteInterpreterResizeInputTensor(c, 0, dims, 4);
    if (TfLiteInterpreterAllocateTensors(c) == kTfLiteOk) return 3;
  }
  if (!LogSaysSo(*interpreter)) return 4;
  if (other->ApplyDelegate(delegate.get()).ok()) return 5;
  if (!LogSaysSo(*other)) return 6;
  if (TfLiteGlesDelegateReport(delegate.get()) != nullptr) return 7;
  if (!LastErrorSaysSo()) return 8;
  TfLiteGlesObject object = TfLiteGlesDelegateObjectDefault();
  object.name = 1;
  if (TfLiteGlesDelegateBindObject(delegate.get(), 0, &object) == kTfLiteOk) {
    return 9;
  }
  if (!LastErrorSaysSo()) return 10;
  if (TfLiteGlesDelegateIsSupported(nullptr) != 0 || !LastErrorSaysSo()) {
    return 11;
  }
  const auto devices = nlohmann::json::parse(TfLiteGlesDelegateDevices());
  if (devices.size() != 1 || !IsRefusal(devices[0]["error"])) return 12;
  TfLiteGlesDelegateOptions options = TfLiteGlesDelegateOptionsDefault();
  if (TfLiteGlesDelegateCreate(&options) != nullptr || !LastErrorSaysSo()) {
    return 13;
  }
  options.fallback_to_cpu = 1;
  const DelegatePtr falls_back(TfLiteGlesDelegateCreate(&options),
                               TfLiteGlesDelegateDelete);
  if (!other->ApplyDelegate(falls_back.get()).ok()) return 14;
  if (!LogSaysSo(*other)) return 15;
  if (!RunOnce(other.get()).ok()) return 16;
  if (egl::Context::HasCurrent()) return 17;
  interpreter.reset();
  other.reset();
  delegate.reset();
  return 0;
}

class DelegateForkTest : public DeviceTest {};
class DelegateForkModeTest : public DeviceTestWithParam<int> {};

INSTANTIATE_TEST_SUITE_P(ThreadModes, DelegateForkModeTest,
                         ::testing::Values(kTfLiteGlesThreadCaller,
                                           kTfLiteGlesThreadCallerOwnContext,
                                           kTfLiteGlesThreadWorker));

TEST_P(DelegateForkModeTest, EachCallInAChildIsRefusedAtOnce) {
  const auto model = LoadOrDie(ChainModel("can"));
  DelegatePtr delegate = MakeDelegate([](TfLiteGlesDelegateOptions& options) {
    options.thread_mode = GetParam();
    if (GetParam() == kTfLiteGlesThreadCallerOwnContext) {
      options.keep_context_current = kTfLiteGlesOff;
    }
  });
  auto interpreter = Applied(*model, delegate);
  const auto before = RunOnce(interpreter.get());
  ASSERT_TRUE(before.ok()) << before.status();
  auto other = InterpreterOrDie(*model);
  EXPECT_EQ(RunForked([&] {
              alarm(20);
              return FirstNotRefused(std::move(delegate),
                                     std::move(interpreter), std::move(other));
            }),
            0);
  const auto after = RunOnce(interpreter.get());
  ASSERT_TRUE(after.ok()) << after.status();
  EXPECT_EQ(*after, *before);
}

// The app's context is no better off in a child than one of the delegate's own.
TEST_F(DelegateForkTest, AChildDoesNotTakeTheContextThatIsCurrent) {
  const auto model = LoadOrDie(ChainModel("can"));
  const auto context = egl::Context::Create({});
  ASSERT_TRUE(context.ok()) << context.status();
  const absl::Status ran = (*context)->Run([&] {
    EXPECT_EQ(RunForked([&] {
                alarm(20);
                const DelegatePtr delegate =
                    MakeDelegate([](TfLiteGlesDelegateOptions& options) {
                      options.fallback_to_cpu = 1;
                    });
                auto interpreter = InterpreterOrDie(*model);
                if (!interpreter->ApplyDelegate(delegate.get()).ok()) return 1;
                return LogSaysSo(*interpreter) ? 0 : 2;
              }),
              0);
    return absl::OkStatus();
  });
  EXPECT_TRUE(ran.ok()) << ran;
}

// In separate processes, whose parent has not used the driver.
void ExpectChildPasses(const char* test) {
  const ChildResult child =
      RunChild(std::string("DelegateForkChildTest.DISABLED_") + test, {});
  EXPECT_EQ(child.exit_code, 0) << child.output;
  EXPECT_THAT(child.output, HasSubstr("1 test from"));
}

TEST_F(DelegateForkTest, LookingForADeviceLeavesTheDriverToAChild) {
  if (TestContext()->device().version.find("Mesa") == std::string::npos) {
    GTEST_SKIP() << "only Mesa is known to release its driver";
  }
  ExpectChildPasses("AfterALook");
}

TEST_F(DelegateForkTest, AChildEndsWithItsOwnStatus) {
  ExpectChildPasses("Exits");
}

TEST(DelegateForkChildTest, DISABLED_AfterALook) {
  const size_t threads = ThreadsOfProcess();
  TfLiteGlesDelegateOptions options = TfLiteGlesDelegateOptionsDefault();
  EXPECT_EQ(TfLiteGlesDelegateIsSupported(&options), 1)
      << TfLiteGlesDelegateLastError();
  EXPECT_THAT(TfLiteGlesDelegateDevices(), HasSubstr("renderer"));
  EXPECT_TRUE(ThreadsSinkTo(threads)) << ThreadsOfProcess();
  const auto model = LoadOrDie(ChainModel("can"));
  const std::vector<float> expected = CpuResult(*model);
  for (int child = 0; child < 2; ++child) {
    EXPECT_EQ(RunForked([&] {
                alarm(60);
                const auto delegate = MakeDelegate();
                ExpectClose(RunOnce(Applied(*model, delegate).get()), expected);
                return ::testing::Test::HasFailure() ? 1 : 0;
              }),
              0);
    EXPECT_EQ(TfLiteGlesDelegateIsSupported(&options), 1);
  }
}

TEST(DelegateForkChildTest, DISABLED_Exits) {
  const auto model = LoadOrDie(ChainModel("can"));
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = Applied(*model, delegate);
  ASSERT_TRUE(RunOnce(interpreter.get()).ok());
  EXPECT_EQ(RunForked([]() -> int { std::exit(7); }), 7);
}

}  // namespace
}  // namespace gles_delegate::testing

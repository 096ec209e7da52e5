// labels: loader llvmpipe sanitize
// Delegates of the accelerator, in an interpreter of TFLite's.
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "delegate/adapters/litert/accelerator.h"
#include "egl/context.h"
#include "gmock/gmock.h"
#include "nlohmann/json.hpp"
#include "tests/litert/fake_litert.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device.h"
#include "tests/testing/scoped_environment.h"
#include "tests/testing/scratch_directory.h"

namespace gles_delegate::testing {
namespace {

void Create(FakeLiteRt& fake) {
  void* wrapper = nullptr;
  ASSERT_EQ(
      LiteRtAcceleratorImpl.create_delegate(fake.context(), fake.environment(),
                                            nullptr, fake.options(), &wrapper),
      litert::kOk);
}

// An interpreter with the delegate that the accelerator makes for `fake`.
std::unique_ptr<Interpreter> Applied(const Model& model, FakeLiteRt& fake) {
  Create(fake);
  auto interpreter = InterpreterOrDie(model);
  const absl::Status applied = interpreter->ApplyDelegate(fake.delegate());
  EXPECT_TRUE(applied.ok()) << applied;
  return interpreter;
}

nlohmann::json ReportOf(const FakeLiteRt& fake) {
  return nlohmann::json::parse(TfLiteGlesDelegateReport(fake.delegate()));
}

// CompiledModel compiles on one thread and runs on another.
TEST(LitertDelegateTest, RunsOnAnyThread) {
  GLES_SKIP_WITHOUT_DEVICE();
  const auto model = LoadOrDie(ChainModel("can"));
  FakeLiteRt fake;
  fake.gpu_options = "precision = 2\n";  // 32 bits, for ExpectClose()
  auto interpreter = Applied(*model, fake);
  EXPECT_EQ(ReportOf(fake)["nodes_delegated"], 3);
  std::thread([&] {
    ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
  }).join();
}

TEST(LitertDelegateTest, PrecisionReachesTheDelegate) {
  GLES_SKIP_WITHOUT_DEVICE();
  const auto model = LoadOrDie(ChainModel("can"));
  for (const auto& [option, precision] :
       {std::pair("precision = 1\n", "float16"),
        std::pair("precision = 2\n", "float32")}) {
    FakeLiteRt fake;
    fake.gpu_options = option;
    auto interpreter = Applied(*model, fake);
    EXPECT_EQ(ReportOf(fake)["precision"], precision);
  }
}

TEST(LitertDelegateTest, KeepsACacheWhereLiteRtSays) {
  GLES_SKIP_WITHOUT_DEVICE();
  const ScratchDirectory folder;
  const auto model = LoadOrDie(ChainModel("can"));
  for (const bool later : {false, true}) {
    FakeLiteRt fake;
    fake.gpu_options = "serialization_dir = \"" + folder.path() +
                       "\"\nmodel_cache_key = \"chain\"\n";
    auto interpreter = Applied(*model, fake);
    EXPECT_EQ(ReportOf(fake)["cache"]["saved"], !later);
    EXPECT_EQ(ReportOf(fake)["cache"]["state"], later ? "warm" : "cold")
        << ReportOf(fake)["cache"];
  }
}

// A delegate that fails would fail the compilation, also where the CPU is
// allowed.
TEST(LitertDelegateTest, TakesNoNodeWhereThereIsNoDevice) {
  const auto model = LoadOrDie(ChainModel("can"));
  const ScopedEnvironment none("GLES_DELEGATE_DEVICE", "no such device");
  FakeLiteRt fake;
  auto interpreter = Applied(*model, fake);
  EXPECT_THAT(ReportOf(fake)["error"].get<std::string>(),
              ::testing::HasSubstr("no such device"));
  ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
}

TEST(LitertDelegateTest, LeavesWhatItRefusesToTheCpu) {
  GLES_SKIP_WITHOUT_DEVICE();
  const auto model = LoadOrDie(ChainModel("nar"));
  // Pieces as small as these do not pay for their way.
  const ScopedEnvironment all("GLES_DELEGATE_OPTIONS",
                              "max_delegated_partitions:0");
  FakeLiteRt fake;
  auto interpreter = Applied(*model, fake);
  EXPECT_EQ(ReportOf(fake)["nodes_delegated"], 2);
  EXPECT_EQ(ReportOf(fake)["cpu"][0]["op"], "L2_POOL_2D");
  ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
}

// The app's context, given to LiteRT's environment and current: borrowed.
TEST(LitertDelegateTest, BorrowsTheEnvironmentsContext) {
  GLES_SKIP_WITHOUT_DEVICE();
  auto app = egl::Context::Create({});
  ASSERT_TRUE(app.ok()) << app.status();
  const auto model = LoadOrDie(ChainModel("can"));
  FakeLiteRt fake;
  fake.environment_options[litert::kEglDisplay] = (*app)->display();
  fake.environment_options[litert::kEglContext] = (*app)->handle();
  auto interpreter = InterpreterOrDie(*model);
  const absl::Status ran = (*app)->Run([&] {
    Create(fake);
    EXPECT_TRUE(interpreter->ApplyDelegate(fake.delegate()).ok());
    EXPECT_EQ(ReportOf(fake)["context"], "borrowed");
    ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
    interpreter.reset();
    fake.DeleteDelegate();
    return absl::OkStatus();
  });
  EXPECT_TRUE(ran.ok()) << ran;
}

// The display without a context, or with one that is current elsewhere: the
// delegate's own is made on it. One that is none of EGL's shows that it was
// asked for.
TEST(LitertDelegateTest, MakesItsContextOnTheEnvironmentsDisplay) {
  GLES_SKIP_WITHOUT_DEVICE();
  const auto app = egl::Context::Create({});
  ASSERT_TRUE(app.ok()) << app.status();
  int no_display = 0;
  const auto model = LoadOrDie(ChainModel("can"));
  for (const bool has_display : {true, false}) {
    FakeLiteRt fake;
    fake.environment_options[litert::kEglDisplay] =
        has_display ? (*app)->display() : &no_display;
    if (has_display) {
      fake.environment_options[litert::kEglContext] = (*app)->handle();
    }
    auto interpreter = Applied(*model, fake);
    EXPECT_EQ(ReportOf(fake)["context"], "own");
    EXPECT_EQ(ReportOf(fake)["nodes_delegated"], 3);
    ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
    const auto refused = ::testing::Contains(
        ::testing::HasSubstr("the app's EGLDisplay is not used"));
    if (has_display) {
      EXPECT_THAT(interpreter->log(), ::testing::Not(refused));
    } else {
      EXPECT_THAT(interpreter->log(), refused);
    }
  }
}

}  // namespace
}  // namespace gles_delegate::testing

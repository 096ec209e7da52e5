// labels: tools loader oldest_tflite
// Which TensorFlow Lite library the programs and tests run, and that its
// built-in kernels and XNNPACK are told apart.
#include "tools/common/tflite_library.h"

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/command.h"
#include "tests/testing/scratch_directory.h"
#include "tests/testing/two_negations.h"
#include "tools/common/model_builder.h"
#include "tools/common/tflite_host.h"

namespace gles_delegate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(TfliteLibraryTest, AFileThatIsMissingIsNamed) {
  const absl::Status status = OpenTfliteLibrary("/no/such/library.so");
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("/no/such/library.so"),
                    HasSubstr("--tflite_library=PATH")));
}

TEST(TfliteLibraryTest, ALibraryOfSomethingElseIsRefused) {
  const absl::Status status = OpenTfliteLibrary("libm.so.6");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("libm.so.6 does not export TensorFlow Lite's C "
                        "functions (TfLiteInterpreterCreate is missing)"));
}

TEST(TfliteLibraryTest, AProcessRunsOneLibrary) {
  const std::string open = TfliteLibraryPath();
  EXPECT_TRUE(OpenTfliteLibrary(open).ok());  // the same again
  for (const std::string other : {NEWEST_TFLITE, OLDEST_TFLITE}) {
    if (other == open || other.empty()) continue;
    const absl::Status status = OpenTfliteLibrary(other);
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << other;
    EXPECT_THAT(std::string(status.message()),
                HasSubstr(open + " is open already"));
  }
  EXPECT_EQ(TfliteLibraryPath(), open);
}

TEST(TfliteLibraryTest, AFunctionThatIsMissingIsNamed) {
  EXPECT_EQ(TfliteSymbol("TfLiteNoSuchFunction"), nullptr);
  EXPECT_EXIT(RequiredTfliteSymbol("TfLiteNoSuchFunction"),
              ::testing::ExitedWithCode(EXIT_FAILURE),
              "TensorFlow Lite .* does not export TfLiteNoSuchFunction");
}

// Else the oracle would be XNNPACK under another name. A delegate that a
// library applies unasked sets itself as the owner of the outputs.
TEST(TfliteLibraryTest, BuiltInKernelsRunUnlessXnnpackIsAskedFor) {
  auto model = Model::FromBuffer(testing::TwoNegations());
  ASSERT_TRUE(model.ok()) << model.status();
  auto cpu = Interpreter::Create(**model);
  ASSERT_TRUE(cpu.ok()) << cpu.status();
  EXPECT_EQ((*cpu)->output(0).get()->delegate, nullptr);

  auto xnnpack = CreateXnnpackDelegate(1);
  ASSERT_TRUE(xnnpack.ok()) << xnnpack.status();
  InterpreterOptions options;
  options.delegate = xnnpack->get();
  auto fast = Interpreter::Create(**model, options);
  ASSERT_TRUE(fast.ok()) << fast.status();
  EXPECT_NE((*fast)->output(0).get()->delegate, nullptr);
}

// y = the transpose of x, as today's converters write it.
std::vector<uint8_t> TodaysTranspose() {
  ModelBuilder builder;
  const int x = builder.AddInput("x", {1, 2, 3, 4});
  const int order =
      builder.AddConstant<int32_t>("order", {4}, std::vector<int>{0, 3, 1, 2});
  const int y = builder.AddTensor("y", {1, 4, 2, 3});
  builder.AddOp(schema::BuiltinOperator::TRANSPOSE, 6, {x, order}, {y},
                schema::TransposeOptionsT());
  builder.SetOutputs({y});
  return builder.Finish();
}

class TfliteProgramTest : public ::testing::Test {
 protected:
  testing::CommandResult Run(const std::string& flags) {
    const std::string path = folder_.path() + "/transpose.tflite";
    const std::vector<uint8_t> bytes = TodaysTranspose();
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    return testing::RunCommand("env -u GLES_DELEGATE_TFLITE_LIBRARY " +
                               std::string(GLES_DELEGATE_BUILD_DIR) +
                               "/bin/benchmark_model --graph=" + path +
                               " --use_cpu --num_runs=1 " + flags);
  }

  const testing::ScratchDirectory folder_;
};

TEST_F(TfliteProgramTest, TodaysModelsRunByDefault) {
  const auto run = Run("");
  EXPECT_EQ(run.exit_status, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("TensorFlow Lite 2."));
}

TEST_F(TfliteProgramTest, AnotherLibraryIsTakenAndNamed) {
  if (std::string(OLDEST_TFLITE).empty()) {
    GTEST_SKIP() << "TensorFlow Lite 2.9 is not there";
  }
  const auto run = Run("--tflite_library=" OLDEST_TFLITE);
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_THAT(run.output,
              AllOf(HasSubstr("TensorFlow Lite 2.9.0 (libtensorflowlite_c.so)"),
                    HasSubstr("builtin opcode 'TRANSPOSE' version '6'")));
}

TEST_F(TfliteProgramTest, ALibraryThatIsMissingEndsTheProgram) {
  const auto run = Run("--tflite_library=/no/such/library.so");
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_THAT(run.output, HasSubstr("Cannot open the TensorFlow Lite library "
                                    "/no/such/library.so"));
}

}  // namespace
}  // namespace gles_delegate

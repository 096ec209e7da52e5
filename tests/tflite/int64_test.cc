// labels: op delegate llvmpipe oldest_tflite
// Int64 tensors: ops compute them in 32 bits, and refuse what does not fit.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tools/cases/model.h"

namespace gles_delegate::testing {
namespace {

constexpr int64_t kPastInt32 = int64_t{1} << 31;

class Int64Test : public DeviceTest {};

// op(x [4], constant [1]) of int64.
std::vector<uint8_t> WithConstant(const char* op, int64_t constant) {
  return cases::ModelOf(
             absl::StrCat(op, " x=i64[4] c=const:i64[1](", constant, ")"))
      .bytes;
}

std::string WhyOnCpu(const std::vector<uint8_t>& bytes) {
  const auto model = LoadOrDie(bytes);
  const DelegatePtr delegate = MakeDelegate();
  InterpreterOptions options;
  options.delegate = delegate.get();
  (void)Interpreter::Create(*model, options);
  const nlohmann::json report = ReportOf(delegate);
  return report["cpu"].empty() ? ""
                               : report["cpu"][0]["reason"].get<std::string>();
}

TEST_F(Int64Test, InputsPastInt32AreErrors) {
  const auto model = LoadOrDie(WithConstant("ADD", 1));
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = Applied(*model, delegate);
  EXPECT_EQ(ReportOf(delegate)["nodes_delegated"], 1);
  const auto invoke = [&](std::vector<int64_t> values) {
    EXPECT_TRUE(interpreter->input(0).Write(values).ok());
    return interpreter->Invoke();
  };
  EXPECT_TRUE(invoke({1, 2, -kPastInt32, kPastInt32 - 2}).ok());
  EXPECT_THAT(interpreter->output(0).data<int64_t>(),
              ::testing::ElementsAre(2, 3, 1 - kPastInt32, kPastInt32 - 1));
  for (int64_t great : {kPastInt32, -kPastInt32 - 1, int64_t{1} << 40}) {
    const absl::Status status = invoke({1, 2, great, 4});
    EXPECT_FALSE(status.ok());
    EXPECT_THAT(std::string(status.message()),
                HasSubstr(absl::StrCat("tensor 'x' holds ", great,
                                       " at element 2; int64 is computed in "
                                       "32 bits here")));
  }
  EXPECT_TRUE(invoke({1, 2, 3, 4}).ok());
}

TEST_F(Int64Test, ConstantsPastInt32StayOnTheCpu) {
  EXPECT_EQ(WhyOnCpu(WithConstant("ADD", kPastInt32 - 1)), "");
  EXPECT_THAT(WhyOnCpu(WithConstant("ADD", kPastInt32)),
              HasSubstr("'c' int64[1] holds 2147483648; int64 is computed in "
                        "32 bits here"));
  EXPECT_THAT(WhyOnCpu(WithConstant("MUL", 805459861)),
              HasSubstr("holds 805459861; int64 is computed in 32 bits here, "
                        "and factors past 32768 stay on the CPU"));
}

// A CAST alone sees all 64 bits still; beside an ADD the values must fit.
TEST_F(Int64Test, CastsBesideSums) {
  for (bool sum : {false, true}) {
    const auto model = LoadOrDie(
        cases::ModelOf(absl::StrCat("CAST x=i64[2] in_data_type=INT64 -> f32",
                                    sum ? " ; ADD x x -> i64" : ""))
            .bytes);
    const DelegatePtr delegate = MakeDelegate();
    auto interpreter = Applied(*model, delegate);
    EXPECT_EQ(ReportOf(delegate)["nodes_delegated"], sum ? 2 : 1);
    const std::vector<int64_t> values = {3, kPastInt32 * 4};
    ASSERT_TRUE(interpreter->input(0).Write(values).ok());
    EXPECT_EQ(interpreter->Invoke().ok(), !sum);
    if (!sum) {
      EXPECT_EQ(interpreter->output(0).data<float>()[1], kPastInt32 * 4.0f);
    }
  }
}

}  // namespace
}  // namespace gles_delegate::testing

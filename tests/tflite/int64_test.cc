// labels: op delegate llvmpipe oldest_tflite
// Int64 tensors: ops compute them in 32 bits, and refuse what does not fit.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_models.h"
#include "tools/cases/model.h"
#include "tools/op_models/op_variant.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

constexpr int64_t kPastInt32 = int64_t{1} << 31;

class Int64Test : public DeviceTest {};

// Indices that are computed on the GPU.
TEST_F(Int64Test, IndicesAtRunTime) {
  ExpectMatchesCpuOnce(
      cases::ModelOf("GATHER_ND x=[3,4,5] indices=i64[6,2]~(0..2,0..3)"));
  ExpectMatchesCpuOnce(
      cases::ModelOf("SCATTER_ND indices=i32[6,2]~(0..2,0..3) "
                     "updates=i64[6,5]~-9..9 shape=(3,4,5) -> i64"));
  const SingleOpModel model = MakeModel(
      "GATHER by int64 sums", Accuracy{/*terms=*/0}, [](OpVariant& v) {
        const auto int64 = [&v](int t) {
          return v.OfType(t, TensorType::INT64);
        };
        const int ids = int64(v.Input("ids", {4}, {0, 2, 1, 5}));
        const int one = v.builder().AddConstant<int64_t>(
            "one", {}, std::vector<int64_t>{1});
        const int sum =
            int64(v.Op(Op::ADD, 1, {ids, one}, schema::AddOptionsT()));
        const int table = v.Input("table", {7, 3}, v.random().Gaussian(21));
        return v.Op(Op::GATHER, 1, {table, sum}, schema::GatherOptionsT());
      });
  ExpectMatchesCpuOnce(model);
}

// op(x [4], constant [1]) of int64.
std::vector<uint8_t> WithConstant(Op op, int64_t constant) {
  ModelBuilder b;
  const int x = b.AddInput("x", {4}, TensorType::INT64);
  const int c =
      b.AddConstant<int64_t>("c", {1}, std::vector<int64_t>{constant});
  const int y = b.AddTensor("y", {4}, TensorType::INT64);
  if (op == Op::MUL) {
    b.AddOp(op, 1, {x, c}, {y}, schema::MulOptionsT());
  } else {
    b.AddOp(op, 1, {x, c}, {y}, schema::AddOptionsT());
  }
  b.SetOutputs({y});
  return b.Finish();
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

// A constant that the partition hands over, and one that a kernel reads.
TEST_F(Int64Test, Constants) {
  for (bool sum : {false, true}) {
    ExpectMatchesCpuOnce(MakeModel(
        "RESHAPE of int64 constants", Accuracy{/*terms=*/0}, [&](OpVariant& v) {
          const auto int64 = [&v](int t) {
            return v.OfType(t, TensorType::INT64);
          };
          schema::ReshapeOptionsT options;
          options.new_shape = {3, 2};
          const int c = v.builder().AddConstant<int64_t>(
              "c", {6}, std::vector<int64_t>{1, -2, 3, 16777217, 5, 6});
          const int reshaped = int64(v.Op(Op::RESHAPE, 1, {c}, options));
          if (!sum) return reshaped;
          const int x = int64(v.Input("x", {2}, {5, -6}));
          return int64(v.Op(Op::ADD, 1, {x, reshaped}, schema::AddOptionsT()));
        }));
  }
}

TEST_F(Int64Test, InputsPastInt32AreErrors) {
  const auto model = LoadOrDie(WithConstant(Op::ADD, 1));
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
  EXPECT_EQ(WhyOnCpu(WithConstant(Op::ADD, kPastInt32 - 1)), "");
  EXPECT_THAT(WhyOnCpu(WithConstant(Op::ADD, kPastInt32)),
              HasSubstr("'c' int64[1] holds 2147483648; int64 is computed in "
                        "32 bits here"));
  EXPECT_THAT(WhyOnCpu(WithConstant(Op::MUL, 805459861)),
              HasSubstr("holds 805459861; int64 is computed in 32 bits here, "
                        "and factors past 32768 stay on the CPU"));
}

// A CAST alone sees all 64 bits still; beside an ADD the values must fit.
TEST_F(Int64Test, CastsBesideSums) {
  for (bool sum : {false, true}) {
    ModelBuilder b;
    const int x = b.AddInput("x", {2}, TensorType::INT64);
    const int y = b.AddTensor("y", {2});
    schema::CastOptionsT cast;
    cast.in_data_type = TensorType::INT64;
    b.AddOp(Op::CAST, 1, {x}, {y}, cast);
    std::vector<int> outputs = {y};
    if (sum) {
      outputs.push_back(b.AddTensor("z", {2}, TensorType::INT64));
      b.AddOp(Op::ADD, 1, {x, x}, {outputs.back()}, schema::AddOptionsT());
    }
    b.SetOutputs(outputs);
    const auto model = LoadOrDie(b.Finish());
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

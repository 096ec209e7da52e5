// labels: op llvmpipe
// Weights that several nodes have in common are on the GPU once.
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"
#include "tests/testing/edit_model.h"
#include "tests/testing/oldest_tflite.h"
#include "tests/testing/scoped_environment.h"
#include "tools/cases/model.h"
#include "tools/op_models/random.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

using ::testing::HasSubstr;

class ShareConstantsTest : public DeviceTest {
 protected:
  // A chain of FULLY_CONNECTED, each by the weights of that number. Returns the
  // bytes of constants on the GPU.
  static int ConstantsOf(const std::vector<int>& weights) {
    std::string text, x = "x=[3,24]";
    for (size_t i = 0; i < weights.size(); ++i) {
      const std::string w = absl::StrCat("w", weights[i]);
      const bool is_new = text.find(w) == std::string::npos;
      absl::StrAppend(&text, i > 0 ? " ; " : "", "FULLY_CONNECTED ", x, " ", w,
                      is_new ? "=const:[24,24]" : "", " bias=- -> t", i);
      x = absl::StrCat("t", i);
    }
    const auto model = LoadOrDie(cases::ModelOf(text).bytes);
    const DelegatePtr delegate = MakeDelegate();
    const auto interpreter = Applied(*model, delegate);
    ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
    return ReportOf(delegate)["gpu_bytes"]["constants"];
  }
};

TEST_F(ShareConstantsTest, TheSameWeightsAreUploadedOnce) {
  const int one = ConstantsOf({0});
  EXPECT_GT(one, 0);
  EXPECT_EQ(ConstantsOf({0, 0, 0}), one);
  EXPECT_EQ(ConstantsOf({0, 1, 0, 1}), 2 * one);
}

// A product of 64 weights by 64 as the main subgraph, of `rows` rows, and as
// another one, as the signatures of a language model have it.
std::vector<uint8_t> TwoSignatures(int rows, bool share) {
  Random random("signatures");
  const std::vector<float> weights = random.Gaussian(64 * 64, 0, 0.2f);
  const auto product = [&](int count) {
    ModelBuilder b;
    const int x = b.AddInput("x", {count, 64});
    const int w = b.AddConstant<float>("w", {64, 64}, weights);
    const int y = b.AddTensor("y", {count, 64});
    b.AddOp(Op::FULLY_CONNECTED, 1, {x, w, -1}, {y},
            schema::FullyConnectedOptionsT());
    b.SetOutputs({y});
    return b;
  };
  ModelBuilder b = product(rows);
  b.AddSubgraph(product(1));
  return EditModel(b.Finish(), [&](schema::ModelT& model) {
    if (!share) return;
    for (int tensor = 0; tensor < 3; ++tensor) {
      model.subgraphs[1]->tensors[tensor]->buffer =
          model.subgraphs[0]->tensors[tensor]->buffer;
    }
  });
}

// Also after a resize.
TEST_F(ShareConstantsTest, WeightsOfTwoSignaturesAreRows) {
  if (OnOldestTflite()) GTEST_SKIP() << "2.9 SHOWS NO OTHER SUBGRAPH";
  const ScopedEnvironment tuning(
      "GLES_DELEGATE_TUNING",
      "simd_lanes=1,work_group_size=64,split_k_target=49152");
  for (const bool share : {true, false}) {
    const auto model = LoadOrDie(TwoSignatures(64, share));
    const DelegatePtr delegate = MakeDelegate();
    const auto interpreter = Applied(*model, delegate);
    const auto text = [&] {
      return ReportOf(delegate)["partition"][0]["plan"].dump();
    };
    ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
    EXPECT_THAT(text(), HasSubstr("conv_shared"));
    EXPECT_EQ(absl::StrContains(text(), "ROWS"), share) << text();
    ASSERT_TRUE(interpreter->ResizeInput(0, {96, 64}).ok());
    ASSERT_TRUE(interpreter->AllocateTensors().ok());
    ExpectClose(RunOnce(interpreter.get()), CpuResult(*model, 0, {96, 64}));
    EXPECT_EQ(absl::StrContains(text(), "ROWS"), share) << text();
  }
}

}  // namespace
}  // namespace gles_delegate::testing

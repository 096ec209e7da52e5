// labels: model delegate llvmpipe slow
// Real models that are not float throughout: 8-bit ones, and LSTMs. Nodes that
// the delegate leaves to the CPU give exactly the CPU's values; nothing fails.
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device.h"
#include "tests/testing/real_model.h"

namespace gles_delegate::testing {
namespace {

class OtherModelTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    GLES_SKIP_WITHOUT_DEVICE();
    const std::string path =
        SharedFile(absl::StrCat("models/", GetParam(), ".tflite"));
    if (path.empty()) {
      GTEST_SKIP() << "NO REAL MODEL, NOTHING TESTED: set "
                      "GLES_DELEGATE_SHARED_DIR to a folder that holds models/"
                   << GetParam() << ".tflite";
    }
    auto model = Model::FromFile(path);
    ASSERT_TRUE(model.ok()) << model.status();
    model_ = *std::move(model);
  }

  std::unique_ptr<Model> model_;
};

TEST_P(OtherModelTest, WithoutQuantizationTheCpusOpsAreExact) {
  const DelegatePtr delegate = MakeDelegate([](auto& options) {
    options.quantized_compute = kTfLiteGlesQuantizedCpu;
    options.verbosity = 0;
  });
  auto interpreter = Applied(*model_, delegate);
  const auto actual = RunOnce(interpreter.get());
  if (ReportOf(delegate)["nodes_delegated"] == 0) {
    ASSERT_TRUE(actual.ok()) << actual.status();
    EXPECT_EQ(*actual, CpuResult(*model_));
  } else {
    ExpectClose(actual, CpuResult(*model_));
  }
}

TEST_P(OtherModelTest, WithTheDefaultsNothingFails) {
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = Applied(*model_, delegate);
  const nlohmann::json report = ReportOf(delegate);
  const int total = report["nodes_total"], on_gpu = report["nodes_delegated"];
  int on_cpu = 0;
  for (const auto& entry : report["cpu"]) {
    EXPECT_FALSE(entry["reason"].get<std::string>().empty());
    on_cpu += static_cast<int>(entry["nodes"].size());
  }
  EXPECT_EQ(on_cpu + on_gpu, total) << report;
  const auto actual = RunOnce(interpreter.get());
  ASSERT_TRUE(actual.ok()) << actual.status();
  for (float value : *actual) ASSERT_TRUE(std::isfinite(value));
  if (on_gpu == 0) {
    EXPECT_EQ(*actual, CpuResult(*model_));
  }
}

INSTANTIATE_TEST_SUITE_P(Models, OtherModelTest,
                         ::testing::Values("mobilenet_v1_0.25_224_quant",
                                           "mobilenet_v2_1.0_224_quant",
                                           "tf2_mobilenet_v2_1.0_224_ptq",
                                           "ssd_mobilenet_v1_quant",
                                           "mnist_lstm_float",
                                           "mnist_lstm_int8",
                                           "keras_lstm_mnist_ptq"),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name) c = c == '.' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace gles_delegate::testing

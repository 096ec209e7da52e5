// labels: op delegate llvmpipe only_oldest_tflite
// TFLite before 2.14 shows a delegate no other subgraph: a WHILE stays on the
// CPU, and says why.
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"

namespace gles_delegate::testing {
namespace {

class DelegateLoopOldestTest : public DeviceTest {};

TEST_F(DelegateLoopOldestTest, TheLoopStaysOnTheCpu) {
  auto model = Model::FromFile(absl::StrCat(
      GLES_DELEGATE_SOURCE_DIR, "/tests/corpus/lstm.float32.tflite"));
  ASSERT_TRUE(model.ok()) << model.status();
  const DelegatePtr delegate =
      MakeDelegate([](auto& o) { o.max_delegated_partitions = 0; });
  const auto interpreter = Applied(**model, delegate);
  const nlohmann::json report = ReportOf(delegate);
  ASSERT_EQ(report["cpu"].size(), 1u) << report["cpu"];
  EXPECT_EQ(report["cpu"][0]["op"], "WHILE");
  EXPECT_THAT(report["cpu"][0]["reason"].get<std::string>(),
              ::testing::HasSubstr("shows a delegate no other subgraph"));
  for (int round : {0, 1}) {
    ExpectClose(RunOnce(interpreter.get(), round), CpuResult(**model, round));
  }
}

}  // namespace
}  // namespace gles_delegate::testing

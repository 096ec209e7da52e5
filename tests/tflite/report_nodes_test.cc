// labels: unit delegate llvmpipe sanitize
// The report's list of a partition's nodes, with and without the self-check.
#include <memory>

#include "gles_delegate/gles_delegate.h"
#include "nlohmann/json.hpp"
#include "tests/testing/device_test.h"
#include "tests/testing/two_negations.h"
#include "tools/common/tflite_host.h"

namespace gles_delegate::testing {
namespace {

class ReportNodesTest : public DeviceTestWithParam<int> {};

TEST_P(ReportNodesTest, AFusedNodeIsComputedByTheNodeThatTookIt) {
  TfLiteGlesDelegateOptions options = TfLiteGlesDelegateOptionsDefault();
  options.self_check = GetParam();
  const std::unique_ptr<TfLiteDelegate, decltype(&TfLiteGlesDelegateDelete)>
      delegate(TfLiteGlesDelegateCreate(&options), TfLiteGlesDelegateDelete);
  ASSERT_NE(delegate, nullptr) << TfLiteGlesDelegateLastError();
  const auto model = LoadOrEnd(TwoNegations());
  auto interpreter = Interpreter::Create(*model);
  ASSERT_TRUE(interpreter.ok()) << interpreter.status();
  const absl::Status applied = (*interpreter)->ApplyDelegate(delegate.get());
  ASSERT_TRUE(applied.ok()) << applied;
  const auto report =
      nlohmann::json::parse(TfLiteGlesDelegateReport(delegate.get()));
  const nlohmann::json& partition = report.at("partition").at(0);
  EXPECT_EQ(partition.at("subgraph"), 0);
  EXPECT_EQ(partition.at("nodes"), 2);
  EXPECT_EQ(partition.at("model_nodes"), nlohmann::json::parse(R"([
      {"node": 0, "computed_by": 0}, {"node": 1, "computed_by": 0}])"));
  ASSERT_EQ(partition.at("plan").size(), 1u) << partition;
  EXPECT_EQ(partition.at("plan").at(0).at("node"), 0);
  EXPECT_EQ(partition.at("plan").at(0).at("shader"), "copy");
}

INSTANTIATE_TEST_SUITE_P(SelfCheck, ReportNodesTest, ::testing::Values(0, 1));

}  // namespace
}  // namespace gles_delegate::testing

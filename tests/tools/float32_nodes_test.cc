// labels: op llvmpipe
// What stays in 32 bits although is_precision_loss_allowed is set, for the
// small models of every op: nodes that float32_nodes lists, and quantized
// nodes.
#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "tests/testing/device.h"
#include "tests/testing/single_op.h"
#include "tools/conformance/suite.h"

namespace gles_delegate::conformance {
namespace {

// The small models of one kind.
std::vector<SingleOpModel> SmallModels(bool quantized) {
  auto families = AllFamilies();
  EXPECT_TRUE(families.ok()) << families.status();
  std::vector<SingleOpModel> models;
  for (const Family& family : *families) {
    if (!family.small || family.build == nullptr ||
        family.quantized != quantized ||
        absl::StrContains(family.shape, "LIMIT")) {
      continue;
    }
    models.push_back(family.build({}));
    models.back().description = family.name();
  }
  return models;
}

float LargestOf(const std::vector<float>& values) {
  float largest = 0;
  for (float v : values) {
    if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
  }
  return largest;
}

// `relative`: of the largest value, since plans may differ. A half's rounding
// is 500 times as much.
void ExpectAsIn32Bits(const SingleOpModel& model, const char* listed,
                      float relative) {
  SCOPED_TRACE(model.description);
  testing::RunOptions options;
  options.expect_delegated = false;
  const testing::RunResult expected = RunOnDelegate(model, options);
  // Not Precision::kFloat16, which rounds the model's constants, too.
  options.configure = [&](auto& o) {
    o.is_precision_loss_allowed = 1;
    o.float32_nodes = listed;
  };
  const testing::RunResult actual = RunOnDelegate(model, options);
  ASSERT_EQ(expected.status.ok(), actual.status.ok()) << actual.status;
  ASSERT_EQ(expected.outputs.size(), actual.outputs.size());
  for (size_t i = 0; i < actual.outputs.size(); ++i) {
    const std::vector<float>& want = expected.outputs[i].values;
    const std::vector<float>& got = actual.outputs[i].values;
    ASSERT_EQ(want.size(), got.size());
    // A float output of a quantized model is a half.
    const bool is_half = *listed == '\0' && expected.outputs[i].scale == 0;
    const float tolerance = (is_half ? 1e-3f : relative) * LargestOf(want);
    for (size_t k = 0; k < want.size(); ++k) {
      const bool same = want[k] == got[k] ||
                        (std::isnan(want[k]) && std::isnan(got[k])) ||
                        std::abs(want[k] - got[k]) <= tolerance;
      ASSERT_TRUE(same) << "output " << i << " at " << k << ": " << got[k]
                        << ", in 32 bits " << want[k];
    }
  }
}

TEST(Float32NodesTest, ListedNodesAreIn32BitsWithAllThatTheyRead) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (const SingleOpModel& model : SmallModels(/*quantized=*/false)) {
    ExpectAsIn32Bits(model, "0-999", 1e-6f);
  }
}

TEST(Float32NodesTest, QuantizedNodesAreTheSameIn16Bits) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (const SingleOpModel& model : SmallModels(/*quantized=*/true)) {
    ExpectAsIn32Bits(model, "", 0);
  }
}

}  // namespace
}  // namespace gles_delegate::conformance

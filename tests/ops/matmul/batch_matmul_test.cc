// labels: op llvmpipe softpipe
// BATCH_MATMUL of the rows of tools/cases in each way that the tuning table may
// ask for, against TFLite's own kernel.
#include "absl/strings/str_cat.h"
#include "tests/testing/precision_test.h"
#include "tests/testing/scoped_environment.h"
#include "tools/cases/model.h"
#include "tools/cases/rows.h"

namespace gles_delegate::testing {
namespace {

class BatchMatMulTest : public PrecisionTest {};

// Each row by itself; small tiles in shared memory; large ones.
TEST_P(BatchMatMulTest, EveryWay) {
  for (const cases::Row& row : cases::AllRows()) {
    if (row.op != "BATCH_MATMUL" || !row.refusals.empty()) continue;
    for (const std::string& text : row.cases) {
      const SingleOpModel model = cases::ModelOf(text);
      for (const char* target : {"0", "1000000", "1"}) {
        SCOPED_TRACE(absl::StrCat("split_k_target=", target, " ", text));
        const ScopedEnvironment tuning("GLES_DELEGATE_TUNING",
                                       absl::StrCat("split_k_target=", target));
        Check(model);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Precisions, BatchMatMulTest,
                         ::testing::Values(Precision::kFloat32,
                                           Precision::kFloat16,
                                           Precision::kFloat16Arithmetic),
                         [](const auto& info) {
                           return PrecisionName(info.param);
                         });

}  // namespace
}  // namespace gles_delegate::testing

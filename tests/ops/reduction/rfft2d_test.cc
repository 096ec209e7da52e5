// labels: op llvmpipe softpipe oldest_tflite
// RFFT2D at the ends of a partition, beside the rows of tools/cases.
#include "absl/strings/str_cat.h"
#include "tests/testing/device_test.h"
#include "tests/testing/single_op.h"
#include "tools/cases/model.h"

namespace gles_delegate::testing {
namespace {

class Rfft2dTest : public DeviceTest {};

// Complex numbers that leave the partition, and that come into it.
TEST_F(Rfft2dTest, ComplexEnds) {
  for (const char* op : {"REAL", "IMAG"}) {
    const SingleOpModel model = cases::ModelOf(
        absl::StrCat("RFFT2D x=[2,1,64]~n(0,1) lengths=(1,64) -> bins:c64 ; ",
                     op, " bins -> f32"));
    for (const char* node : {"0", "1"}) {
      RunOptions options;
      options.expect_delegated = false;
      options.configure = [&](TfLiteGlesDelegateOptions& o) {
        o.exclude_nodes = node;
        o.max_delegated_partitions = 1;
      };
      const RunResult result = RunOnDelegate(model, options);
      EXPECT_THAT(result, MatchesCpu(model));
      EXPECT_EQ(result.nodes_delegated, 1);
    }
  }
}

}  // namespace
}  // namespace gles_delegate::testing

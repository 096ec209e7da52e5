// labels: model llvmpipe
// Models that are large in one direction: of 2,338 small ops, as a real one is,
// and of batch 200. Whole in one partition, with the CPU's answer; preparation
// is timed in benches, not here.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/testing/device.h"
#include "tests/testing/single_op.h"
#include "tools/cases/model.h"

namespace gles_delegate::testing {
namespace {

constexpr int kNodes = 2338;

// Adds seven nodes at a time until there are `nodes`: some fuse, some do
// not, some branch and join. Values stay near 1.
SingleOpModel Chain(int nodes) {
  const char* const kFirst[] = {"MUL {x} gain=const:[8]~0.9..1.1",
                                "AVERAGE_POOL_2D {x} filter=2",
                                "TANH {x}",
                                "TRANSPOSE {x} turn=(0,2,1,3)",
                                "EXP {x}",
                                "SLICE {x} begin=(0,0,0,0) size=(1,3,3,4)",
                                "CONCATENATION {x} {x} axis=3"};
  const char* const kNext[] = {"MUL {x} gain",
                               "AVERAGE_POOL_2D {x} filter=2",
                               "TANH {x}",
                               "TRANSPOSE {x} turn",
                               "EXP {x}",
                               "SLICE {x} begin size",
                               "CONCATENATION {x} {x} axis=3"};
  std::string text;
  for (int n = 0; n < nodes; ++n) {
    const std::string x =
        n == 0 ? "x=[1,3,3,8]~0.5..1.5" : absl::StrCat("t", n - 1);
    absl::StrAppend(
        &text, n == 0 ? "" : " ; ",
        absl::StrReplaceAll((n < 7 ? kFirst : kNext)[n % 7], {{"{x}", x}}),
        " -> t", n);
  }
  SingleOpModel model = cases::ModelOf(text);
  model.magnitude_bytes.clear();
  model.accuracy = Accuracy{/*terms=*/nodes};
  return model;
}

TEST(ManyNodesTest, RunWholeAsTheCpuRunsThem) {
  GLES_SKIP_WITHOUT_DEVICE();
  const SingleOpModel model = Chain(kNodes);
  const RunResult result = RunOnDelegate(model);
  EXPECT_EQ(result.nodes_delegated, kNodes);
  EXPECT_EQ(result.partitions, 1);
  EXPECT_THAT(result, MatchesCpu(model));
}

TEST(ManyNodesTest, ABatchOf200) {
  GLES_SKIP_WITHOUT_DEVICE();
  SingleOpModel model = cases::ModelOf(
      "CONV_2D x=[200,12,12,3] w=const:[8,3,3,3]~n(0,1) b=const:[8] stride=2 "
      "-> c ; PRELU c alpha=const:[1,1,8]~0.1..0.3 -> p ; DEPTHWISE_CONV_2D p "
      "dw=const:[1,3,3,8]~n(0,1) db=const:[8] depth_multiplier=1 -> d ; "
      "FULLY_CONNECTED d fw=const:[10,288]~n(0,1) fb=const:[10]");
  model.accuracy = Accuracy{/*terms=*/27 * 9 * 72};
  const RunResult result = RunOnDelegate(model);
  EXPECT_EQ(result.partitions, 1);
  EXPECT_THAT(result, MatchesCpu(model));
}

}  // namespace
}  // namespace gles_delegate::testing

// labels: op delegate llvmpipe softpipe
// Which partitions are delegated by default: those that pay for their way to
// the GPU and back.
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tools/cases/model.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

// A convolution, an op that the CPU keeps, another convolution, another such
// op, and a slice: nodes 0 to 4.
std::vector<uint8_t> TwoConvolutionsAndASlice(int extent, int channels) {
  return cases::ModelOf(absl::StrReplaceAll(
                            "CONV_2D x=[1,{e},{e},{c}] w=const:[{c},3,3,{c}] "
                            "b=const:[{c}] -> p ; NEG p -> q ; CONV_2D q "
                            "v=const:[{c},3,3,{c}] d=const:[{c}] -> r ; NEG r "
                            "-> s ; SLICE "
                            "s begin=(0,0,0,0) size=(1,1,1,1)",
                            {{"{e}", absl::StrCat(extent)},
                             {"{c}", absl::StrCat(channels)}}))
      .bytes;
}

using PartitionWorthTest = DeviceTest;

// By default a partition is delegated if it pays for its way.
TEST_F(PartitionWorthTest, ByDefaultPartitionsThatPayAreDelegated) {
  const auto apply = [](int extent, int channels) {
    const auto model = LoadOrDie(TwoConvolutionsAndASlice(extent, channels));
    const DelegatePtr delegate = MakeDelegate([](auto& options) {
      options.max_delegated_partitions = -1;
      options.exclude_nodes = "1,3";
    });
    const auto interpreter = Applied(*model, delegate);
    ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
    return ReportOf(delegate);
  };
  const nlohmann::json large = apply(24, 48);
  EXPECT_EQ(large["partitions"], 2) << large;
  EXPECT_EQ(large["nodes_delegated"], 2) << large;
  for (const auto& partition : large["partition"]) {
    EXPECT_GT(partition["estimate"]["cpu_us"],
              partition["estimate"]["crossing_us"]);
  }
  EXPECT_THAT(large["cpu"].dump(), HasSubstr("does not pay"));
  const nlohmann::json small = apply(4, 4);
  EXPECT_EQ(small["partitions"], 0) << small;
}

// However small, a model that runs as a whole has no crossings to save.
TEST_F(PartitionWorthTest, AWholeModelIsAlwaysDelegated) {
  const auto model = LoadOrDie(TwoConvolutionsAndASlice(4, 4));
  const DelegatePtr delegate =
      MakeDelegate([](auto& o) { o.max_delegated_partitions = -1; });
  const auto interpreter = Applied(*model, delegate);
  EXPECT_EQ(ReportOf(delegate)["nodes_delegated"], 5);
}

}  // namespace
}  // namespace gles_delegate::testing

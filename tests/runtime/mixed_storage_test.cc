// labels: op delegate llvmpipe softpipe
// Arrays, 2-D textures, buffers and texel buffers in one plan, each tensor's
// storage by chance (GLES_DELEGATE_DEBUG=storage_seed), with validation on,
// with and without buffers that stay mapped: against TFLite's CPU.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"
#include "tests/testing/hidden_extension.h"
#include "tests/testing/scoped_environment.h"
#include "tools/cases/model.h"

namespace gles_delegate::testing {
namespace {

// Tensors of as many shapes as there are tensors.
std::vector<uint8_t> ManyShapes() {
  return cases::ModelOf(
             "CONV_2D x=[1,16,15,5] aw=const:[12,3,3,5] ab=const:[12] stride=2 "
             "fused_activation_function=RELU6 -> a ; "
             "DEPTHWISE_CONV_2D a bw=const:[1,3,3,12] bb=const:[12] "
             "depth_multiplier=1 -> b ; "
             "CONV_2D b cw=const:[20,1,1,12] cb=const:[20] "
             "fused_activation_function=RELU6 -> c ; "
             "MAX_POOL_2D c filter=2 stride=2 -> d ; "
             "CONV_2D d ew=const:[9,3,3,20] eb=const:[9] "
             "fused_activation_function=RELU6 -> e ; "
             "CONCATENATION d e axis=3 -> f ; "
             "RESIZE_BILINEAR f size=(8,8) -> g ; "
             "CONV_2D g hw=const:[20,1,1,29] hb=const:[20] "
             "fused_activation_function=RELU6 -> h ; "
             "ADD c h -> i ; MAX_POOL_2D i filter=2 stride=2 -> j ; "
             "FULLY_CONNECTED j kw=const:[11,320] kb=const:[11] -> k ; "
             "SOFTMAX k beta=1 % keep=i")
      .bytes;
}

class MixedStorageTest : public DeviceTestWithParam<int> {
 protected:
  void Run(bool profiled) {
    const ScopedDebug validate("validate");
    const ScopedDebug seed("storage_seed=" + std::to_string(GetParam()));
    const auto model = LoadOrDie(ManyShapes());
    const DelegatePtr delegate = MakeDelegate(
        [&](auto& options) { options.enable_op_profiling = profiled ? 1 : 0; });
    auto interpreter = Applied(*model, delegate);
    EXPECT_EQ(ReportOf(delegate)["partitions"], 1);
    EXPECT_EQ(ReportOf(delegate)["nodes_delegated"], 12);
    // Each slot is used again by the next Invoke.
    for (int round = 0; round < 3; ++round) {
      ExpectClose(RunOnce(interpreter.get(), round), CpuResult(*model, round));
    }
  }
};

TEST_P(MixedStorageTest, MatchesCpu) { Run(/*profiled=*/false); }

TEST_P(MixedStorageTest, MatchesCpuProfiled) { Run(/*profiled=*/true); }

TEST_P(MixedStorageTest, MatchesCpuWithoutBufferStorage) {
  const HiddenExtension hidden("GL_EXT_buffer_storage");
  Run(/*profiled=*/false);
}

INSTANTIATE_TEST_SUITE_P(Seeds, MixedStorageTest, ::testing::Range(1, 9));

}  // namespace
}  // namespace gles_delegate::testing

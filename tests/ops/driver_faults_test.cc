// labels: op llvmpipe softpipe
// The shaders' workarounds for faulty drivers, on a driver without the fault:
// the answers are the same.
#include <cmath>
#include <utility>
#include <vector>

#include "delegate/ops/conv/conv_2d.h"
#include "quant/half.h"
#include "tests/testing/device_test.h"
#include "tests/testing/run_graph.h"

namespace gles_delegate::testing {
namespace {

class DriverFaultsTest : public DeviceTest {};

// Every 16-bit float, subnormal, infinite and NaN ones too, times 1.
TEST_F(DriverFaultsTest, HalvesThatTheDriverCannotUnpack) {
  std::vector<float> halves;
  for (int code = 0; code < 65536; ++code) {
    halves.push_back(HalfToFloat(static_cast<uint16_t>(code)));
  }
  for (bool fails : {false, true}) {
    SCOPED_TRACE(fails ? "by bits" : "by unpackHalf2x16");
    Graph graph;
    Node node;
    node.attributes = DepthwiseConv2dAttributes();
    node.inputs = {AddTensor(&graph, {1, 128, 128, 4}),
                   AddConstant(&graph, {1, 1, 1, 4}, {1, 1, 1, 1})};
    node.outputs = {AddTensor(&graph, {1, 128, 128, 4})};
    const auto got =
        RunGraphOf("DEPTHWISE_CONV_2D", std::move(node), std::move(graph),
                   {halves}, [fails](DeviceProfile& profile) {
                     profile.options.half = true;
                     profile.choices.storage = gl_shaders::Storage::kBuffer;
                     profile.faults.unpack_half_fails = fails;
                   });
    ASSERT_TRUE(got.ok()) << got.status();
    for (size_t i = 0; i < halves.size(); ++i) {
      if (std::isnan(halves[i])) {
        ASSERT_TRUE(std::isnan((*got)[i])) << i << " becomes " << (*got)[i];
      } else {
        ASSERT_EQ((*got)[i], halves[i]) << i;
      }
    }
  }
}

}  // namespace
}  // namespace gles_delegate::testing

// labels: op quant
// RSQRT of quantized values below the zero point, which TFLite's kernel does
// not take.
#include <vector>

#include "tests/testing/device.h"
#include "tests/testing/single_op.h"
#include "tools/common/model_builder.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

using Dims = ModelBuilder::Shape;

// docs/supported_ops.md: the greatest code, where the CPU's Invoke fails. Of
// the zero point, too, as on the CPU.
TEST(RootQuantizedTest, OfQuantizedValuesBelowTheZeroPointIsTheGreatest) {
  GLES_SKIP_WITHOUT_DEVICE();
  constexpr int kZero = 3;
  const auto make = [](const std::vector<int>& quantized) {
    const Dims dims = {1, 1, 1, static_cast<int>(quantized.size())};
    ModelBuilder b;
    const int x = b.AddInput("x", dims, TensorType::INT8,
                             ModelQuantization::PerTensor(0.5f, kZero));
    const int y = b.AddTensor("y", dims, TensorType::INT8,
                              ModelQuantization::PerTensor(0.125f, -20));
    b.AddOp(Op::RSQRT, 2, {x}, {y});
    b.SetOutputs({y});
    SingleOpModel model;
    model.description = "RSQRT of any code";
    model.bytes = b.Finish();
    model.inputs.emplace_back();
    for (int code : quantized) {
      model.inputs[0].push_back(0.5f * static_cast<float>(code - kZero));
    }
    return model;
  };
  const SingleOpModel model = make({-128, 2, 3, 4, 127});
  EXPECT_FALSE(RunOnCpu(model).status.ok());
  const RunResult gpu = RunOnDelegate(model);
  ASSERT_TRUE(gpu.status.ok()) << gpu.status;
  const RunResult right = RunOnCpu(make({3, 3, 3, 4, 127}));
  ASSERT_TRUE(right.status.ok()) << right.status;
  EXPECT_EQ(gpu.outputs[0].values, right.outputs[0].values);
  EXPECT_EQ(gpu.outputs[0].values[0], 0.125f * (127 + 20));
}

}  // namespace
}  // namespace gles_delegate::testing

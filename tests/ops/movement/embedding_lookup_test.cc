// labels: op llvmpipe softpipe
// EMBEDDING_LOOKUP of int8 rows, by hand; other cases are rows of
// tools/cases/movement.txt.

#include <vector>

#include "tests/testing/device_test.h"
#include "tests/testing/op_models.h"
#include "tools/common/model_builder.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

class EmbeddingLookupTest : public DeviceTest {};

// Rows of int8 are floats: each value times the scale.
TEST_F(EmbeddingLookupTest, Int8Rows) {
  ModelBuilder b;
  const int ids = b.AddInput("ids", {3}, TensorType::INT32);
  const int table = b.AddConstant<int8_t>(
      "table", {2, 3}, std::vector<int8_t>{1, -2, 3, -127, 127, 0},
      ModelQuantization::PerTensor(0.5f, 0));
  const int y = b.AddTensor("y", {3, 3});
  b.AddOp(Op::EMBEDDING_LOOKUP, 3, {ids, table}, {y});
  b.SetOutputs({y});
  SingleOpModel model;
  model.description = "EMBEDDING_LOOKUP of int8 rows";
  model.bytes = b.Finish();
  model.inputs = {{1, 0, 1}};
  const std::vector<float> want = {-63.5f, 63.5f,  0,     0.5f, -1,
                                   1.5f,   -63.5f, 63.5f, 0};
  const RunResult cpu = RunOnCpu(model);
  ASSERT_TRUE(cpu.status.ok()) << cpu.status;
  EXPECT_EQ(cpu.outputs[0].values, want);
  const RunResult gpu = RunOnDelegate(model);
  ASSERT_TRUE(gpu.status.ok()) << gpu.status;
  EXPECT_EQ(gpu.outputs[0].values, want);
}

}  // namespace
}  // namespace gles_delegate::testing

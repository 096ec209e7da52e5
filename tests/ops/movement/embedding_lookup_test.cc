// labels: op llvmpipe softpipe
// EMBEDDING_LOOKUP against TFLite's own kernel, and what its parser refuses.
#include "delegate/ops/movement/embedding_lookup.h"

#include <vector>

#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_models.h"
#include "tests/testing/parse_node.h"
#include "tools/common/model_builder.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

class EmbeddingLookupTest : public DeviceTest {};

TEST_F(EmbeddingLookupTest, RowsOfEveryWidth) {
  for (int channels : {1, 3, 4, 5, 16, 384}) {
    ExpectMatchesCpuOnce(EmbeddingLookup({29, channels}, 7, Weights::kFloat));
    ExpectMatchesCpuOnce(EmbeddingLookup({29, channels}, 7, Weights::kRuntime));
    ExpectMatchesCpuOnce(EmbeddingLookup({29, channels}, 7, Weights::kInt8));
  }
  ExpectMatchesCpuOnce(EmbeddingLookup({5, 2, 3, 6}, 4, Weights::kFloat));
}

TEST_F(EmbeddingLookupTest, PrecisionsAndStorages) {
  ExpectMatchesCpu(EmbeddingLookup({33, 10}, 6, Weights::kFloat));
  ExpectMatchesCpu(EmbeddingLookup({33, 10}, 6, Weights::kHalf));
  ExpectMatchesCpu(EmbeddingLookup({33, 10}, 6, Weights::kInt8));
}

// More rows than a texture of a minimal device has pixels in a row.
TEST_F(EmbeddingLookupTest, ATableOfManyRows) {
  ExpectMatchesCpuOnce(EmbeddingLookup({30000, 8}, 12, Weights::kFloat));
  ExpectMatchesCpuOnce(EmbeddingLookup({30000, 8}, 12, Weights::kInt8));
}

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

TEST(EmbeddingLookupParserTest, RefusesWhatTheKernelDoes) {
  const Tensor ids = FakeTensor({3}, DataType::kInt32);
  const Tensor table = FakeTensor({5, 4}, DataType::kFloat32);
  const Tensor y = FakeTensor({3, 4}, DataType::kFloat32);
  const auto refusal = [&](const Tensor& i, const Tensor& t, const Tensor& o) {
    return Refusal(ParseEmbeddingLookup, {i, t}, {o});
  };
  EXPECT_EQ(refusal(ids, table, y), "");
  EXPECT_THAT(refusal(FakeTensor({3}, DataType::kFloat32), table, y),
              HasSubstr("the indices are float32"));
  EXPECT_THAT(refusal(FakeTensor({3, 1}, DataType::kInt32), table, y),
              HasSubstr("must be a vector and a matrix"));
  EXPECT_THAT(refusal(ids, FakeTensor({5}, DataType::kFloat32), y),
              HasSubstr("must be a vector and a matrix"));
  EXPECT_NE(refusal(ids, table, FakeTensor({3, 5}, DataType::kFloat32)), "");
  Tensor quantized = table;
  quantized.quantized = DataType::kUint8;
  quantized.quantization = {{0.5f}, {128}, 0};
  EXPECT_THAT(refusal(ids, quantized, y), HasSubstr("zero points of 0"));
}

}  // namespace
}  // namespace gles_delegate::testing

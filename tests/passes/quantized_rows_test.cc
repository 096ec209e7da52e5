// labels: op quant
// Rows and sums of 8-bit tensors that a work group shares, as a GPU plans them.
#include <any>
#include <cmath>
#include <memory>
#include <vector>

#include "delegate/ops/reduction/normalizations.h"
#include "delegate/ops/reduction/reduction.h"
#include "delegate/ops/reduction/softmax.h"
#include "tests/testing/device.h"
#include "tests/testing/run_graph.h"
#include "tools/op_models/random.h"
#include "tools/op_models/schema_names.h"
#include "tools/op_models/shapes.h"

namespace gles_delegate::testing {
namespace {

using Dims = Shape;

// (code - zero point) of each output, from such of the inputs.
std::vector<float> RunShared(Op op, const std::any& attributes,
                             const Dims& dims, const Dims& out_dims,
                             const std::vector<float>& values,
                             int work_group_size) {
  Graph graph;
  Node node;
  node.inputs = {AddTensor(&graph, dims)};
  node.outputs = {AddTensor(&graph, out_dims)};
  node.attributes = attributes;
  node.integer_path = true;
  const auto got = RunGraphOf(schema::EnumNameBuiltinOperator(op), node, graph,
                              {values}, [&](DeviceProfile& profile) {
                                profile.choices.work_group_size =
                                    work_group_size;
                              });
  EXPECT_TRUE(got.ok()) << got.status();
  return got.ok() ? *got : std::vector<float>();
}

void ExpectSharedIsAlone(Op op, const std::any& attributes, const Dims& dims,
                         const Dims& out_dims) {
  Random random("quantized rows");
  std::vector<float> values(ElementCount(dims));
  for (float& value : values) {
    value = static_cast<float>(random.NextInt(-128, 127));
  }
  const auto alone = RunShared(op, attributes, dims, out_dims, values, 16);
  ASSERT_FALSE(alone.empty());
  EXPECT_EQ(alone, RunShared(op, attributes, dims, out_dims, values, 64))
      << schema::EnumNameBuiltinOperator(op);
}

TEST(RowQuantizedTest, RowsSharedByAWorkGroup) {
  GLES_SKIP_WITHOUT_DEVICE();
  SoftmaxOfQuantized quantized;
  quantized.in_scale = 0.01f;
  quantized.out_scale = 1.0f / 256;
  quantized.zero_out = -128;
  for (int d = 0; d < 256; ++d) quantized.exps.push_back(std::exp(-0.01f * d));
  SoftmaxAttributes softmax;
  softmax.quantized = std::make_shared<const SoftmaxOfQuantized>(quantized);
  // More texels than a work group has invocations, and fewer.
  for (int channels : {1001, 99}) {
    const Dims dims = {1, 2, 3, channels};
    softmax.log = false;
    ExpectSharedIsAlone(Op::SOFTMAX, softmax, dims, dims);
    softmax.log = true;
    ExpectSharedIsAlone(Op::LOG_SOFTMAX, softmax, dims, dims);
    ExpectSharedIsAlone(Op::L2_NORMALIZATION,
                        L2NormalizationOfQuantized{0, false}, dims, dims);
  }
}

TEST(RowQuantizedTest, SumsSharedByAWorkGroup) {
  GLES_SKIP_WITHOUT_DEVICE();
  CodeSums sums;
  sums.result = CodeSums::Result::kScaled;
  sums.low = -128;
  ReduceAttributes reduce;
  reduce.quantized = std::make_shared<const CodeSums>(sums);
  reduce.over = {false, true, true, false};
  ExpectSharedIsAlone(Op::SUM, reduce, {1, 40, 50, 5}, {1, 1, 1, 5});
  reduce.over = {false, false, false, true};
  ExpectSharedIsAlone(Op::SUM, reduce, {1, 2, 3, 501}, {1, 2, 3, 1});
}

}  // namespace
}  // namespace gles_delegate::testing

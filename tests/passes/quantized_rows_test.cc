// labels: op quant
// 8-bit RESIZE_BILINEAR: TFLite's quantized values, every one. Rows and sums
// that a work group shares, as a GPU plans them.
#include <cmath>
#include <memory>
#include <vector>

#include "delegate/ops/reduction/l2_normalization.h"
#include "delegate/ops/reduction/reduce.h"
#include "delegate/ops/reduction/softmax.h"
#include "tests/testing/code_cases.h"
#include "tests/testing/device.h"
#include "tests/testing/run_graph.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

using Dims = ModelBuilder::Shape;

struct ResizeSize {
  int h, w, to_h, to_w, channels;
};
// Up and down, twice, by eight with eight channels (TFLite has kernels of their
// own for those), from and to one pixel.
constexpr ResizeSize kResizeSizes[] = {{5, 6, 30, 29, 5}, {7, 9, 4, 3, 8},
                                       {3, 4, 24, 32, 8}, {4, 5, 8, 10, 3},
                                       {1, 1, 3, 5, 4},   {9, 8, 1, 1, 1}};
constexpr int kResizeSizeCount = 6;

template <typename Code>
void ExpectResizes(int seed) {
  CodeCases<Code> cases(seed);
  for (int i = 0; i < 52; ++i) {
    const ModelQuantization in = cases.Draw(cases.Power(-4, 0));
    // TFLite resizes quantized values, whatever they stand for.
    const ModelQuantization out = i % 5 == 0 ? cases.Draw(in.scale[0]) : in;
    // Few sizes, because a work group's shape is a separate program.
    const ResizeSize& size = kResizeSizes[(seed + i % 3) % kResizeSizeCount];
    schema::ResizeBilinearOptionsT options;
    options.align_corners = i % 4 == 1;
    options.half_pixel_centers = i % 4 >= 2;
    const int x = cases.Input({2, size.h, size.w, size.channels}, in);
    const int to = cases.Ints({2}, {size.to_h, size.to_w});
    const int y = cases.Output({2, size.to_h, size.to_w, size.channels}, out);
    cases.b.AddOp(Op::RESIZE_BILINEAR, 3, {x, to}, {y}, options);
  }
  cases.ExpectQuantized(absl::StrCat("RESIZE_BILINEAR seed ", seed));
}

TEST(ResizeQuantizedTest, AreTflites) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (int seed = 1; seed <= 4; ++seed) {
    ExpectResizes<int8_t>(seed);
    ExpectResizes<uint8_t>(seed);
  }
}

// --- As a GPU plans it: a work group shares each row ------------------------

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
  CodeCases<int8_t> cases(1);
  std::vector<float> values;
  for (int8_t code : cases.Codes(dims)) values.push_back(code);
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

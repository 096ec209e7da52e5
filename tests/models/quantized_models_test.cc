// labels: op quant softpipe
// Graphs that change between floats and quantized values, 4-bit weights, and a
// model whose quantization is wrong, which stays on the CPU and says why.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/tflite/reader.h"
#include "quant/fixed_point.h"
#include "tests/testing/device_test.h"
#include "tests/testing/edit_model.h"
#include "tests/testing/matchers.h"
#include "tests/testing/run_graph.h"
#include "tests/testing/single_op.h"
#include "tools/cases/model.h"

namespace gles_delegate::testing {
namespace {

// The largest difference of the first outputs. Fails where the delegate does
// not take every node.
float Distance(const SingleOpModel& model) {
  const RunResult cpu = RunOnCpu(model);
  const RunResult gpu = RunOnDelegate(model);
  EXPECT_TRUE(cpu.status.ok()) << cpu.status;
  EXPECT_TRUE(gpu.status.ok()) << gpu.status;
  if (!cpu.status.ok() || !gpu.status.ok()) return INFINITY;
  const auto& want = cpu.outputs[0].values;
  const auto& got = gpu.outputs[0].values;
  EXPECT_EQ(want.size(), got.size());
  float max = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    max = std::max(max, std::fabs(want[i] - got[i]));
  }
  return max;
}

class QuantizedModelsTest : public DeviceTest {};

// --- Kinds of models ---------------------------------------------------------

TEST_F(QuantizedModelsTest, FloatsQuantizedValuesAndFloatsAgain) {
  // A tanh that differs in its last bit may lie beside a tie.
  EXPECT_LE(
      Distance(cases::ModelOf(
          "QUANTIZE x=[1,6,6,4]~-4..4 -> q:i8@(0.03,5) ; CONV_2D@3 q "
          "w=const:i8@(0.01,0)[8,3,3,4]~-127..127 "
          "b=const:i32@(0.0003,0)[8]~-3000..3000 "
          "fused_activation_function=RELU -> c:i8@(0.06,-128) ; "
          "DEQUANTIZE@2 c -> f:f32 ; TANH f -> e ; QUANTIZE e -> i8@(0.01,0)")),
      0.0101f);
}

// --- 4-bit weights -----------------------------------------------------------

TEST(Int4Test, UnpacksLowBitsFirst) {
  const std::vector<uint8_t> packed = {0x21, 0xf8, 0x07};
  const auto signs = [](const std::vector<uint8_t>& bytes) {
    return std::vector<int8_t>(bytes.begin(), bytes.end());
  };
  EXPECT_THAT(signs(quant::UnpackInts(4, packed, 5)),
              ElementsAre(1, 2, -8, -1, 7));
  EXPECT_THAT(signs(quant::UnpackInts(2, packed, 9)),
              ElementsAre(1, 0, -2, 0, 0, -2, -1, -1, -1));
}

TEST(Int4Test, ConstantsOfNewerRuntimesAreReadAsInt8) {
  std::vector<uint8_t> packed = {0x21, 0xf8, 0x07};
  TfLiteIntArray* dims = TfLiteIntArrayCreate(1);
  dims->data[0] = 5;
  TfLiteTensor tensor = {};
  tensor.type = static_cast<TfLiteType>(18);  // kTfLiteInt4
  tensor.dims = dims;
  tensor.allocation_type = kTfLiteMmapRo;
  tensor.data.raw = reinterpret_cast<char*>(packed.data());
  tensor.bytes = packed.size();
  const Tensor read = ReadTensor(tensor, 0);
  EXPECT_EQ(read.type, DataType::kInt8);
  ASSERT_EQ(read.constant.bytes().size(), 5u);
  EXPECT_EQ(static_cast<int8_t>(read.constant.bytes()[2]), -8);
  // Too few bytes: no type that any op takes.
  tensor.bytes = 2;
  EXPECT_EQ(ReadTensor(tensor, 0).type, DataType::kInt4);
  TfLiteIntArrayFree(dims);
}

// --- Wrong parameters --------------------------------------------------------

// TFLite's kernel copies quantized values whatever their parameters are; rows
// of tools/cases have other wrong ones.
TEST_F(QuantizedModelsTest, AScalePerChannelStaysOnTheCpu) {
  SingleOpModel model = cases::ModelOf(
      "RESHAPE x=i8@(0.1,0)[1,2,2,3] shape=(1,12) -> i8@(0.1,0)");
  model.bytes = EditModel(model.bytes, [](schema::ModelT& root) {
    auto& q = *root.subgraphs[0]->tensors[0]->quantization;
    q.scale = {0.1f, 0.2f, 0.3f};
    q.zero_point = {0, 0, 0};
    q.quantized_dimension = 3;
  });
  RunOptions options;
  options.expect_delegated = false;
  const RunResult result = RunOnDelegate(model, options);
  EXPECT_EQ(result.nodes_delegated, 0);
  EXPECT_THAT(result.report,
              HasSubstr("only constants may have one per channel"));
  EXPECT_THAT(result, MatchesCpu(model));
}

// --- The simulator -----------------------------------------------------------

// Every code's value, and what is clamped, through the shader's simulator as
// quant/ has it. Division may err by 2.5 units in the last place, which no
// code's value is near enough to a tie to feel.
TEST_F(QuantizedModelsTest, TheShadersSimulatorKeepsEveryCode) {
  std::mt19937 random(11);
  std::uniform_real_distribution<float> exponent(-20, 10);
  for (int round = 0; round < 2000; ++round) {
    const bool is_unsigned = round % 2 == 0;
    const quant::CodeRange range = quant::RangeOf(1, is_unsigned);
    const float scale = std::exp2(exponent(random));
    const int zero = range.low + static_cast<int>(random() % 256);
    std::vector<float> values;
    for (int code = range.low - 32; code < range.high + 33; ++code) {
      values.push_back(quant::Dequantize(code, scale, zero));
    }
    Graph graph;
    const int n = static_cast<int>(values.size());
    Node node;
    node.inputs = {AddTensor(&graph, {1, 1, n / 4, 4})};
    node.outputs = {AddTensor(&graph, {1, 1, n / 4, 4})};
    ElementwiseAttributes attributes;
    attributes.source_shape = graph.tensor(node.inputs[0]).shape;
    node.attributes = attributes;
    node.post_ops = {
        {"quantize",
         {scale, static_cast<float>(zero), static_cast<float>(range.low),
          static_cast<float>(range.high)}}};
    const auto got =
        RunGraphOf("RELU", node, graph, {values}, [](DeviceProfile&) {});
    ASSERT_TRUE(got.ok()) << got.status();
    for (int i = 0; i < n; ++i) {
      const int32_t code =
          quant::Quantize(values[i], scale, zero, range.low, range.high);
      ASSERT_EQ((*got)[i], quant::Dequantize(code, scale, zero))
          << "scale " << scale << ", zero point " << zero << ", code "
          << range.low - 32 + i;
    }
  }
}

}  // namespace
}  // namespace gles_delegate::testing

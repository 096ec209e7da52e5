// labels: op quant llvmpipe
// Hybrid ops: 8-bit weights beside float32 activations. TFLite's kernels read
// the bytes as int8, whatever the type and the zero point say.
#include "delegate/tflite/hybrid_weights.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"
#include "tests/testing/edit_model.h"
#include "tests/testing/op_models.h"
#include "tools/cases/model.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

// The model with its weights (float32 constants of two axes or more) as
// quantized values around 0, of max|w| / 127 each. As UINT8, they are the same
// bytes beside a zero point of 128.
std::vector<uint8_t> WithByteWeights(const std::vector<uint8_t>& model,
                                     TensorType type) {
  return EditModel(model, [type](schema::ModelT& root) {
    for (auto& tensor : root.subgraphs[0]->tensors) {
      std::vector<uint8_t>& data = root.buffers[tensor->buffer]->data;
      if (data.empty() || tensor->type != TensorType::FLOAT32 ||
          tensor->shape.size() < 2) {
        continue;
      }
      std::vector<float> values(data.size() / sizeof(float));
      std::memcpy(values.data(), data.data(), data.size());
      float max = 1e-6f;
      for (float v : values) max = std::max(max, std::fabs(v));
      data.clear();
      for (float v : values) {
        data.push_back(static_cast<uint8_t>(
            static_cast<int8_t>(std::lround(v / max * 127))));
      }
      tensor->type = type;
      tensor->quantization =
          std::make_unique<schema::QuantizationParametersT>();
      tensor->quantization->scale = {max / 127};
      tensor->quantization->zero_point = {type == TensorType::UINT8 ? 128 : 0};
    }
  });
}

std::vector<float> Values(const RunResult& run) {
  EXPECT_TRUE(run.status.ok()) << run.status;
  return run.status.ok() ? run.outputs[0].values : std::vector<float>();
}

class HybridWeightsTest : public DeviceTest {
 protected:
  // uint8 weights give what the same bytes as int8 give: on the CPU (that is
  // the rule) and on the GPU; and the two agree within `bound`, which the CPU's
  // rounding of activations to 8 bits takes.
  void Check(SingleOpModel model, float bound) {
    SCOPED_TRACE(model.description);
    const std::vector<uint8_t> floats = model.bytes;
    model.magnitude_bytes.clear();
    model.bytes = WithByteWeights(floats, TensorType::INT8);
    const auto cpu_int8 = Values(RunOnCpu(model));
    RunOptions once;  // as the CPU: states change from run to run
    once.invokes = 1;
    const auto gpu_int8 = Values(RunOnDelegate(model, once));
    model.bytes = WithByteWeights(floats, TensorType::UINT8);
    const auto cpu = Values(RunOnCpu(model));
    const auto gpu = Values(RunOnDelegate(model, once));
    EXPECT_EQ(cpu, cpu_int8);
    EXPECT_EQ(gpu, gpu_int8);
    ASSERT_EQ(gpu.size(), cpu.size());
    for (size_t i = 0; i < cpu.size(); ++i) {
      EXPECT_NEAR(gpu[i], cpu[i], bound) << i;
    }
  }
};

// A CONV_2D of one output: the sum of the products of `x` and `w`.
void AddSumOfProducts(int x, int w, ModelBuilder* b) {
  const int bias = b->AddConstant<float>("b", {1}, std::vector<float>{0});
  const int y = b->AddTensor("y", {1, 1, 1, 1});
  schema::Conv2DOptionsT options;
  options.stride_w = options.stride_h = 1;
  options.padding = schema::Padding::VALID;
  b->AddOp(Op::CONV_2D, 1, {x, w, bias}, {y}, options);
  b->SetOutputs({y});
}

// Four weights of -1, 1, -2, 2 as uint8 on 1, 2, 3, 4: 3. The CPU takes the
// activations as quantized values of 4/127: 32, 64, 95 and 127.
TEST_F(HybridWeightsTest, TheNumbersOfTheFinding) {
  const std::vector<uint8_t> bytes = {224, 32, 192,
                                      64};  // of int8: -32, 32, -64, 64
  const float cpu_sum =
      (-32 * 32 + 32 * 64 - 64 * 95 + 64 * 127) / 32.0f * 4 / 127;
  for (bool convolution : {false, true}) {
    ModelBuilder b;
    const ModelQuantization q = ModelQuantization::PerTensor(1 / 32.0f, 0);
    SingleOpModel model;
    if (convolution) {
      const int x = b.AddInput("x", {1, 2, 2, 1});
      const int w = b.AddConstant<uint8_t>("w", {1, 2, 2, 1}, bytes, q);
      AddSumOfProducts(x, w, &b);
    } else {
      const int x = b.AddInput("x", {1, 4});
      const int w = b.AddConstant<uint8_t>("w", {1, 4}, bytes, q);
      const int y = b.AddTensor("y", {1, 1});
      b.AddOp(Op::FULLY_CONNECTED, 1, {x, w, -1}, {y},
              schema::FullyConnectedOptionsT());
      b.SetOutputs({y});
    }
    model.description = convolution ? "hybrid CONV_2D" : "hybrid dense";
    model.bytes = b.Finish();
    model.inputs = {{1, 2, 3, 4}};
    const auto cpu = Values(RunOnCpu(model));
    ASSERT_EQ(cpu.size(), 1u);
    EXPECT_NEAR(cpu[0], cpu_sum, 1e-5f);
    EXPECT_EQ(Values(RunOnDelegate(model)), std::vector<float>{3});
  }
}

TEST_F(HybridWeightsTest, Uint8IsReadAsInt8) {
  Check(cases::ModelOf("CONV_2D x=[1,8,8,3] w=const:[4,3,3,3] b=const:[4]"),
        0.2f);
  Check(cases::ModelOf("CONV_2D x=[1,8,8,3] w=const:[4,1,1,3] b=const:[4]"),
        0.2f);
  Check(cases::ModelOf("FULLY_CONNECTED x=[1,17] w=const:[5,17] b=const:[5]"),
        0.2f);
  Check(cases::ModelOf("SVDF x=[1,5]~i-128..128/64 feature=const:[6,5] "
                       "time=const:[6,4] bias=const:[3] state=state:[1,24] "
                       "rank=2"),
        0.2f);
  for (const char* op :
       {"LSTM x=[1,5]", "UNIDIRECTIONAL_SEQUENCE_LSTM x=[1,3,5]"}) {
    Check(cases::ModelOf(absl::StrCat(
              op,
              "~i-128..128/64 w=const:[6,5]*4 r=const:[6,6]*4 p=-*3 "
              "b=const:[6]*4 none=-*2 h=state:[1,6] c=state:[1,6] "
              "norms=-*4 fused_activation_function=TANH")),
          0.05f);
  }
}

// Weights that are an input of the model, as TFLite's own tests of the op have
// them: quantized values of -32, 32, -64, 64 and a zero point that no one
// reads.
TEST_F(HybridWeightsTest, WeightsThatAreAnInput) {
  for (TensorType type : {TensorType::UINT8, TensorType::INT8}) {
    ModelBuilder b;
    const int x = b.AddInput("x", {1, 2, 2, 1});
    const int w = b.AddInput("w", {1, 2, 2, 1}, type,
                             ModelQuantization::PerTensor(1 / 32.0f, 5));
    AddSumOfProducts(x, w, &b);
    const auto model = LoadOrDie(b.Finish());
    OnBothProcessors(*model, 1, [](Interpreter& interpreter, bool on_gpu) {
      const std::vector<float> values = {1, 2, 3, 4};
      ASSERT_TRUE(interpreter.input(0).Write(values).ok());
      const uint8_t bytes[] = {224, 32, 192, 64};  // of int8: -32, 32, -64, 64
      ASSERT_TRUE(interpreter.input(1).WriteBytes(bytes).ok());
      ASSERT_TRUE(interpreter.Invoke().ok());
      // The CPU rounds the activations to quantized values of 4 / 127.
      EXPECT_NEAR(interpreter.output(0).AsFloats()[0], 3, on_gpu ? 1e-6 : 0.05);
    });
  }
}

// The same beside a constant.
TEST_F(HybridWeightsTest, WeightsThatAreAnInputOnAConstant) {
  ModelBuilder b;
  const int x =
      b.AddConstant<float>("x", {1, 2, 2, 1}, std::vector<float>{1, 2, 3, 4});
  const int w = b.AddInput("w", {1, 2, 2, 1}, TensorType::UINT8,
                           ModelQuantization::PerTensor(1 / 32.0f, 5));
  AddSumOfProducts(x, w, &b);
  const auto model = LoadOrDie(b.Finish());
  OnBothProcessors(*model, 1, [](Interpreter& interpreter, bool on_gpu) {
    const uint8_t bytes[] = {224, 32, 192, 64};  // of int8: -32, 32, -64, 64
    ASSERT_TRUE(interpreter.input(0).WriteBytes(bytes).ok());
    ASSERT_TRUE(interpreter.Invoke().ok());
    EXPECT_NEAR(interpreter.output(0).AsFloats()[0], 3, on_gpu ? 1e-6 : 0.05);
  });
}

// One constant, read by a hybrid op and by one that reads it by its type.
TEST_F(HybridWeightsTest, OtherReadersOfTheConstantKeepItsType) {
  ModelBuilder b;
  const int x = b.AddInput("x", {1, 4});
  const int w = b.AddConstant<uint8_t>(
      "w", {4, 4},
      std::vector<uint8_t>{1, 200, 3, 250, 5, 6, 130, 8, 9, 128, 11, 12, 13, 14,
                           15, 255},
      ModelQuantization::PerTensor(0.5f, 100));
  const int y = b.AddTensor("y", {1, 4});
  b.AddOp(Op::FULLY_CONNECTED, 1, {x, w, -1}, {y},
          schema::FullyConnectedOptionsT());
  const int real = b.AddTensor("real", {4, 4});
  b.AddOp(Op::DEQUANTIZE, 1, {w}, {real});
  const int z = b.AddTensor("z", {4, 4});
  b.AddOp(Op::ADD, 1, {y, real}, {z}, schema::AddOptionsT());
  b.SetOutputs({z});
  SingleOpModel model;
  model.bytes = b.Finish();
  model.inputs = {
      {127, -127, 127, 127}};  // quantized values of 1: the CPU rounds nothing
  model.description = "shared uint8 weights";
  EXPECT_THAT(RunOnDelegate(model), MatchesCpu(model));
}

TEST_F(HybridWeightsTest, WhatTheCpuDoesNotTakeStaysThere) {
  SingleOpModel model = cases::ModelOf(
      "DEPTHWISE_CONV_2D x=[1,8,8,3] w=const:[1,3,3,3] b=const:[3] "
      "depth_multiplier=1");
  model.bytes = WithByteWeights(model.bytes, TensorType::UINT8);
  RunOptions options;
  options.expect_delegated = false;
  const RunResult run = RunOnDelegate(model, options);
  EXPECT_EQ(run.nodes_delegated, 0);
  EXPECT_FALSE(run.status.ok());
  EXPECT_FALSE(RunOnCpu(model).status.ok());
}

}  // namespace
}  // namespace gles_delegate::testing

// Models on int16 values (16x8 models) beside TFLite's own kernels, one at a
// time: how many quantized values apart the two are.
#ifndef GLES_DELEGATE_TESTS_TESTING_INT16_VALUES_H_
#define GLES_DELEGATE_TESTS_TESTING_INT16_VALUES_H_

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/testing/single_op.h"
#include "tools/common/model_builder.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {

// int16 values have the zero point 0.
inline ModelQuantization WideScale(float scale) {
  return ModelQuantization::PerTensor(scale, 0);
}

// An ADD or a SUB of 16-bit tensors. `shifts`: its pot_scale_int16.
inline void AddInt16Sum(ModelBuilder* b, Op op, std::vector<int> operands,
                        int y, schema::ActivationFunctionType activation,
                        bool shifts) {
  const auto add = [&](int version, auto options) {
    options.pot_scale_int16 = shifts;
    options.fused_activation_function = activation;
    b->AddOp(op, version, std::move(operands), {y}, options);
  };
  if (op == Op::ADD) {
    add(3, schema::AddOptionsT());
  } else {
    add(5, schema::SubOptionsT());
  }
}

// Every value on a code of `scale`.
inline std::vector<float> Int16Values(size_t n, float scale, int seed) {
  std::mt19937 random(seed);
  std::vector<float> values(n);
  for (float& v : values) {
    v = scale * static_cast<float>(static_cast<int>(random() % 65536) - 32768);
  }
  return values;
}

// The most quantized values of `scale` that an output is off by. Fails where
// the delegate leaves the node to the CPU.
inline float QuantizedApart(
    const std::string& what, const ModelBuilder& builder,
    std::vector<std::vector<float>> inputs, float scale,
    TfLiteGlesQuantizedCompute compute = kTfLiteGlesQuantizedAuto,
    const char* in_report = "") {
  SingleOpModel model;
  model.description = what;
  model.bytes = builder.Finish();
  model.inputs = std::move(inputs);
  const RunResult cpu = RunOnCpu(model);
  RunOptions options;
  options.configure = [compute](TfLiteGlesDelegateOptions& o) {
    o.quantized_compute = compute;
  };
  const RunResult gpu = RunOnDelegate(model, options);
  EXPECT_THAT(gpu.report, ::testing::HasSubstr(in_report)) << what;
  EXPECT_TRUE(cpu.status.ok()) << what << ": " << cpu.status;
  EXPECT_TRUE(gpu.status.ok()) << what << ": " << gpu.status;
  if (!cpu.status.ok() || !gpu.status.ok()) return INFINITY;
  float max = 0;
  for (size_t o = 0; o < cpu.outputs.size(); ++o) {
    const auto& want = cpu.outputs[o].values;
    const auto& got = gpu.outputs[o].values;
    EXPECT_EQ(want.size(), got.size());
    for (size_t i = 0; i < want.size(); ++i) {
      max = std::max(max, std::fabs(want[i] - got[i]) / scale);
    }
  }
  return std::round(max * 100) / 100;
}

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_INT16_VALUES_H_

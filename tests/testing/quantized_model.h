// Models with quantized tensors, built op by op.
#ifndef GLES_DELEGATE_TESTS_TESTING_QUANTIZED_MODEL_H_
#define GLES_DELEGATE_TESTS_TESTING_QUANTIZED_MODEL_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tools/common/model_builder.h"
#include "tools/op_models/op_model.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {

// One scale and zero point for a whole tensor.
inline ModelQuantization Q(float scale, int64_t zero_point) {
  return ModelQuantization::PerTensor(scale, zero_point);
}

// What `builder` has built, with the values of its inputs.
inline SingleOpModel Finish(const std::string& description,
                            const ModelBuilder& builder,
                            std::vector<std::vector<float>> inputs) {
  SingleOpModel model;
  model.description = description;
  model.bytes = builder.Finish();
  model.inputs = std::move(inputs);
  return model;
}

// y = x + x in quantized values, of either 8-bit type. No element of
// SomeElements() is halfway between two quantized values: if a driver's
// quotients are inexact (NVIDIA's), either of the two is the nearest one.
inline std::vector<uint8_t> SumOfQuantized(const Shape& shape,
                                           TensorType type) {
  const bool has_sign = type == TensorType::INT8;
  ModelBuilder builder;
  const int x =
      builder.AddInput("x", shape, type, Q(0.0307f, has_sign ? -5 : 120));
  const int y =
      builder.AddTensor("y", shape, type, Q(0.07f, has_sign ? 3 : 131));
  builder.AddOp(Op::ADD, 2, {x, x}, {y}, schema::AddOptionsT());
  builder.SetOutputs({y});
  return builder.Finish();
}

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_QUANTIZED_MODEL_H_

// Models with quantized tensors, built op by op.
#ifndef GLES_DELEGATE_TESTS_TESTING_QUANTIZED_MODEL_H_
#define GLES_DELEGATE_TESTS_TESTING_QUANTIZED_MODEL_H_

#include <string>
#include <utility>
#include <vector>

#include "tests/testing/op_model.h"
#include "tools/common/model_builder.h"

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

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_QUANTIZED_MODEL_H_

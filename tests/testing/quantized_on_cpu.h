// A quantized model on TFLite's own kernels.
#ifndef GLES_DELEGATE_TESTS_TESTING_QUANTIZED_ON_CPU_H_
#define GLES_DELEGATE_TESTS_TESTING_QUANTIZED_ON_CPU_H_

#include <cstddef>
#include <vector>

#include "gtest/gtest.h"
#include "tools/common/model_builder.h"
#include "tools/common/tflite_host.h"

namespace gles_delegate::testing {

// The model's first output on the CPU. Empty where the model does not run,
// which fails the test.
template <typename Code>
std::vector<Code> QuantizedOnCpu(const ModelBuilder& builder,
                                 const std::vector<std::vector<Code>>& inputs) {
  auto model = Model::FromBuffer(builder.Finish());
  EXPECT_TRUE(model.ok()) << model.status();
  if (!model.ok()) return {};
  auto interpreter = Interpreter::Create(**model);
  EXPECT_TRUE(interpreter.ok()) << interpreter.status();
  if (!interpreter.ok()) return {};
  for (size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_TRUE(
        (*interpreter)->input(static_cast<int>(i)).Write(inputs[i]).ok());
  }
  EXPECT_TRUE((*interpreter)->Invoke().ok());
  const auto quantized = (*interpreter)->output(0).data<Code>();
  return {quantized.begin(), quantized.end()};
}

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_QUANTIZED_ON_CPU_H_

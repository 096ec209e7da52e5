// A quantized model on TFLite's own kernels.
#ifndef GLES_DELEGATE_TESTS_TESTING_QUANTIZED_ON_CPU_H_
#define GLES_DELEGATE_TESTS_TESTING_QUANTIZED_ON_CPU_H_

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/str_format.h"
#include "gtest/gtest.h"
#include "tools/cases/model.h"
#include "tools/common/model_builder.h"
#include "tools/common/tflite_host.h"

namespace gles_delegate::testing {

// "i8@(0.5,-3)": the type, scale and zero point of a tensor in a case's text.
template <typename Code>
std::string QuantizedAs(float scale, int zero_point) {
  return absl::StrFormat("%s@(%.9g,%d)",
                         std::is_signed<Code>::value ? "i8" : "u8", scale,
                         zero_point);
}

// The model's first output on the CPU. Empty if it does not run, which fails
// the test.
template <typename Code, typename In = Code>
std::vector<Code> QuantizedOnCpu(const ModelBuilder& builder,
                                 const std::vector<std::vector<In>>& inputs) {
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
// The same of a case, whose shapes its text has.
template <typename Code, typename In = Code>
std::vector<Code> QuantizedOnCpu(const std::string& text,
                                 const std::vector<std::vector<In>>& inputs) {
  return QuantizedOnCpu<Code>(cases::BuilderOf(text), inputs);
}

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_QUANTIZED_ON_CPU_H_

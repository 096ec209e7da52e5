// The smallest model of two nodes, for tests that need no GPU.
#ifndef GLES_DELEGATE_TESTS_TESTING_TWO_NEGATIONS_H_
#define GLES_DELEGATE_TESTS_TESTING_TWO_NEGATIONS_H_

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tools/common/model_builder.h"
#include "tools/common/tflite_host.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {

// y = -(-x), two NEG nodes.
inline std::vector<uint8_t> TwoNegations() {
  ModelBuilder builder;
  const int x = builder.AddInput("x", {1, 2});
  const int t = builder.AddTensor("t", {1, 2});
  const int y = builder.AddTensor("y", {1, 2});
  builder.AddOp(Op::NEG, 1, {x}, {t});
  builder.AddOp(Op::NEG, 1, {t}, {y});
  builder.SetOutputs({y});
  return builder.Finish();
}

// Ends the test program where TFLite cannot read the model.
inline std::unique_ptr<Model> LoadOrEnd(std::vector<uint8_t> bytes) {
  auto model = Model::FromBuffer(std::move(bytes));
  if (!model.ok()) {
    ADD_FAILURE() << model.status();
    std::abort();
  }
  return *std::move(model);
}

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_TWO_NEGATIONS_H_

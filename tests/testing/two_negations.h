// The smallest model of two nodes, for tests that need no GPU.
#ifndef GLES_DELEGATE_TESTS_TESTING_TWO_NEGATIONS_H_
#define GLES_DELEGATE_TESTS_TESTING_TWO_NEGATIONS_H_

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tools/cases/model.h"
#include "tools/common/tflite_host.h"

namespace gles_delegate::testing {

// y = -(-x), two NEG nodes.
inline std::vector<uint8_t> TwoNegations() {
  return cases::BuilderOf("NEG x=[1,2] -> t:f32[1,2] ; NEG t -> y:f32[1,2]")
      .Finish();
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

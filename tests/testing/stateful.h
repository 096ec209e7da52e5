// A model with variable tensors on the CPU and on the delegate side by side,
// for as many invokes as a test needs.
#ifndef GLES_DELEGATE_TESTS_TESTING_STATEFUL_H_
#define GLES_DELEGATE_TESTS_TESTING_STATEFUL_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "tests/testing/delegate_case.h"
#include "tests/testing/precision_test.h"
#include "tests/testing/single_op.h"
#include "tools/op_models/shapes.h"

namespace gles_delegate::testing {

class StatefulPair {
 public:
  // Fails the test unless every node is delegated, in one partition. At
  // kFloat16 the model's constants are rounded to half first, on both sides.
  explicit StatefulPair(std::vector<uint8_t> bytes,
                        Precision precision = Precision::kFloat32,
                        TfLiteGlesStorage storage = kTfLiteGlesStorageAuto);
  // Another model on the delegate than on the CPU, of the same inputs and
  // outputs.
  StatefulPair(std::vector<uint8_t> cpu_bytes, std::vector<uint8_t> gpu_bytes);

  // Invokes both on inputs that depend on the number of calls so far, and
  // compares all outputs. The bound: at float32 2^-17 of the larger of 1 and
  // the largest magnitude (sums of some dozen terms, and functions whose slope
  // is 1 at most, a few steps long: 2^-24 each); at float16 2^-8 (a state is
  // rounded to half, 2^-11, once each invoke, and an old error shrinks).
  void Step();
  // The same, but sets input 0 alone.
  void StepKeepingOtherInputs();
  // TfLiteInterpreterResetVariableTensors on both.
  void Reset();
  // Resizes input 0 on both and allocates.
  void Resize(const std::vector<int>& dims);

  Interpreter& cpu() { return *cpu_; }
  Interpreter& gpu() { return *gpu_; }

 private:
  void FillInputs(Interpreter* interpreter, int count) const;
  void StepOn(int inputs);
  void Apply(Precision precision, TfLiteGlesStorage storage);

  std::unique_ptr<Model> cpu_model_;
  std::unique_ptr<Model> gpu_model_;  // null: cpu_model_
  DelegatePtr delegate_;
  std::unique_ptr<Interpreter> cpu_;
  std::unique_ptr<Interpreter> gpu_;
  double bound_;
  int round_ = 0;
};

// Three steps, a reset, two more.
void ExpectSameStates(const std::vector<uint8_t>& bytes,
                      Precision precision = Precision::kFloat32,
                      TfLiteGlesStorage storage = kTfLiteGlesStorageAuto);

// Tests of ops with a state, once at each precision.
class StatefulTest : public PrecisionTest {
 protected:
  void Check(const std::vector<uint8_t>& bytes) {
    ExpectSameStates(bytes, GetParam());
  }
};

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_STATEFUL_H_

// Helpers of the delegate tests: small models, a delegate with a few options
// changed, one run of an interpreter, the report as JSON.
#ifndef GLES_DELEGATE_TESTS_TESTING_DELEGATE_CASE_H_
#define GLES_DELEGATE_TESTS_TESTING_DELEGATE_CASE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gles_delegate/gles_delegate.h"
#include "nlohmann/json.hpp"
#include "tests/testing/device_test.h"
#include "tools/common/model_builder.h"
#include "tools/common/tflite_host.h"
#include "tools/op_models/shapes.h"

namespace gles_delegate::testing {

// Default options but for what `configure` changes; fails the test where they
// are refused.
DelegatePtr MakeDelegate(
    const std::function<void(TfLiteGlesDelegateOptions&)>& configure = {});

// TfLiteGlesDelegateReport, parsed; fails the test where it is no JSON object.
nlohmann::json ReportOf(const DelegatePtr& delegate);

// A model that must load; aborts the program where it does not.
std::unique_ptr<Model> LoadOrDie(std::vector<uint8_t> bytes);

// The model of a case's text (docs/conformance.md).
std::unique_ptr<Model> LoadCase(const std::string& text);

// An interpreter without a delegate; aborts if it cannot be made.
std::unique_ptr<Interpreter> InterpreterOrDie(const Model& model);

// An interpreter to which the delegate has been applied. If it cannot be, the
// test fails, and the interpreter runs on the CPU.
std::unique_ptr<Interpreter> Applied(const Model& model,
                                     const DelegatePtr& delegate);

// The same by the interpreter's options: a failure then makes no interpreter.
absl::StatusOr<std::unique_ptr<Interpreter>> CreatedWith(
    const Model& model, const DelegatePtr& delegate);

// Resizes the first input and allocates. If it cannot, the test fails.
void Resize(Interpreter* interpreter, const Shape& shape);

// Fills every float input with values that depend on `round` alone, invokes,
// and returns all outputs one after the other.
absl::StatusOr<std::vector<float>> RunOnce(Interpreter* interpreter,
                                           int round = 0);

// The same on the CPU, with the input resized to `shape` where it is not empty.
std::vector<float> CpuResult(const Model& model, int round = 0,
                             const Shape& shape = {});

// Calls run(interpreter, on_gpu) with an interpreter on the CPU, then with one
// of which a delegate of default options takes `nodes` nodes.
void OnBothProcessors(
    const Model& model, int nodes,
    const std::function<void(Interpreter& interpreter, bool on_gpu)>& run);

// Fails the test unless each element is within 1e-5 of the larger of 1 and the
// expected's largest magnitude.
void ExpectClose(const absl::StatusOr<std::vector<float>>& actual,
                 const std::vector<float>& expected);

// Applies a delegate of `make` to the loaded model, once by the interpreter's
// options and once by ModifyGraphWithDelegate: both delegate `nodes` nodes and
// give the CPU's values.
void ExpectCloseHoweverApplied(const Model& model,
                               const std::function<DelegatePtr()>& make,
                               int nodes);

// A chain of ops on "x" of `shape`, one letter each:
//   c  CONV_2D 3x3, SAME, to as many channels as it gets
//   n  NEG        a  ADD of a constant       m  MUL by a constant
//   r  L2_POOL_2D of one pixel, which no delegate here takes: its magnitude
// Node i is letter i; tensors are named "t<i>", the last one too.
std::vector<uint8_t> ChainModel(const std::string& letters,
                                const Shape& shape = {1, 6, 5, 5});

// Tests on one such model. Without a device each is skipped, loudly.
class ChainTest : public DeviceTest {
 protected:
  explicit ChainTest(const std::string& letters = "can",
                     const Shape& shape = {1, 6, 5, 5})
      : model_(LoadOrDie(ChainModel(letters, shape))),
        expected_(CpuResult(*model_)) {}

  std::unique_ptr<Model> model_;
  std::vector<float> expected_;  // of RunOnce()'s first round
};

// TfLiteGlesDelegateBindObject() of a buffer.
inline int32_t BindBuffer(TfLiteDelegate* delegate, int32_t tensor,
                          uint32_t buffer,
                          int32_t layout = kTfLiteGlesObjectBhwc) {
  TfLiteGlesObject object = TfLiteGlesDelegateObjectDefault();
  object.name = buffer;
  object.layout = layout;
  return TfLiteGlesDelegateBindObject(delegate, tensor, &object);
}

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_DELEGATE_CASE_H_

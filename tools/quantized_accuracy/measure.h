// One row of quantized_accuracy: a model on a backend beside TFLite's integer
// kernels, on many inputs.
#ifndef GLES_DELEGATE_TOOLS_QUANTIZED_ACCURACY_MEASURE_H_
#define GLES_DELEGATE_TOOLS_QUANTIZED_ACCURACY_MEASURE_H_

#include <functional>

#include "absl/status/statusor.h"
#include "tools/quantized_accuracy/pictures.h"
#include "tools/runner/agreement.h"
#include "tools/runner/backend.h"
#include "tools/runner/code_diff.h"

namespace gles_delegate {

struct Accuracy {
  BackendFacts facts;
  int inputs = 0;
  CodeDiff outputs;  // of the model's quantized outputs
  // Of what goes into SOFTMAX and into custom ops
  // (TFLite_Detection_PostProcess). The measurement makes these tensors
  // outputs.
  CodeDiff inner;
  ClassAgreement classes;  // runs: 0 where there is no SOFTMAX
  BoxAgreement boxes;
  bool has_boxes = false;
};

// `model` takes one picture, of 8-bit codes or of floats (0 to 1).
// kInvalidArgument: the model takes something else. before(done) is called
// before each input, when `done` inputs are compared. The first false ends the
// measurement; Accuracy::inputs says how many inputs were compared.
absl::StatusOr<Accuracy> MeasureAccuracy(
    const Model& model, const BackendSpec& spec, const Pictures& pictures,
    int inputs, int seed, const std::function<bool(int)>& before);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_QUANTIZED_ACCURACY_MEASURE_H_

// A model of one op with its inputs, run by TFLite's own CPU kernels, or by a
// delegate that the caller brings. Uses no GoogleTest, as the conformance
// program (tools/conformance) includes it, too. Tests include single_op.h.
#ifndef GLES_DELEGATE_TOOLS_OP_MODELS_OP_MODEL_H_
#define GLES_DELEGATE_TOOLS_OP_MODELS_OP_MODEL_H_

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tensorflow/lite/c/common.h"
#include "tools/op_models/schema_names.h"
#include "tools/op_models/shapes.h"

namespace gles_delegate::testing {

enum class Precision {
  kFloat32,
  kFloat16,            // stored in 16 bits, computed in 32
  kFloat16Arithmetic,  // convolutions multiply in 16 bits, too
};
// "Float32", "Float16", "Float16Arithmetic"
std::string PrecisionName(Precision precision);
// Whether tensors and weights are stored in 16 bits.
inline bool IsHalf(Precision precision) {
  return precision != Precision::kFloat32;
}

// How closely an op's result must agree; single_op.h derives the bounds.
struct Accuracy {
  // How many terms are summed into one output element; 0: values are moved, not
  // computed, and must agree exactly.
  int terms = 1;
  // Units of 2^-24 of the magnitude, for functions that are not exact.
  float ulps = 4;
  // Added to the bound at both precisions. Say at each use where it comes from.
  float absolute = 0;
  // How often a value is rounded to half on its way, the output included.
  int half_roundings = 1;
  // The magnitude is at least that of the largest input element: for ops that
  // interpolate, whose weights have their own error.
  bool magnitude_of_inputs = false;
  // For inputs from the ends of float's range. Results below the least normal
  // number may be zero (GLSL ES 3.10, 4.7.1), and float's largest number is
  // taken for infinity: TFLite's built-in ADD, SUB, MUL and DIV clamp to it
  // even without an activation; XNNPACK's and ours do not.
  bool range_ends = false;
  // XNNPACK's result is right, too: it and TFLite's built-in kernels do not
  // agree on NaN and infinities.
  bool either_kernel = false;
  // With terms = 0: the result is exact in float32, but a half may not hold it,
  // although halves hold the inputs.
  bool rounds_to_half = false;
};

struct SingleOpModel {
  // For messages and test names: the op and its attributes.
  std::string description;
  // The .tflite file.
  std::vector<uint8_t> bytes;
  // The same op on absolute values (single_op.h says what for), with inputs of
  // the same shapes; or empty.
  std::vector<uint8_t> magnitude_bytes;
  // Real values for each input, from the builder's seeded data; tests may
  // replace them.
  std::vector<std::vector<float>> inputs;
  Accuracy accuracy;
  // Not 0: each output has that many rows for each thing that is found, of
  // which the last output is the count; TFLite writes the first `written_rows`
  // of them and leaves the others as they were. They are zeros here.
  int rows_each = 0, written_rows = 0;
  // The result depends on how often the model was invoked.
  bool stateful = false;
  // Not Ok: TFLite refuses the model, in its own words; every run fails with
  // it.
  absl::Status status;
};

struct TensorValue {
  std::string name;
  Shape shape;
  std::vector<float> values;
  float scale = 0;                 // of one code; 0: not quantized
  std::vector<int32_t> ints = {};  // of an int32 tensor: `values`, exactly
};

struct RunResult {
  // Not Ok: what failed; the rest is then empty.
  absl::Status status;
  std::vector<TensorValue> outputs;
  // Messages of TFLite and the delegate.
  std::vector<std::string> log;
  // From TfLiteGlesDelegateReport; zeros and "" on the CPU.
  int nodes_total = 0;
  int nodes_delegated = 0;
  int partitions = 0;
  std::string report;
};
// For the messages of failures: what ran, in place of bytes.
std::ostream& operator<<(std::ostream& out, const RunResult& result);

// float32 constants of a .tflite file rounded to half, in place.
void RoundConstantsToHalf(std::vector<uint8_t>* model);

// Which inputs hold integers or bools: they are the same at any precision.
std::vector<bool> IntegerInputs(const SingleOpModel& model);

// The model as a run at `precision` sees it: at 16 bits, its constants and
// inputs are rounded to half.
SingleOpModel AtPrecision(const SingleOpModel& model, Precision precision);

// Loads the model, applies `delegate` (NULL: the CPU's kernels, one thread),
// writes the inputs and invokes, `invokes` times over. The report's fields stay
// empty.
RunResult RunModel(const SingleOpModel& model, int invokes,
                   TfLiteDelegate* delegate);

// TFLite's own kernels, one thread. At 16 bits, on constants and inputs
// rounded to half.
RunResult RunOnCpu(const SingleOpModel& model,
                   Precision precision = Precision::kFloat32);

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TOOLS_OP_MODELS_OP_MODEL_H_

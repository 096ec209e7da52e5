// Measures a model with one tuning after the other.
#ifndef GLES_DELEGATE_TOOLS_GLES_TUNE_TRIAL_H_
#define GLES_DELEGATE_TOOLS_GLES_TUNE_TRIAL_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/common/tflite_host.h"
#include "tools/gles_tune/search.h"
#include "tools/runner/inputs.h"

namespace gles_delegate {

// Threads: one. `model` must outlive it.
class TuningTrials {
 public:
  // `options`: the delegate's, without tuning_file.
  TuningTrials(const Model& model, DelegateOptions options)
      : model_(model), options_(std::move(options)) {}

  // The minimum time of an inference in ms, host copies included, of at least
  // three and at most 10 after two warm-ups. The outputs of the first call are
  // the reference. kDataLoss: an output differs from it. Quantized values and
  // integers must be equal; floats may differ by kFloatBound of the output's
  // largest magnitude (kFloat16Bound with is_precision_loss_allowed), as from
  // another order of sums. Other errors: the delegate could not be applied.
  absl::StatusOr<double> Measure(const Tuning& tuning);

  // The device of the last call.
  const std::string& renderer() const { return renderer_; }

  static constexpr double kFloatBound = 1e-3;
  static constexpr double kFloat16Bound = 3e-2;

 private:
  // Compares the outputs with the reference, or makes them the reference.
  absl::Status Check(const Interpreter& interpreter);

  const Model& model_;
  const DelegateOptions options_;
  std::vector<InputBytes> inputs_;             // made by the first call
  std::vector<std::vector<uint8_t>> outputs_;  // the reference's bytes
  std::vector<std::vector<float>> values_;     // and its real values
  std::string renderer_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_GLES_TUNE_TRIAL_H_

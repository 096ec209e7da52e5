// The ways to run a model that the tools compare: TFLite's built-in kernels,
// XNNPACK, our GL delegate, any external delegate.
#ifndef GLES_DELEGATE_TOOLS_RUNNER_BACKEND_H_
#define GLES_DELEGATE_TOOLS_RUNNER_BACKEND_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "delegate/cpu_ops/custom_ops.h"
#include "tensorflow/lite/c/common.h"
#include "tools/common/tflite_host.h"

namespace gles_delegate {

struct BackendSpec {
  enum class Kind { kCpu, kXnnpack, kGles, kExternal };

  Kind kind = Kind::kCpu;
  int num_threads = 1;
  DelegateOptions options;   // of kGles and kExternal
  std::string library_path;  // of kExternal

  // "cpu", "xnnpack", "gles" or "external", as reports name it.
  std::string name() const;
};

// Nodes by where they ran. For the CPU nothing is delegated.
struct BackendFacts {
  int nodes_total = 0;
  int nodes_delegated = 0;
  int partitions = 0;
  std::string renderer;  // GL_RENDERER, or "CPU"
  std::string driver;    // GL_VERSION; or TFLite's version, XNNPACK's kernels
};

// An interpreter with a backend applied and its tensors allocated.
// Threads: made and used on one thread.
class Backend {
 public:
  // `model` must outlive the result. kInvalidArgument and others: what the
  // delegate or TFLite said. `input_shapes` are applied before the delegate;
  // an empty shape keeps the model's.
  // XNNPACK gets its kernels for int8 and uint8; if it cannot be applied
  // with both (a uint8 model on TFLite 2.9), those for int8 alone. Facts() says
  // which.
  static absl::StatusOr<std::unique_ptr<Backend>> Create(
      const Model& model, const BackendSpec& spec,
      const std::vector<std::vector<int>>& input_shapes = {});

  Interpreter& interpreter() { return *interpreter_; }
  const BackendSpec& spec() const { return spec_; }

  // Milliseconds from nothing to allocated tensors (delegate made and applied,
  // programs compiled), without the time to read the model's file.
  double init_ms() const { return init_ms_; }

  // kInternal where the GL delegate's report is not what it should be.
  absl::StatusOr<BackendFacts> Facts() const;

  // TfLiteGlesDelegateReport(); empty for other backends.
  std::string GlesReport() const;

 private:
  Backend() = default;
  static absl::StatusOr<std::unique_ptr<Backend>> CreateWith(
      const Model& model, const BackendSpec& spec,
      const std::vector<std::vector<int>>& input_shapes,
      XnnpackQuantized quantized);
  // Prepares the delegate, and counts what it replaces.
  static TfLiteStatus Prepare(TfLiteContext* context, TfLiteDelegate* counting);

  // The last member is destroyed first, as it must be.
  BackendSpec spec_;
  XnnpackQuantized quantized_ = kXnnpackFloats;  // of kXnnpack
  DelegatePtr delegate_;
  NewestDelegate counting_ = {};  // applied for delegates that do not say
  std::unique_ptr<Interpreter> interpreter_;
  double init_ms_ = 0;
  BackendFacts counted_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_RUNNER_BACKEND_H_

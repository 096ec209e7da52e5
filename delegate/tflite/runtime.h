// Identifies the TFLite runtime that loaded the delegate: its library, version
// and integer kernels (docs/quantization.md has their table).
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_RUNTIME_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_RUNTIME_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "quant/cpu_kernels.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

struct Runtime {
  // The file with the functions of the TfLiteContext. "": unknown.
  std::string library;
  // The result of that library's TfLiteVersion(), or TF_Version() in
  // TensorFlow's wheels. "": it exports neither, as TFLite's Python wheels.
  std::string version;
  // sizeof(TfLiteRegistration) there, which grew between versions, from the
  // distance between two nodes of the model. 0: unknown.
  int registration_bytes = 0;
  bool of_2_14 = false;  // IsRuntimeOf214()
  // The result of AskForCpuKernels(); nullopt: not run, or no result.
  std::optional<quant::CpuKernels> asked = std::nullopt;
};

// Determines the above; calls no functions of the runtime except the context's
// and the two version functions. Members of the context may be nullptr.
Runtime RuntimeOf(TfLiteContext* context);

// Runtime::registration_bytes.
int RegistrationBytesOf(TfLiteContext* context);

// True if the runtime is 2.14 or newer, false if it is older or unknown. Needs
// no symbols, which hosts may hide: 2.14 appended AcquireSubgraphContext to
// TfLiteContext, so the word after 2.13's context is a function of the runtime
// from 2.14 on, and before that another member of the runtime's subgraph, which
// contains the context. `context` is as given to a delegate's Prepare; a
// context outside a subgraph is not read past its end.
bool IsRuntimeOf214(const TfLiteContext& context);

// The minor version of a release 2.x (up to 14) whose parameter structs
// (builtin_params.h) the runtime has. 0: unknown, as for the wheel
// tflite-runtime 2.12 and, with a model of one node, 2.13.
int ParamsMinorOf(const Runtime& runtime);

// The runtime's default integer kernels: the measured ones, else according to
// version and structs, else those of the newest known runtime.
quant::CpuKernels CpuKernelsOf(const Runtime& runtime);

// The values of the option integer_rounding except "auto".
absl::string_view CpuKernelsName(quant::CpuKernels kernels);
// kInvalidArgument: an unknown `name`; the message lists all.
absl::StatusOr<quant::CpuKernels> CpuKernelsFromName(absl::string_view name);

// --- Integer kernels ---------------------------------------------------------

// Detects a TFLite library's integer kernels by running four models of one op,
// whose sums are ties, through its C API, with XNNPACK if the library applies
// it. The version number is not enough: builds of one version differ.

// `library`: path of a loaded library. Runs once per process and library; any
// thread. nullopt: it does not export TFLite's C API (Python wheels do not), or
// its results match no known kernels.
std::optional<quant::CpuKernels> AskForCpuKernels(const std::string& library);

struct ModelNodes;

// Detects differences between runtimes' kernels by running the kernels of a
// model's nodes on small tensors. Python wheels export nothing else that would
// tell. `traits` updated by the results. `follows`: also detect rounding;
// otherwise the user chose it, and only CAST is run. Call it in the delegate's
// Prepare.
quant::KernelTraits AskKernels(TfLiteContext* context, const ModelNodes& nodes,
                               quant::KernelTraits traits, bool follows);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_RUNTIME_H_

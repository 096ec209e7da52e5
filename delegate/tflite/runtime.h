// Which TensorFlow Lite runtime has loaded the delegate, as far as the delegate
// can tell from inside: its library, its age, and whose integer kernels its CPU
// runs (docs/quantization.md has the table of those).
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
  // The file that holds the functions of the TfLiteContext. "": not known.
  std::string library;
  // What that library's TfLiteVersion(), or TF_Version() of TensorFlow's
  // wheels, says. "": it exports neither, as the Python wheels of TFLite alone.
  std::string version;
  // sizeof(TfLiteRegistration) there, which grew from version to version: the
  // distance between two nodes of the model tells. 0: not known.
  int registration_bytes = 0;
  bool of_2_14 = false;  // IsRuntimeOf214()
  // What AskForCpuKernels() found; nullopt: not asked, or no answer.
  std::optional<quant::CpuKernels> asked = std::nullopt;
  quant::KernelTraits traits = {};  // AskKernels()
};

// Reads what is said above; calls no function of the runtime but the context's
// own and the two version functions. Any member of the context may be nullptr.
Runtime RuntimeOf(TfLiteContext* context);

// True where the runtime is of 2.14 or newer, false where it is older or where
// nothing can be told. It goes by the context alone and needs no symbol of the
// runtime, since hosts hide or lack them: 2.14 appended AcquireSubgraphContext
// to TfLiteContext (2.13 lacks it), so that the word behind the context of 2.13
// is a function of the runtime from 2.14 on, and before that another member of
// the runtime's subgraph, which the context is part of. `context` is as TFLite
// gives it to a delegate's Prepare; a context that is no part of a subgraph is
// not read past its end.
bool IsRuntimeOf214(const TfLiteContext& context);

// The minor number of a release 2.x whose parameter structs' fields
// (builtin_params.h) the runtime's have, the newest that can be told of 2.14
// and before. 0: nothing can be told, as of the wheel tflite-runtime 2.12 and,
// for a model of one node, 2.13.
int ParamsMinorOf(const Runtime& runtime);

// Whose integer kernels the runtime's CPU runs by default: what it answered
// when it was asked, else what its version and structs say. If nothing can be
// told, those of the newest runtime that was measured.
quant::CpuKernels CpuKernelsOf(const Runtime& runtime);

// The values of the option integer_rounding but for "auto".
absl::string_view CpuKernelsName(quant::CpuKernels kernels);
// kInvalidArgument: `name` is none of them; the message lists them.
absl::StatusOr<quant::CpuKernels> CpuKernelsFromName(absl::string_view name);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_RUNTIME_H_

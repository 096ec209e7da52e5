// What the delegate did, as TfLiteGlesDelegateReport() gives it.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_REPORT_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_REPORT_H_

#include <string>
#include <vector>

#include "delegate/tflite/gpu.h"
#include "delegate/tflite/interpreter_reports.h"
#include "delegate/tflite/options.h"
#include "delegate/tflite/runtime.h"
#include "quant/cpu_kernels.h"

namespace gles_delegate {

// What a report is made of. The references must outlive the call.
struct ReportParts {
  const Options& options;
  const Gpu* gpu;  // nullptr: there is no context yet
  const Runtime& runtime;
  quant::CpuKernels cpu_kernels;
  const std::vector<InterpreterReport>& interpreters;  // the last applied last
};

// A JSON object. Its keys about a model are those of the last interpreter;
// where there are several, "interpreters" has these keys of each, in their
// order, and "gpu_bytes" counts the partitions of all. Bytes of names that are
// no UTF-8 are replaced.
std::string ReportText(const ReportParts& parts);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_REPORT_H_

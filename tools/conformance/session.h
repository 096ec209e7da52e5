// Runs cases on one GL context, one after the other.
#ifndef GLES_DELEGATE_TOOLS_CONFORMANCE_SESSION_H_
#define GLES_DELEGATE_TOOLS_CONFORMANCE_SESSION_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "egl/context.h"
#include "tools/common/tflite_host.h"
#include "tools/conformance/suite.h"
#include "tools/op_models/compare.h"

namespace gles_delegate::conformance {

struct CaseResult {
  std::string name;
  std::string op;
  std::string text;  // Family::text
  bool quantized = false;
  Precision precision = Precision::kFloat32;
  std::string failure;  // empty: it passed
  // Why the loaded TensorFlow Lite cannot say what is right: it has no such op,
  // or refuses the model. Empty: the case ran.
  std::string not_run;
  testing::Comparison comparison;
  // With --self_check: programs of the case, and those that were compared.
  int programs = 0;
  int checked = 0;
  double seconds = 0;
};

// Threads: all calls on the thread that created it.
class Session {
 public:
  // `device` as egl::ContextOptions::device; `self_check` as the delegate's
  // option. kUnavailable: no device.
  static absl::StatusOr<std::unique_ptr<Session>> Create(
      const std::string& device, bool self_check);

  const egl::DeviceInfo& device() const { return context_->device(); }

  // Runs the family's variants that `wanted` accepts (by the case's name);
  // `started` hears each name before it runs. TFLite's result is made once a
  // precision.
  std::vector<CaseResult> Run(
      const Family& family,
      const std::function<bool(const std::string&)>& wanted,
      const std::function<void(const std::string&)>& started);

 private:
  Session() = default;

  // One delegate runs all cases of a variant, so that programs that they share
  // are compiled once; a fresh one where it holds many.
  absl::StatusOr<TfLiteDelegate*> DelegateFor(const Variant& variant);
  // Runs one case; what is wrong with it, or "".
  std::string Check(const Family& family, const SingleOpModel& model,
                    const testing::CpuReference& reference,
                    const Variant& variant, CaseResult* result);

  bool self_check_ = false;
  std::unique_ptr<egl::Context> context_;
  std::map<std::pair<int, int>, DelegatePtr> delegates_;
};

}  // namespace gles_delegate::conformance

#endif  // GLES_DELEGATE_TOOLS_CONFORMANCE_SESSION_H_

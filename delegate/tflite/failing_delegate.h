// A delegate that cannot be applied, for callers that cannot handle NULL.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_FAILING_DELEGATE_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_FAILING_DELEGATE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "delegate/tflite/simple_delegate.h"

namespace gles_delegate {

// Each attempt to apply it reports `reason`, which is not Ok, to the
// interpreter and fails; the interpreter runs on the CPU.
class FailingDelegate final : public SimpleDelegate {
 public:
  explicit FailingDelegate(absl::Status reason);

  const char* Name() const override { return "TfLiteGlesDelegate"; }
  absl::Status Initialize(TfLiteContext*, const ContextOrError&) override {
    return reason_;
  }
  absl::Status IsNodeSupported(int) override { return reason_; }
  std::vector<ModelPartition> ChoosePartitions(
      TfLiteContext*, std::vector<ModelPartition>) override {
    return {};
  }
  // Never called, as Initialize fails.
  absl::StatusOr<std::unique_ptr<SimpleDelegateKernel>> CreateKernel(
      TfLiteContext*, const ModelPartition&) override {
    return reason_;
  }
  absl::Status BindObject(int, const TfLiteGlesObject*) override {
    return reason_;
  }
  void Finish(TfLiteContext*, const absl::Status&) override {}
  const char* Report() override { return report_.c_str(); }

 private:
  const absl::Status reason_;
  const std::string report_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_FAILING_DELEGATE_H_

// Counts what a delegate takes of a graph, for delegates that do not say.
#ifndef GLES_DELEGATE_TOOLS_RUNNER_DELEGATION_PROBE_H_
#define GLES_DELEGATE_TOOLS_RUNNER_DELEGATION_PROBE_H_

#include "delegate/tflite/abi.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// A delegate that passes every call on to another, and notes the nodes that the
// other claims when it is applied.
// Ownership: borrows `inner`; both must outlive the interpreter.
// Threads: as the inner delegate's.
class DelegationProbe {
 public:
  explicit DelegationProbe(TfLiteDelegate* inner);
  DelegationProbe(const DelegationProbe&) = delete;
  DelegationProbe& operator=(const DelegationProbe&) = delete;

  // The delegate to apply to the interpreter.
  TfLiteDelegate* delegate() { return &outer_.base; }

  int nodes_total() const { return nodes_total_; }
  int nodes_delegated() const { return nodes_delegated_; }
  int partitions() const { return partitions_; }

 private:
  static TfLiteStatus Prepare(TfLiteContext* context, TfLiteDelegate* outer);
  // Stands in for the context's function while the inner delegate prepares. The
  // runtime's registration may be shorter; the newest one is taken and
  // passed on, as ReplaceNodes() of abi.h does, so that no member is lost.
  static TfLiteStatus Replace(TfLiteContext* context,
                              NewestRegistration registration,
                              const TfLiteIntArray* nodes,
                              TfLiteDelegate* delegate);

  TfLiteDelegate* inner_;
  NewestDelegate outer_ = {};
  decltype(&DelegationProbe::Replace) replace_ = nullptr;
  int nodes_total_ = 0;
  int nodes_delegated_ = 0;
  int partitions_ = 0;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_RUNNER_DELEGATION_PROBE_H_

#include "tools/runner/delegation_probe.h"

#include <cstring>

namespace gles_delegate {
namespace {

// The probe whose delegate is preparing; Replace gets no user data.
thread_local DelegationProbe* preparing = nullptr;

}  // namespace

DelegationProbe::DelegationProbe(TfLiteDelegate* inner) : inner_(inner) {
  // The buffer callbacks stay unset: the tensors name the inner delegate, so
  // that TFLite calls the callbacks of that one.
  outer_.base.data_ = this;
  outer_.base.Prepare = &DelegationProbe::Prepare;
  outer_.base.flags = inner->flags;
}

TfLiteStatus DelegationProbe::Prepare(TfLiteContext* context,
                                      TfLiteDelegate* outer) {
  auto* probe = static_cast<DelegationProbe*>(outer->data_);
  TfLiteIntArray* plan = nullptr;
  if (context->GetExecutionPlan(context, &plan) == kTfLiteOk) {
    probe->nodes_total_ = plan->size;
  }
  // memcpy, since the two types of function differ in the registration.
  auto& function = context->ReplaceNodeSubsetsWithDelegateKernels;
  const auto theirs = function;
  std::memcpy(&probe->replace_, &theirs, sizeof(theirs));
  const auto ours = &DelegationProbe::Replace;
  std::memcpy(&function, &ours, sizeof(ours));
  preparing = probe;
  const TfLiteStatus status = probe->inner_->Prepare(context, probe->inner_);
  function = theirs;
  preparing = nullptr;
  return status;
}

TfLiteStatus DelegationProbe::Replace(TfLiteContext* context,
                                      NewestRegistration registration,
                                      const TfLiteIntArray* nodes,
                                      TfLiteDelegate* delegate) {
  DelegationProbe* probe = preparing;
  probe->nodes_delegated_ = nodes->size;
  TfLiteDelegateParams* partitions = nullptr;
  int count = 0;
  if (context->PreviewDelegatePartitioning(context, nodes, &partitions,
                                           &count) == kTfLiteOk) {
    probe->partitions_ = count;
  }
  return probe->replace_(context, registration, nodes, delegate);
}

}  // namespace gles_delegate

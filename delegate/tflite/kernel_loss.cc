// The part of GlesKernel that recovers from a lost context.
#include <string>

#include "absl/strings/str_cat.h"
#include "delegate/tflite/kernel.h"
#include "delegate/tflite/messages.h"

namespace gles_delegate {

bool GlesKernel::IsBuilt() const {
  return source_ != nullptr && executor_context_ == setup_.gpu->context &&
         !executor_context_->is_lost();
}

absl::Status GlesKernel::Recover(TfLiteContext* context) {
  if (!recovery_.MayRebuild()) return GiveUp(context);
  const absl::Status prepared = PrepareOnGpu(context);
  // Lost again: the next Invoke tries once more.
  if (absl::IsAborted(prepared)) return prepared;
  if (auto s = FallBack(context, prepared); !s.ok()) return s;
  if (on_cpu_ == nullptr && setup_.options.verbosity >= 1) {
    Warn(context, absl::StrCat("the OpenGL ES context on ",
                               setup_.gpu->context->device().renderer,
                               " was lost; the partition of ",
                               setup_.partition.nodes.size(),
                               " nodes is built anew in another one"));
  }
  return absl::OkStatus();
}

absl::Status GlesKernel::GiveUp(TfLiteContext* context) {
  const std::string why = recovery_.WhyNot(
      setup_.partition.nodes.size(), setup_.gpu->context->device().renderer);
  if (setup_.options.fallback_to_cpu) return UseCpu(context, why);
  return absl::FailedPreconditionError(absl::StrCat(
      why,
      "; it is not tried again. Exclude nodes (exclude_nodes), or run them on "
      "the CPU (fallback_to_cpu does so by itself)"));
}

}  // namespace gles_delegate

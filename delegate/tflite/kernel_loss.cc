// The part of GlesKernel that recovers from a lost context.
#include <string>

#include "absl/strings/str_cat.h"
#include "delegate/tflite/kernel.h"
#include "delegate/tflite/messages.h"

namespace gles_delegate {
namespace {

// A partition whose commands hang the GPU does so each time, and each time the
// whole machine's display may stand still for seconds.
constexpr int kMaxGuiltyResets = 3;

}  // namespace

bool GlesKernel::IsBuilt() const {
  return executor_ != nullptr && executor_context_ == setup_.gpu->context &&
         !executor_context_->is_lost();
}

void GlesKernel::NoteOutcome(const absl::Status& status,
                             const egl::Context& context) {
  if (status.ok()) {
    guilty_resets_ = 0;
  } else if (absl::IsAborted(status) && context.is_guilty()) {
    ++guilty_resets_;
  }
}

absl::Status GlesKernel::Recover(TfLiteContext* context) {
  if (guilty_resets_ >= kMaxGuiltyResets) return GiveUp(context);
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
  const std::string why =
      absl::StrCat(guilty_resets_, " Invokes in a row of the partition of ",
                   setup_.partition.nodes.size(),
                   " nodes ended with a reset of the OpenGL ES context on ",
                   setup_.gpu->context->device().renderer,
                   " that its own commands may have caused");
  if (setup_.options.fallback_to_cpu) return UseCpu(context, why);
  return absl::FailedPreconditionError(absl::StrCat(
      why,
      "; it is not tried again. Exclude nodes (exclude_nodes), or run them on "
      "the CPU (fallback_to_cpu does so by itself)"));
}

}  // namespace gles_delegate

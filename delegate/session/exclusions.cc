#include "delegate/session/exclusions.h"

namespace gles_delegate {
namespace {

using F = FeatureFacts;

constexpr Exclusion kExclusions[] = {
    // Options that measure or show a plan, or limit its memory, apply to the
    // optimized plan; GLES_DELEGATE_DEBUG=plan writes only that.
    {&F::profiles, "enable_op_profiling", "enable_op_profiling is set", true,
     false},
    {&F::limits_memory, "memory_limit_bytes", "memory_limit_bytes is set", true,
     false},
    {&F::dumps_plans, "GLES_DELEGATE_DEBUG=plan",
     "GLES_DELEGATE_DEBUG=plan is set", true, false},
    // The app's objects, and those shared with other delegates, belong to
    // contexts with which a third one may not be able to share.
    {&F::borrows_context, "borrowed context", "the context is the app's", true,
     false},
    {&F::shares_by_key, "share_key", "share_key is set", true, false},
    // The outputs are bound objects. The host may write inputs that the GPU
    // still reads.
    {&F::does_not_wait, "bound objects", "wait_type is do_not_wait", true,
     true},
    {&F::has_bound_object, "bound objects", "an object of the app's is bound",
     true, true},
    {&F::has_variable, "variable",
     "a variable tensor's state would stay behind in the baseline plan", true,
     true},
    {&F::has_custom_memory, "custom allocations",
     "the app has provided the tensor's memory", false, true},
    {&F::was_compiled, nullptr, "most programs were compiled before the resize",
     true, false},
};

std::string Why(bool Exclusion::*excludes, const FeatureFacts& facts) {
  for (const Exclusion& exclusion : kExclusions) {
    if (exclusion.*excludes && facts.*exclusion.fact) return exclusion.why;
  }
  return "";
}

}  // namespace

absl::Span<const Exclusion> Exclusions() { return kExclusions; }

std::string WhyNoBaseline(const FeatureFacts& facts) {
  return Why(&Exclusion::excludes_baseline, facts);
}

std::string WhyNoZeroCopy(const FeatureFacts& facts) {
  return Why(&Exclusion::excludes_zero_copy, facts);
}

}  // namespace gles_delegate

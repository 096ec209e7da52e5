// Which features exclude one another: one table (exclusions.cc).
#ifndef GLES_DELEGATE_DELEGATE_SESSION_EXCLUSIONS_H_
#define GLES_DELEGATE_DELEGATE_SESSION_EXCLUSIONS_H_

#include <string>

#include "absl/types/span.h"

namespace gles_delegate {

// Facts about a partition, or for zero_copy about one of its inputs or outputs,
// each of which may rule out a feature.
struct FeatureFacts {
  bool profiles = false;       // enable_op_profiling
  bool limits_memory = false;  // memory_limit_bytes
  bool dumps_plans = false;    // GLES_DELEGATE_DEBUG=plan
  bool borrows_context = false;
  bool shares_by_key = false;  // share_key
  bool does_not_wait = false;  // wait_type
  bool has_bound_object = false;
  bool has_variable = false;
  bool has_custom_memory = false;  // that the app has given to the runtime
  // The optimized plan was built before, in the same context.
  bool was_compiled = false;
};

struct Exclusion {
  bool FeatureFacts::*fact;
  // Its name in the public header's comment on the feature; nullptr: an app has
  // no influence on it.
  const char* name;
  const char* why;
  bool excludes_baseline;   // startup: tiered
  bool excludes_zero_copy;  // of the input or output
};
absl::Span<const Exclusion> Exclusions();

// The first reason why a partition has no baseline plan, or an input or output
// is copied; "": none.
std::string WhyNoBaseline(const FeatureFacts& facts);
std::string WhyNoZeroCopy(const FeatureFacts& facts);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_SESSION_EXCLUSIONS_H_

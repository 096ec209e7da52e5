// A bound on the memory that a small file can make the host take for what is
// computed from it while a delegate is applied: values that follow from shapes,
// the steps of loops, constants that are folded.
#ifndef GLES_DELEGATE_DELEGATE_GRAPH_HOST_BUDGET_H_
#define GLES_DELEGATE_DELEGATE_GRAPH_HOST_BUDGET_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace gles_delegate {

// While it lives, what its thread takes comes from it: one call of the runtime,
// as a rule. Without one, each Take() has the whole budget.
class HostBudget {
 public:
  static constexpr int64_t kBytes = 256 << 20;

  HostBudget();
  ~HostBudget();
  HostBudget(const HostBudget&) = delete;
  HostBudget& operator=(const HostBudget&) = delete;

  // kResourceExhausted, with the sizes: `what` of `bytes` goes past the budget,
  // which stays as it is.
  static absl::Status Take(int64_t bytes, absl::string_view what);
  // Ok, or the first of those errors in this budget.
  static absl::Status Refused();

 private:
  HostBudget* const before_;
  int64_t left_ = kBytes;
  absl::Status refused_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_GRAPH_HOST_BUDGET_H_

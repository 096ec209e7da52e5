#include "delegate/graph/host_budget.h"

#include <utility>

#include "base/status_macros.h"

namespace gles_delegate {
namespace {

thread_local HostBudget* t_budget = nullptr;

}  // namespace

HostBudget::HostBudget() : before_(std::exchange(t_budget, this)) {}
HostBudget::~HostBudget() { t_budget = before_; }

absl::Status HostBudget::Take(int64_t bytes, absl::string_view what) {
  const int64_t left = t_budget == nullptr ? kBytes : t_budget->left_;
  if (bytes <= left) {
    if (t_budget != nullptr) t_budget->left_ -= bytes;
    return absl::OkStatus();
  }
  absl::Status refused =
      Exhausted(what, " takes ", bytes, " bytes; of ", kBytes,
                " bytes for what is computed while the model is read, ", left,
                " are left");
  if (t_budget != nullptr) t_budget->refused_.Update(refused);
  return refused;
}

absl::Status HostBudget::Refused() {
  return t_budget == nullptr ? absl::OkStatus() : t_budget->refused_;
}

}  // namespace gles_delegate

#include "delegate/partition/tuning_progress.h"

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace gles_delegate {
namespace {

constexpr double kSilentSeconds = 5;

double SteadySeconds() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

TuningProgress::TuningProgress(int nodes,
                               std::function<void(const std::string&)> tell,
                               std::function<double()> seconds)
    : nodes_(nodes),
      tell_(std::move(tell)),
      seconds_(seconds ? std::move(seconds) : SteadySeconds),
      told_(seconds_()) {}

void TuningProgress::Tried(double ms) {
  ++tried_;
  if (ms > 0 && (best_ms_ == 0 || ms < best_ms_)) best_ms_ = ms;
  const double now = seconds_();
  if (!tell_ || now - told_ < kSilentSeconds) return;
  told_ = now;
  std::string line = absl::StrCat("tuning a partition of ", nodes_,
                                  " nodes: ", tried_, " profiles tried");
  if (best_ms_ > 0) {
    absl::StrAppendFormat(&line, ", the fastest takes %.3g ms", best_ms_);
  }
  tell_(line);
}

}  // namespace gles_delegate

#include "delegate/runtime/timed_runs.h"

#include <algorithm>

namespace gles_delegate {

void TimedRuns::Add(TimedRun run) {
  const size_t at = static_cast<size_t>(count_++) % kKept;
  if (at < ring_.size()) {
    ring_[at] = run;
  } else {
    ring_.push_back(run);
  }
}

double TimedRuns::MedianUs() const {
  if (ring_.empty()) return 0;
  std::vector<double> sorted;
  for (const TimedRun& run : ring_) sorted.push_back(run.us);
  std::sort(sorted.begin(), sorted.end());
  const size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle]
                                : (sorted[middle - 1] + sorted[middle]) / 2;
}

std::vector<TimedRun> TimedRuns::Last(size_t most) const {
  std::vector<TimedRun> last;
  const size_t kept = std::min(most, ring_.size());
  for (size_t i = 0; i < kept; ++i) {
    last.push_back(
        ring_[(static_cast<size_t>(count_) - kept + i) % ring_.size()]);
  }
  return last;
}

}  // namespace gles_delegate

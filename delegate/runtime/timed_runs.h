// The times of a command in a profile, or of a step on the host.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_TIMED_RUNS_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_TIMED_RUNS_H_

#include <chrono>
#include <vector>

namespace gles_delegate {

// Microseconds; starts are those of steady_clock.
struct TimedRun {
  double start_us = 0;
  double us = 0;
};

inline double NowUs() {
  return std::chrono::duration<double, std::micro>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// The last kKept runs, and how many there have been.
class TimedRuns {
 public:
  static constexpr size_t kKept = 64;
  void Add(TimedRun run);
  int count() const { return count_; }
  double MedianUs() const;  // 0 without runs
  double LastUs() const { return ring_.empty() ? 0 : Last(1)[0].us; }
  // The last `most` runs or fewer, the oldest first.
  std::vector<TimedRun> Last(size_t most) const;

 private:
  std::vector<TimedRun> ring_;
  int count_ = 0;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_TIMED_RUNS_H_

// Progress messages of `tuning: exhaustive`, which may take minutes.
#ifndef GLES_DELEGATE_DELEGATE_PARTITION_TUNING_PROGRESS_H_
#define GLES_DELEGATE_DELEGATE_PARTITION_TUNING_PROGRESS_H_

#include <functional>
#include <string>

namespace gles_delegate {

class TuningProgress {
 public:
  // `tell` gets a line at most every five seconds, the first after five; may be
  // null. `nodes`: of the partition. `seconds`: a monotonic clock; null:
  // steady_clock.
  TuningProgress(int nodes, std::function<void(const std::string&)> tell,
                 std::function<double()> seconds = nullptr);

  // A profile was tried; `ms`: time of an inference, 0 if it failed.
  void Tried(double ms);

 private:
  const int nodes_;
  const std::function<void(const std::string&)> tell_;
  const std::function<double()> seconds_;
  double told_;  // when last
  int tried_ = 0;
  double best_ms_ = 0;  // 0: none yet
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PARTITION_TUNING_PROGRESS_H_

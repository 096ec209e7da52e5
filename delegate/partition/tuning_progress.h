// What the user hears of `tuning: exhaustive`, which may take minutes.
#ifndef GLES_DELEGATE_DELEGATE_PARTITION_TUNING_PROGRESS_H_
#define GLES_DELEGATE_DELEGATE_PARTITION_TUNING_PROGRESS_H_

#include <functional>
#include <string>

namespace gles_delegate {

class TuningProgress {
 public:
  // `tell` gets a line at most every five seconds, the first after five; null:
  // nobody listens. `nodes` are those of the partition. `seconds` is a clock
  // that never goes back; null: the steady one.
  TuningProgress(int nodes, std::function<void(const std::string&)> tell,
                 std::function<double()> seconds = nullptr);

  // One more profile was tried; `ms` is an inference with it, 0: it failed.
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

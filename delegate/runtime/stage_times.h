// Start-up times by stage, for the report.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_STAGE_TIMES_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_STAGE_TIMES_H_

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace gles_delegate {

// Milliseconds by stage, in order of first appearance.
class StageTimes {
 public:
  void Add(const std::string& stage, double ms) {
    for (auto& [name, total] : stages_) {
      if (name == stage) {
        total += ms;
        return;
      }
    }
    stages_.emplace_back(stage, ms);
  }
  void Add(const StageTimes& other) {
    for (const auto& [name, ms] : other.stages_) Add(name, ms);
  }
  // 0 for an unknown stage.
  double Of(const std::string& stage) const {
    for (const auto& [name, total] : stages_) {
      if (name == stage) return total;
    }
    return 0;
  }
  const std::vector<std::pair<std::string, double>>& stages() const {
    return stages_;
  }

 private:
  std::vector<std::pair<std::string, double>> stages_;
};

// A stopwatch. Lap() adds the time since the last Lap(), or since construction,
// to a stage. `times` must outlive it.
class StageTimer {
 public:
  explicit StageTimer(StageTimes* times) : times_(times), last_(Clock::now()) {}
  void Lap(const char* stage) {
    const auto now = Clock::now();
    times_->Add(stage,
                std::chrono::duration<double, std::milli>(now - last_).count());
    last_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  StageTimes* times_;
  Clock::time_point last_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_STAGE_TIMES_H_

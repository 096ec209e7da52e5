// Measures for the option prefer_faster whether a partition is faster on GPU or
// CPU.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_COMPARE_SPEEDS_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_COMPARE_SPEEDS_H_

#include <functional>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gles_delegate {

enum class Processor { kGpu, kCpu };

// Median times of an inference, in ms.
struct Speeds {
  double gpu_ms = 0;
  double cpu_ms = 0;
  bool cpu_is_faster() const { return cpu_ms < gpu_ms; }
};

// Times both, with up to 15 runs each after 2 warm-ups, or fewer (at least one)
// if they exceed a quarter of a second. Errors: those of the runs.
absl::StatusOr<Speeds> CompareSpeeds(
    absl::FunctionRef<absl::Status()> run_on_gpu,
    absl::FunctionRef<absl::Status()> run_on_cpu);

// The text for the start-up cache, at most kSpeedsTextBytes.
constexpr size_t kSpeedsTextBytes = 64;
std::string SpeedsText(const Speeds& speeds);
// nullopt: `text` is not a SpeedsText().
std::optional<Speeds> SpeedsFromText(absl::string_view text);

// Returns the duration of `run` in ms, or its error.
using TimeRun = std::function<absl::StatusOr<double>(
    Processor processor, absl::FunctionRef<absl::Status()> run)>;

// For tests: replaces CompareSpeeds()'s clock by `time` while it lives. Not
// thread-safe.
class ScopedTimeRun {
 public:
  explicit ScopedTimeRun(TimeRun time);
  ~ScopedTimeRun();
  ScopedTimeRun(const ScopedTimeRun&) = delete;
  ScopedTimeRun& operator=(const ScopedTimeRun&) = delete;

 private:
  TimeRun before_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_COMPARE_SPEEDS_H_

// The measurement of the option prefer_faster: where does a partition run
// faster?
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

// Of one inference, in ms: the median of some runs.
struct Speeds {
  double gpu_ms = 0;
  double cpu_ms = 0;
  bool cpu_is_faster() const { return cpu_ms < gpu_ms; }
};

// Times both: on each processor up to 15 runs after 2 that do not count, or
// fewer where the runs take longer than a quarter of a second together, but one
// that counts at least. Errors: what a run returned.
absl::StatusOr<Speeds> CompareSpeeds(
    absl::FunctionRef<absl::Status()> run_on_gpu,
    absl::FunctionRef<absl::Status()> run_on_cpu);

// As the start-up cache keeps them; kSpeedsTextBytes at most.
constexpr size_t kSpeedsTextBytes = 64;
std::string SpeedsText(const Speeds& speeds);
// nullopt: `text` is no SpeedsText().
std::optional<Speeds> SpeedsFromText(absl::string_view text);

// How long `run` took, in ms; what `run` returned where it failed.
using TimeRun = std::function<absl::StatusOr<double>(
    Processor processor, absl::FunctionRef<absl::Status()> run)>;

// For tests: while it lives, CompareSpeeds() asks `time` instead of a clock.
// Not for two threads at once.
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

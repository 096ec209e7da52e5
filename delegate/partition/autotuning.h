// Searches the fastest tuning parameters for a partition.
#ifndef GLES_DELEGATE_DELEGATE_PARTITION_AUTOTUNING_H_
#define GLES_DELEGATE_DELEGATE_PARTITION_AUTOTUNING_H_

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "delegate/device/device_profile.h"

namespace gles_delegate {

struct Tuned {
  DeviceProfile profile;
  double before_ms = 0;  // an inference with the profile that was given
  double after_ms = 0;   // an inference with `profile`
  int measured = 0;      // number of measurements
};

// The search of the option `tuning: exhaustive`. Tries every candidate of every
// tuning parameter (delegate/device/tuning_parameters.h), one parameter after
// the other, and keeps a value that gains at least 2%, to ignore noise. Repeats
// this once if the first round changed anything. Finally measures the winner
// and `start` alternately, and drops a winner that was faster only by chance.
//
// `measure` returns the time of an inference with a profile, in ms; profiles
// for which it fails are skipped: they cannot run, or their results differ from
// those of `start` (PartitionTrials of delegate/partition/plan_partition.h). An
// error for `start` itself is returned. `may_change_storage`: false if the user
// chose the storage.
absl::StatusOr<Tuned> TuneExhaustively(
    const DeviceProfile& start, bool may_change_storage,
    absl::FunctionRef<absl::StatusOr<double>(const DeviceProfile&)> measure);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PARTITION_AUTOTUNING_H_

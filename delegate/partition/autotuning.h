// The search for the knobs that are fastest for one partition.
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
  int measured = 0;      // how many measurements were made
};

// The search of the option `tuning: exhaustive`. It tries every candidate of
// every knob (delegate/device/knobs.h), one knob after the other, and keeps a
// value where that gains 2% or more, so that it does not follow noise. Where
// the first round changed anything, a second round follows. At the end it
// measures the winner and `start` in turns, and drops a winner that won by
// luck.
//
// `measure` gives the time of an inference with a profile, in ms. Its error
// says that the profile cannot run, or answers otherwise than `start` does
// (PartitionTrials of delegate/partition/plan_partition.h): the profile is then
// passed over. An error for `start` itself is returned. `may_change_storage` is
// false where the user chose the storage.
absl::StatusOr<Tuned> TuneExhaustively(
    const DeviceProfile& start, bool may_change_storage,
    absl::FunctionRef<absl::StatusOr<double>(const DeviceProfile&)> measure);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PARTITION_AUTOTUNING_H_

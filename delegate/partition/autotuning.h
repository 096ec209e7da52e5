// The search for the knobs that are fastest for one partition.
#ifndef GLES_DELEGATE_DELEGATE_PARTITION_AUTOTUNING_H_
#define GLES_DELEGATE_DELEGATE_PARTITION_AUTOTUNING_H_

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "delegate/device/device_profile.h"

namespace gles_delegate {

struct Tuned {
  DeviceProfile profile;
  double before_ms = 0;  // with the profile that was given
  double after_ms = 0;
  int measured = 0;  // profiles
};

// The search of the option `tuning: exhaustive`: knob by knob every value that
// the list of device/knobs.cc has, the best kept before the next is tried; once
// more over all of them where that changed anything; at the end the winner and
// `start` in turns, and the winner is dropped where it was luck. `measure`
// gives a profile's time of an inference in ms, or an error where it cannot
// run or answers otherwise than `start` does (PartitionTrials of
// delegate/partition/plan_partition.h), which passes it over. A value is taken
// where it gains 2% or more, so that noise does not wander. The error is that
// of the first measurement.
absl::StatusOr<Tuned> TuneExhaustively(
    const DeviceProfile& start, bool may_change_storage,
    absl::FunctionRef<absl::StatusOr<double>(const DeviceProfile&)> measure);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PARTITION_AUTOTUNING_H_

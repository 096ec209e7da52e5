// What of a device's profile may be tuned, by name, and the search for the
// values that are fastest for one partition.
#ifndef GLES_DELEGATE_DELEGATE_PARTITION_TUNING_H_
#define GLES_DELEGATE_DELEGATE_PARTITION_TUNING_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "delegate/plan/plan.h"

namespace gles_delegate {

// "conv_tile_pixels=4,...,storage=2": every knob's value. Equal texts, equal
// tuning.
std::string TuningText(const DeviceProfile& profile);

// Sets the knobs that `text` names. Unknown names and values out of a knob's
// range are ignored: the text may come from the environment or from a file.
void ApplyTuning(absl::string_view text, DeviceProfile* profile);

// The text as the start-up cache keeps it: TuningRecordBytes() bytes, which is
// room for the longest text of any profile, zeros behind the text.
size_t TuningRecordBytes();
// `text` is a TuningText().
std::vector<uint8_t> TuningRecord(absl::string_view text);
// What was a record's text; bytes that are no record give a text, too.
std::string TextOfTuningRecord(absl::Span<const uint8_t> record);

struct Tuned {
  DeviceProfile profile;
  double before_ms = 0;  // with the profile that was given
  double after_ms = 0;
  int measured = 0;  // profiles
};

// The search of the option `tuning: exhaustive`: knob by knob every value that
// the table of tuning.cc lists, the best kept before the next is tried; once
// more over all of them where that changed anything; at the end the winner and
// `start` in turns, and the winner is dropped where it was luck. `measure`
// gives a profile's time of an inference in ms, or an error where it cannot
// run or answers otherwise than `start` does (PartitionTrials of
// delegate/partition/plan_partition.h), which passes it over. A value is taken where it
// gains 2% or more, so that noise does not wander. The error is that of the
// first measurement.
absl::StatusOr<Tuned> TuneExhaustively(
    const DeviceProfile& start, bool may_change_storage,
    absl::FunctionRef<absl::StatusOr<double>(const DeviceProfile&)> measure);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PARTITION_TUNING_H_

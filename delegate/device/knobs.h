// The members of DeviceChoices by name: the one list of the knobs. It drives
// the text of a tuning, the record of a tuning and the key of the start-up
// cache, the search (delegate/partition/autotuning.h), and the table of
// docs/tuning.md, which a test holds against the list.
#ifndef GLES_DELEGATE_DELEGATE_DEVICE_KNOBS_H_
#define GLES_DELEGATE_DELEGATE_DEVICE_KNOBS_H_

#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "delegate/device/device_profile.h"

namespace gles_delegate {

// One member of DeviceChoices: an integer, or an enum, whose values count as
// their numbers.
struct Knob {
  using Member =
      std::variant<int DeviceChoices::*, gl_shaders::Storage DeviceChoices::*,
                   gl_shaders::ReadBy DeviceChoices::*>;
  absl::string_view name;
  Member member;
  int least;  // 0 where 0 turns something off.
  int most;
  std::vector<int> candidates;  // What the search tries. Empty: nothing.

  int Get(const DeviceChoices& choices) const;
  // `value` is in the knob's range.
  void Set(int value, DeviceChoices* choices) const;
};

// Every member of DeviceChoices, each once.
const std::vector<Knob>& Knobs();

// The value of one knob, by the knob's name.
struct KnobValue {
  std::string name;
  int value = 0;
};

// The value of every knob, in the order of Knobs().
std::vector<KnobValue> TuningOf(const DeviceChoices& choices);
// Sets every knob. kInvalidArgument: `values` names a knob that is none, leaves
// a knob out, names one twice, or has a value that is out of the knob's range;
// `*choices` is then as it was.
absl::Status SetTuning(const std::vector<KnobValue>& values,
                       DeviceChoices* choices);

// "storage=2,conv_tile_pixels=4,...": every knob's value. Equal texts mean
// equal choices.
std::string TuningText(const DeviceChoices& choices);
// Sets the knobs that `text` names. Unknown names and values out of a knob's
// range are ignored, because the text comes from the environment.
void ApplyTuning(absl::string_view text, DeviceChoices* choices);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_DEVICE_KNOBS_H_
